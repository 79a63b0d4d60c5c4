"""The evaluation lab as a person uses it: an answer kept as a test, more made, two runs, what changed between them."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chat import FILES, Chat
from tests.browser.program import program

pytestmark = pytest.mark.browser

WORDS = {
    "zh-CN": {
        "ask": "年假有几天？", "keep": "留作测试", "done": "已完成", "made": "已加入", "compared": "运行对比",
        "kept": "golden", "few": "至少要", "undo": "没有可撤销",
    },
    "en-US": {
        "ask": "How long must the pump wait?", "keep": "Keep as test", "done": "Done", "made": "were made",
        "compared": "Comparison of runs", "kept": "golden", "few": "too few", "undo": "nothing to take back",
    },
}  # fmt: skip


def test_the_whole_way_in_both_languages(browser: Browser, tmp_path: Path) -> None:
    with program(tmp_path / "library") as url:
        for runs, (locale, words) in enumerate(WORDS.items()):
            chat = Chat(browser, url, locale)
            page = chat.page
            chat.send(words["ask"], FILES[locale])
            page.get_by_role("link", name=words["keep"]).last.click()
            expect(page.locator("body")).to_contain_text(words["kept"])
            page.locator("#lab-view-button").click()
            chosen = page.locator("#l-set input")
            chosen.fill("golden")
            chosen.press("Enter")
            page.locator("#l-make").click()
            expect(page.locator("#l-state")).to_contain_text(words["made"])
            for number in (1, 2):
                page.locator("#l-run").click()
                expect(page.locator("#l-runs tr:not(:has-text('self-made'))")).to_have_count(2 * runs + number)
                expect(page.locator("#l-state")).to_contain_text(words["done"])
            expect(page.locator("#l-runs svg").first).to_be_visible()
            page.locator("#l-compare").click()
            expect(page.locator("#l-shown h1")).to_contain_text(words["compared"])
            page.locator("#l-choose").click()
            expect(page.locator("body")).to_contain_text(words["few"])
            page.locator("#l-undo").click()
            expect(page.locator("#l-state")).to_contain_text(words["undo"])
            assert chat.foreign == []
            page.close()
