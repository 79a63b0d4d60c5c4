"""The main job as a user does it, in a real browser, with no network: save by words, ask, check the cited lines."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import program

DATA = Path(__file__).parent.parent / "data"
SHOTS = os.environ.get("CITEWISE_SCREENSHOTS")  # a folder: the README's pictures are made by this test

pytestmark = pytest.mark.browser


def open_page(browser: Browser, url: str, locale: str) -> Page:
    """A page of a fresh browser profile; whatever it asks of another machine fails the test."""
    context = browser.new_context(locale=locale, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.on("request", lambda request: foreign.append(request.url) if not request.url.startswith((url, "data:", "blob:")) else None)
    page.goto(url, wait_until="domcontentloaded")
    page.locator("#box textarea").wait_for()
    return page


foreign: list[str] = []


def send(page: Page, message: str, *files: Path) -> None:
    if files:
        page.locator("#box input[type=file]").set_input_files(files)
        expect(page.locator("#box .thumbnail-item")).to_have_count(len(files))
    page.locator("#box textarea").fill(message)
    page.locator("#box button.submit-button").click()
    expect(page.locator("#chat .user.message").last).to_contain_text(message[:12])
    expect(page.locator("#box button.submit-button")).to_be_visible(timeout=60_000)


def replies(page: Page) -> str:
    """Everything the assistant said since the last message of the user, folded parts included."""
    return page.locator("#chat .bot.message").last.inner_text()


def shoot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS) / name))


def line_of(name: str, words: str) -> int:
    lines = (DATA / name).read_text(encoding="utf-8").split("\n")
    return next(number for number, line in enumerate(lines, 1) if words in line)


def test_save_ask_and_come_back(browser: Browser, tmp_path: Path) -> None:
    data_dir = tmp_path / "library"
    with program(data_dir) as url:
        page = open_page(browser, url, "zh-CN")
        send(page, "员工手册.md用递归切片，每片300字；guide.md用markdown切片", DATA / "员工手册.md", DATA / "guide.md")
        expect(page.locator("#files")).to_contain_text("guide.md", timeout=20_000)
        expect(page.locator("#files")).to_contain_text("递归切片")
        expect(page.locator("#files")).to_contain_text("Markdown")
    foreign_before = list(foreign)
    assert not foreign_before, foreign_before
