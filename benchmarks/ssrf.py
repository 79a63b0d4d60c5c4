"""Hostile addresses: all are refused, and none is connected to.

Listeners at every address of this machine count what reaches them, and an audit hook counts every attempt of this
process to connect, whatever the address. Host names go to a resolver of this benchmark, redirects come from a local
site that is allowed by its name alone. Pages, robots.txt, sitemaps and search results that name inner addresses are
fetched, read, crawled and searched for. In the end an allowed page is fetched, to show that both counts do count.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from benchmarks import ssrf_pages
from benchmarks.report import Bar, Report
from benchmarks.web_pages import TIDES, to_given
from benchmarks.web_site import Answer, Page, WebSite, redirect, web_site
from settings import Settings
from web.client import resolve_host
from web.fetch import Fetcher
from web.problems import PageError

_ENTRY = "entry.test"  # allowed by its name, the way in of redirects
_NAMES = {  # what the resolver says
    _ENTRY: ("127.0.0.1",),
    "localhost": ("127.0.0.1", "::1"),
    "localhost.localdomain": ("127.0.0.1",),
    "www.localhost": ("127.0.0.1",),
    "127.0.0.1.rebind.test": ("127.0.0.1",),
    "inner.test": ("10.0.0.5",),
    "xn--fiqs8s.test": ("192.168.1.1",),  # 中国.test
    "mixed.test": ("93.184.215.14", "127.0.0.1"),
    "mixed-late.test": ("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "fd00::1"),
    "six.test": ("::ffff:127.0.0.1",),
    "nat64.test": ("64:ff9b::a9fe:a9fe",),
    "zone.test": ("fe80::1%eth0",),
    "metadata.google.internal": ("169.254.169.254",),
    "metadata": ("169.254.169.254",),
    "kubernetes.default.svc": ("10.96.0.1",),
    "printer.local": ("192.168.0.9",),
    "public.test": ("93.184.215.14",),
    "wireserver.test": ("168.63.129.16",),
    "mapped-late.test": ("93.184.215.14", "64:ff9b::a00:1"),
    "scoped.test": ("fe80::a9fe:a9fe%2",),
    "instance-data.ec2.internal": ("169.254.169.254",),
    "metadata.tencentyun.com": ("169.254.0.23",),
    "robots.test": ("127.0.0.3",),  # its robots.txt leads inward
}
_HOSTILE: dict[str, tuple[str, ...]] = {  # {port}: of a listener; without one 80 or 443
    "loopback and private": (
        "http://127.0.0.1/", "http://127.0.0.1:{port}/", "https://127.0.0.1/", "http://127.255.255.254:{port}/",
        "http://0.0.0.0:{port}/", "http://0.1.2.3/", "http://10.0.0.1/", "http://172.16.0.1/", "http://172.31.255.255/",
        "http://192.168.0.1/", "http://100.64.0.1/", "http://169.254.1.1/", "http://192.0.0.1/", "http://192.0.2.1/",
        "http://198.18.0.1/", "http://198.51.100.1/", "http://203.0.113.1/", "http://224.0.0.1/", "http://240.0.0.1/",
        "http://255.255.255.255/", "http://192.88.99.1/",
    ),
    "other spellings": (
        "http://2130706433/", "http://2130706433:{port}/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0x7F.1/",
        "http://0177.0.0.1/", "http://017700000001/", "http://127.1:{port}/", "http://127.0.1/", "http://0/",
        "http://127.0.0.1.:{port}/", "http://127.0.0.1../", "http://127.000.000.001/", "http://0x7f.0x0.0x0.0x1/",
        "http://4294967297/", "http://127.0.0.1%2e/", "http://%31%32%37.0.0.1/", "http://127.0.0.1%00.test/",
        "http://１２７.0.0.1/", "http://127。0。0。1:{port}/", "http://127．0．0．1/", "http://①②⑦.0.0.1/",
        "http://⑯⑨。②⑤④。169.254/",
        "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "http://ｌｏｃａｌｈｏｓｔ/", "http://loc\u00adalhost/", "http://127.0.0.\u200b1/",
        "http:127.0.0.1/",
        "http:/127.0.0.1/", "http:///127.0.0.1/", "//127.0.0.1/", "127.0.0.1:{port}",
    ),
    "IPv6": (
        "http://[::1]:{port}/", "http://[::]:{port}/", "http://[0:0:0:0:0:0:0:1]/", "http://[::ffff:127.0.0.1]:{port}/",
        "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/", "http://[::ffff:0:127.0.0.1]/", "http://[64:ff9b::7f00:1]/",
        "http://[64:ff9b::10.0.0.1]/", "http://[64:ff9b:1::1]/", "http://[2002:7f00:1::]/",
        "http://[2002:a9fe:a9fe::1]/",
        "http://[2001:0:53aa:64c::80ff:fffe]/", "http://[2606:4700::5efe:10.0.0.1]/",
        "http://[2606:4700::200:5efe:7f00:1]/",
        "http://[fe80::1]/", "http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[::1%25lo]:{port}/",
        "http://[fec0::1]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[ff02::1]/",
        "http://[2001:db8::1]/",
        "http://[64:ff9b:1:ffff::10.0.0.1]/", "http://[0:0:0:0:0:ffff:7f00:0001]/", "http://[::ffff:0x7f.1]/",
        "http://[2001:0:7f00:1::]/", "http://[2002:0a00:0005::]/", "http://[::1.]/", "http://[feff::1]/",
        "http://[3fff::1]/", "http://[100::1]/", "http://[5f00::1]/", "http://[::1/", "http://::1/", "http://[v1.x]/",
    ),
    "metadata": (
        "http://169.254.169.254/latest/meta-data/", "http://2852039166/", "http://0xA9FEA9FE/",
        "http://0251.0376.0251.0376/",
        "http://169.254.169.254.:80/", "http://[::ffff:169.254.169.254]/", "http://[::ffff:a9fe:a9fe]/",
        "http://metadata.google.internal/computeMetadata/v1/", "http://metadata/",
        "http://100.100.100.200/latest/meta-data/",
        "http://192.0.0.192/opc/v2/", "http://168.63.129.16/machine/?comp=goalstate", "http://0xA83F8110/",
        "http://[::ffff:168.63.129.16]/", "http://[64:ff9b::a83f:8110]/", "http://100.96.0.96/latest/",
        "http://169.254.170.2/v2/credentials/", "http://169.254.170.23/v1/credentials", "http://[fd00:ec2::23]/",
        "http://[fd20:ce::254]/", "http://[fd00:42::42]/", "http://[fe80::a9fe:a9fe]/",
        "http://metadata.tencentyun.com/", "http://instance-data.ec2.internal/", "http://wireserver.test/",
    ),
    "names that resolve inward": (
        "http://localhost/", "http://localhost:{port}/", "http://LOCALHOST/", "http://localhost./",
        "http://www.localhost/",
        "http://localhost.localdomain/", "http://127.0.0.1.rebind.test/", "http://inner.test/", "https://inner.test/",
        "http://中国.test/", "http://mixed.test/", "http://mixed-late.test/", "http://six.test/", "http://nat64.test/",
        "http://zone.test/", "http://scoped.test/", "http://mapped-late.test/", "http://kubernetes.default.svc/", "http://printer.local/",
    ),
    "other schemes and ports": (
        "ftp://127.0.0.1/", "file:///etc/passwd", "file://localhost/etc/passwd", "gopher://127.0.0.1:{port}/_GET",
        "dict://127.0.0.1:{port}/", "ldap://127.0.0.1/", "ws://127.0.0.1:{port}/", "unix:///var/run/docker.sock",
        "javascript:alert(1)", "data:text/html,x", "jar:http://127.0.0.1/!/", "about:blank", "HTTP+UNIX://x/",
        "http://",
        "http://public.test:22/", "http://public.test:6379/", "https://public.test:8443/", "http://public.test:0/",
        "http://public.test:65536/", "http://public.test:-80/", "http://public.test:80x/", "http://93.184.215.14:25/",
        "", " ",
    ),
    "who is the host": (
        "http://public.test@127.0.0.1/", "http://127.0.0.1@public.test/", "http://user:secret@public.test/",
        "http://public.test:80@127.0.0.1:{port}/", "http://public.test%40127.0.0.1/", "http://a@b@127.0.0.1/",
        "http://public.test\\@127.0.0.1/", "http://127.0.0.1\\@public.test/", "http:\\\\127.0.0.1\\",
        "http://127.0.0.1#@public.test/",
        "http://127.0.0.1?@public.test/", "http://127.0.0.1:{port}\r\nHost: public.test/",
        "http://public.test\r\n.127.0.0.1/",
        "http://public.test/\r\nX-A: b", "http://public.test\t.test/a\tb", "http://127.0.0.1 .public.test/",
        "http://public.test\x00.127.0.0.1/", "http://127.0.0.1,public.test/", "http://{{127.0.0.1}}/",
        "http://$(id).test/",
        f"http://{'a' * 64}.test/", f"http://{'a.' * 130}test/", f"http://{'a' * 5000}/",
        f"http://public.test/{'a' * 5000}",
        "http://.test/", "http://a..test/", "http://-/", "http://ex_\u2028ample.test/",
    ),
}  # fmt: skip
_INWARD = (  # where redirects lead; the entry itself is allowed
    "http://127.0.0.1:{port}/", "http://127.0.0.1/", "http://localhost:{port}/", "//127.0.0.1:{port}/",
    "http://[::1]:{port}/",
    "http://169.254.169.254/latest/meta-data/", "http://2130706433/", "http://inner.test/", "http://mixed.test/",
    "file:///etc/passwd",
    "ftp://127.0.0.1/", "gopher://127.0.0.1:{port}/", "http://entry.test@127.0.0.1:{port}/",
    "http://x:y@entry.test:{site}/page", "http://168.63.129.16/", "http://[::ffff:10.0.0.1]/", "http://0/",
    "http://127.0.0.1:{port}\\@entry.test/",
    "\\\\127.0.0.1\\", "http://[64:ff9b::7f00:1]/", "http://public.test:{port}/",
    "/to?url=http%3A%2F%2F127.0.0.1%3A{port}%2F",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--list", action="store_true", help="print every address and why it was refused")


def run(options: argparse.Namespace) -> Report:
    pages: dict[str, Answer] = {
        "/page": Page(TIDES),
        "/to": to_given,
        "/again": replace(redirect("/page"), closes=True),
    }
    with web_site(pages, hosts=3) as site:
        site.missing = Page(status=404, closes=True)  # of robots.txt: whoever goes on looks the name up again
        return asyncio.run(_measure(site, options.list))


async def _measure(site: WebSite, listed: bool) -> Report:
    refused, let_in = dict.fromkeys((*_HOSTILE, "redirects inward", "names that change"), 0), []
    with _listeners() as listeners, _attempts() as attempts:
        port = listeners[0].getsockname()[1]

        async def check(kind: str, url: str, fetcher: Fetcher) -> None:
            try:
                await fetcher.fetch(url)
                why = ""
            except PageError as error:
                why = error.message.en if error.reason == "refused" else ""
            refused[kind] += bool(why)
            let_in.extend([] if why else [url])
            if listed:
                print(f"{kind}: {url[:80]!r}: {why or 'LET IN'}")

        async with Fetcher(_settings(), resolve=_resolved) as fetcher:
            for kind, urls in _HOSTILE.items():
                for url in urls:
                    await check(kind, url.replace("{port}", str(port)), fetcher)
        async with Fetcher(_settings(_ENTRY), resolve=_resolved) as fetcher:
            for to in _INWARD:
                to = to.replace("{port}", str(port)).replace("{site}", str(site.port))
                await check("redirects inward", f"http://{_ENTRY}:{site.port}/to?url={quote(to)}", fetcher)
        for after in range(2):  # robots.txt and perhaps a page come from where it is allowed
            async with Fetcher(_settings("127.0.0.1"), resolve=_turning(after)) as fetcher:
                await check("names that change", f"http://turning.test:{site.port}/again", fetcher)
        site.pages[f"{site.hosts[2]}/robots.txt"] = redirect(f"http://127.0.0.1:{port}/robots.txt")
        async with Fetcher(_settings("robots.test"), resolve=_resolved) as fetcher:
            await check("redirects inward", f"http://robots.test:{site.port}/page", fetcher)
        site.pages |= ssrf_pages.pages_for(site, port)
        named = await ssrf_pages.read_all(site)
        inner = [address for address in attempts if address not in {(host, site.port) for host in site.hosts}]
        reached = sum(map(_reached, listeners))
        async with Fetcher(_settings("127.0.0.1"), resolve=_resolved) as fetcher:
            with suppress(PageError):  # nobody answers there
                await fetcher.fetch(f"http://127.0.0.1:{port}/")
        seen = min(attempts.count(("127.0.0.1", port)), sum(map(_reached, listeners)))
    total = sum(map(len, _HOSTILE.values())) + len(_INWARD) + 3
    return Report(
        {
            "addresses": total,
            "refused": refused,
            "named by pages": named,
            "attempts to connect": len(inner),
            "reached a listener": reached,
        },
        {
            "hostile addresses": Bar(total, 80),
            "refused": Bar(sum(refused.values()) / total, 1),
            "connections": Bar(len(inner) + reached, 0, most=True),
            "pages that came from where no one asked": Bar(named["from elsewhere"], 0, most=True),
            "control: connections seen where allowed": Bar(seen, 1),
        },
        [f"let in: {url!r}" for url in let_in],
    )


def _settings(*allow: str) -> Settings:
    return Settings.from_mapping({"CITEWISE_WEB_ALLOW": ",".join(allow), "CITEWISE_WEB_TIMEOUT": "2"})


async def _resolved(host: str, port: int) -> list[str]:
    """As this benchmark says it; a number in whatever spelling as the system reads it."""
    return list(_NAMES[host]) if host in _NAMES else await resolve_host(host, port)


def _turning(after: int) -> Any:
    """A resolver that says 127.0.0.1 so many times more than once, and then 127.0.0.2."""
    asked = []

    async def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1" if len(asked) <= 1 + after else "127.0.0.2"]

    return resolve


@contextmanager
def _listeners() -> Iterator[list[socket.socket]]:
    """At every address of this machine, at a port of their own and, where that is permitted, at 80 and 443."""
    opened = []
    for port in (0, 80, 443):
        with suppress(OSError):
            opened.append(socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True))
    try:
        yield opened
    finally:
        for listener in opened:
            listener.close()


def _reached(listener: socket.socket) -> int:
    """How many connections wait at a listener; they are closed."""
    listener.setblocking(False)
    count = 0
    with suppress(BlockingIOError):
        while True:
            listener.accept()[0].close()
            count += 1
    return count


_open_records: list[list[tuple[str, int]]] = []


@contextmanager
def _attempts() -> Iterator[list[tuple[str, int]]]:
    """Every (address, port) that this process tries to connect to meanwhile."""
    made: list[tuple[str, int]] = []
    if not _open_records:
        sys.addaudithook(_audit)  # for good: Python removes none
    _open_records.append(made)
    try:
        yield made
    finally:
        _open_records[-1] = []


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and _open_records and isinstance(arguments[1], tuple):
        _open_records[-1].append(arguments[1][:2])
