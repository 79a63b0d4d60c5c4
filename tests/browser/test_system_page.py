"""The System tab, the switches of language and look, and the button that closes the program, as a person uses them."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chat import Chat
from tests.browser.program import program

pytestmark = pytest.mark.browser

# Frames that the page asks for within two seconds.
FRAMES = """() => new Promise(told => {
    const asked = window.requestAnimationFrame;
    let frames = 0;
    window.requestAnimationFrame = step => { frames += 1; return asked(step); };
    setTimeout(() => told(frames), 2000);
})"""


def test_what_it_is_set_to_how_it_looks_and_how_it_ends(browser: Browser, tmp_path: Path) -> None:
    with program(tmp_path / "library", TAVILY_API_KEY="tvly-secret-of-tests") as url:
        page = Chat(browser, url, "zh-CN").page
        page.wait_for_function(f"async () => await ({FRAMES})() < 20")  # at rest nothing is drawn
        page.locator("#system-view-button").click()
        system = page.locator("#system")
        expect(system).to_contain_text("没有可用的模型")
        expect(system).to_contain_text("还没有数据")
        expect(system.locator(".caches tbody tr")).to_have_count(4)
        key = system.locator("tr", has_text="TAVILY_API_KEY")
        expect(key).to_contain_text("已设置")
        assert "tvly-secret-of-tests" not in page.content()
        expect(page).to_have_url(f"{url}/#system")
        page.locator("#close-program").click()
        expect(page.locator("#close-running")).to_contain_text("关闭 Citewise")
        page.locator("#close-not").click()

        page.locator("#chat-view-button").click()
        page.locator("#preferences").get_by_role("button", name="English").click()
        expect(page.locator("#preferences")).to_contain_text("Light")
        assert page.evaluate("document.documentElement.lang") == "en"
        expect(page.locator("#system-view-button")).to_have_text("System")
        page.locator("#preferences").get_by_role("button", name="Dark").click()
        expect(page.locator("body.dark")).to_be_attached()
        page.locator("#system-view-button").click()
        expect(page).to_have_url(f"{url}/#system")
        page.reload()  # all is as it was left
        expect(page.locator("body.dark")).to_be_attached()
        expect(system).to_contain_text("answers are taken from the sources")

        other = Chat(browser, url, "en-US").page  # a browser of its own: nothing was chosen there
        chosen = other.evaluate("[document.documentElement.lang, document.body.classList.contains('dark')]")
        assert chosen == ["en", False]
        other.close()

        page.locator("#close-program").click()
        expect(page.locator("#close-running")).to_contain_text("Close Citewise?")
        page.locator("#close-not").click()
        expect(page.locator("#close-program")).to_be_visible()
        page.locator("#close-program").click()
        page.locator("#close-now").click()
        expect(page.locator("#closed")).to_contain_text("everything is kept")
