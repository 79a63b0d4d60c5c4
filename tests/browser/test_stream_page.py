"""What begins while the stream of events ends is heard of: stream.js, beside a server that says what it is told."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import evidence

pytestmark = pytest.mark.browser

SCRIPT = (Path(__file__).parent.parent.parent / "ui" / "gradio_internals" / "stream.js").read_text(encoding="utf-8")
# As Gradio's page does: one request, read until it ends, left after "close_stream".
CLIENT = """
globalThis.leave = new AbortController();
globalThis.heard = [];
globalThis.join = async () => (await (await fetch('/queue/join', {method: 'POST', body: '{}'})).json()).event_id;
globalThis.open = async () => {
    try {
        const answer = await fetch(new Request('/queue/data?session_hash=x', {signal: leave.signal}));
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        for (;;) {
            const {value, done} = await reader.read();
            if (done) return heard.push('end');
            for (const line of value.split('\\n\\n').filter(Boolean)) {
                const {msg, event_id: id} = JSON.parse(line.slice(6));
                heard.push(id ? `${msg} ${id}` : msg);
            }
        }
    } catch (error) { heard.push(error.name); }
};
"""


class Server(ThreadingHTTPServer):
    """Sends what is put into `said`; None ends a stream."""

    daemon_threads = True

    def __init__(self) -> None:
        self.said: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.asked: list[str] = []
        self.joined, self.streaming, self.most, self.status = 0, 0, 0, 200
        super().__init__(("127.0.0.1", 0), Handler)

    def completed(self, event: str) -> None:
        self.said.put({"msg": "process_completed", "event_id": event, "output": {}})

    def over(self) -> None:
        self.said.put({"msg": "close_stream", "event_id": None})
        self.said.put(None)


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        if not self.path.startswith("/queue/data"):
            self._send("text/html", f"<script>{SCRIPT}</script><script>{CLIENT}</script>".encode())
            return
        self.server.asked.append("data")
        self.server.streaming += 1
        self.server.most = max(self.server.most, self.server.streaming)
        self._send("text/event-stream", b"")
        while self.server.status == 200 and (message := self.server.said.get(timeout=60)) is not None:
            self.wfile.write(f"data: {json.dumps(message, separators=(',', ':'))}\n\n".encode())
        self.server.streaming -= 1

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.joined += 1
        self.server.asked.append(f"join {self.server.joined}")
        self._send("application/json", json.dumps({"event_id": str(self.server.joined)}).encode())

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(self.server.status if kind == "text/event-stream" else 200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.said.put(None)
        server.shutdown()


@pytest.fixture
def page(browser: Browser, server: Server) -> Page:
    """Waits for its first event."""
    page = browser.new_context().new_page()
    page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
    assert page.evaluate("join()") == "1"
    page.evaluate("() => { open(); }")
    return page


def hears(page: Page, *said: str) -> None:
    page.wait_for_function("count => heard.length >= count", arg=len(said))
    assert page.evaluate("heard") == list(said)


def test_what_begins_while_the_stream_ends_is_heard_of(page: Page, server: Server) -> None:
    server.completed("1")
    hears(page, "process_completed 1")
    assert page.evaluate("join()") == "2"  # the server has made up its mind, and the page cannot know
    server.over()
    server.completed("2")
    hears(page, "process_completed 1", "process_completed 2")
    server.over()
    assert page.evaluate("join()") == "3"
    server.completed("3")
    hears(page, "process_completed 1", "process_completed 2", "process_completed 3")
    # one at a time, or they would take each other's messages; and none while nothing is awaited
    assert (server.asked, server.most) == (["join 1", "data", "join 2", "data", "join 3", "data"], 1)


def test_a_server_that_goes_away_is_noticed(page: Page, server: Server) -> None:
    server.said.put({"msg": "unexpected_error", "message": "stopped"})
    server.said.put(None)
    hears(page, "unexpected_error", "end")


def test_a_server_that_does_not_know_the_page_any_more_is_noticed(page: Page, server: Server) -> None:
    server.completed("1")
    server.over()
    hears(page, "process_completed 1")
    server.status = 404
    page.evaluate("join()")
    hears(page, "process_completed 1", "Error")


def test_a_page_that_is_closed_waits_for_nothing(page: Page, server: Server) -> None:
    server.completed("1")
    server.over()
    hears(page, "process_completed 1")
    page.evaluate("leave.abort()")
    hears(page, "process_completed 1", "AbortError")
    assert server.asked == ["join 1", "data"]


def test_a_failure_leaves_what_the_page_showed_said_and_asked(page: Page, browser: Browser, tmp_path: Path) -> None:
    page.evaluate("console.error('something broke')")
    kept = evidence.keep("tests/browser/test_some.py::test_one[zh-CN]", browser, tmp_path)
    assert kept.name == "tests-browser-test_some-py-test_one-zh-CN"
    said = (kept / "said.txt").read_text(encoding="utf-8")
    assert "error: something broke" in said
    assert "/queue/join b'{}'" in said
    [shown] = [one for one in kept.glob("page-*.html") if "globalThis.leave" in one.read_text(encoding="utf-8")]
    assert shown.with_suffix(".png").stat().st_size > 0
