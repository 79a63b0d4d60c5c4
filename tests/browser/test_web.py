"""The web as a user meets it: an offer, yes or no, pages on their way, an answer that cites them. It is on loopback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from benchmarks.web_pages import article
from benchmarks.web_site import Page, WebSite
from tests.browser.chat import Chat
from tests.browser.program import program
from tests.graph.web_cases import CHIPS, PATHS, finds, news_site, reached

pytestmark = pytest.mark.browser

LIVE = "<img src=x onerror=alert(1)> ![x](http://evil.example/p.png) https://evil.example/ **b**"
# Every title that a step has had: what comes and goes while nobody looks was there all the same.
WATCH = """() => {
    globalThis.titles = new Set();
    new MutationObserver(() => {
        for (const one of document.querySelectorAll('#chat .thought-group .title')) titles.add(one.innerText.trim());
    }).observe(document.querySelector('#chat'), {subtree: true, childList: true, characterData: true});
}"""


@contextmanager
def news(language: str) -> Iterator[WebSite]:
    """Three pages of news, one with a title that is alive, found behind one that is gone."""
    with news_site(language) as site:
        live = article(language, LIVE, ("AI chips: the news on chips is that chips are news. 芯片的新闻。",))
        site.pages["/news/live"] = Page(live)
        for path in (*PATHS, "/news/live"):
            page = site.pages[path]
            assert isinstance(page, Page)
            site.pages[path] = replace(page, first_delay=0.3)
        finds(site, "/news/gone", "/news/live", *PATHS[:2])
        yield site


def buttons(chat: Chat) -> Locator:
    return chat.page.locator("#chat .option")


def step(chat: Chat, name: str) -> Locator:
    """The last step of this name."""
    return chat.page.locator("#chat .thought-group").filter(has_text=re.compile(rf"^\s*{name}")).last


def over(chat: Chat) -> None:
    expect(chat.page.locator("#box button.submit-button")).to_be_visible()


def again(chat: Chat, messages: int) -> None:
    """Load the page anew, and wait until the conversation is there."""
    chat.page.reload()
    expect(chat.page.locator("#chat .user.message")).to_have_count(messages)


def cites(chat: Chat, site: WebSite, path: str, fetched: str) -> None:
    """A source of the last answer is a page whose path begins so: the reader names and dates it, and links to it."""
    reader, link = chat.page.locator("#reader"), chat.page.locator(f"#reader a[href^='{site.url(path)}']")
    for chip in chat.page.locator("#chat .bot.message").last.locator("a[href^='#cited/']").all():
        chip.click()
        expect(reader.locator(".title")).to_contain_text((chip.text_content() or "").partition("]")[0])
        if link.count():
            break
    expect(link).to_have_attribute("target", "_blank")
    expect(link).to_have_attribute("rel", re.compile("noopener"))
    expect(reader).to_contain_text(re.compile(rf"{fetched} 20\d\d-\d\d-\d\d"))
    chat.page.locator("#close-details").click()


WORDS: dict[str, dict[str, Any]] = {
    "zh-CN": {
        "file": "员工手册.md", "ask": CHIPS["zh"], "offer": ["上网搜索", "不用"], "uncovered": "涵盖",
        "yes": "好，上网搜索。", "step": "联网", "going": r"联网 · \d/3 个网页 · \d+%",
        "gone": "联网 · 3 个网页，1 个失败", "one": "联网 · 1 个网页", "fetch": "抓取 {} 并总结", "fetched": "抓取于",
        "never": "从不", "ask me": "先问我", "always": "总是搜索",
        "other": "AI 芯片的行情怎么样？", "coverage": r"涵盖度：\d+%（阈值 \d+%）",
    },
    "en-US": {
        "file": "guide.md", "ask": CHIPS["en"], "offer": ["Search the web", "No, thanks"], "uncovered": "cover",
        "yes": "Yes, search the web.", "step": "The web", "going": r"The web · \d/3 pages · \d+%",
        "gone": "The web · 3 pages, 1 failed", "one": "The web · 1 page", "fetch": "Fetch {} and summarize it",
        "fetched": "fetched", "never": "never", "ask me": "ask me", "always": "always search",
        "other": "How is the market for AI chips?", "coverage": r"coverage: \d+% \(threshold \d+%\)",
    },
}  # fmt: skip


def set_policy(chat: Chat, policy: str) -> None:
    chat.choices("strategy")
    chat.page.locator("#web input").click()
    chat.page.locator("#web").get_by_role("option", name=policy, exact=True).click()


def test_a_no_a_yes_and_the_policy(browser: Browser, tmp_path: Path, locale: str) -> None:
    words = WORDS[locale]
    with news(locale[:2]) as site, program(tmp_path / "library", **reached(site)) as url:
        chat = Chat(browser, url, locale)
        dialogs = list[str]()
        chat.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.accept()))
        chat.save(words["file"])
        a_no_is_the_end_of_it(chat, words)
        assert site.requests == []
        set_policy(chat, words["ask me"])
        a_yes_brings_pages(chat, words, site)

        chat.send(words["fetch"].format(site.url("/news/3")))
        assert words["one"] in chat.reply()
        cites(chat, site, "/news/3", words["fetched"])

        set_policy(chat, words["always"])
        before = len(site.requests)
        chat.send(words["other"])
        expect(buttons(chat)).to_have_count(0)
        assert len(site.requests) > before
        expect(chat.details("trace")).to_contain_text(re.compile(words["coverage"]))
        assert chat.page.locator("#chat a[href*='evil.example']").count() == 0
        assert dialogs == []
        assert chat.foreign == []


def a_no_is_the_end_of_it(chat: Chat, words: dict[str, Any]) -> None:
    chat.send(words["ask"])
    expect(buttons(chat)).to_have_text(words["offer"])
    assert words["uncovered"] in chat.reply()
    buttons(chat).last.click()
    expect(buttons(chat)).to_have_count(0)
    over(chat)
    set_policy(chat, words["never"])
    chat.send(words["ask"])
    expect(buttons(chat)).to_have_count(0)


def a_yes_brings_pages(chat: Chat, words: dict[str, Any], site: WebSite) -> None:
    page = chat.page
    chat.send(words["ask"])
    expect(buttons(chat)).to_have_text(words["offer"])
    asked = chat.questions.count()
    again(chat, messages=asked)
    expect(buttons(chat)).to_have_text(words["offer"])  # it still waits, and what was said no to does not
    assert site.requests == []

    page.evaluate(WATCH)
    page.locator("#box textarea").fill("还没写完")
    buttons(chat).first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#chat .user.message").last).to_contain_text(words["yes"])
    expect(buttons(chat)).to_have_count(0)
    over(chat)
    assert page.locator("#box textarea").input_value() == "还没写完"
    titles = page.evaluate("[...titles]")
    assert any(re.fullmatch(words["going"], title) for title in titles), titles
    assert words["gone"] in titles
    said = step(chat, words["step"])
    said.locator(".title").click()
    expect(said).to_contain_text("/news/gone")
    expect(said).to_contain_text("http://evil.example/p.png")  # as text
    again(chat, messages=asked + 1)
    cites(chat, site, PATHS[0], words["fetched"])
    expect(buttons(chat)).to_have_count(0)
