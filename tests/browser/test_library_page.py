"""The library as a user works with it: twenty files at once, watched, opened, cut anew, moved, deleted."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, expect

from benchmarks.model_server import Reply
from tests.browser.chat import Chat
from tests.browser.program import program_with_model

pytestmark = pytest.mark.browser

PNG = b"\x89PNG\r\n\x1a\n" + bytes(200)
STATES = {"zh-CN": ("✅ 已完成", "❌ 处理失败"), "en-US": ("✅ Done", "❌ Failed")}
LIVE = "<img src=x onerror=alert(1)> ${alert(2)}"  # names and texts are anybody's words: nothing of it may run


def twenty_files(folder: Path) -> list[Path]:
    """Eighteen that can be read, an empty one and a picture."""
    folder.mkdir()
    chapters = "\n\n".join(f"## 第{n}章\n\n{'员工每年有年假，主管批准后使用。' * 12}" for n in range(8))
    endless = "一边说一边走" * 60  # no chunk of 100 characters can keep it whole
    paragraphs = "\n\n".join(f"The pump needs {n} minutes. {'Keep the valve closed. ' * 15}" for n in range(12))
    notebook = {"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# Plan\n", "Measure twice."]}],
                "metadata": {}, "nbformat": 4, "nbformat_minor": 5}  # fmt: skip
    texts = {
        **{f"手册{n}.md": f"# 手册 {n}\n\n{LIVE}\n\n{endless}。\n\n{chapters}" for n in range(5)},
        **{f"pump{n}.txt": f"Pump {n}.\n\n{paragraphs}" for n in range(5)},
        "live.txt": LIVE,
        "tool.py": "def warm(minutes):\n    return minutes * 60\n",
        "query.sql": "select name from pumps;\n",
        "page.html": "<html><body><h1>Hours</h1><p>We open at nine.</p><script>alert(3)</script></body></html>",
        "people.csv": "name,city\n" + "\n".join(f"p{n},c{n}" for n in range(30)),
        "data.json": json.dumps([{"name": "李雷", "city": "杭州"}], ensure_ascii=False),
        "plan.ipynb": json.dumps(notebook),
        "readme.markdown": "# Read me\n\nFirst this.",
        "empty.txt": "",
    }
    for name, content in texts.items():
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "picture.png").write_bytes(PNG)
    return sorted(folder.iterdir())


def script(request: dict[str, Any]) -> Reply:
    answer = "婚假为十三天[1]。" + "".join(f"女员工产假为一百五十八天[1]，第 {n} 条。" for n in range(60))
    return Reply(answer, piece_delay=0.02) if request.get("stream") else Reply(status=400)


@pytest.fixture(scope="module")
def url(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A program with a model."""
    library = tmp_path_factory.mktemp("data") / "library"
    with program_with_model(library, script) as url:
        yield url


