"""Texts that are anybody's words, everywhere on the page: none of them runs, and none makes the page ask another."""

from __future__ import annotations

import html
import json
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

from benchmarks.model_server import Reply, model_server
from benchmarks.script import reply
from benchmarks.web_pages import article
from benchmarks.web_site import Page as WebPage
from benchmarks.web_site import as_json
from tests.browser.payloads import Payload, as_line, as_name, payloads
from tests.browser.program import program
from tests.browser.test_library_page import Shelf
from tests.browser.test_main_job import Chat
from tests.graph.web_cases import CHIPS, news_site, reached

pytestmark = pytest.mark.browser

# A fence that one of them leaves open would make text of all that come after it: those are in the last answer, last.
ANSWERS = (
    ("script", "handler", "svg"),
    ("data", "javascript", "form", "meta"),
    ("image", "css"),
    ("template", "latex", "mermaid", "markdown"),
)
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


def says(texts: list[Payload]) -> Any:
    """A model that answers with what the question names, and whose reasons are such texts, too."""
    by_kind = {kind: [one.text for one in texts if one.kind == kind] for kind in {one.kind for one in texts}}
    reason = as_line(next(one for one in texts if one.id == "image-01"))

    def hostile(form: Any) -> Any:
        if isinstance(form, dict):
            return {k: f"{v} {reason}" if "reason" in k and isinstance(v, str) else hostile(v) for k, v in form.items()}
        return [hostile(one) for one in form] if isinstance(form, list) else form

    def script(request: dict[str, Any]) -> Reply:
        if not request.get("stream"):
            said = reply(request)
            text = said.arguments or said.text
            formed = text.startswith("{")
            made = json.dumps(hostile(json.loads(text))) if formed else text
            return Reply(arguments=made) if said.arguments else Reply(made)
        asked = str(request["messages"][-1]["content"]).rpartition("Answer about:")[2]
        kinds = [kind for kind in by_kind if re.search(rf"\b{kind}\b", asked)]
        parts = [text for kinds_of in ANSWERS for kind in kinds_of if kind in kinds for text in by_kind[kind]]
        return Reply("The pump warms for 1 minutes [1].\n\n" + "\n\n".join(parts), piece=200)

    return script


def test_no_text_runs_and_no_request_leaves_the_page(browser: Browser, tmp_path: Path) -> None:
    with listener() as (out, asked):
        texts = payloads(out)
        files = documents(tmp_path / "files", texts)
        archive = tmp_path / "named.zip"
        count = named(archive, texts)
        assert len(texts) >= 60
        assert count >= 60
        with (
            model_server(says(texts)) as server,
            program(
                tmp_path / "library", CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url,
                CITEWISE_TOP_K="20", CITEWISE_MAX_CONTEXT_LENGTH="20000",
            ) as url,
        ):  # fmt: skip
            page = Hostile(browser, url, out, asked)
            in_library(page, files, archive, count)
            in_answers(page)


def in_library(hostile: Hostile, files: list[Path], archive: Path, count: int) -> None:
    """Names in the list, documents in the viewer, chunks in the preview."""
    page, shelf = hostile.page, Shelf(hostile.page)
    page.locator("#upload input[type=file]").set_input_files([*files, archive])
    page.wait_for_function(  # a few names may be refused, or be the same one when they are made safe
        "count => document.querySelectorAll('#documents tr.is-completed').length >= count",
        arg=len(files) + count - 5,
        timeout=120_000,
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


def in_answers(hostile: Hostile) -> None:
    """Answers with their sources, passages and steps, beside them source, plan, trace and evaluation, then again."""
    page, chat = hostile.page, hostile.chat
    for kinds in ANSWERS:
        chat.send(
            f'How long does the {kinds[0]} pump warm? <img src=x onerror="__pwned=1"> Answer about: {" ".join(kinds)}'
        )
        expect(page.locator("#chat .bot.message").last).to_contain_text(re.compile("Trace|trace"), timeout=30_000)
        for folded in page.locator("#chat .thought .title").all()[-6:]:
            folded.click()
        hostile.harmless(f"the answer about {kinds}")
        for beside in ("source", "plan", "trace", "evaluation"):
            hostile.open_beside(beside)
            hostile.harmless(f"{beside} beside the answer about {kinds}")
    chat.open()
    expect(page.locator("#chat .user.message")).to_have_count(len(ANSWERS), timeout=20_000)
    hostile.harmless("the conversation when it is shown again")
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "pump" not in kept, kept  # no question outlives the page in the browser, but encrypted


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
