"""The main job as a user does it, in a real browser, with no network: save by words, ask, check the cited lines."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from benchmarks.model_server import Reply, model_server
from benchmarks.script import reply
from tests.browser.program import program

DATA = Path(__file__).parent.parent / "data"
SHOTS = os.environ.get("CITEWISE_SCREENSHOTS")  # a folder: the README's pictures are made by this test

pytestmark = pytest.mark.browser


class Chat:
    """The page as a person uses it, in a browser profile of its own."""

    def __init__(self, browser: Browser, url: str, locale: str) -> None:
        self.foreign: list[str] = []
        self.url = url
        self.page = browser.new_context(locale=locale, viewport={"width": 1280, "height": 900}).new_page()
        self.page.on("request", self._note)
        self.open()

    def _note(self, request: Request) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.foreign.append(request.url)

    def open(self) -> None:
        self.page.goto(self.url, wait_until="domcontentloaded")
        self.page.locator("#box textarea").wait_for()

    def send(self, message: str, *files: str) -> None:
        """Type, attach, send, and wait until the turn is over."""
        if files:
            self.page.locator("#box input[type=file]").set_input_files([DATA / name for name in files])
            expect(self.page.locator("#box .thumbnail-item")).to_have_count(len(files))
            expect(self.page.locator("#box button.submit-button")).to_be_in_viewport(ratio=1)
        before = self.page.locator("#chat .user.message").count()
        replies = self.page.locator("#chat .bot.message").count()
        self.page.locator("#box textarea").fill(message)
        self.page.locator("#box button.submit-button").click()
        expect(self.page.locator("#chat .user.message")).to_have_count(before + 1)
        self.page.wait_for_function(  # more than the plan, which comes first
            """count => {
                const replies = document.querySelectorAll('#chat .bot.message');
                return replies.length > count && replies[replies.length - 1].innerText.trim().includes('\\n');
            }""",
            arg=replies,
            timeout=60_000,
        )
        expect(self.page.locator("#box button.submit-button")).to_be_visible(timeout=60_000)
        for name in files:  # saving may go on after the turn
            expect(self.page.locator("#files")).to_contain_text(name, timeout=60_000)

    def reply(self) -> str:
        """What the assistant said to the last message."""
        return self.page.locator("#chat .bot.message").last.inner_text()

    def library(self, page: Page | None = None) -> str:
        return (page or self.page).locator("#files").inner_text()

    def shoot(self, name: str) -> None:
        if SHOTS:
            self.page.screenshot(path=str(Path(SHOTS) / name))


def line_of(name: str, words: str) -> int:
    lines = (DATA / name).read_text(encoding="utf-8").split("\n")
    return next(number for number, line in enumerate(lines, 1) if words in line)


def cited_lines(reply: str) -> list[range]:
    """The lines that the sources of a reply name."""
    found = re.findall(r"(?:行|lines?) (\d+)(?:-(\d+))?", reply)
    return [range(int(first), int(last or first) + 1) for first, last in found]


def test_save_ask_and_come_back(browser: Browser, tmp_path: Path) -> None:
    library = tmp_path / "library"
    with program(library) as url:
        chat = Chat(browser, url, "zh-CN")
        chat.send("员工手册.md用递归切片，每片300字；guide.md用markdown切片", "员工手册.md", "guide.md")
        files = chat.page.locator("#files")
        expect(files).to_contain_text("guide.md", timeout=20_000)
        assert re.search(r"员工手册\.md\s+\d+\s+递归 300", chat.library())
        assert re.search(r"guide\.md\s+\d+\s+Markdown", chat.library())

        chat.send("婚假有几天？")
        assert "婚假为十三天" in chat.reply()
        assert any(line_of("员工手册.md", "婚假为十三天") in lines for lines in cited_lines(chat.reply()))
        assert "员工手册.md" in chat.reply()
        expect(chat.page.locator("#chat")).to_contain_text("评估")
        expect(chat.page.locator("#chat .user.message").last).to_be_in_viewport()  # read from its beginning
        chat.shoot("answer-zh.png")

        english = Chat(browser, url, "en-US")
        expect(english.page.locator("#files")).to_contain_text("guide.md")
        assert english.page.locator("#chat .message").count() == 0  # two browsers never share a conversation
        english.send("Only in guide.md: how long does pairing take?")
        assert "40 seconds" in english.reply()
        assert any(line_of("guide.md", "40 seconds") in lines for lines in cited_lines(english.reply()))
        assert "员工手册" not in english.reply()
        expect(english.page.locator("#chat")).to_contain_text("Evaluation")
        english.shoot("answer-en.png")
        assert (chat.foreign, english.foreign) == ([], [])

    with program(library) as url:  # started again: the library is there, on another port the same data
        again = Chat(browser, url, "zh-CN")
        expect(again.page.locator("#files")).to_contain_text("员工手册.md")
        again.send("保存这个文件，然后告诉我补液用什么", "新生儿科.md")
        assert "口服补液盐" in again.reply()
        assert any(line_of("新生儿科.md", "口服补液盐") in lines for lines in cited_lines(again.reply()))
        again.send("hello")
        expect(again.page.locator("#chat .bot.message").last).to_contain_text("Hello")
        again.open()  # the same browser finds its conversation again
        expect(again.page.locator("#chat .user.message")).to_have_count(2)
        expect(again.page.locator("#chat")).to_contain_text("口服补液盐")
        assert again.foreign == []


def test_controls_reindexing_and_deleting(browser: Browser, tmp_path: Path) -> None:
    with program(tmp_path / "library") as url:
        chat = Chat(browser, url, "en-US")
        page = chat.page
        chat.send("save", "guide.md", "员工手册.md")
        expect(page.locator("#files")).to_contain_text("recursive", timeout=20_000)
        chat.send("Re-index 员工手册.md with fixed chunks of 500")
        expect(page.locator("#files")).to_contain_text("fixed 500", timeout=20_000)

        page.locator("#options button").first.click()
        page.locator("#strategy input").click()
        page.get_by_role("option", name="keyword (BM25)").click()
        page.locator("#scope input").click()
        page.get_by_role("option", name="员工手册.md").click()
        page.keyboard.press("Escape")
        chat.send("Using vector search in guide.md: 病假工资")
        assert "80%" in chat.reply()
        page.get_by_role("button", name="Plan").last.click()
        assert "keyword" in chat.reply()
        assert "the page's controls" in chat.reply()

        page.on("dialog", lambda dialog: dialog.accept())
        page.locator("#to-library").click()
        row = page.locator("#documents tbody tr", has_text="guide.md")
        row.locator("input").check()
        page.locator("#delete").click()
        expect(row).to_have_count(0, timeout=10_000)
        page.locator("#chat-view-button").click()
        expect(page.locator("#files")).not_to_contain_text("guide.md", timeout=10_000)
        expect(page.locator("#files")).to_contain_text("员工手册.md")


def test_a_model_streams_is_stopped_and_its_conversation_cleared(browser: Browser, tmp_path: Path) -> None:
    long_answer = "婚假为十三天[1]。" + "女员工产假为一百五十八天[1]。" * 2000

    def script(request: dict) -> Reply:
        return Reply(long_answer, piece_delay=0.01) if request.get("stream") else Reply(status=400)

    with (
        model_server(script) as server,
        program(tmp_path / "library", CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url) as url,
    ):
        chat = Chat(browser, url, "zh-CN")
        page = chat.page
        chat.send("保存", "员工手册.md")
        page.locator("#box textarea").fill("婚假有几天？")
        page.locator("#box button.submit-button").click()
        expect(page.locator("#chat .bot.message").last).to_contain_text("婚假为十三天[1]", timeout=20_000)
        page.locator("#box .stop-button").click()
        expect(page.locator("#box button.submit-button")).to_be_visible(timeout=20_000)
        expect(page.locator("#chat .bot.message").last).to_contain_text("已停止")
        chat.open()
        expect(page.locator("#chat .bot.message").last).to_contain_text("已停止")

        page.get_by_role("button", name="删除: 保存").click()
        page.locator("#conversations .asked .remove").click()
        expect(page.locator("#chat .user.message")).to_have_count(0)
        chat.open()
        expect(page.locator("#chat .user.message")).to_have_count(0)


def test_a_remembered_answer_is_marked_and_given_anew_at_a_click(browser: Browser, tmp_path: Path) -> None:
    with (
        model_server(reply) as server,
        program(tmp_path / "library", CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url) as url,
    ):
        chat = Chat(browser, url, "zh-CN")
        marked, button = (
            chat.page.get_by_text("此后知识库没有变化"),
            chat.page.get_by_role("button", name="重新回答", exact=True),
        )
        chat.send("保存", "员工手册.md")
        chat.send("婚假有几天？")
        expect(marked).to_have_count(0)
        chat.send("婚假有几天？")
        expect(marked).to_have_count(1)
        expect(button).to_have_count(1)
        chat.open()  # a reloaded page offers the same
        expect(marked).to_have_count(1)
        button.click()
        expect(chat.page.locator("#chat .user.message")).to_have_count(4)
        expect(chat.page.locator("#box button.submit-button")).to_be_visible(timeout=60_000)
        expect(chat.page.locator("#chat .bot.message").last).to_contain_text("次模型调用")
        expect(marked).to_have_count(1)
        expect(button).to_have_count(0)