class Shelf:
    """The library page as a person uses it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.locator("#library-view-button").click()
        page.locator("#documents table").wait_for()

    def clear(self) -> None:
        """Whatever another test has left goes."""
        if self.page.locator("#documents tbody tr").count():
            self.page.once("dialog", lambda dialog: dialog.accept())
            self.page.locator("#documents thead input").check()
            self.page.locator("#delete").click()
        expect(self.page.locator("#documents tbody tr")).to_have_count(0)

    def row(self, name: str) -> Locator:
        return self.page.locator("#documents tbody tr").filter(has=self.page.get_by_text(name, exact=True))

    def choose(self, *names: str) -> None:
        for name in names:
            self.row(name).locator("input").check()

    def pick(self, control: str, option: str) -> None:
        self.page.locator(f"{control} input").click()
        self.page.locator(control).get_by_role("option", name=option, exact=True).click()


def test_twenty_files_from_upload_to_deletion(browser: Browser, url: str, tmp_path: Path, locale: str) -> None:
    zh, (done, failed) = locale == "zh-CN", STATES[locale]
    files = twenty_files(tmp_path / "files")
    assert len(files) == 20
    chat = Chat(browser, url, locale)
    page, shelf = chat.page, Shelf(chat.page)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.accept()))
    rows = page.locator("#documents tbody tr")

    page.locator("#upload input[type=file]").set_input_files(files)
    expect(rows).to_have_count(20)
    expect(page.locator("#documents tr.is-completed")).to_have_count(18)  # without a reload
    expect(page.locator("#documents tr.is-failed")).to_have_count(2)
    expect(shelf.row("tool.py")).to_contain_text(done)
    expect(shelf.row("picture.png")).to_contain_text(failed)
    expect(shelf.row("picture.png")).to_contain_text("已损坏" if zh else "damaged")  # the reason
    expect(page.locator("#totals")).to_contain_text("18")

    # the viewer: chunks in reading order with the lines of the file
    shelf.row("手册1.md").locator("button.open").click()
    first = page.locator("#pieces .piece").first
    expect(first).to_contain_text("手册 1")
    expect(first.locator("header")).to_contain_text(re.compile(r"行 1-\d+|lines 1-\d+"))
    expect(first).to_contain_text(LIVE)
    assert first.locator("li").first.get_attribute("value") == "1"
    expect(page.locator("#facts")).to_contain_text("SHA-256")

    # two chunkings side by side, stored by neither
    stored = shelf.row("手册1.md").locator("td.col-chunks").inner_text()
    page.locator("#compare button").first.click()
    shelf.pick("#strategy-a", "固定" if zh else "fixed")
    page.locator("#size-a input").fill("100")
    shelf.pick("#strategy-b", "Markdown")
    page.locator("#preview").click()
    for side in ("a", "b"):
        expect(page.locator(f"#pieces-{side} .piece").first).to_be_visible()
    expect(page.locator("#lengths-a")).to_contain_text("固定 100" if zh else "fixed 100")
    expect(page.locator("#lengths-a")).to_contain_text("中位" if zh else "median")
    expect(page.locator("#pieces-a .cut").first).to_be_visible()
    shelf.pick("#unit-a", "词元" if zh else "tokens")
    page.locator("#preview").click()
    expect(page.locator("#lengths-a")).to_contain_text("固定 100 词元" if zh else "fixed 100 tokens")
    assert shelf.row("手册1.md").locator("td.col-chunks").inner_text() == stored
    cut = int(re.search(r"(\d+) (?:片|chunks)", page.locator("#lengths-a").inner_text())[1])  # type: ignore[index]
    page.locator("#use-a").click()
    expect(shelf.row("手册1.md").locator("td.col-chunks")).to_have_text(str(cut))
    expect(page.locator("#facts")).to_contain_text("100")  # the opened document follows

    # re-chunk, move to a new set
    before = shelf.row("pump1.txt").locator("td.col-chunks").inner_text()
    shelf.choose("pump1.txt", "pump2.txt")
    expect(page.locator("#documents .chosen-count")).to_contain_text("2")
    shelf.pick("#lib-chunker", "递归" if zh else "recursive")
    page.locator("#lib-size input").fill("50")
    shelf.pick("#lib-unit", "词" if zh else "words")
    page.locator("#rechunk").click()
    expect(shelf.row("pump1.txt").locator("td.col-chunks")).not_to_have_text(before)
    page.locator("#into input").fill("Pumps 泵")
    page.locator("#into input").press("Tab")
    page.locator("#move").click()
    for name in ("pump1.txt", "pump2.txt"):
        expect(shelf.row(name).locator("td.col-doc_set")).to_have_text("Pumps 泵")

    # filter on the server, sort, delete after being asked
    page.locator("#find textarea, #find input").first.fill("pump")
    expect(rows).to_have_count(5)
    page.locator("#documents th.col-name button").click()
    expect(rows.first).to_contain_text("pump0.txt")
    shelf.choose("pump2.txt")
    page.locator("#delete").click()
    expect(rows).to_have_count(4)
    assert "1" in dialogs[0]
    assert "pump2.txt" in dialogs[0]
    page.locator("#find textarea, #find input").first.fill("")
    expect(rows).to_have_count(19)
    shelf.pick("#in-state", failed)
    expect(rows).to_have_count(2)
    assert len(dialogs) == 1  # no name and no text was ever run
    assert chat.foreign == []


def test_sets_are_made_searched_and_deleted_and_chatting_goes_on(
    browser: Browser, url: str, tmp_path: Path, locale: str
) -> None:
    chat = Chat(browser, url, locale)
    page, shelf = chat.page, Shelf(chat.page)
    shelf.clear()
    page.locator("#chat-view-button").click()
    files_are_saved_into_sets(chat, shelf)
    chatting_goes_on_while_the_library_is_looked_at(chat, shelf, tmp_path)
    a_set_is_renamed(shelf)
    a_set_is_searched(chat, shelf)
    what_found_nothing_is_noted(chat)

    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    page.locator("#library-view-button").click()
    shelf.pick("#picked-set", "Guides (1)")
    page.locator("#delete-set").click()
    expect(shelf.row("guide.md")).to_have_count(0)
    expect(page.locator("#documents tbody tr")).to_have_count(3)
    assert "Guides" in asked[0]
    assert "1" in asked[0]
    assert chat.foreign == []


def files_are_saved_into_sets(chat: Chat, shelf: Shelf) -> None:
    page = chat.page
    chat.choices("saving")
    page.locator("#save-into input").fill("Manuals")
    page.locator("#save-into input").press("Tab")
    expect(chat.chip("saving")).to_contain_text("→ Manuals")
    chat.save("guide.md")
    chat.choices("saving")
    page.locator("#save-into input").fill("People")
    page.locator("#save-into input").press("Tab")
    chat.save("员工手册.md")
    page.locator("#library-view-button").click()
    expect(shelf.row("guide.md").locator("td.col-doc_set")).to_have_text("Manuals")
    expect(shelf.row("员工手册.md").locator("td.col-doc_set")).to_have_text("People")
    page.locator("#chat-view-button").click()


def chatting_goes_on_while_the_library_is_looked_at(chat: Chat, shelf: Shelf, folder: Path) -> None:
    page, archive, dialogs = chat.page, folder / "两个.zip", list[str]()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("甲/一.md", "# 一\n\n甲乙丙丁。")
        packed.writestr(f"甲/{LIVE}.md", "# 二\n\n戊己庚辛。")

    def opened(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.accept()

    page.on("dialog", opened)
    chat.begin("婚假有几天？")
    expect(chat.replies.last).to_contain_text("婚假为十三天[1]")
    page.locator("#library-view-button").click()
    page.locator("#upload input[type=file]").set_input_files(archive)
    for name in ("两个/甲/一.md", f"两个/甲/{LIVE}.md"):
        expect(shelf.row(name)).to_contain_text(STATES["zh-CN" if chat.zh else "en-US"][0])
    page.locator("#chat-view-button").click()
    chat.over()
    expect(page.locator("#chat")).to_contain_text("由 m 回答" if chat.zh else "by m")
    expect(chat.chip("scope")).to_have_text("全部 4 个文档" if chat.zh else "All 4 documents")
    assert dialogs == []
    page.remove_listener("dialog", opened)
    page.locator("#library-view-button").click()


def a_set_is_renamed(shelf: Shelf) -> None:
    page = shelf.page
    page.locator("#doc-sets-panel button").first.click()
    shelf.pick("#picked-set", "Manuals (1)")
    shelf.pick("#into", "Manuals")
    page.locator("#set-name input, #set-name textarea").first.fill("Guides")
    page.locator("#rename-set").click()
    expect(shelf.row("guide.md").locator("td.col-doc_set")).to_have_text("Guides")
    expect(page.locator("#into input")).to_have_value("Guides")  # the next file does not make the old one anew


def a_set_is_searched(chat: Chat, shelf: Shelf) -> None:
    page = chat.page
    page.locator("#chat-view-button").click()
    picker, in_force = page.locator("#doc-sets"), chat.chip("scope")
    chat.choices("scope")
    expect(picker.locator(".token")).to_contain_text("全部" if chat.zh else "All")
    shelf.pick("#doc-sets", "People (1)")
    page.keyboard.press("Escape")
    expect(picker.locator(".token")).to_have_count(1)  # no longer everything
    expect(in_force).to_have_text("People · 1 个文档" if chat.zh else "People · 1 document")
    page.set_viewport_size({"width": 390, "height": 844})
    chat.choices("scope")
    for part in (picker, in_force, chat.box):
        expect(part).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1280, "height": 900})
    chat.send("How long does pairing take?")
    assert "guide.md" not in chat.reply()  # it is in another set


def what_found_nothing_is_noted(chat: Chat) -> None:
    """Until that is cleared."""
    page = chat.page
    page.locator("#system-view-button").click()
    unanswered = page.locator("#system .unanswered")
    expect(unanswered).to_contain_text("How long does pairing take?")
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator("#system").get_by_role("button", name="清空列表" if chat.zh else "Clear the list").click()
    expect(unanswered).to_have_count(0)
