"""A library that is in use follows a restore: its list, its searches and its files on their way."""

from __future__ import annotations

import asyncio
from pathlib import Path

from library import Library
from schema import IncomingFile, Scope, StructuredSummary
from stores.safety.backup import write_backup
from stores.safety.repair import restore_library


async def test_a_library_in_use_follows_a_restore(make_settings, tmp_path):
    async with await Library.open(make_settings()) as library:
        folder = Path(library.settings.data_dir)
        await library.add("lamp.md", b"# Lamp\n\nThe lamp is trimmed at dusk.\n")
        await asyncio.to_thread(write_backup, folder, tmp_path / "b.zip")
        await library.add("pier.md", b"# Pier\n\nThe pier is closed on Mondays.\n")
        [bad] = await library.submit([IncomingFile("bad.md", bytes(range(256)) * 9)])
        await library.finished([bad.id])
        assert [task.name for task in library.tasks()] == ["bad.md"]
        version = library.version
        await asyncio.to_thread(restore_library, folder, tmp_path / "b.zip")  # asked of this very program
        assert library.version > version
        assert library.names() == ["lamp.md"]
        assert library.tasks() == []
        evidence = await library.search("when is the lamp trimmed?")
        assert [hit.document for hit in evidence.hits] == ["lamp.md"]
        await library.add("new.md", b"# New\n\nThe bell rings at noon.\n")
        assert sorted(library.names()) == ["lamp.md", "new.md"]


async def test_what_a_document_is_about_comes_back_with_a_backup(make_settings, tmp_path):
    about = StructuredSummary(title="Lamps", keywords=["wick"], entities=["Li"], topics=["trimming"], made_by="model")
    async with await Library.open(make_settings()) as library:
        folder = Path(library.settings.data_dir)
        info = (await library.add("lamp.md", b"# Lamp\n\nThe lamp is trimmed at dusk.\n")).document
        assert await asyncio.to_thread(library.store.note_structured, "lamp.md", "", info.digest, about)
        await asyncio.to_thread(write_backup, folder, tmp_path / "b.zip")
        await library.delete("lamp.md")
        await asyncio.to_thread(restore_library, folder, tmp_path / "b.zip")
        assert await library.structured("lamp.md") == about
        assert [one.name for one in library.documents(Scope(metadata={"keywords": "wick"}))] == ["lamp.md"]
