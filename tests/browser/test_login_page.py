"""Logging in, a session that ends under an open page, and logging out, in a real browser, with a library for each."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from doors.passwords import hash_password
from tests.browser.program import program

pytestmark = pytest.mark.browser

WORDS = {"zh-CN": "登录", "en-US": "Log in"}
ALONE = {"zh-CN": "知识库：仅自己可见", "en-US": "Library: visible to you alone"}


def test_what_one_has_outlives_a_session_and_is_not_for_the_next(browser: Browser, tmp_path: Path, locale: str) -> None:
    users = ",".join(f"{name}:{hash_password(f'secret of {name}')}" for name in ("ann", "ben"))
    with program(tmp_path / "library", CITEWISE_USERS=users, CITEWISE_LIBRARIES="private") as url:
        page = browser.new_context(locale=locale).new_page()
        page.goto(url, wait_until="domcontentloaded")
        box = page.locator("#box textarea")
        log_in(page, "ann", locale)
        expect(page.locator("#conversations .new")).to_be_visible()
        expect(page.locator("#whose")).to_have_text(ALONE[locale])
        mail = tmp_path / "pump.eml"
        mail.write_text("Subject: Pump\n\nThe pump rests for ninety seconds.\n", encoding="utf-8")
        page.locator("#box input[type=file]").set_input_files([mail])
        expect(page.locator("#box .thumbnail-item")).to_have_count(1)
        box.fill("How long does the pump rest?")
        page.locator("#box button.submit-button").click()
        expect(page.locator("#chat .bot.message")).to_contain_text("ninety seconds")
        expect(page.locator("#box button.submit-button")).to_be_visible()  # the turn is over
        assert page.request.get(f"{url}/originals?name=pump.eml").text() == mail.read_text(encoding="utf-8")
        box.fill("half a thought")
        page.wait_for_function("localStorage.getItem('citewise-typed')")
        page.context.clear_cookies()  # as when its days are over
        for part in ("originals?name=pump.eml", "pages/1.png?name=pump.eml", "pages/1.json?name=pump.eml"):
            assert page.request.get(f"{url}/{part}", max_redirects=0).status in (303, 401)
        page.keyboard.press("Enter")  # wherever the page is by now: it may have gone to the login by itself
        log_in(page, "ann", locale)
        expect(box).to_have_value("half a thought")
        page.goto("about:blank")
        page.context.clear_cookies()
        page.goto(url, wait_until="domcontentloaded")
        log_in(page, "ben", locale)
        expect(page.locator("#conversations .none")).to_be_visible()
        assert page.request.get(f"{url}/originals?name=pump.eml").status == 404
        assert page.request.post(f"{url}/services/list_documents", data={}).json()["total"] == 0
        expect(box).to_have_value("")
        box.fill("another thought")
        page.wait_for_function("localStorage.getItem('citewise-typed')")
        page.locator("#log-out").click()
        expect(page.locator("[name=username]")).to_be_visible()
        assert page.evaluate("localStorage.length") == 0


def log_in(page: Page, name: str, locale: str) -> None:
    expect(page.get_by_role("button", name=WORDS[locale], exact=True)).to_be_visible()
    page.locator("[name=username]").fill(name)
    page.locator("[name=password]").fill(f"secret of {name}")
    page.keyboard.press("Enter")
