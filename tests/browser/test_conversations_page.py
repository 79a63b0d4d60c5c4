"""Conversations as a person uses them: the list, editing, asking again, export, drafts, and turns that go on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.model_server import Reply
from tests.browser.chat import DATA, FILES, LOOK, Chat, store
from tests.browser.program import program_with_model

pytestmark = pytest.mark.browser

RICH = (
    "\n\n| 假 leave | 天 days |\n| --- | --- |\n| 婚假 marriage | 13 |\n\n```python\nprint(13)\n```\n\n"
    "$$x^2 = 13$$\n\n"
    r"\(y_1 = 13\)" + "\n\n"
)
WORDS: dict[str, dict[str, str]] = {
    "zh-CN": {
        "question": "婚假有几天？", "answer": "婚假为十三天", "other": "病假工资是多少？", "name": "假期 <b>",
        "delete": "删除", "export": "导出", "long": "产假有几天？", "sentence": "第{}句：女员工产假为一百五十八天[1]。",
        "hello": "你好", "too long": "超过",
    },
    "en-US": {
        "question": "How long does pairing take?", "answer": "40 seconds", "other": "Which Wi-Fi band is used?",
        "name": "Pairing <b>", "delete": "Delete", "export": "Export", "long": "How long do the two cells last?",
        "sentence": "Sentence {}: the two cells last about 18 months [1]. ", "hello": "hello",
        "too long": "more than the limit",
    },
}  # fmt: skip
SENTENCES = 60
SAID = {
    words["question"]: f"{words['answer']}[1]." for words in WORDS.values()
} | {
    words["long"]: "…[1]" + RICH + "".join(words["sentence"].format(n) for n in range(SENTENCES)) + "\n\nFIN [1]."
    for words in WORDS.values()
}  # fmt: skip
# Elements of what was said before that are taken out or put in anew while another answer streams.
WATCH = """() => {
    globalThis.changed = 0;
    const first = [...document.querySelectorAll('#chat .message-row')].slice(0, 2);
    const watcher = new MutationObserver(seen => { globalThis.changed += seen.length; });
    for (const one of first) watcher.observe(one, {subtree: true, childList: true, characterData: true});
}"""


# How often the page waits for what is drawn before it goes on: whatever comes in meanwhile is late, and may come back
# into a conversation that was begun since.
WAITS = """() => {
    const later = window.setTimeout.bind(window);
    globalThis.waits = 0;
    window.setTimeout = (done, after, ...given) => {
        waits += after === undefined;
        return later(done, after, ...given);
    };
}"""


# The next conversation is begun as soon as what stands in the box was sent, before anything of it has come back.
# The moment that the question itself is on its way: what "new" before it has begun may be on its way as well.
ASK_AND_LEAVE = """text => {
    const fetched = window.fetch;
    window.fetch = (...asked) => {
        const answer = fetched(...asked);
        if (String(asked[0].url ?? asked[0]).includes('/queue/join') && String(asked[1]?.body).includes(text)) {
            window.fetch = fetched;
            document.querySelector('#conversations .new').click();
        }
        return answer;
    };
    document.querySelector('#box button.submit-button').click();
}"""


def script(request: dict[str, Any]) -> Reply:
    """Answers at a hundred tokens a second; nothing but answers."""
    if not request.get("stream"):
        return Reply(status=400)
    asked = str(request["messages"][-1]["content"])
    return Reply(next((said for words, said in SAID.items() if words in asked), "OK [1]."), piece_delay=0.01)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A program with a model, whose library holds both files."""
    library = tmp_path_factory.mktemp("data") / "library"
    with program_with_model(library, script) as url:
        store(url, *FILES.values())
        yield url


