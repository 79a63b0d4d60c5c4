"""The main job as a user does it, in a real browser, with no network: save by words, ask, check the cited lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.model_server import Reply
from benchmarks.script import reply
from tests.browser.chat import FILES, LOCALES, Chat, cited_lines, line_of, store
from tests.browser.program import program, program_of_user, program_with_model

pytestmark = pytest.mark.browser

WORDS = {
    "zh-CN": {
        "start": "你能做什么", "no model": "没有可用的模型：回答摘自原文。",
        "recut": "把员工手册.md重新用固定切片，每片{}字", "cut": "固定大小切片，每片至多 {}",
        "keyword": "关键词检索（BM25）", "vector": "在guide.md里用向量检索：病假工资", "by": "页面选项",
        "long": "婚假有几天？", "stopped": "已停止",
        "other": "病假须在几点之前告知主管？", "remembered": "此后知识库没有变化", "again": "重新回答",
        "calls": "模型调用",
    },
    "en-US": {
        "start": "What can you do", "no model": "No model: answers are taken from the sources.",
        "recut": "Re-index 员工手册.md with fixed chunks of {}", "cut": "fixed-size chunks of up to {}",
        "keyword": "keyword (BM25)", "vector": "Using vector search in guide.md: 病假工资",
        "by": "the controls of the page",
        "long": "How long do the two cells last?", "stopped": "(stopped)",
        "other": "Which Wi-Fi band is used?", "remembered": "has not changed since", "again": "Answer again",
        "calls": "Calls to models",
    },
}  # fmt: skip
LONG = {  # and no circle, which would be cut away
    "zh-CN": "婚假为十三天[1]。" + "".join(f"女员工产假为一百五十八天[1]，第 {n} 条。" for n in range(2000)),
    "en-US": "".join(f"They last about 18 months [1], part {n}. " for n in range(2000)),
}


class Running:
    """A program that can be started again, with the same library at another port."""

    def __init__(self, library: Path) -> None:
        """Begun as a user does it."""
        self._library, self._stack = library, ExitStack()
        self.url = self._stack.enter_context(program_of_user(library))

    def start(self) -> None:
        self._stack.close()
        self.url = self._stack.enter_context(program(self._library))

    def end(self) -> None:
        self._stack.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("data") / "library")
    yield running
    running.end()


def script(request: dict[str, Any]) -> Reply:
    asked = str(request["messages"][-1]["content"])
    for locale, words in WORDS.items():
        if request.get("stream") and words["long"] in asked:
            return Reply(LONG[locale], piece_delay=0.01)
    return reply(request)


@pytest.fixture(scope="module")
def with_model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A program with a model, whose library holds both files."""
    library = tmp_path_factory.mktemp("data") / "library"
    with program_with_model(library, script) as url:
        store(url, *FILES.values())
        yield url


def test_save_ask_and_come_back(browser: Browser, running: Running, locale: str) -> None:
    saved_and_asked_in_both_languages(browser, running.url)
    running.start()
    again = Chat(browser, running.url, locale)
    all_is_there_and_goes_on(again)
    again.new()
    controls_reindexing_and_deleting(again, WORDS[locale], {"zh-CN": 500, "en-US": 400}[locale])
    assert again.foreign == []


def saved_and_asked_in_both_languages(browser: Browser, url: str) -> None:
    chat, english = (Chat(browser, url, locale) for locale in LOCALES)
    for one, locale in ((chat, "zh-CN"), (english, "en-US")):  # nothing is there yet
        expect(one.page.locator("#chat button.example").last).to_contain_text(WORDS[locale]["start"])
        one.page.locator("#system-view-button").click()
        expect(one.page.locator("#system")).to_contain_text(WORDS[locale]["no model"])
        one.page.locator("#chat-view-button").click()

    chat.send("员工手册.md用递归切片，每片300字；guide.md用markdown切片", "员工手册.md", "guide.md")
    assert "递归切片，每片至多 300" in chat.chunking("员工手册.md")
    assert "Markdown" in chat.chunking("guide.md")
    chat.send("婚假有几天？")
    assert "婚假为十三天" in chat.reply()
    assert any(line_of("员工手册.md", "婚假为十三天") in lines for lines in cited_lines(chat.reply()))
    assert "员工手册.md" in chat.reply()
    assert "句已核对" in chat.reply()
    expect(chat.questions.last).to_be_in_viewport()  # read from its beginning

    expect(english.chip("scope")).to_have_text("All 2 documents")
    assert english.page.locator("#chat .message").count() == 0  # two browsers never share a conversation
    english.send("Only in guide.md: how long does pairing take?")
    assert "40 seconds" in english.reply()
    assert any(line_of("guide.md", "40 seconds") in lines for lines in cited_lines(english.reply()))
    assert "员工手册" not in english.reply()
    assert "sentences checked" in english.reply() or "sentence checked" in english.reply()
    assert (chat.foreign, english.foreign) == ([], [])
    chat.page.close()
    english.page.close()


