"""Asked in one language, answered by a source in the other, without a model; a glossary pair changes what is found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.chat import Chat
from tests.browser.program import program

pytestmark = pytest.mark.browser

PUMPS = (
    "# Pumps\n\n## Zephyr\n\nZephyr is serviced every seven weeks by the harbour master.\n\n"
    "## Boreas\n\nBoreas is serviced every two years by its maker.\n"
)
FILTERS = "# 设备手册\n\n## 过滤器\n\n过滤器每六个月更换一次，由维修部负责。\n\n## 阀门\n\n阀门须保持关闭。\n"


def test_the_other_language_is_found_and_the_glossary_counts(browser: Browser, tmp_path: Path) -> None:
    for name, content in (("pumps.md", PUMPS), ("设备.md", FILTERS)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    with program(tmp_path / "library") as url:
        chat = Chat(browser, url, "zh-CN")
        page = chat.page
        chat.save(tmp_path / "pumps.md", tmp_path / "设备.md")

        page.locator("#library-view-button").click()
        page.locator("#glossary-panel > button").click()
        glossary = page.locator("#glossary")
        adding = glossary.locator("tr.adding")
        for chinese, english in (("轻羽", "Bora"), ("青鸟", "Boreas")):
            adding.locator("input.chinese").fill(chinese)
            adding.locator("input.english").fill(english)
            adding.get_by_role("button", name="添加").click()
            expect(glossary.locator("tbody tr", has_text=chinese)).to_contain_text(english)
        glossary.locator("tbody tr", has_text="轻羽").get_by_role("button", name="修改").click()
        glossary.locator("tr:not(.adding) input.english").fill("Zephyr")
        glossary.get_by_role("button", name="保存").click()
        expect(glossary.locator("tbody tr", has_text="轻羽")).to_contain_text("Zephyr")
        glossary.locator("tbody tr", has_text="青鸟").get_by_role("button", name="删除").click()
        expect(glossary.locator("tbody tr", has_text="青鸟")).to_have_count(0)
        (tmp_path / "terms.csv").write_text("英文,中文\nHarbour master,港务长\nZephyr,轻羽\n", encoding="utf-8")
        page.locator("#glossary-panel input[type=file]").set_input_files(tmp_path / "terms.csv")
        expect(page.locator("#glossary-note")).to_contain_text("文件里有 2 对术语，新增 1 对")

        page.locator("#chat-view-button").click()
        chat.send("轻羽多久保养一次？")
        expect(chat.replies.last).to_contain_text("Zephyr is serviced every seven weeks")
        expect(chat.replies.last).not_to_contain_text("⚠")  # how it was found is nothing that is wrong
        chat.send("How often is the filter replaced?")
        expect(chat.replies.last).to_contain_text("过滤器每六个月更换一次")
        marker = chat.replies.last.get_by_role("link", name="[1]", exact=True).first
        expect(marker).to_have_attribute("title", re.compile("^词典逐词对照：.*过滤器 = filter"))
        marker.click()
        expect(page.locator("#reader .gloss").first).to_contain_text("过滤器 = filter")