def test_the_list_from_the_first_question_to_the_last(browser: Browser, url: str, locale: str) -> None:
    words, file = WORDS[locale], FILES[locale]
    chat = Chat(browser, url, locale)
    page, titles = chat.page, chat.titles
    example = page.locator("#chat button.example", has_text=file).first
    expect(example).to_be_visible()
    before, asked = titles.count(), example.inner_text()
    example.click()  # a question for the start, made from the library
    expect(chat.questions).to_have_text(re.compile(re.escape(asked)))
    expect(chat.replies.first).to_be_visible()
    chat.over()
    chat.new()
    chat.send(words["question"])
    assert words["answer"] in chat.reply()
    expect(titles).to_have_count(before + 2)
    expect(titles.first).to_have_text(words["question"])
    expect(page.locator("#conversations [aria-current]")).to_have_text(words["question"])
    answer_is_copied(chat, words)

    titles.first.focus()  # renamed by the keyboard, as text
    page.keyboard.press("F2")
    page.keyboard.type(words["name"])
    page.keyboard.press("Enter")
    expect(titles.first).to_have_text(words["name"])
    chat.box.fill("half a thought")
    page.wait_for_function("localStorage.getItem('citewise-typed')")
    page.reload()
    expect(chat.box).to_have_value("half a thought")
    expect(titles.first).to_have_text(words["name"])
    expect(chat.questions).to_have_count(1)

    find = page.locator("#conversations .find")
    find.fill(f"{words['answer']}[1]")  # found by what was answered: no other answer cites right after these words
    expect(titles).to_have_text([words["name"]])
    find.fill("xyzzy")
    expect(titles).to_have_count(0)
    find.fill("")
    expect(titles).to_have_count(before + 2)

    with page.expect_download() as downloading:
        page.get_by_role("link", name=words["export"]).first.click()
    exported = Path(downloading.value.path()).read_text(encoding="utf-8")
    assert f"> {words['question']}" in exported
    assert f"- [1] {file}" in exported

    row = page.locator("#conversations li", has=page.locator("[aria-current]"))
    row.get_by_role("button", name=words["delete"]).click()
    page.keyboard.press("Escape")  # asked back, and kept
    expect(titles).to_have_count(before + 2)
    row.get_by_role("button", name=words["delete"]).click()
    page.locator("#conversations .asked .remove").click()
    expect(titles).to_have_count(before + 1)
    expect(chat.questions).to_have_count(0)
    titles.first.click()  # the other one is as it was
    expect(chat.questions).to_have_text(re.compile(re.escape(asked)))
    assert chat.foreign == []


def answer_is_copied(chat: Chat, words: dict[str, str]) -> None:
    chat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.replies.last.hover()
    chat.page.get_by_role("link", name=re.compile("Copy|复制")).last.click()
    chat.page.wait_for_function(
        "words => navigator.clipboard.readText().then(text => text.includes(words))", arg=words["answer"], polling=LOOK
    )


def test_a_question_is_edited_asked_again_and_streams_while_one_looks_elsewhere(
    browser: Browser, url: str, locale: str
) -> None:
    words = WORDS[locale]
    chat = Chat(browser, url, locale)
    sent_in_vain(chat, words, FILES[locale])
    chat.new()
    chat.send(words["question"])
    edited(chat, words)
    again_with_another_strategy(chat)
    left_at_once(chat, words)
    streams(chat, words)

    chat.box.fill("half a thought")
    chat.page.wait_for_function("localStorage.getItem('citewise-typed')")
    kept = chat.page.evaluate("localStorage.getItem('citewise-typed')")
    chat.box.fill("")  # what was sent, or deleted, is no draft
    chat.page.wait_for_function("kept => localStorage.getItem('citewise-typed') !== kept", arg=kept)
    chat.page.reload()
    expect(chat.questions).to_have_count(2)
    expect(chat.box).to_have_value("")
    said = chat.page.locator("#chat")
    expect(said.locator("td", has_text="13").first).to_be_visible()
    expect(said.locator("pre code span").first).to_be_visible()
    expect(said.locator(".katex-display")).to_have_count(1)
    assert said.locator(".katex").count() == 2
    shown = chat.replies.last.inner_text()
    for n in (0, 30, SENTENCES - 1):
        assert words["sentence"].format(n).partition("[")[0].strip() in shown


