"""A click on a marker opens its source, the supporting passage marked and in view; what does not hold says why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from reportlab.pdfgen.canvas import Canvas

from benchmarks.format_files import Section, of_sections
from benchmarks.model_server import Reply
from tests.browser.chat import Chat
from tests.browser.program import program_with_model

pytestmark = pytest.mark.browser

FILLER = "".join(f"## 第 {n} 条\n\n" + "这一条讲的是别的事情，与上文无关。" * 12 + "\n\n" for n in range(1, 60))
MANUAL = f"# 员工手册\n\n{FILLER}## 休假\n\n- 婚假为**十三天**，须在登记后一年内休完。\n- 年假为十五天。\n\n{FILLER}"
CODE = "\n".join(f"def step_{n}(x):\n    return x + {n}\n" for n in range(80)) + (
    '\n\ndef start(pump, pressure):\n    """Start the pump; the pressure must stay below 42 bar."""\n    pump.on()\n'
)
# What a model says, by a word of the question; the first file that is named in a question is its only source.
SAID = {
    "婚假": "婚假为十三天[1]。婚假为四十天[1]。月亮由奶酪做成。",
    "水泵": "水泵停机后须休息九十秒[1]。",
    "信号灯": "海边的信号灯在一八七二年点亮[1]。",
    "warranty": "The warranty lasts for thirty months [1].",
    "pressure": "The pressure must stay below 42 bar [1].",
}


SEEN = """() => {
    const [mark, around] = ['mark.good', '.document'].map(
        one => document.querySelector(`#reader ${one}`).getBoundingClientRect());
    return around.top <= mark.top && mark.bottom <= around.bottom;
}"""


# The box of what is cited is seen, about as wide as its line is printed: a third of the page.
BOXED = """() => {
    const [box, sheet, paper] = ['.box', '.sheet', '.paper'].map(
        one => document.querySelector(`#reader .page ${one}`).getBoundingClientRect());
    const share = box.width / paper.width;
    return sheet.top <= box.top && box.bottom <= sheet.bottom && share > 0.25 && share < 0.5;
}"""


def pdf(path: Path) -> None:
    canvas = Canvas(str(path))
    for number, said in enumerate(
        ["It begins here.", "Open the red valve.", "The warranty lasts for thirty months."], 1
    ):
        canvas.drawString(72, 760, f"Chapter {number}")
        canvas.drawString(72, 730, said)
        for line in range(24):
            canvas.drawString(72, 700 - 20 * line, f"Remark {number}.{line} about nothing in particular.")
        canvas.showPage()
    canvas.save()


def script(request: dict[str, Any]) -> Reply:
    if not request.get("stream"):
        return Reply(status=400)
    asked = str(request["messages"][-1]["content"])
    return Reply(next((said for word, said in SAID.items() if word in asked.rpartition("\n")[2]), "?"))


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A program with a model."""
    library = tmp_path_factory.mktemp("data") / "library"
    with program_with_model(library, script) as url:
        yield url


def marked_in_view(page: Page, text: str) -> None:
    """What is marked is the passage, within the part of the document that is seen, and the keyboard is on it."""
    marks = page.locator("#reader mark.good")
    expect(marks.first).to_be_in_viewport(ratio=1)
    assert "".join(marks.all_inner_texts()) == text
    page.wait_for_function(SEEN)
    expect(marks.first).to_be_focused()


def test_a_marker_leads_to_the_passage_and_back(browser: Browser, url: str, tmp_path: Path) -> None:
    manual = tmp_path / "员工手册.md"
    manual.write_text(MANUAL, encoding="utf-8")
    chat = Chat(browser, url, "zh-CN")
    page = chat.page
    chat.send("保存这个文件，然后告诉我婚假有几天？", manual)
    answer = page.locator("#chat .bot.message").filter(has_text="月亮由奶酪做成")
    marker = answer.locator('a[href^="#source/"]').first
    expect(marker).to_have_text("[1]")
    marker.click()
    marked_in_view(page, "婚假为十三天，须在登记后一年内休完。")
    line = MANUAL[: MANUAL.index("婚假")].count("\n") + 1
    reader = page.locator("#reader")
    expect(reader.locator(".facts")).to_contain_text(f"行 {line}")
    expect(reader.locator("mark.good strong, strong mark.good")).to_have_text("十三天")  # Markdown is rendered
    bad = reader.locator(".claims li.weak")
    expect(bad).to_contain_text("婚假为四十天")
    expect(bad.locator(".reasons")).to_have_text(re.compile("[一-鿿]"))

    text = reader.locator(".text")
    expect(text).not_to_contain_text("员工手册")  # a book is not sent whole; what stands around is a scroll away
    for _ in range(6):
        if reader.locator(".edge.up").is_hidden():
            break
        sections = text.locator("section").count()
        reader.locator(".document").evaluate("one => one.scrollTop = 0")
        expect(text.locator("section")).not_to_have_count(sections)
    expect(text).to_contain_text("员工手册")
    assert reader.locator("mark.good").count() == 3

    page.keyboard.press("Escape")
    expect(page.locator("#details")).to_be_hidden()
    expect(marker).to_be_focused()
    page.keyboard.press("Enter")
    marked_in_view(page, "婚假为十三天，须在登记后一年内休完。")

    wrong = answer.locator('a[href^="#source/"]', has_text="⚠")
    expect(wrong).to_have_text(["[1]⚠", "⚠"])
    expect(answer).to_contain_text("引用的原文不支持这句话")
    wrong.last.click()
    expect(reader.locator(".claims li")).to_have_count(2)
    expect(reader.locator(".claims li").last).to_contain_text("没有标注来源")

    page.reload()
    page.locator('#chat a[href^="#cited/"]', has_text=f"员工手册.md · 行 {line}").click()
    marked_in_view(page, "婚假为十三天，须在登记后一年内休完。")
    page.keyboard.press("Escape")
    a_message_and_a_book_are_opened_at_their_places(chat, tmp_path)


