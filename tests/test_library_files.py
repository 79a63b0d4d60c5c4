"""Files, sets and chunks as page and API handle them through the library."""

from __future__ import annotations

import numpy as np
import pytest

from errors import CitewiseError, FileError, StoreError
from library import Library
from schema import Chunking, Document, IncomingFile, Origin, Scope, StoreOutcome

GUIDE = "# Guide\n\n## Start\n\nPress the green button.\n\n## Stop\n\nPull the red lever gently.\n"
FIXED = Chunking(strategy="fixed", size=50, overlap=0)


async def test_submitted_files_are_followed_to_their_end(make_settings, tmp_path):
    path = tmp_path / "kept.md"
    path.write_text(GUIDE)
    async with await Library.open(make_settings()) as library:
        before = library.version
        tasks = await library.submit(
            [
                IncomingFile("a.md", GUIDE.encode()),
                IncomingFile("empty.md", b""),
                IncomingFile("kept.md", path=str(path)),
            ]
        )
        assert library.version > before
        outcomes = await library.finished([task.id for task in tasks])
        assert [type(outcome) for outcome in outcomes.values()] == [StoreOutcome, FileError, StoreOutcome]
        assert library.progress() == (3, 3)
        assert (library.stats().documents, library.stats().waiting, library.stats().failed) == (2, 0, 1)
        assert library.stats().tokens > 0
        assert path.exists()
        [failed] = library.tasks()
        await library.cancel([failed.id])
        assert library.stats().failed == 0
        assert (await library.finished([failed.id]))[failed.id] is not None
        assert library.problem is None
        assert await library.process() == {}


async def test_text_from_elsewhere_is_stored_with_where_it_came_from(make_settings):
    origin = Origin("html", "website", url="https://example.org/pump")
    async with await Library.open(make_settings()) as library:
        page = Document("example.org/pump", GUIDE, "web", "markdown", "en", 90, {"title": "Pump"}, origin)
        tasks = await library.add_documents([page], chunking=FIXED)
        await library.finished([task.id for task in tasks])
        [info] = library.documents(Scope(doc_sets=("web",)))
        assert (info.origin.url, info.chunking.strategy) == (origin.url, "fixed")
        assert (await library.search("red lever")).hits[0].origin.url == origin.url


async def test_sets_hold_documents_and_documents_move(make_settings):
    async with await Library.open(make_settings()) as library:
        await library.add("a.md", GUIDE.encode(), doc_set="old")
        assert await library.add_doc_set("empty")
        assert not await library.add_doc_set("empty")
        assert {info.name: info.documents for info in library.doc_set_infos()} == {"empty": 0, "old": 1}
        assert await library.rename_doc_set("old", "new")
        with pytest.raises(StoreError):
            await library.rename_doc_set("new", "empty")
        assert library.doc_sets() == ["empty", "new"]
        assert await library.move("a.md", "new", "")
        assert not await library.move("a.md", "new", "")
        assert library.document("a.md").text == GUIDE
        await library.add("a.md", b"# Another\n\nText.\n", doc_set="new")
        with pytest.raises(StoreError):
            await library.move("a.md", "new", "")
        assert await library.delete_doc_set("new")
        assert [(info.name, info.doc_set) for info in library.documents()] == [("a.md", "")]


async def test_a_preview_is_what_a_cut_would_be_and_stores_nothing(make_settings):
    async with await Library.open(make_settings()) as library:
        await library.add("a.md", GUIDE.encode())
        generation = library.generation()
        chunking, chunks = await library.preview("a.md", "", FIXED)
        assert (chunking.strategy, library.generation()) == ("fixed", generation)
        assert len(chunks) > 1
        await library.rechunk("a.md", FIXED)
        stored = await library.chunks("a.md", "", 0, 99)
        assert [(hit.start, hit.end, hit.text) for hit in stored] == [(c.start, c.end, c.text) for c in chunks]
        assert [hit.chunk_id for hit in await library.chunks("a.md", first=1, k=1)] == [stored[1].chunk_id]
        with pytest.raises(CitewiseError):
            await library.preview("none.md")


async def test_a_document_has_a_vector_of_its_own(make_settings):
    async with await Library.open(make_settings()) as library:
        await library.add("a.md", GUIDE.encode())
        await library.settle()
        vector = await library.document_vector("a.md")
        assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-4)
        assert not (await library.document_vector("none.md")).any()


async def test_deleting_a_document_takes_its_newer_version_on_its_way_along(make_settings):
    async with await Library.open(make_settings()) as library:
        await library.add("a.md", GUIDE.encode())
        [task] = await library.submit([IncomingFile("a.md", b"")])
        await library.finished([task.id])  # it has failed, and waits to be retried
        assert await library.delete("a.md")
        assert library.tasks() == []
        assert library.documents() == []