def sent_in_vain(chat: Chat, words: dict[str, str], file: str) -> None:
    """What could not be sent stands in the box again, with its file."""
    page = chat.page
    page.locator("#box input[type=file]").set_input_files(DATA / file)
    expect(page.locator("#box .thumbnail-item")).to_have_count(1)
    chat.box.fill(f"{words['question']} " * 3000)  # more than a message may have
    page.locator("#box button.submit-button").click()
    expect(chat.replies.last).to_contain_text(words["too long"])
    expect(chat.box).to_have_value(re.compile(f"^({re.escape(words['question'])} ?)+$"))
    expect(page.locator("#box .thumbnail-item")).to_have_count(1)
    chat.box.fill("save")
    chat.box.press("Enter")
    expect(chat.questions.last).to_contain_text(file)
    expect(chat.replies.last).to_contain_text(file)
    chat.over()


def edited(chat: Chat, words: dict[str, str]) -> None:
    """A question that is changed takes the place of the old one."""
    chat.questions.last.hover()
    chat.page.locator("#chat a[href^='#edit/']").last.click()
    expect(chat.box).to_have_value(words["question"])
    expect(chat.page.locator("#asking .bar")).to_be_visible()
    chat.box.fill(words["other"])
    chat.box.press("Enter")
    expect(chat.questions).to_contain_text([words["other"]])
    chat.over()
    expect(chat.questions).to_have_count(1)
    expect(chat.page.locator("#asking .bar")).to_have_count(0)


def again_with_another_strategy(chat: Chat) -> None:
    page, link = chat.page, chat.page.locator("#chat a[href^='#again/']").last
    before = link.get_attribute("href")
    link.focus()
    page.keyboard.press("Enter")
    menu = page.locator(".again-menu")
    expect(menu.locator("button").first).to_be_focused()
    menu.locator("[data-strategy=keyword]").click()
    expect(page.locator(f"#chat a[href='{before}']")).to_have_count(0)
    expect(chat.replies).to_contain_text(["BM25"])
    chat.over()
    expect(chat.questions).to_have_count(1)


def left_at_once(chat: Chat, words: dict[str, str]) -> None:
    """A question is on its way when another conversation is begun: it is answered where it was asked."""
    asked = chat.titles.count()
    chat.new()
    expect(chat.page.locator("#conversations [aria-current]")).to_have_count(0)
    chat.box.fill(words["hello"])
    chat.page.evaluate(ASK_AND_LEAVE, words["hello"])
    expect(chat.titles).to_have_count(asked + 1)
    expect(chat.titles.first).to_have_text(words["hello"])
    expect(chat.box).to_have_value("")
    expect(chat.questions).to_have_count(0)
    expect(chat.page.locator("#conversations [aria-current]")).to_have_count(0)
    chat.titles.first.click()
    expect(chat.replies).to_have_count(1)
    chat.over()
    chat.titles.nth(1).click()
    expect(chat.questions).to_have_count(1)


def streams(chat: Chat, words: dict[str, str]) -> None:
    """Without flicker, and on while one looks elsewhere."""
    page, answer = chat.page, chat.replies.last
    chat.begin(words["long"])
    expect(answer).to_contain_text(words["sentence"].format(3)[:6])
    page.evaluate(WATCH)
    page.evaluate(WAITS)
    expect(answer).to_contain_text(words["sentence"].format(20)[:10])
    assert page.evaluate("globalThis.changed") == 0
    assert page.evaluate("globalThis.waits") < 20  # its box has taken a file: each update of it would be three

    page.locator("#conversations .new").click()  # it goes on
    expect(chat.questions).to_have_count(0)
    chat.begin(words["hello"])
    expect(chat.questions).to_have_count(1)
    chat.over()
    chat.titles.nth(1).click()
    expect(chat.questions).to_have_count(2)
    expect(answer).to_contain_text("FIN")
    chat.over()
