"""The panel of websites and repositories: what it draws is text, what it refuses stays where it was typed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from page_values import LABEL, PageValues

from benchmarks.web_site import Page, web_site
from library import Library
from schema import Chunking, Language, Message, Source
from settings import Settings
from stores.pages import PageFile
from tests.each_row import each_row
from ui.sources import SourcesHandlers, build_sources, headline, list_value
from web.sources import LibrarySources, SourceProgress

LIVE = "https://example.org/<img src=x onerror=alert(1)>${alert(2)}"
SITE = Source(7, "Manuals", "website", LIVE, refreshed_at="2026-11-22T05:26:00+00:00", pages=1200)
TROUBLE = Message(zh="3 个网页没有读到。请稍后再试。", en="3 pages were not read. Try again later.")


def row(source: Source, language: Language = "en", **runs: SourceProgress) -> dict[str, Any]:
    running, ended = ({7: runs[name]} if name in runs else {} for name in ("running", "ended"))
    [drawn] = list_value([source], running, ended, language)["rows"]
    return dict(drawn)


def changed(source: Source, **fields: Any) -> Source:
    return Source(**{name: getattr(source, name) for name in source.__slots__} | fields)


def test_addresses_and_problems_are_handed_over_as_they_are_for_the_script_to_set_as_text() -> None:
    problem = (LIVE, Message(zh="没有。", en="It is not there."))
    shown = row(SITE, ended=SourceProgress(SITE, failed=1, problems=(problem,)))
    assert shown["address"] == LIVE
    assert shown["problems"] == [f"{LIVE}  It is not there."]
    assert shown["pages"] == "1,200"
    said = changed(SITE, problem=Message(zh="例如：没有。", en="For one: It is not there."))
    assert row(said, ended=SourceProgress(SITE, failed=1, problems=(problem,)))["problems"] == []  # it is said already
    script = (Path(__file__).parents[2] / "ui" / "sources.js").read_text(encoding="utf-8")
    assert "innerHTML" not in script
    assert "insertAdjacent" not in script


@each_row(
    ("source", "zh", "en"),
    [
        (changed(SITE, refreshed_at="", pages=0), "🟡 还没有读取", "🟡 Not read yet"),
        (SITE, "✅ 已读取", "✅ Read"),
        (changed(SITE, problem=TROUBLE), "⚠️ 没有全部读到", "⚠️ Not all was read"),
        (changed(SITE, problem=TROUBLE, pages=0), "❌ 没有读到", "❌ Not read"),
    ],
)
def test_states_in_both_languages(source: Source, zh: str, en: str) -> None:
    assert (row(source, "zh")["state"], row(source, "en")["state"]) == (zh, en)
    assert row(source)["note"] == (TROUBLE.en if source.problem else "")


def test_a_run_tells_how_far_it_is_and_hides_what_the_last_one_could_not() -> None:
    progress = SourceProgress(SITE, stored=3, unchanged=9, gone=1)
    shown = row(changed(SITE, problem=TROUBLE), "zh", running=progress)
    assert shown["state"] == "⏳ 正在读取 · 13"
    assert shown["counts"] == "3 新增或更新 · 9 未变 · 1 已消失"
    assert shown["note"] == ""
    assert shown["running"]
    assert headline(2, 1, "zh") == "网站与仓库 · 2 · ⏳ 正在读取"
    assert headline(0, 0, "en") == "Websites and repositories"


def test_a_repository_tells_what_of_it_is_meant() -> None:
    repository = changed(SITE, kind="github", address="o/r", patterns=("*.md", "docs/**"), ref="v2", commit="ab" * 20)
    assert row(repository)["limits"] == "*.md docs/** · v2 · abababababab"
    assert row(repository)["kind"] == "GitHub"


# --- its events, with a real library and a real site ---------------------------------------------------------------


def asked(language: str = "en-US") -> Any:
    return SimpleNamespace(headers={"accept-language": language})


@pytest.fixture
async def sources(tmp_path: Path) -> AsyncIterator[tuple[LibrarySources, Library]]:
    settings = Settings(
        data_dir=tmp_path / "library", embedding="hashing", ingest_workers=0, web_allow=("127.0.0.1",), crawl_delay=0
    )
    async with await Library.open(settings) as library:
        pages = PageFile(settings.data_dir / "pages.sqlite", 10)
        opened = LibrarySources(settings, library, pages)
        yield opened, library
        await opened.close()
        pages.close()


async def test_what_is_refused_is_said_with_a_remedy_and_what_was_typed_stays(
    sources: tuple[LibrarySources, Library],
) -> None:
    handlers = SourcesHandlers(*sources)
    for address, into, said in (
        ("", "Set", "Write an address"),
        ("ftp://x", "Set", "ftp"),
        ("http://x.org", "", "set"),
    ):
        note, *typed = await handlers.add(address, into, None, None, None, "", 0, 0, "", asked())
        assert said in note["value"]
        assert note["visible"]
        assert typed == [gr.skip()] * 4  # they are left as they are
    hostile = await handlers.add("<img src=x>", "Set", "", "", "", "", 0, 0, "", asked("zh-CN"))
    assert "\\<img" in hostile[0]["value"]
    assert sources[0].list() == []


async def test_a_site_is_added_read_and_removed_with_its_documents(sources: tuple[LibrarySources, Library]) -> None:
    sites, library = sources
    handlers = SourcesHandlers(sites, library)
    text = "<main><h1>Tides</h1><p>The tide turns twice a day, and every fisher of the bay knows when.</p></main>"
    with web_site({"/": Page(f"<html><body>{text}</body></html>")}) as site:
        note, *typed = await handlers.add(site.url(), " Bay ", "", "", "", "", 200, 0, "tokens", asked())
        assert not note["visible"]
        assert typed == [""] * 4
        [source] = sites.list()
        assert source.chunking == Chunking(size=200, unit="tokens")
        async with asyncio.timeout(120):
            while sites.running:  # noqa: ASYNC110  # in the background
                await asyncio.sleep(0.01)
        await library.process()
        assert [one.doc_set for one in library.documents()] == ["Bay"]
        seen = (await handlers.show("en"))[2]
        assert await handlers.show("en", seen) == [gr.skip()] * 3  # nothing has changed since
        pressed: Any = SimpleNamespace(source=source.id, documents=True)
        await handlers.refresh(pressed, asked())
        await handlers.stop(pressed, asked())
        await handlers.remove(pressed, asked())
        assert sites.list() == []
        assert library.documents() == []
        refused = await handlers.refresh(pressed, asked("zh-CN"))
        assert "没有这个来源" in refused["value"]


async def test_an_older_list_that_arrives_last_does_not_stay(sources: tuple[LibrarySources, Library]) -> None:
    handlers = SourcesHandlers(*sources)
    with gr.Blocks():
        panel = build_sources(LABEL)
    at = PageValues(*panel.parts)

    async def asks(seen: str | None) -> Any:
        return at.made(panel.parts, await handlers.show("en", seen))

    older = await asks(at.values[panel.seen])
    await sources[0].add("http://127.0.0.1:9/", doc_set="Bay")
    at.arrives(await asks(at.values[panel.seen]))
    at.arrives(older)
    assert at.values[panel.listing]["rows"] == []
    at.arrives(await asks(at.values[panel.seen]))
    assert [row["doc_set"] for row in at.values[panel.listing]["rows"]] == ["Bay"]
    assert await handlers.show("en", at.values[panel.seen]) == [gr.skip()] * 3
    for foreign in ("", "0 0", "[", None):
        assert (await handlers.show("en", foreign))[1] == at.values[panel.listing]


def test_what_a_stopped_run_has_brought_counts_and_can_be_removed_with_it() -> None:
    shown = row(changed(SITE, refreshed_at="", pages=8))
    assert (shown["pages"], shown["has_pages"], shown["state"]) == ("8", True, "⚠️ Not all was read")
    assert row(changed(SITE, refreshed_at="", pages=0))["state"] == "🟡 Not read yet"
