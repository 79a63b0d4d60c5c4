"""What Gradio keeps of uploads: nothing of one that failed, and a file no longer than until it was handed on."""

from __future__ import annotations

import errno
from collections.abc import AsyncIterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import httpx2
import pytest
from fastapi import FastAPI
from starlette.types import Message

from library import Library
from settings import Settings
from tests.graph.turn_cases import assistant_of
from ui.actions import ActionHandlers
from ui.chat_events import ChatHandlers
from ui.gradio_internals.blocks import UploadsOnly
from ui.gradio_internals.mount import mount_page

REQUEST: Any = SimpleNamespace(session_hash="page", headers={}, request=None)
AUTO: list[Any] = ["", None, "", 0, 0, [], [], ""]  # the values of `Sidebar.controls`
TEXT = b"# Pump\n\nPrime the pump.\n"
NOISE = b"\x89PNG\r\n\x1a\n" + bytes(99)  # nothing that the library reads
BEGUN = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nhalf of it'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    return tmp_path / "uploads"


@pytest.fixture
def site(folder: Path) -> FastAPI:
    with UploadsOnly() as page:
        gr.Textbox()
    mounted = FastAPI()
    mount_page(mounted, page, nullcontext)
    return mounted


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    async with await Library.open(
        Settings(data_dir=tmp_path / "library", embedding="hashing", ingest_workers=0)
    ) as opened:
        yield opened


async def upload(site: FastAPI, name: str, content: bytes) -> httpx2.Response:
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(site), base_url="http://localhost") as client:
        return await client.post("/gradio_api/upload", files={"files": (name, content)})


def kept(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def broken_off(site: FastAPI, folder: Path) -> None:
    """Half an upload, whose sender goes away once it is on the disk."""
    written: list[bool] = []

    async def receive() -> Message:
        if not written:
            written.append(False)
            return {"type": "http.request", "body": BEGUN, "more_body": True}
        written.append(bool(kept(folder)))
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None:
        pass

    headers = [(b"content-type", b"multipart/form-data; boundary=x"), (b"host", b"localhost")]
    path = "/gradio_api/upload"
    try:
        await site(
            {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "root_path": "",
             "scheme": "http", "query_string": b"", "headers": headers, "client": ("127.0.0.1", 1),
             "server": ("localhost", 80)},
            receive, send,
        )  # fmt: skip
    finally:
        assert written[:2] == [False, True]


async def test_of_an_upload_that_is_broken_off_nothing_is_left(site: FastAPI, folder: Path) -> None:
    await broken_off(site, folder)
    assert kept(folder) == []


async def test_on_a_full_disk_nothing_is_left_and_it_is_said(
    site: FastAPI, folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def full(*_: object) -> None:
        assert kept(folder)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("gradio.route_utils.GradioUploadFile.write", full)
    reply = await upload(site, "a.txt", TEXT)
    assert reply.status_code == 507
    zh, en = reply.json()["detail"].splitlines()
    assert "磁盘" in zh
    assert "disk is full" in en
    assert kept(folder) == []
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_file_is_kept_until_each_page_has_handed_it_on(site: FastAPI, folder: Path, library: Library) -> None:
    paths = [(await upload(site, name, content)).json()[0] for name, content in (("a.md", TEXT), ("b.png", NOISE))]
    assert (await upload(site, "a.md", TEXT)).json() == paths[:1]  # by another page, which is yet to send it
    await ActionHandlers(library).upload(paths, "", "", 0, 0, "", REQUEST)
    assert kept(folder) == [Path(paths[0])]
    await ActionHandlers(library).upload(paths[:1], "", "", 0, 0, "", REQUEST)
    assert kept(folder) == []
    await library.finished([task.id for task in library.tasks()])
    assert [one.name for one in library.documents()] == ["a.md"]


async def test_a_file_that_came_with_a_message_is_gone_after_it(
    site: FastAPI, folder: Path, make_settings: Any
) -> None:
    async with assistant_of(make_settings()) as assistant:
        paths = [(await upload(site, name, content)).json()[0] for name, content in (("a.md", TEXT), ("b.png", NOISE))]
        async for _ in ChatHandlers(assistant).sent({"text": "", "files": paths}, None, "t", REQUEST, *AUTO):
            pass
        assert kept(folder) == []
        assert [one.name for one in assistant.library.documents()] == ["a.md"]


async def test_files_of_a_turn_that_failed_can_be_sent_again(
    site: FastAPI, folder: Path, make_settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with assistant_of(make_settings()) as assistant:
        paths = (await upload(site, "a.md", TEXT)).json()
        handlers = ChatHandlers(assistant)

        async def broken(*_: object, **__: object) -> None:
            raise RuntimeError("not today")

        with monkeypatch.context() as patch:
            patch.setattr(assistant.library, "submit", broken)
            async for _ in handlers.sent({"text": "", "files": paths}, None, "t", REQUEST, *AUTO):
                pass
        assert kept(folder) == [Path(paths[0])]
        async for _ in handlers.sent({"text": "", "files": paths}, None, "t", REQUEST, *AUTO):
            pass
        assert kept(folder) == []
        assert [one.name for one in assistant.library.documents()] == ["a.md"]
