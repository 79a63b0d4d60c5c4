"""Gathering against a local website, a local search engine and the real library: the worked example and what fails."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from benchmarks.web_pages import TIDES, pdf
from benchmarks.web_site import Page, WebSite, as_json
from library import Library
from settings import Settings
from stores.pages import PageFile
from tests.each_row import each_row
from web.gate import is_covered
from web.gathering import Gathered, Gathering
from web.names import document_name
from web.records import Records
from web.urls import canonical
from web.visit import FRESH

QUESTION = "How many kilometres of the Qinghai–Tibet railway are laid on permafrost?"
THREE = ("/en/railway", "/en/tides", "/zh/dunhuang")


@pytest.fixture
def settings(site: WebSite, make_settings: Callable[..., Settings]) -> Settings:
    return make_settings(
        CITEWISE_WEB_ALLOW=",".join(site.hosts), SEARXNG_URL=site.url("/"), CITEWISE_WEB_SEARCH="searxng",
        CITEWISE_EMBEDDING="hashing", MIN_SCORE_THRESHOLD="0.30",
    )  # fmt: skip


def found(site: WebSite, *paths: str) -> None:
    """What the search engine answers from now on."""
    results = [{"url": site.url(path), "title": path, "content": "a snippet"} for path in paths]
    site.pages["/search"] = lambda _: as_json({"results": results})


async def told(events: AsyncGenerator[Gathered, None]) -> list[Gathered]:
    return [event async for event in events]


async def test_the_worked_example(site: WebSite, settings: Settings) -> None:
    found(site, *THREE)
    async with await Library.open(settings) as library:
        await library.add("tea.md", b"# Tea\n\nGreen tea is brewed at 80 degrees for two minutes.\n")
        assert not is_covered(await library.search(QUESTION), settings, library.stats().chunks).covered

        run = Gathering(settings, library)
        events = await told(run.search(QUESTION))
        assert [event.url for event in events if event.stage == "search" and event.url] == [
            site.url(path) for path in THREE
        ]
        assert {event.stage for event in events} >= {"search", "fetch", "clean", "embed", "store", "done"}
        assert events[-1] == Gathered("done", fraction=1.0)

        assert len(run.gathered) == len(run.documents) == 3
        for document in run.gathered:
            assert document.status == "completed"
            assert "<html" in document.content
            assert document.clean_content
            assert "<" not in document.clean_content
            assert document.parent_id is None
            assert document.chunks
            assert len(document.embeddings) == len(document.chunks)
            assert {len(vector) for vector in document.embeddings} == {library.vectors([1]).shape[1]}
            assert all(chunk.content in document.clean_content for chunk in document.chunks)
            assert document.structured
            assert document.structured.made_by == "statistics"
            assert document.structured.keywords
            stages = [entry.plugin.partition(".")[0] for entry in document.processing_history]
            assert stages == ["search", "fetch", "clean", "chunk", "embed", "store", "extract"]
            times = [entry.timestamp for entry in document.processing_history[1:]]
            assert times == sorted(times)
        [railway] = [one for one in run.gathered if "railway" in one.meta.url]
        assert (railway.meta.author, railway.meta.source_plugin) == ("Ada Martin", "searxng")
        assert railway.meta.published_at
        assert railway.meta.published_at.year == 2024

        assert run.record
        assert run.record.parent.name == "webis_documents"
        assert Records(settings.data_dir, 0).load(run.record) == run.documents

        assert len(library.documents()) == 4
        evidence = await library.search(QUESTION)
        assert is_covered(evidence, settings, library.stats().chunks).covered
        assert (evidence.hits[0].origin.source_type, evidence.hits[0].origin.url) == ("website", site.url(THREE[0]))
        assert evidence.hits[0].origin.stamp == '"railway-1"'

        asked = len(site.requests)
        again = Gathering(settings, library)
        await told(again.search(QUESTION))
        assert [request.path.partition("?")[0] for request in site.requests[asked:]] == ["/search"]
        assert [one.clean_content for one in again.gathered] == [one.clean_content for one in run.gathered]
        assert [one.chunks for one in again.gathered] == [one.chunks for one in run.gathered]
        assert [entry.plugin for entry in again.gathered[0].processing_history[-2:]] == [
            "search.searxng",
            "fetch.stored",
        ]

        asked = len(site.requests)
        forced = Gathering(settings, library)
        await told(forced.search(QUESTION, force_refresh=True))
        assert {request.path for request in site.requests[asked:]} >= set(THREE)
        assert len(library.documents()) == 4


async def test_one_failure_loses_nothing_and_the_next_page_steps_in(site: WebSite, settings: Settings) -> None:
    found(site, "/gone", "/en/tides", "/picture.png", "/moved", "/en/railway", "/zh/dam", "/zh/dunhuang")
    async with await Library.open(settings) as library:
        run = Gathering(settings, library)
        events = await told(run.search("tides"))
        assert len(run.gathered) == len(library.documents()) == 3
        statuses = {document.meta.url: document.status for document in run.documents}
        assert statuses[site.url("/gone")] == statuses[site.url("/picture.png")] == "failed"
        assert "skipped" in [document.status for document in run.documents]  # /moved leads to /en/tides
        gone = next(event for event in events if event.stage == "failed" and event.url == site.url("/gone"))
        assert gone.problem
        assert "410" in gone.problem.en
        assert "410" in gone.problem.zh
        assert run.record
        assert [one.status for one in Records(settings.data_dir, 0).load(run.record)].count("failed") == 2


async def test_a_run_that_fails_is_recorded_with_its_reason(site: WebSite, settings: Settings) -> None:
    site.pages["/script"] = Page("<html><head><title>x</title></head><body><script>load()</script></body></html>")
    async with await Library.open(settings) as library:
        run = Gathering(settings, library)
        urls = [site.url("/gone"), site.url("/script"), "http://10.0.0.1/", "nonsense"]
        events = await told(run.fetch(urls))
        assert events[-1].stage == "failed"
        assert events[-1].problem
        assert "410" in events[-1].problem.en
        assert run.gathered == []
        assert library.documents() == []
        assert run.record
        assert "fallback" in run.record.name
        kept = Records(settings.data_dir, 0).load(run.record)
        assert [one.status for one in kept] == ["failed"] * 4
        assert "load()" in kept[1].content
        assert all(one.processing_history[-1].details["error"] for one in kept)

        found(site)
        nothing = Gathering(settings, library)
        events = await told(nothing.search("nothing"))
        assert events[-1].stage == "failed"
        assert nothing.record
        assert nothing.documents == []


async def test_an_old_page_is_asked_for_anew_and_costs_nothing_unchanged(site: WebSite, settings: Settings) -> None:
    url = site.url("/en/railway")
    pages = PageFile(settings.data_dir / "pages.sqlite", 10)
    async with await Library.open(settings) as library:
        await told(Gathering(settings, library, pages=pages).fetch([url]))

        def grow_old() -> None:
            page = pages.get(canonical(url))
            assert page
            pages.put(replace(page, fetched_at=page.fetched_at - FRESH - timedelta(hours=1)))

        grow_old()
        generation = library.generation()
        run = Gathering(settings, library, pages=pages)
        await told(run.fetch([url]))
        assert site.asked("/en/railway")[-1].headers["if-none-match"] == '"railway-1"'
        assert library.generation() == generation
        assert len(run.gathered) == 1

        grow_old()
        site.pages["/en/railway"] = Page(TIDES, etag='"railway-2"')
        changed = Gathering(settings, library, pages=pages)
        await told(changed.fetch([url]))
        assert "Moon" in (changed.gathered[0].clean_content or "")
        assert len(library.documents()) == 1

        grow_old()
        site.pages["/en/railway"] = Page("oops", status=500)
        away = Gathering(settings, library, pages=pages)
        await told(away.fetch([url]))
        assert [one.clean_content for one in away.gathered] == [changed.gathered[0].clean_content]

        await library.delete(
            library.documents()[0].name
        )  # by a person; who asks again gets the copy: the server is away
        asked = len(site.asked("/en/railway"))
        await told(Gathering(settings, library, pages=pages).fetch([url]))
        assert len(site.asked("/en/railway")) == asked + 1
        assert len(library.documents()) == 1
    pages.close()


async def test_a_page_that_was_fetched_but_not_stored_is_stored_from_what_is_known(
    site: WebSite, settings: Settings
) -> None:
    url = site.url("/en/railway")
    pages = PageFile(settings.data_dir / "pages.sqlite", 10)
    async with await Library.open(settings) as library:
        await told(Gathering(settings, library, pages=pages).fetch([url]))
        page = pages.get(canonical(url))
        assert page
        assert page.name == library.documents()[0].name
        pages.put(
            replace(page, name="", etag="", last_modified="", data=TIDES.encode())
        )  # fetched anew, then the program ended
        run = Gathering(settings, library, pages=pages)
        await told(run.fetch([url]))
        assert "Moon" in (run.gathered[0].clean_content or "")
        assert len(site.asked("/en/railway")) == len(library.documents()) == 1
    pages.close()


async def test_files_that_are_no_pages_and_other_encodings(site: WebSite, settings: Settings) -> None:
    paper = pdf("The archive is open on Tuesdays.") + b"%\xe2\xe3\xcf\xd3\n"
    site.pages["/paper.pdf"] = Page(paper, "application/pdf")
    paths = ("/paper.pdf", "/handbook.md", "/zh/gbk", "/zh/gbk-unsaid", "/data.json")
    async with await Library.open(settings) as library:
        run = Gathering(settings, library)
        await told(run.fetch([site.url(path) for path in paths], doc_set="web"))
        assert [one.status for one in run.documents] == ["completed"] * 5
        assert [one.doc_type for one in run.documents] == ["pdf", "markdown", "html", "html", "json"]
        assert run.documents[0].meta.custom["encoding"] == "base64"
        assert base64.b64decode(run.documents[0].content) == paper
        assert all("都江堰" in one.content and "都江堰" in (one.clean_content or "") for one in run.documents[2:4])
        assert {info.doc_set for info in library.documents()} == {"web"}


async def test_closing_the_iterator_stops_the_run(site: WebSite, settings: Settings) -> None:
    async with await Library.open(settings) as library:
        run = Gathering(settings, library)
        events = run.fetch([site.url("/slow-headers")])
        assert (await anext(events)).stage == "fetch"
        async with asyncio.timeout(120):  # the page comes in an hour
            await events.aclose()
        assert library.documents() == []
        assert run.record is None


@each_row(
    ("url", "media_type", "shown", "ending"),
    [
        ("https://example.com/en/tides", "text/html", "example.com/en/tides-", ".html"),
        ("https://example.com/en/tides.html?page=2", "text/html", "example.com/en/tides-", ".html"),
        ("http://例子.中国/中文/页面", "text/html", "xn--fsqu00a.xn--fiqs8s/中文/页面-", ".html"),
        ("https://example.com/", "text/html", "example.com/index-", ".html"),
        ("https://example.com/a.pdf", "application/pdf", "example.com/a-", ".pdf"),
        ("https://example.com/%2e%2e%2f..%2fetc/passwd", "text/plain", "example.com/", ".txt"),
    ],
)
def test_names_are_readable(url: str, media_type: str, shown: str, ending: str) -> None:
    name = document_name(url, media_type)
    assert name.startswith(shown)
    assert name.endswith(ending)
    assert ".." not in name


def test_no_two_pages_have_one_name() -> None:
    urls = ["http://a.com/x", "https://a.com/x", "https://a.com/x?p=1", "https://a.com/x?p=2", "https://a.com/x.html"]
    assert len({document_name(url, "text/html") for url in urls}) == len(urls)
    same: list[Any] = ["https://A.com/x/", "https://a.com/x#part", "https://a.com/x?utm_source=mail"]
    assert len({document_name(url, "text/html") for url in same}) == 1
