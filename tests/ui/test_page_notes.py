"""What a page shows is noted on it: responses that overtake each other leave no stale page, and a note is anybody's."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from page_values import LABEL, PageValues

from library import Library
from settings import Settings
from stores.pages import PageFile
from tests.each_row import each_row
from ui import library_page
from ui.document_view import DocumentHandlers
from ui.documents import RowKey
from ui.library_page import LibraryHandlers, build_library
from ui.page_notes import PageNote, connect_clock, digest
from ui.sources import SourcesHandlers
from web.sources import LibrarySources

REQUEST: Any = SimpleNamespace(headers={"accept-language": "en-US"})
FOREIGN = ["", "null", "3", "[]", "{}", "{", "\ud800", '{"now": 1, "until": 0}', '{"now": "x", "until": "soon"}',
           '{"now": "x"}', '["x", 1]', "[" * 100_000, "9" * 5_000, '{"until": 9e99}', "None", "('x', 0.0)"]  # fmt: skip


class Shelf:
    """A library page without a browser."""

    def __init__(self, library: Library, sources: LibrarySources) -> None:
        with gr.Blocks():
            self.page = build_library(LABEL)
        documents, listed = DocumentHandlers(library), SourcesHandlers(sources, library)
        self.library, self.does = library, LibraryHandlers(self.page, library, documents, listed)
        self.at = PageValues(*self.page.inputs, *self.page.outputs)

    async def asks(self, handler: Callable[..., Awaitable[Sequence[Any]]], *event: Any, **first: Any) -> Any:
        """An answer on its way; `first` are other outputs of the event, by their names on the page or the view."""
        named = [getattr(self.page, name, None) or getattr(self.page.view, name) for name in first]
        outputs = [part for one in named for part in (one if isinstance(one, list) else [one])]
        return self.at.made([*outputs, *self.page.outputs], await handler(self.at.values, *event, REQUEST))

    async def opens(self, name: str) -> Any:
        return await self.asks(self.does.open, SimpleNamespace(key=str(RowKey("", name))), opened=True, made=True)

    async def ticks(self) -> Any:
        """The timer's events; what of them is no skip."""
        news = await self.does.news(self.at.values, REQUEST)
        response = await self.asks(self.does.follow)
        self.at.arrives(response)
        shown = [value for _, value in response if value != gr.skip()]
        assert news == bool(shown)  # it is asked first, and nothing more where it says no
        return shown

    @property
    def names(self) -> list[str]:
        return sorted(RowKey.of(row["key"]).name for row in self.at.values[self.page.table]["rows"])

    @property
    def sets(self) -> list[str]:
        return [key for _, key in self.at.choices[self.page.in_set]]


@pytest.fixture
async def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Shelf]:
    monkeypatch.setattr(library_page, "_REST", 0)  # every look is due at once
    settings = Settings(data_dir=tmp_path / "library", embedding="hashing", ingest_workers=0)
    async with await Library.open(settings) as library:
        await library.add("a.md", b"# A\n\nTides turn twice a day.")
        pages = PageFile(settings.data_dir / "pages.sqlite", 10)
        sources = LibrarySources(settings, library, pages)
        shelf = Shelf(library, sources)
        shelf.at.arrives(await shelf.asks(shelf.does.anew))
        assert shelf.names == ["a.md"]
        assert await shelf.ticks() == []
        yield shelf
        await sources.close()
        pages.close()


async def test_an_older_response_that_arrives_last_does_not_stay(shelf: Shelf) -> None:
    older = await shelf.asks(shelf.does.anew)
    await shelf.library.add("b.py", b"print(1)\n", doc_set="HR")
    shelf.at.arrives(await shelf.asks(shelf.does.follow))
    assert shelf.names == ["a.md", "b.py"]
    shelf.at.arrives(older)
    assert shelf.names == ["a.md"]
    await shelf.ticks()
    assert shelf.names == ["a.md", "b.py"]
    assert "=HR" in shelf.sets
    assert len(shelf.at.choices[shelf.page.of_kind]) == 3
    assert await shelf.ticks() == []  # and it is quiet again


@pytest.mark.parametrize("last", ["older", "newer"])
async def test_choices_that_were_there_for_a_moment_do_not_stay(shelf: Shelf, last: str) -> None:
    before = dict(shelf.at.values)
    await shelf.library.add_doc_set("HR")
    older = await shelf.asks(shelf.does.follow)
    await shelf.library.delete_doc_set("HR")
    newer = shelf.at.made(shelf.page.outputs, await shelf.does.follow(before, REQUEST))  # asked before `older` arrived
    for response in (newer, older) if last == "older" else (older, newer):
        shelf.at.arrives(response)
    assert "=HR" in shelf.sets
    await shelf.ticks()
    assert "=HR" not in shelf.sets
    assert await shelf.ticks() == []


