"""The web as a user meets it: an offer, yes or no, pages on their way, an answer that cites them. It is on loopback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Locator, expect

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


def test_a_yes_brings_pages_and_an_answer_that_cites_them(browser: Browser, tmp_path: Path) -> None:
    with news("zh") as site, program(tmp_path / "library", **reached(site)) as url:
        chat = Chat(browser, url, "zh-CN")
        page = chat.page
        chat.send("保存", "员工手册.md")
        chat.send(CHIPS["zh"])
        expect(buttons(chat)).to_have_text(["上网搜索", "不用"])
        assert "涵盖" in chat.reply()
        again(chat, messages=2)
        expect(buttons(chat)).to_have_text(["上网搜索", "不用"])  # it still waits
        assert site.requests == []

        page.evaluate(WATCH)
        page.locator("#box textarea").fill("还没写完")
        buttons(chat).first.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#chat .user.message").last).to_contain_text("好，上网搜索。")
        expect(buttons(chat)).to_have_count(0)
        over(chat)
        assert page.locator("#box textarea").input_value() == "还没写完"
        titles = page.evaluate("[...titles]")
        assert any(re.fullmatch(r"联网 · \d/3 个网页 · \d+%", title) for title in titles), titles
        assert "联网 · 3 个网页，1 个失败" in titles
        cites(chat, site, PATHS[0], "抓取于")
        again(chat, messages=3)
        cites(chat, site, PATHS[0], "抓取于")
        expect(buttons(chat)).to_have_count(0)

        chat.send(f"抓取 {site.url('/news/3')} 并总结")
        assert "联网 · 1 个网页" in chat.reply()
        cites(chat, site, "/news/3", "抓取于")
        assert chat.foreign == []


def test_a_no_is_the_end_of_it_and_the_policy_can_be_set(browser: Browser, tmp_path: Path) -> None:
    with news("en") as site, program(tmp_path / "library", **reached(site)) as url:
        chat = Chat(browser, url, "en-US")
        page, dialogs = chat.page, list[str]()

        def opened(dialog: Dialog) -> None:
            dialogs.append(dialog.message)
            dialog.accept()

        page.on("dialog", opened)
        chat.send("save", "guide.md")
        chat.send(CHIPS["en"])
        expect(buttons(chat)).to_have_text(["Search the web", "No, thanks"])
        buttons(chat).last.click()
        expect(buttons(chat)).to_have_count(0)
        over(chat)
        again(chat, messages=2)
        expect(buttons(chat)).to_have_count(0)
        assert site.requests == []

        for policy, fetches in (("never", False), ("always search", True)):
            chat.choices("strategy")
            page.locator("#web input").click()
            page.locator("#web").get_by_role("option", name=policy, exact=True).click()
            chat.send(CHIPS["en"])
            expect(buttons(chat)).to_have_count(0)
            assert bool(site.requests) == fetches
        cites(chat, site, "/news/", "fetched")
        said = step(chat, "The web")
        said.locator(".title").click()
        expect(said).to_contain_text("/news/gone")
        expect(said).to_contain_text("http://evil.example/p.png")  # as text
        expect(chat.details("trace")).to_contain_text(re.compile(r"coverage: \d+% \(threshold \d+%\)"))
        assert chat.page.locator("#chat a[href*='evil.example']").count() == 0
        assert dialogs == []
        assert chat.foreign == []
