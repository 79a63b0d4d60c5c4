"""Texts that are anybody's words, everywhere on the page: none of them runs, and none makes the page ask another."""

from __future__ import annotations

import html
import re
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, expect

from benchmarks.web_pages import article
from benchmarks.web_site import Page as WebPage
from benchmarks.web_site import as_json
from tests.browser.payloads import Payload, as_line, as_name, payloads
from tests.browser.program import program
from tests.browser.test_library_page import Shelf
from tests.browser.test_main_job import Chat
from tests.graph.web_cases import CHIPS, news_site, reached

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

# What of the page's elements would run something, or would ask the address for something without a click.
LIVE = """out => {
    const found = [];
    const note = (why, one) => found.push(`${why}: ${one.outerHTML.slice(0, 160)}`);
    for (const one of document.querySelectorAll('*')) {
        const name = one.localName;
        if (['iframe', 'object', 'embed', 'frame', 'applet', 'portal'].includes(name)) note('embeds', one);
        if (name === 'form') note('form', one);
        if (one.closest('body') && ['meta', 'base'].includes(name)) note('head', one);
        if (['script', 'style', 'link'].includes(name) && `${one.outerHTML}`.includes('__pwned')) note('code', one);
        if (name === 'style' && one.textContent.includes(out)) note('style', one);
        for (const {name: key, value} of one.attributes) {
            const address = value.replace(/[\\s\\u0000-\\u001f]/g, '').toLowerCase();
            if (/^on/i.test(key)) note('handler', one);
            if (/^(javascript|vbscript):|^data:(?!image\\/|font\\/)/.test(address)) note('address', one);
            const clicked = name === 'a' && key === 'href' || key.startsWith('data-') || key.startsWith('aria-')
                || ['title', 'value', 'placeholder', 'alt', 'download'].includes(key);
            if (value.includes(out) && !clicked) note('asks', one);
        }
    }
    return found;
}"""
WATCH = """globalThis.blocked = [];
document.addEventListener('securitypolicyviolation', event =>
    blocked.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));"""


class _Listener(ThreadingHTTPServer):
    asked: list[str]


