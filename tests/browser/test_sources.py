"""A website as a source of a document set, as a person uses it: added, watched, refreshed, removed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.web_pages import PAGES
from benchmarks.web_site import Page, WebSite, web_site
from tests.browser.chat import Chat
from tests.browser.program import program
from tests.browser.test_library_page import Shelf

pytestmark = pytest.mark.browser

LIVE = "<img src=x onerror=alert(1)> ${alert(2)}"  # titles are anybody's words: nothing of it may run


def page_of(title: str, text: str, *links: str) -> Page:
    escaped = title.replace("<", "&lt;")
    led = "".join(f'<p><a href="{link}">{link}</a></p>' for link in links)
    body = f"<h1>{escaped}</h1><p>{text}</p>{led}"
    return Page(
        f"<html><head><title>{escaped}</title></head><body><main>{body}</main></body></html>", etag=f'"{len(body)}"'
    )


TIDES = "The tide turns twice a day, and every fisher of the bay knows the hours by heart. " * 4
PUMPS = "The pump needs ten minutes before its valve may be closed by the keeper of the house. " * 4


def pages() -> dict[str, Page]:
    return {
        "/docs/": page_of(f"Docs {LIVE}", TIDES, "/docs/pump", "/docs/old", "/secret/x", "/docs/secret"),
        "/docs/pump": page_of("Pump", PUMPS),
        "/docs/old": page_of("Old", "An older page that will be gone, with some words to read. " * 4),
        "/docs/secret": page_of("Secret", "For no program to read, whatever it may be called. " * 4),
        "/robots.txt": Page("User-agent: *\nDisallow: /docs/secret\n", "text/plain"),
    }


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[WebSite, str]]:
    """A website, and a program that may read it."""
    library = tmp_path_factory.mktemp("data") / "library"
    with (
        web_site(PAGES) as site,
        program(library, CITEWISE_WEB_ALLOW=site.hosts[0], CITEWISE_CRAWL_DELAY="0") as url,
    ):
        yield site, url


def test_a_website_from_its_address_to_its_removal(browser: Browser, served: tuple[WebSite, str], locale: str) -> None:
    zh = locale == "zh-CN"
    site, url = served
    site.pages.update(pages())
    chat = Chat(browser, url, locale)
    page = Shelf(chat.page).page
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.accept()))
    rows, listed = page.locator("#documents tbody tr"), page.locator("#sources tbody tr")
    address = page.locator("#source-address :is(input, textarea)")
    page.locator("#sources-panel button").first.click()

    # what is no address of the web is refused in words, and stays to be mended
    page.locator("#source-into input").fill("Harbour 港")
    page.locator("#source-into input").press("Tab")
    address.fill("ftp://x")
    page.locator("#add-source").click()
    expect(page.locator("#source-note")).to_contain_text("“ftp://x”" if zh else '"ftp://x"')
    expect(address).to_have_value("ftp://x")
    expect(listed).to_have_count(0)

    address.fill(site.url("/docs/"))
    page.locator("#add-source").click()
    done = re.compile("✅ 已读取" if zh else "✅ Read")
    expect(listed.first.locator(".state")).to_have_text(done)  # without a reload
    expect(rows).to_have_count(3)
    expect(page.locator("#documents tr.is-completed")).to_have_count(3)
    expect(listed.first.locator(".col-pages")).to_have_text("3")
    expect(listed.first.locator(".col-doc_set")).to_have_text("Harbour 港")
    expect(address).to_have_value("")
    expect(page.locator("#source-note")).to_be_hidden()
    listed.first.locator("summary").click()
    expect(listed.first.locator("li").first).to_contain_text("robots.txt")

    # a page opened: its title is words, its address a link
    page.locator("#documents button.open").filter(has_text=LIVE[:12]).first.click()
    link = page.locator("#facts a").first
    expect(link).to_have_attribute("href", re.compile(re.escape(site.url("/docs"))))
    expect(link).to_have_attribute("rel", re.compile("noopener"))
    expect(page.locator("#facts")).to_contain_text(LIVE[:12])
    expect(page.locator("#facts")).to_contain_text("抓取时间" if zh else "Fetched")

    # the site changes: what is new comes, what is gone goes, the rest is only asked after
    site.pages["/docs/"] = page_of("Docs", TIDES, "/docs/pump", "/docs/new")
    site.pages["/docs/new"] = page_of("New", "A page that was written since, about lanterns on the pier. " * 4)
    del site.pages["/docs/old"]
    listed.first.locator("button.refresh").click()
    for name in ("docs/new", "docs/pump"):
        expect(rows.filter(has_text=name)).to_have_count(1)
    expect(rows.filter(has_text="docs/old")).to_have_count(0)
    expect(listed.first.locator(".note")).to_contain_text("1 已消失" if zh else "1 gone")

    # removed with its documents, after it was asked
    listed.first.locator("button.remove").click()
    asked = page.locator("#sources tr.asked")
    expect(asked).to_contain_text(site.url("/docs/"))
    asked.locator("button.keep").click()
    expect(asked).to_have_count(0)
    listed.first.locator("button.remove").click()
    asked.locator("button.with").click()
    expect(listed).to_have_count(0)
    expect(rows).to_have_count(0)
    assert dialogs == []
    assert chat.foreign == []