def all_is_there_and_goes_on(again: Chat) -> None:
    expect(again.chip("scope")).to_have_text("全部 2 个文档" if again.zh else "All 2 documents")
    expect(again.titles).to_have_count(2)
    again.send("保存这个文件，然后告诉我补液用什么", "新生儿科.md")
    assert "口服补液盐" in again.reply()
    assert any(line_of("新生儿科.md", "口服补液盐") in lines for lines in cited_lines(again.reply()))
    again.send("hello")
    expect(again.replies.last).to_contain_text("Hello")
    again.titles.filter(has_text="Only in guide.md").click()
    expect(again.page.locator("#chat")).to_contain_text("40 seconds")
    again.send("婚假有几天？")
    assert "婚假为十三天" in again.reply()
    expect(again.questions).to_have_count(2)
    expect(again.titles).to_have_count(3)


def controls_reindexing_and_deleting(chat: Chat, words: dict[str, str], size: int) -> None:
    page = chat.page
    chat.send(words["recut"].format(size))
    assert words["cut"].format(size) in chat.chunking("员工手册.md")

    chat.choices("strategy")
    page.locator("#strategy input").click()
    page.get_by_role("option", name=words["keyword"]).click()
    expect(chat.chip("strategy")).to_contain_text(words["keyword"])
    chat.choices("scope")
    page.locator("#scope input").fill("员工手册")  # alone in the list, which is ordered anew when a file is cut anew
    expect(page.get_by_role("option")).to_have_count(1)
    page.get_by_role("option", name="员工手册.md").click()
    page.keyboard.press("Escape")
    expect(chat.chip("scope")).to_contain_text("员工手册.md")
    chat.send(words["vector"])
    assert "80%" in chat.reply()
    assert words["keyword"] in chat.reply()
    expect(chat.details("plan")).to_contain_text(words["by"])

    page.on("dialog", lambda dialog: dialog.accept())
    page.locator("#library-view-button").click()
    row = page.locator("#documents tbody tr", has_text="guide.md")
    row.locator("input").check()
    page.locator("#delete").click()
    expect(row).to_have_count(0)
    page.locator("#chat-view-button").click()
    expect(chat.chip("scope")).to_contain_text("员工手册.md")


def test_an_answer_is_stopped_and_a_remembered_one_given_anew_at_a_click(
    browser: Browser, with_model: str, locale: str
) -> None:
    words = WORDS[locale]
    chat = Chat(browser, with_model, locale)
    marked = chat.page.get_by_text(words["remembered"])
    button = chat.page.get_by_role("button", name=words["again"], exact=True)
    chat.send(words["other"])
    expect(marked).to_have_count(0)
    chat.begin(words["long"])
    expect(chat.replies.last).to_contain_text(LONG[locale][:24])
    chat.page.locator("#box .stop-button").click()
    chat.over()
    expect(chat.replies.last).to_contain_text(words["stopped"])
    chat.send(words["other"])
    expect(marked).to_have_count(1)
    expect(button).to_have_count(1)
    chat.open()  # a reloaded page shows the same
    expect(chat.page.locator("#chat")).to_contain_text(words["stopped"])
    expect(marked).to_have_count(1)
    button.click()
    expect(chat.questions).to_have_count(4)
    chat.over()
    expect(chat.details("trace")).to_contain_text(words["calls"])
    expect(marked).to_have_count(1)
    expect(button).to_have_count(0)