@contextmanager
def listener() -> Iterator[tuple[str, list[str]]]:
    """An address that nothing may ever be asked of, and what it was asked."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        do_POST = do_HEAD = do_OPTIONS = do_GET

        def log_message(self, *_: Any) -> None:
            pass

    with _Listener(("127.0.0.1", 0), Handler) as server:
        server.asked = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", server.asked
        server.shutdown()


class Hostile:
    """A page with everything watched that a text could do."""

    def __init__(self, browser: Browser, url: str, out: str, asked: list[str]) -> None:
        self.chat = Chat(browser, url, "en-US")
        self.page, self._out, self._asked = self.chat.page, out, asked
        self._dialogs: list[str] = []
        self.page.on("dialog", self._opened)
        self.page.add_init_script(WATCH)
        self.chat.open()

    def _opened(self, dialog: Dialog) -> None:
        self._dialogs.append(dialog.message)
        dialog.dismiss()

    def harmless(self, where: str) -> None:
        """Raises AssertionError where anything of a text is alive, or has been."""
        page = self.page
        assert page.evaluate("globalThis.__pwned") is None, where
        assert page.evaluate(LIVE, self._out) == [], where
        assert page.evaluate("blocked") == [], where  # the policy is the second fence: nothing gets as far as it
        assert (self._dialogs, self.chat.foreign, self._asked) == ([], [], []), where
        assert page.url.startswith(self.chat.url), where
        assert len(page.context.pages) == 1, where

    def open_beside(self, kind: str) -> None:
        links = self.page.locator(f'#chat a[href^="#{kind}/"]')
        links.last.scroll_into_view_if_needed()
        links.last.click()
        expect(self.page.locator(f"#details-{kind}")).to_be_visible(timeout=20_000)
        expect(self.page.locator(f"#details-{kind}")).to_contain_text(re.compile(r"\w"), timeout=20_000)


def documents(folder: Path, texts: list[Payload]) -> list[Path]:
    """A document for each kind, with each of its texts as a heading, in a paragraph and in a code block; a table."""
    folder.mkdir()
    for kind in dict.fromkeys(one.kind for one in texts):
        parts = [
            f"## {as_line(one)}\n\nThe {kind} pump {one.id} warms for {number} minutes. {one.text}\n\n    {one.text}"
            for number, one in enumerate((one for one in texts if one.kind == kind), 1)
        ]
        (folder / f"{kind}.md").write_text(f"# The {kind} pumps\n\n" + "\n\n".join(parts), encoding="utf-8")
    rows = "\n".join(f'{one.id},"{as_line(one).replace(chr(34), chr(34) * 2)}"' for one in texts)
    (folder / "cells.csv").write_text(f"pump,words\n{rows}\n", encoding="utf-8")
    return sorted(folder.iterdir())


def named(archive: Path, texts: list[Payload]) -> int:
    """Documents whose names, and the folders that they are in, are such texts."""
    names = [name for one in texts if (name := as_name(one))]
    with zipfile.ZipFile(archive, "w") as packed:
        for number, name in enumerate(names):
            packed.writestr(name, f"# Valve {number}\n\nThe valve {number} closes in {number} seconds.")
    return len(names)


def test_no_text_runs_and_no_request_leaves_the_page(browser: Browser, tmp_path: Path) -> None:
    with listener() as (out, asked):
        texts = payloads(out)
        files = documents(tmp_path / "files", texts)
        archive = tmp_path / "named.zip"
        count = named(archive, texts)
        assert len(texts) >= 60
        assert count >= 60
        with program(tmp_path / "library") as url:
            page = Hostile(browser, url, out, asked)
            in_library(page, files, archive, count)


def in_library(hostile: Hostile, files: list[Path], archive: Path, count: int) -> None:
    """Names in the list, documents in the viewer, chunks in the preview."""
    page, shelf = hostile.page, Shelf(hostile.page)
    page.locator("#upload input[type=file]").set_input_files([*files, archive])
    page.wait_for_function(  # a few names may be refused, or be the same one when they are made safe
        "count => parseInt(document.querySelector('#totals strong')?.textContent) >= count",
        arg=len(files) + count - 5,
        timeout=200_000,
    )
    hostile.harmless("the list of documents")
    for file in files:
        page.locator("#find textarea, #find input").first.fill(file.name)
        shelf.row(file.name).locator("button.open").click()  # type: ignore[attr-defined]
        expect(page.locator("#facts")).to_contain_text(file.name, timeout=10_000)
        expect(page.locator("#pieces .piece").first).to_be_visible(timeout=10_000)
        hostile.harmless(f"the view of {file.name}")
    page.locator("#compare button").first.click()
    page.locator("#preview").click()
    expect(page.locator("#pieces-a .piece").first).to_be_visible(timeout=20_000)
    hostile.harmless("the preview of chunks")
    page.locator("#chat-view-button").click()


def test_no_text_of_the_web_runs(browser: Browser, tmp_path: Path) -> None:
    with listener() as (out, asked), news_site("en") as site:
        shown = [one for one in payloads(out) if one.id in {"image-01", "handler-01", "svg-02", "javascript-02"}]
        for one in shown:
            title = html.escape(as_line(one))
            text = f"The latest news on AI chips is {html.escape(one.text)} and that chips are news."
            site.pages[f"/{one.id}"] = WebPage(article("en", title, (f"## {title}", text), author=title))
        found = [{"url": site.url(f"/{one.id}"), "title": one.text, "content": one.text} for one in shown]
        site.pages["/search"] = lambda _: as_json({"results": found})
        variables = {**reached(site), "CITEWISE_WEB": "always", "CITEWISE_WEB_RESULTS": "4"}
        with program(tmp_path / "library", **variables) as url:
            page = Hostile(browser, url, out, asked)
            page.chat.send(CHIPS["en"])
            for folded in page.page.locator("#chat .thought .title").all():
                folded.click()
            expect(page.page.locator("#chat")).to_contain_text("onerror")  # as text
            page.harmless("an answer from the web")
            shelf = Shelf(page.page)
            expect(page.page.locator("#documents tr.is-completed")).to_have_count(4, timeout=20_000)
            page.harmless("pages in the list of documents")
            shelf.page.locator("#documents button.open").first.click()
            expect(page.page.locator("#pieces .piece").first).to_be_visible(timeout=10_000)
            page.harmless("the view of a page")
