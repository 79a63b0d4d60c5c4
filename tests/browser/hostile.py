"""A page with everything watched that a text could do, and an address that none may make it ask."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from playwright.sync_api import Browser, Dialog, expect

from tests.browser.chat import Chat

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
        self.chat = Chat(browser, url, "en-US", script=WATCH)
        self.page, self._out, self._asked = self.chat.page, out, asked
        self._dialogs: list[str] = []
        self.page.on("dialog", self._opened)

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
        assert page.context.pages[1:] == [page], where

    def open_beside(self) -> None:
        """The details of the last answer, its source first."""
        # At once: what the judge says is drawn into the answer while the mouse is pressed.
        self.page.locator('#chat a[href^="#source/"]').last.evaluate("link => link.click()")
        expect(self.page.locator("#details-source")).to_be_visible()  # else it might come after the click on another
        for number, kind in enumerate(("source", "plan", "trace", "evaluation")):
            self.page.locator("#details-tabs").get_by_role("tab").nth(number).click()
            expect(self.page.locator(f"#details-{kind}")).to_be_visible()
            expect(self.page.locator(f"#details-{kind}")).to_contain_text(re.compile(r"\w"))
            self.harmless(f"{kind} beside an answer")

    def unfold(self) -> None:
        for folded in self.page.locator("#chat .thought-group .title").all():
            folded.click()
