"""Conversations as a person uses them: the list, editing, asking again, export, drafts, and turns that go on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.model_server import Reply, model_server
from tests.browser.program import program
from tests.browser.test_main_job import Chat

pytestmark = pytest.mark.browser

WORDS = {
    "zh-CN": ("婚假有几天？", "产假有几天？", "婚假为十三天", "假期 <b>", "删除", "导出"),
    "en-US": ("How long does pairing take?", "Which port is used?", "40 seconds", "Pairing <b>", "Delete", "Export"),
}  # fmt: skip
FILES = {"zh-CN": "员工手册.md", "en-US": "guide.md"}


def titles(page: Page) -> Locator:
    return page.locator("#conversations .open")


def questions(page: Page) -> Locator:
    return page.locator("#chat .user.message")


def over(page: Page) -> None:
    expect(page.locator("#box button.submit-button")).to_be_visible(timeout=60_000)


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_the_list_from_the_first_question_to_the_last(browser: Browser, tmp_path: Path, locale: str) -> None:
    first, _, said, name, delete, export = WORDS[locale]
    library = tmp_path / "library"
    with program(library) as url:
        chat = Chat(browser, url, locale)
        page = chat.page
        expect(page.locator("#chat button.example")).to_have_count(1)
        chat.send("保存" if locale == "zh-CN" else "save", FILES[locale])
        page.locator("#conversations .new").click()
        expect(questions(page)).to_have_count(0)
        expect(page.locator("#chat button.example").first).to_contain_text(FILES[locale], timeout=20_000)
        chat.send(first)
        assert said in chat.reply()
        expect(titles(page)).to_have_count(2)
        expect(titles(page).first).to_have_text(first)
        expect(page.locator("#conversations [aria-current]")).to_have_text(first)

        row = page.locator("#conversations li").first  # renamed by the keyboard, as text
        row.locator(".open").focus()
        page.keyboard.press("F2")
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        expect(titles(page).first).to_have_text(name)
        page.reload()
        expect(titles(page).first).to_have_text(name, timeout=30_000)
        expect(questions(page)).to_have_count(1)

        page.locator("#conversations .find").fill(said)  # found by what was answered
        expect(titles(page)).to_have_count(1)
        page.locator("#conversations .find").fill("xyzzy")
        expect(titles(page)).to_have_count(0)
        page.locator("#conversations .find").fill("")
        expect(titles(page)).to_have_count(2)

        with page.expect_download() as downloading:
            page.get_by_role("link", name=export).first.click()
        exported = Path(downloading.value.path()).read_text(encoding="utf-8")
        assert f"> {first}" in exported
        assert f"- [1] {FILES[locale]}" in exported

        assert chat.foreign == []

    with program(library) as url:  # the list outlives the program
        page = browser.new_context(locale=locale).new_page()
        page.goto(url, wait_until="domcontentloaded")
        expect(titles(page)).to_have_count(2, timeout=30_000)
        titles(page).last.click()
        expect(questions(page)).to_contain_text([FILES[locale]])
        row = page.locator("#conversations li", has=page.locator("[aria-current]"))
        row.get_by_role("button", name=delete).click()
        page.keyboard.press("Escape")  # asked back, and kept
        expect(titles(page)).to_have_count(2)
        row.get_by_role("button", name=delete).click()
        page.locator("#conversations .asked .remove").click()
        expect(titles(page)).to_have_text([name])
        expect(questions(page)).to_have_count(0)


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_a_question_is_edited_and_asked_again_and_a_draft_survives(
    browser: Browser, tmp_path: Path, locale: str
) -> None:
    first, second, *_ = WORDS[locale]
    with program(tmp_path / "library") as url:
        chat = Chat(browser, url, locale)
        page = chat.page
        chat.send("保存" if locale == "zh-CN" else "save", FILES[locale])
        page.locator("#conversations .new").click()
        expect(questions(page)).to_have_count(0)
        chat.send(first)
        page.locator("#chat a[href^='#edit/']").last.click()  # edited: takes the place of the old one
        box = page.locator("#box textarea")
        expect(box).to_have_value(first)
        expect(page.locator("#asking .bar")).to_be_visible()
        box.fill(second)
        box.press("Enter")
        expect(questions(page)).to_contain_text([second])
        over(page)
        expect(questions(page)).to_have_count(1)
        expect(page.locator("#asking .bar")).to_have_count(0)

        link = page.locator("#chat a[href^='#again/']").last  # once more, with another strategy
        before = link.get_attribute("href")
        link.focus()
        page.keyboard.press("Enter")
        menu = page.locator(".again-menu")
        expect(menu.locator("button").first).to_be_focused()
        menu.locator("[data-strategy=keyword]").click()
        expect(page.locator(f"#chat a[href='{before}']")).to_have_count(0, timeout=30_000)
        expect(page.locator("#chat .bot.message")).to_contain_text(["BM25"], timeout=30_000)
        over(page)
        expect(questions(page)).to_have_count(1)

        box.fill("half a thought")
        page.wait_for_function("localStorage.getItem('citewise-typed')")
        page.reload()
        expect(box).to_have_value("half a thought", timeout=30_000)


RICH = (
    "婚假为十三天[1]。\n\n| 假 | 天 |\n| --- | --- |\n| 婚假 | 13 |\n\n```python\nprint(13)\n```\n\n$$x^2 = 13$$\n\n"
    r"行内 \(y_1 = 13\) 完。" + "\n\n"
)
# Elements of what was said before that are taken out or put in anew while another answer streams.
WATCH = """() => {
    globalThis.changed = 0;
    const first = [...document.querySelectorAll('#chat .message-row')].slice(0, 2);
    const watcher = new MutationObserver(seen => { globalThis.changed += seen.length; });
    for (const one of first) watcher.observe(one, {subtree: true, childList: true, characterData: true});
}"""


def test_an_answer_goes_on_while_one_looks_elsewhere(browser: Browser, tmp_path: Path) -> None:
    long = (
        RICH + "".join(f"第{n}句：女员工产假为一百五十八天[1]。" for n in range(60)) + "\n\n最后一句：婚假为十三天[1]。"
    )

    def script(request: dict) -> Reply:
        return Reply(long, piece_delay=0.01) if request.get("stream") else Reply(status=400)  # 100 tokens a second

    with (
        model_server(script) as server,
        program(tmp_path / "library", CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url) as url,
    ):
        chat = Chat(browser, url, "zh-CN")
        page = chat.page
        chat.send("保存", "员工手册.md")
        box = page.locator("#box textarea")
        box.fill("婚假有几天？")
        box.press("Enter")
        answer = page.locator("#chat .bot.message").last
        expect(answer).to_contain_text("第3句", timeout=30_000)
        page.locator("#conversations .new").click()  # it goes on
        expect(questions(page)).to_have_count(0)
        box.fill("你好")
        box.press("Enter")
        over(page)
        expect(questions(page)).to_have_count(1)
        page.get_by_role("button", name="保存", exact=True).locator("visible=true").first.click()
        expect(questions(page)).to_have_count(2)
        expect(answer).to_contain_text("最后一句", timeout=60_000)
        over(page)
        page.reload()
        expect(questions(page)).to_have_count(2, timeout=30_000)
        said = page.locator("#chat")
        expect(said.locator("td", has_text="13").first).to_be_visible()
        expect(said.locator("pre code .token, pre code .hljs-built_in, pre code span").first).to_be_visible()
        expect(said.locator(".katex-display")).to_have_count(1)
        assert said.locator(".katex").count() >= 2
        for n in (0, 30, 59):
            expect(said).to_contain_text(f"第{n}句")


def test_nothing_of_earlier_messages_is_drawn_anew_while_an_answer_streams(browser: Browser, tmp_path: Path) -> None:
    long = "".join(f"第{n}句：女员工产假为一百五十八天[1]。" for n in range(40))

    def script(request: dict) -> Reply:
        return Reply(long, piece_delay=0.01) if request.get("stream") else Reply(status=400)

    with (
        model_server(script) as server,
        program(tmp_path / "library", CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url) as url,
    ):
        chat = Chat(browser, url, "zh-CN")
        page = chat.page
        chat.send("保存", "员工手册.md")
        box = page.locator("#box textarea")
        box.fill("产假有几天？")
        box.press("Enter")
        answer = page.locator("#chat .bot.message").last
        expect(answer).to_contain_text("第1句", timeout=30_000)
        page.evaluate(WATCH)
        expect(answer).to_contain_text("第39句", timeout=60_000)
        assert page.evaluate("globalThis.changed") == 0


def test_what_was_sent_in_vain_stands_in_the_box_again(browser: Browser, tmp_path: Path) -> None:
    with program(tmp_path / "library") as url:
        chat = Chat(browser, url, "en-US")
        page = chat.page
        long = "How long is it? " * 1300  # more than a message may have
        page.locator("#box input[type=file]").set_input_files(Path(__file__).parent.parent / "data" / "guide.md")
        expect(page.locator("#box .thumbnail-item")).to_have_count(1)
        page.locator("#box textarea").fill(long)
        page.locator("#box button.submit-button").click()
        expect(page.locator("#chat .bot.message").last).to_contain_text("more than the limit", timeout=30_000)
        expect(page.locator("#box textarea")).to_have_value(re.compile("^(How long is it\\? ?)+$"), timeout=20_000)
        expect(page.locator("#box .thumbnail-item")).to_have_count(1)
        page.locator("#box textarea").fill("save")
        page.locator("#box textarea").press("Enter")
        expect(page.locator("#files")).to_contain_text("guide.md", timeout=60_000)
