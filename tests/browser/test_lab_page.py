"""The evaluation lab as a person uses it: an answer kept as a test, more made, two runs, what changed between them, the
trace of a case that was lost, settings chosen, used and taken back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chat import FILES, Chat, call, put
from tests.browser.program import program

pytestmark = pytest.mark.browser

WORDS = {
    "zh-CN": {
        "ask": "年假有几天？", "keep": "留作测试", "done": "已完成", "made": "已加入", "compared": "运行对比",
        "lost": "变差的题", "few": "至少要", "again": "重新检索", "better": "更好的设置", "used": "已采用",
        "undone": "已撤销",
    },
    "en-US": {
        "ask": "How long must the pump wait?", "keep": "Keep as test", "done": "Done", "made": "were made",
        "compared": "Comparison of runs", "lost": "losses", "few": "too few", "again": "search is made again",
        "better": "Better: top_k", "used": "In use", "undone": "Taken back",
    },
}  # fmt: skip


def test_the_whole_way_and_what_it_leaves_in_the_other_language(browser: Browser, tmp_path: Path, locale: str) -> None:
    """The other language shows the same runs and says it with its own words of `ui/texts/lab.py`."""
    with program(tmp_path / "library", CITEWISE_TOP_K="1") as url:  # too few for questions of two documents
        store_people_s_questions(url)
        words, chat = WORDS[locale], Chat(browser, url, locale)
        page = chat.page
        chat.send(words["ask"], FILES[locale])
        page.get_by_role("link", name=words["keep"]).last.click()
        expect(page.locator("body")).to_contain_text("golden")
        page.locator("#lab-view-button").click()
        page.locator("#l-set input").click()
        expect(page.get_by_role("option", name="before", exact=True)).to_be_visible()  # and no word of the page
        choose_set(page, "golden")
        page.locator("#l-make").click()
        expect(page.locator("#l-state")).to_contain_text(words["made"])
        run_set(page, words)
        call(url, "rechunk", names=[FILES[locale]], chunker="fixed", chunk_size=50, chunk_overlap=0)
        run_set(page, words)
        compare(page, words)
        choose_set(page, "people")
        page.locator("#l-choose").click()
        expect(page.locator("#l-state")).to_contain_text(words["better"])
        page.locator("#l-apply").click()
        expect(page.locator("#l-state")).to_contain_text(words["used"])
        page.locator("#l-undo").click()
        expect(page.locator("#l-state")).to_contain_text(words["undone"])
        choose_set(page, "golden")
        page.locator("#l-choose").click()
        expect(page.locator("body")).to_contain_text(words["few"])
        assert chat.foreign == []
        page.close()

        [other] = WORDS.keys() - {locale}
        chat = Chat(browser, url, other)
        chat.page.locator("#lab-view-button").click()
        choose_set(chat.page, "golden")
        expect(chat.page.locator("#l-runs tr")).not_to_have_count(0)
        compare(chat.page, WORDS[other])
        assert chat.foreign == []


def compare(page: Page, words: dict[str, str]) -> None:
    """The last two runs, and what became of a question that the later one lost."""
    expect(page.locator("#l-runs svg").first).to_be_visible()
    page.locator("#l-compare").click()
    expect(page.locator("#l-shown h1")).to_contain_text(words["compared"])
    lost = page.locator("#l-shown h2", has_text=words["lost"]).locator("+ table a").first
    question = lost.inner_text()
    lost.click()
    for side in ("run", "against"):
        expect(page.locator(f"#l-about-{side}")).to_contain_text(question)
        expect(page.locator(f"#l-about-{side}")).to_contain_text(words["again"])
        expect(page.locator(f"#l-trace-{side} table.candidates")).to_be_visible()


def choose_set(page: Page, name: str) -> None:
    chosen = page.locator("#l-set input")
    chosen.fill(name)
    chosen.press("Enter")


def run_set(page: Page, words: dict[str, str]) -> None:
    rows = page.locator("#l-runs tr:not(:has-text('self-made'), :has-text('程序出的问题'))")
    before = rows.count()
    page.locator("#l-run").click()
    expect(rows).to_have_count(before + 1)
    expect(page.locator("#l-state")).to_contain_text(words["done"])


def store_people_s_questions(url: str) -> None:
    """Of ten plants; whoever reads one passage alone misses half of what is asked."""
    for n in range(10):
        for part, text in (
            ("pump", f"The pump of plant {n} is rated at {n}7 litres."),
            ("valve", f"The valve of plant {n} is brass."),
        ):
            put(url, f"{part}-{n}.md", text)
    for name in ("people", "before"):
        call(url, "lab_put", name=name, jsonl="".join(json.dumps(row) + "\n" for row in questions()))


def questions() -> Iterator[dict[str, Any]]:
    for n in range(10):
        evidence = [{"document": f"pump-{n}.md"}, {"document": f"valve-{n}.md"}]
        for asked in ("Describe", "What are", "Tell me of", "Name", "List"):
            yield {"question": f"{asked} the pump and the valve of plant {n}?", "evidence": evidence}
