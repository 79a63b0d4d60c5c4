"""The files that documents were read from are kept with the library, in its backups, and can be had back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
from fastapi import FastAPI

from citewise import AsyncCitewise
from doors.originals import original_address, originals_door
from ingestion.readers import ocr
from library import Library
from schema import Chunking, Document, Origin
from stores.safety.backup import write_backup
from stores.safety.repair import restore_library
from tests.ingestion.readers.test_ocr import PrintedPage, encoded, page
from tests.ingestion.readers.test_picture_text import word

MAIL = "From: Li\r\nSubject: 水泵\r\n\r\n水泵每次停机须休息九十秒。\r\n".encode()


async def test_an_original_comes_back_with_a_backup(make_settings, tmp_path):
    async with await Library.open(make_settings()) as library:
        await library.add("信/水泵.eml", MAIL, doc_set="信件")
        await library.rechunk("信/水泵.eml", Chunking(strategy="fixed", size=60), "信件")
        assert library.original("信/水泵.eml", "信件") == MAIL
        folder = Path(library.settings.data_dir)
        await asyncio.to_thread(write_backup, folder, tmp_path / "b.zip")
        await library.delete("信/水泵.eml", "信件")
        assert library.original("信/水泵.eml", "信件") is None
        await asyncio.to_thread(restore_library, folder, tmp_path / "b.zip")

        site = FastAPI()
        site.include_router(originals_door(library))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=site), base_url="http://localhost") as client:
            found = await client.get(f"/{original_address('信/水泵.eml', '信件')}")
            assert (await client.get(f"/{original_address('信/水泵.eml', '')}")).status_code == 404
        assert (found.content, found.headers["content-type"]) == (MAIL, "application/octet-stream")
        assert found.headers["content-disposition"] == "attachment; filename*=UTF-8''%E6%B0%B4%E6%B3%B5.eml"


async def test_a_document_is_read_anew_from_its_original(make_settings, monkeypatch):
    """By a better reader: what people have said of it and how it is cut stays, and so does all where reading fails."""
    scan = word("What the workshop sells.", encoded(page()))
    monkeypatch.setattr(ocr, "_made", {})
    monkeypatch.setattr(ocr.RapidOcrEngine, "is_here", lambda: False)
    async with AsyncCitewise(make_settings()) as library:
        cut = Chunking(strategy="fixed", size=60, overlap=0)
        said = {"keeper": "Li"}
        await library.library.add("a.docx", scan, chunking=cut, doc_set="s", metadata=said, origin=Origin(stamp="7"))
        await library.library.add("plain.md", b"# Plain\n\nText.")
        before = library.library.document("a.docx", "s")
        assert "8,000" not in before.text
        assert not library.library.outdated()
        monkeypatch.setitem(ocr.ENGINES, "rapidocr", PrintedPage)
        assert [one.name for one in library.library.outdated()] == ["a.docx"]
        with monkeypatch.context() as broken:
            broken.setattr(PrintedPage, "read", lambda *_: 1 / 0)
            broken.setattr("ingestion.readers.docx._merged", lambda *_: 1 / 0)
            done = await library.reread("a.docx")
            assert (list(done.failed), library.library.document("a.docx", "s").text) == (["a.docx"], before.text)
        [stored] = (await library.reread()).stored
        after = library.library.document("a.docx", "s")
        assert "8,000" in after.text
        assert any(place.box for place in after.places)
        assert (after.metadata["keeper"], stored.document.chunking, after.origin.stamp) == ("Li", cut, "7")
        assert "was read by" in after.metadata["note"]["en"]
        assert not library.library.outdated()
        assert not (await library.reread()).stored
        [again] = (await library.reread(["a.docx"])).stored
        assert again.outcome == "unchanged"
        [task] = await library.library.add_documents([Document("made.md", "# Made\n\nElsewhere.")])
        await library.library.finished([task.id])
        assert "is not kept" in (await library.reread("made.md")).failed["made.md"].message.en


async def test_what_is_larger_than_the_setting_is_read_and_not_kept(make_settings):
    async with await Library.open(make_settings(CITEWISE_MAX_ORIGINAL_MB="0")) as library:
        await library.add("a.eml", MAIL)
        assert library.original_info("a.eml") is None