async def test_rows_of_an_older_filter_do_not_stay(shelf: Shelf) -> None:
    await shelf.library.add("b.md", b"# B\n\nPumps rattle.")
    shelf.at.values[shelf.page.find] = "a"
    older = await shelf.asks(shelf.does.narrow, order=True)
    shelf.at.values[shelf.page.find] = "b."
    shelf.at.arrives(await shelf.asks(shelf.does.narrow, order=True))
    shelf.at.arrives(older)
    assert shelf.names == ["a.md"]
    await shelf.ticks()
    assert shelf.names == ["b.md"]


async def test_a_document_opened_before_the_last_one_does_not_stay(shelf: Shelf) -> None:
    await shelf.library.add("b.md", b"# B\n\nPumps rattle.")
    older = await shelf.opens("a.md")
    shelf.at.arrives(await shelf.opens("b.md"))
    shelf.at.arrives(older)
    facts = shelf.page.view.facts
    assert "a.md" in shelf.at.values[facts]
    await shelf.ticks()
    assert "b.md" in shelf.at.values[facts]
    older = await shelf.asks(shelf.does.follow)
    shelf.at.arrives(await shelf.asks(shelf.does.close, opened=True, made=True))
    shelf.at.arrives(older)
    await shelf.ticks()
    assert shelf.at.values[facts] == ""


async def test_chunks_of_an_opened_document_are_shown_again_where_an_older_response_came_last(shelf: Shelf) -> None:
    shelf.at.arrives(await shelf.opens("a.md"))
    older = await shelf.opens("a.md")
    await shelf.library.add("a.md", b"# A\n\nPumps rattle.")
    shelf.at.arrives(await shelf.asks(shelf.does.follow))
    shelf.at.arrives(older)
    assert "Tides" in str(shelf.at.values[shelf.page.view.pieces])
    await shelf.ticks()
    assert "Pumps" in str(shelf.at.values[shelf.page.view.pieces])


@each_row("noted", [None, 3, *FOREIGN])
def test_a_note_of_another_hand_means_that_nothing_was_seen(noted: Any) -> None:
    assert PageNote.of(noted) == PageNote()


async def test_a_page_with_foreign_notes_is_shown_anew(shelf: Shelf) -> None:
    page = shelf.page
    for noted in (None, *FOREIGN):
        for box in (page.seen, page.sets_seen, page.kinds_seen, page.view.seen, page.sources.seen):
            shelf.at.values[box] = noted
        shelf.at.values[page.table] = {"rows": []}
        await shelf.ticks()
        assert shelf.names == ["a.md"]
        assert await shelf.ticks() == []


async def test_no_pace_makes_a_page_miss_a_change(shelf: Shelf) -> None:
    for number, until in enumerate(("1e308", "Infinity", "-Infinity", "NaN", "1" * 400, "true")):
        now = PageNote.of(shelf.at.values[shelf.page.seen]).now
        shelf.at.values[shelf.page.seen] = f'{{"now": "{now}", "until": {until}}}'
        assert await shelf.ticks() == []
        await shelf.library.add_doc_set(f"Set {number}")
        await shelf.ticks()
        assert f"=Set {number}" in shelf.sets


async def test_what_changes_while_a_page_rests_is_shown_after(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=lambda: 100.0)
    monkeypatch.setattr("ui.page_notes.time", clock)
    shelf.at.values[shelf.page.seen] = str(PageNote.after(PageNote.of(shelf.at.values[shelf.page.seen]).now, 5))
    await shelf.library.add("b.md", b"# B\n\nPumps rattle.")
    await shelf.ticks()
    assert shelf.names == ["a.md"]
    clock.monotonic = lambda: 105.0
    await shelf.ticks()
    assert shelf.names == ["a.md", "b.md"]


def test_a_note_comes_back_as_it_went_and_a_rest_ends() -> None:
    noted = PageNote.after("x", 1e9)
    assert PageNote.of(str(noted)) == noted
    assert noted.resting
    assert noted.until - time.monotonic() < 60
    assert not PageNote("x", noted.until + 1e6).resting  # of another clock
    assert not PageNote.after("x", 0).resting
    assert set(json.loads(str(noted))) == {"now", "until"}


async def test_a_clock_asks_for_what_is_shown_only_where_there_is_news() -> None:
    told = [False, True, True]

    async def news(seen: str, request: gr.Request) -> bool:
        return told.pop(0)

    async def look(seen: str, request: gr.Request) -> list[str]:
        return ["shown", "noted"]

    with gr.Blocks() as page:
        boxes = [gr.Textbox(), gr.Textbox()]
        connect_clock(gr.Timer(1), news, look, [boxes[1]], boxes)
    tick, shows = page.fns.values()
    assert [shows.outputs, shows.inputs, tick.inputs] == [boxes, [boxes[1]], [boxes[1]]]
    assert shows.targets == [(tick.outputs[0]._id, "change")]
    asks: Any = tick.fn
    quiet, first, again = [await asks("", REQUEST) for _ in range(3)]
    assert quiet == gr.skip()
    assert first != again  # what was lost on its way is asked for again


def test_digests_are_short_and_differ_with_what_they_are_of() -> None:
    assert digest(("a", 1)) == digest(("a", 1))
    assert len({digest(value) for value in (1, "1", ("1",), "", None, "\ud800")}) == 6
    assert len(digest("x" * 100_000)) == 24
