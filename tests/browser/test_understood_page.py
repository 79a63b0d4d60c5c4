"""What was understood of a message stands on the page before anything else, and a wrong guess costs one click."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chat import DATA, FILES, Chat
from tests.browser.program import program

pytestmark = pytest.mark.browser

WORDS = {
    "zh-CN": {
        "save": "保存，每片40个词元，然后用英文回答：婚假有几天？", "unit": "40 词元", "language": "English",
        "in": "用英文回答",
        "answer": "十三", "question": "婚假有几天？", "untranslated": "没有可用的模型，无法翻译", "other": "中文",
    },
    "en-US": {
        "save": "Save it in chunks of 40 tokens, then answer in Chinese: how long does pairing take?",
        "unit": "40 tokens", "language": "中文", "in": "in Chinese", "answer": "40 seconds",
        "question": "How long does pairing take?",
        "untranslated": "No model is available to translate", "other": "English",
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with program(tmp_path_factory.mktemp("data") / "library") as url:
        yield url


def pick(page: Page, control: str, option: str) -> None:
    page.locator(f"{control} input").click()
    page.locator(control).get_by_role("option", name=option, exact=True).click()


def test_unit_and_language_are_shown_first_and_changed_by_a_click(browser: Browser, url: str, locale: str) -> None:
    words = WORDS[locale]
    chat = Chat(browser, url, locale)
    words_say_them_and_a_click_changes_them(chat, words, FILES[locale])
    chat.new()
    [other] = FILES.keys() - {locale}
    the_controls_say_them_without_words(chat, words, FILES[other])
    assert chat.foreign == []


def words_say_them_and_a_click_changes_them(chat: Chat, words: dict[str, str], file: str) -> None:
    page = chat.page
    chat.send(words["save"], DATA / file)
    plan = chat.replies.first  # before files, answer and sources
    expect(plan).to_contain_text(words["unit"])
    expect(plan).to_contain_text(words["in"])
    expect(page.locator("#chat")).to_contain_text(words["answer"])
    expect(page.locator("#chat")).to_contain_text(words["untranslated"])

    page.locator('#chat a[href^="#plan/"]').last.click()
    form = page.locator("#plan-form")
    expect(form.locator("#plan-size input")).to_have_value("40")
    expect(form.locator("#plan-unit input")).to_have_value(words["unit"].split()[1])
    form.locator("#plan-language").get_by_text(words["other"], exact=True).click()
    page.locator("#plan-run").click()
    expect(page.locator("#chat")).not_to_contain_text(words["untranslated"])
    expect(page.locator("#chat")).to_contain_text(words["answer"])
    chat.over()


def the_controls_say_them_without_words(chat: Chat, words: dict[str, str], file: str) -> None:
    page = chat.page
    chat.choices("saving")
    pick(page, "#unit", words["unit"].split()[1])
    chat.chip("strategy").hover()
    page.mouse.down()
    page.locator("#size input").fill("50")
    page.locator("#size input").press("Tab")
    expect(chat.chip("saving")).to_contain_text("50")
    page.mouse.up()  # the chips have been drawn meanwhile, and the click is not lost
    expect(page.locator("#strategy-choices")).to_be_visible()
    page.keyboard.press("Escape")
    chat.save(file)
    plans = page.locator('#chat a[href^="#plan/"]')
    expect(plans.last).to_contain_text(words["unit"].replace("40", "50"))
    chat.choices("strategy").evaluate("list => list.classList.remove('open')")  # as where Gradio writes it anew
    chat.choices("strategy")  # a click opens it again
    pick(page, "#answers-in", words["language"])
    chat.send(words["question"])
    expect(plans.last).to_contain_text(words["in"])
    expect(page.locator("#chat")).to_contain_text(words["untranslated"])
