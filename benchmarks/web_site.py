"""A website on loopback for tests and benchmarks: real HTTP, pages by path, with every way in which servers misbehave.

It serves from a thread of this process, at several addresses (127.0.0.1, 127.0.0.2 …) of one port: each is a host of
its own to whoever fetches. What is fetched from it must be allowed: `allow=site.hosts`.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

_BACKLOG = 200
_ENOUGH = 65_536  # bytes of a request


@dataclass(frozen=True)
class Page:
    """What the site answers to one request; the fields below `last_modified` are faults and delays."""

    body: bytes | str = b""
    media_type: str | None = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    etag: str = ""  # asked for with If-None-Match: 304
    last_modified: str = ""  # asked for with If-Modified-Since: 304
    encoding: str = ""  # "gzip", "deflate" (as zlib), "raw-deflate" (without its header); others only in the header
    first_delay: float = 0.0  # seconds before the headers
    piece_delay: float = 0.0  # seconds between two pieces of the body
    piece: int = 16_384  # bytes
    endless: bool = False  # the body over and over
    stalls: bool = False  # after the body nothing comes any more, the connection staying open
    closes: bool = False  # the connection, after the answer
    cut: bool = False  # the connection closes in the middle of the body
    raw: bytes | None = None  # the whole response, instead of a well-formed one


@dataclass(frozen=True)
class Request:
    host: str  # the address that it reached
    path: str  # with the query
    headers: Mapping[str, str]  # names in lower case
    body: bytes = b""


Answer = Page | Callable[[Request], Page]


def redirect(to: str, status: int = 302, **headers: str) -> Page:
    return Page(status=status, headers={"Location": to, **headers})


class WebSite:
    """Its pages, which may be changed at any time, and what has been asked of it."""

    def __init__(self, hosts: Sequence[str], pages: Mapping[str, Answer]) -> None:
        self.hosts, self.port = tuple(hosts), 0
        self.pages: dict[str, Answer] = dict(pages)  # by path, at every host; "host/path" for one host alone
        self.missing: Answer = Page("<h1>Not Found</h1>", status=404)
        self.latency = 0.0  # seconds before every answer
        self.connections: Counter[str] = Counter()  # that were opened, by host
        self.requests: list[Request] = []
        self.at_once: Counter[str] = Counter()  # the most requests that a host has had at one time; "" all of them
        self._now: Counter[str] = Counter()

    def url(self, path: str = "/", host: int = 0) -> str:
        return f"http://{self.hosts[host]}:{self.port}{path}"

    def asked(self, path: str) -> list[Request]:
        """The requests for this path."""
        return [request for request in self.requests if request.path == path]

    def answer(self, request: Request) -> Page:
        path = request.path.partition("?")[0]
        found = self.pages.get(request.host + path) or self.pages.get(path) or self.missing
        page = found(request) if callable(found) else found
        unchanged = (page.etag and page.etag == request.headers.get("if-none-match")) or (
            page.last_modified and page.last_modified == request.headers.get("if-modified-since")
        )
        return replace(page, body=b"", status=304, media_type=None) if unchanged else page

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host = str(writer.get_extra_info("sockname")[0])
        self.connections[host] += 1
        gone = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError)
        with suppress(*gone, asyncio.CancelledError):  # cancelled: the site closes
            while await self._exchange(host, reader, writer):
                pass
        writer.close()

    async def _exchange(self, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request; whether the connection can take another."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        request = Request(host, head[0].split(" ")[1], headers, body)
        self.requests.append(request)
        for key in (host, ""):
            self._now[key] += 1
            self.at_once[key] = max(self.at_once[key], self._now[key])
        try:
            page = self.answer(request)
            await asyncio.sleep(self.latency + page.first_delay)
            return await _send(page, writer)
        finally:
            for key in (host, ""):
                self._now[key] -= 1


async def _send(page: Page, writer: asyncio.StreamWriter) -> bool:
    if page.raw is not None:
        writer.write(page.raw)
        await writer.drain()
        return False
    body = _packed(page.body.encode() if isinstance(page.body, str) else page.body, page.encoding)
    whole = not (page.endless or page.stalls or page.cut)
    named = {
        "Content-Type": page.media_type or "",
        "Content-Encoding": page.encoding.removeprefix("raw-"),
        "ETag": page.etag,
        "Last-Modified": page.last_modified,
        "Content-Length": str(len(body)) if whole else str(len(body) + 10) if page.cut else "",
        **page.headers,
    }
    lines = [f"HTTP/1.1 {page.status} -", *(f"{name}: {value}" for name, value in named.items() if value)]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    while True:
        for start in range(0, len(body), page.piece):
            writer.write(body[start : start + page.piece])
            await writer.drain()
            if page.piece_delay:
                await asyncio.sleep(page.piece_delay)
        if not page.endless:
            break
    if page.stalls:
        await writer.drain()
        await asyncio.Event().wait()  # until whoever waits goes away, or the site closes
    return whole and not page.closes


def _packed(body: bytes, encoding: str) -> bytes:
    if encoding == "gzip":
        return gzip.compress(body)
    if encoding == "deflate":
        return zlib.compress(body)
    if encoding == "raw-deflate":
        return zlib.compress(body, wbits=-zlib.MAX_WBITS)
    return body


@contextmanager
def web_site(pages: Mapping[str, Answer], *, hosts: int = 1) -> Iterator[WebSite]:
    """A site of these pages, such as those of `benchmarks.web_pages`, at so many loopback addresses."""
    site = WebSite([f"127.0.0.{number + 1}" for number in range(hosts)], pages)
    loop, ready = asyncio.new_event_loop(), threading.Event()

    async def listen() -> None:
        for host in site.hosts:
            server = await asyncio.start_server(site.serve, host, site.port, backlog=_BACKLOG, limit=_ENOUGH)
            site.port = server.sockets[0].getsockname()[1]
        ready.set()

    def run() -> None:
        loop.run_until_complete(listen())
        loop.run_forever()
        if tasks := asyncio.all_tasks(loop):
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.wait(tasks))
        loop.close()

    thread = threading.Thread(target=run, name="web-site", daemon=True)
    thread.start()
    if not ready.wait(30):
        raise OSError("the local site did not start")
    try:
        yield site
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)


def as_json(value: object) -> Page:
    return Page(json.dumps(value, ensure_ascii=False), "application/json")