def test_pages_of_a_pdf_and_lines_of_code(browser: Browser, url: str, tmp_path: Path) -> None:
    guide, pump = tmp_path / "guide.pdf", tmp_path / "pump.py"
    pdf(guide)
    pump.write_text(CODE)
    chat = Chat(browser, url, "en-US", width=400)
    page = chat.page
    chat.send("Save it. How long does the warranty last?", guide)
    page.locator('#chat a[href^="#source/"]', has_text="[1]").last.click()
    marked_in_view(page, "The warranty lasts for thirty months.")
    expect(page.locator("#reader .facts")).to_contain_text("page 3")
    expect(page.locator("#reader section", has_text="The warranty").locator(".place")).to_have_text("page 3")
    expect(page.locator("#reader .place", has_text="page 2")).to_have_count(1)

    view = page.locator("#reader .page")
    expect(view.locator("img")).to_have_js_property("complete", True)
    expect(view.locator(".label")).to_have_text("Page 3 of 3")
    expect(view.locator(".box")).to_have_count(1)
    page.wait_for_function("() => document.querySelector('#reader .page img').naturalWidth > 1000")
    whole = view.locator(".paper").bounding_box()
    view.get_by_label("Larger").click()
    page.wait_for_function(BOXED)
    assert view.locator(".paper").bounding_box()["width"] == pytest.approx(1.5 * whole["width"], abs=2)
    expect(view.get_by_label("Next page")).to_be_disabled()
    view.get_by_label("Previous page").click()
    expect(view.locator(".label")).to_have_text("Page 2 of 3")
    expect(view.locator(".box")).to_have_count(0)
    with page.expect_download() as kept:
        page.locator("#reader a.file").click()
    assert Path(kept.value.path()).read_bytes() == guide.read_bytes()
    page.keyboard.press("Escape")
    expect(page.locator("#details")).to_be_hidden()

    chat.send("Save it. Only in pump.py: what must the pressure stay below?", pump)
    page.locator('#chat a[href^="#source/"]', has_text="[1]").last.click()
    expect(page.locator("#reader .title")).to_contain_text("pump.py")
    mark = page.locator("#reader mark.good").filter(has_text="below 42 bar")
    expect(mark).to_be_in_viewport()
    number = CODE[: CODE.index("below 42 bar")].count("\n") + 1
    expect(page.locator("#reader .block", has_text="below 42 bar").locator(".line")).to_have_text(str(number))


def a_message_and_a_book_are_opened_at_their_places(chat: Chat, folder: Path) -> None:
    mail, book = folder / "水泵.eml", folder / "海岸.epub"
    sections = [Section("水泵", ("水泵停机后须休息九十秒。",)), Section("灯塔", ("海边的信号灯在一八七二年点亮。",))]
    made = {file.name.rpartition(".")[2]: file.data for file in of_sections(sections, 0)}
    mail.write_bytes(made["eml"])
    book.write_bytes(made["epub"])
    facts = chat.page.locator("#reader .facts")
    for question, file, said, place in (
        ("保存。水泵要休息多久？", mail, "水泵停机后须休息九十秒。", "第 1 封邮件"),
        ("保存。信号灯是什么时候点亮的？只查海岸.epub", book, "灯塔海边的信号灯在一八七二年点亮。", "第 2 部分“灯塔”"),
    ):
        chat.send(question, file)
        chat.page.locator('#chat a[href^="#source/"]', has_text="[1]").last.click()
        marked_in_view(chat.page, said)
        expect(facts).to_contain_text(place)
        with chat.page.expect_download() as kept:
            chat.page.locator("#reader a.file").click()
        assert Path(kept.value.path()).read_bytes() == file.read_bytes()
        chat.page.keyboard.press("Escape")
