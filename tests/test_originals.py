"""The files that documents were read from are kept with the library, in its backups, and can be had back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
from fastapi import FastAPI

from doors.originals import original_address, originals_door
from library import Library
from schema import Chunking
from stores.safety.backup import write_backup
from stores.safety.repair import restore_library

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


async def test_what_is_larger_than_the_setting_is_read_and_not_kept(make_settings):
    async with await Library.open(make_settings(CITEWISE_MAX_ORIGINAL_MB="0")) as library:
        await library.add("a.eml", MAIL)
        assert library.original_info("a.eml") is None
