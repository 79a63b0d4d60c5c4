"""What pages, robots.txt, sitemaps and search results name: inner addresses that nobody asked for by hand."""

from __future__ import annotations

import tempfile
from contextlib import aclosing
from typing import Any

from benchmarks.web_pages import article
from benchmarks.web_site import Answer, Page, WebSite, as_json, redirect
from errors import CitewiseError
from ingestion.readers import read_document
from settings import Settings
from stores.base import Store
from stores.embedded import EmbeddedStore
from web.fetch import Fetcher
from web.gathering import Gathering
from web.problems import PageError
from web.sites import crawl

HOST = 1  # of the site: the one whose pages name inner addresses
_INNER = (
    "http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://[::1]:{port}/", "//127.0.0.1:{port}/page",
    "http://169.254.169.254/latest/meta-data/", "http://2130706433:{port}/", "http://168.63.129.16/machine/",
)  # fmt: skip
_MOST_READ = 1_000_000  # bytes


def pages_for(site: WebSite, port: int) -> dict[str, Answer]:
    """Pages of that host by what names the inner addresses; `port` is that of a listener."""
    inner = [one.replace("{port}", str(port)) for one in _INNER]
    links = "".join(f'<a href="{one}">one</a><iframe src="{one}"></iframe><frame src="{one}">' for one in inner)
    parts = "".join(
        f'<img src="{one}"><script src="{one}"></script><link rel="stylesheet" href="{one}"><object data="{one}">'
        f'</object><form action="{one}"></form><video src="{one}"></video>'
        for one in inner
    )
    refresh = "".join(f'<meta http-equiv="refresh" content="0; url={one}">' for one in inner)
    entities = "".join(f'<!ENTITY e{place} SYSTEM "{one}">' for place, one in enumerate(inner))
    used = "".join(f"&e{place};" for place in range(len(inner)))
    headers = {"Link": ", ".join(f"<{one}>; rel=preload" for one in inner), "Content-Location": inner[0],
               "Alt-Svc": f'h2="127.0.0.1:{port}"'}  # fmt: skip
    text = ("Nothing on this page is to be asked for.",)
    locations = "".join(f"<url><loc>{one}</loc></url>" for one in inner)
    more = "".join(f"<sitemap><loc>{one}</loc></sitemap>" for one in inner)
    own: dict[str, Answer] = {
        "/robots.txt": Page(
            "".join(f"Sitemap: {one}\n" for one in (site.url("/sitemap.xml", HOST), *inner)), "text/plain"
        ),
        "/sitemap.xml": Page(f"<sitemapindex>{more}{locations}</sitemapindex>", "application/xml"),
        "/": Page(article("en", "Links", (links, *text))),
        "/base": Page(f'<base href="{inner[0]}"><a href="page">page</a>{links}'),
        "/parts": Page(article("en", "Parts", (parts, *text))),
        "/meta-refresh": Page(f"<html><head>{refresh}</head><body><p>{text[0]}</p></body></html>"),
        "/refresh": Page(article("en", "Refresh", text), headers={"Refresh": f"0; url={inner[0]}"}),
        "/headers": Page(article("en", "Headers", text), headers=headers),
        "/entities": Page(
            f'<!DOCTYPE html SYSTEM "{inner[0]}" [{entities}]><html><body><p>{used}{text[0]}</p></body></html>',
            "application/xhtml+xml",
        ),
        **{f"/{status}": redirect(inner[0], status) for status in (201, 300, 304, 305, 306)},
        "/search": lambda _: as_json({"results": [{"url": one, "title": "", "content": ""} for one in inner]}),
    }
    return {f"{site.hosts[HOST]}{path}": page for path, page in own.items()}


async def read_all(site: WebSite) -> dict[str, int]:
    """All of them fetched, read, crawled and searched for. Requests that reached them, by way; pages that came from
    elsewhere."""
    host = site.hosts[HOST]
    with tempfile.TemporaryDirectory(prefix="citewise-ssrf-") as folder:
        settings = Settings.from_mapping(
            {
                "CITEWISE_DATA_DIR": folder, "CITEWISE_WEB_ALLOW": host, "CITEWISE_CRAWL_DELAY": "0",
                "CITEWISE_WEB_TIMEOUT": "2", "CITEWISE_WEB_SEARCH": "searxng", "SEARXNG_URL": site.url("/", HOST),
            }
        )  # fmt: skip
        begun = len(site.requests)
        paths = [key.removeprefix(host) for key in site.pages if key.startswith(f"{host}/")]
        strangers = await _fetched(site, settings, paths)
        fetched, begun = len(site.requests) - begun, len(site.requests)
        strangers += await _crawled(site, settings)
        crawled, begun = len(site.requests) - begun, len(site.requests)
        gathering = Gathering(settings, _NoShelf(EmbeddedStore()))
        async with aclosing(gathering.search("anything")) as events:
            async for _ in events:
                pass
        strangers += sum(bool(document.content) for document in gathering.documents)
        searched = len(site.requests) - begun
    return {"fetched": fetched, "crawled": crawled, "searched": searched, "from elsewhere": strangers}


async def _fetched(site: WebSite, settings: Settings, paths: list[str]) -> int:
    """Pages that are fetched, and read as ingestion does; how many of them were other ones."""
    others = 0
    async with Fetcher(settings) as fetcher:
        for path in paths:
            try:
                page = await fetcher.fetch(site.url(path, HOST), accept={"application/xml"})
                others += page.final_url != site.url(path, HOST)
                read_document("page.html", page.data, max_bytes=_MOST_READ)
            except (PageError, CitewiseError):  # a status that is none of a page, a text that is empty
                continue
    return others


async def _crawled(site: WebSite, settings: Settings) -> int:
    """How many addresses outside of the site the crawl told of."""
    others = 0
    async with aclosing(crawl(site.url("/", HOST), settings)) as found:
        async for one in found:
            others += not one.url.startswith(site.url("/", HOST))
    return others


class _NoShelf:
    """Where no page is expected."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def add(self, name: str, data: bytes, **_: Any) -> Any:
        raise AssertionError(f"{name} was fetched: {data[:100]!r}")
