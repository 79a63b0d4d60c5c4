"""The terminal where each user has a library: whose it is is said, and what keeps libraries safe goes through all."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI
from typer.testing import CliRunner

import cli
import ui.user_sites
from background import SHARED
from doors.http_api import services_door
from doors.mcp_server import add_mcp
from doors.services import Services
from graph.turns import Assistant
from settings import read_settings
from stores.user_libraries import folder_name
from ui.user_sites import UserSites


@pytest.fixture
def terminal(tmp_path: Path, bare_environment: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    keys = ",".join(f"{user}:key-of-{user}-1234567890" for user in ("anna", "ben"))
    for name, value in {
        "CITEWISE_LIBRARIES": "private", "CITEWISE_API_KEYS": keys, "LC_ALL": "en_GB.UTF-8", "COLUMNS": "200",
        "CITEWISE_AS_USER": "",  # taken back after the test: --user sets it
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    (tmp_path / "lamp.md").write_text("# Lamp\n\nThe lamp is trimmed at dusk.\n", encoding="utf-8")
    return tmp_path


def run(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    monkeypatch.setenv("CITEWISE_AS_USER", "")
    done = CliRunner().invoke(cli.cli, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


def test_commands_work_for_the_user_who_is_named(terminal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(*arguments: str) -> tuple[int, str]:
        return run(*arguments, monkeypatch=monkeypatch)

    status, refused = said("ingest", "lamp.md")
    assert status == 1
    assert "--user NAME" in refused
    assert "anna, ben" in refused
    assert not (terminal / "saved_files").exists()
    assert "No user has a library yet" in said("check")[1]
    assert said("--user", "ana", "list")[0] == 1
    assert said("--user", "anna", "ingest", "lamp.md")[0] == 0
    assert "lamp.md" in said("--user", "anna", "list")[1]
    assert "lamp.md" not in said("--user", "ben", "list")[1]

    status, checked = said("check")
    assert status == 0
    assert re.findall(r"Library of (\w+):", checked) == ["anna", "ben"]
    assert said("rebuild")[0] == 0
    assert said("backup", "all.zip")[0] == 0
    assert {one.name for one in terminal.glob("all*")} == {f"all.{folder_name(user)}.zip" for user in ("anna", "ben")}
    assert said("--user", "anna", "backup", "anna.zip")[0] == 0
    assert said("restore", "anna.zip", "--yes")[0] == 1  # whose?
    assert said("--user", "ben", "restore", "anna.zip", "--yes")[0] == 0
    assert "lamp.md" in said("--user", "ben", "list")[1]


def test_a_library_that_the_page_has_open_is_reached_with_its_users_key(
    terminal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(*arguments: str) -> tuple[int, str]:
        return run(*arguments, monkeypatch=monkeypatch)

    assert said("--user", "anna", "ingest", "lamp.md")[0] == 0
    monkeypatch.setattr(ui.user_sites, "build_rooms", rooms_without_a_page)
    with serving_users(terminal / "saved_files") as url:
        for user in ("anna", "ben"):
            key = {"authorization": f"Bearer key-of-{user}-1234567890"}
            assert httpx2.post(f"{url}/services/stats", json={}, headers=key).status_code == 200  # it is open now
        assert "CITEWISE_API_KEY" in said("--user", "anna", "list")[1]
        monkeypatch.setenv("CITEWISE_API_KEY", "key-of-ben-1234567890")
        status, refused = said("--user", "anna", "list")
        assert (status, "lamp.md" in refused) == (1, False)
        assert "is a key of anna" in refused
        monkeypatch.setenv("CITEWISE_API_KEY", "key-of-anna-1234567890")
        assert "lamp.md" in said("--user", "anna", "list")[1]


def rooms_without_a_page(assistant: Assistant) -> FastAPI:
    """The doors that commands use: a page takes a second to build."""
    site, services = FastAPI(), Services(assistant)
    site.include_router(services_door(services))
    add_mcp(site, services)
    site.state.page = SimpleNamespace(
        _queue=SimpleNamespace(stopped=False, _asyncio_tasks=set()), upload_file_set=set()
    )
    return site


@contextmanager
def serving_users(data: Path) -> Iterator[str]:
    """Where a program serves everybody's library below this folder."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"

        async def begin() -> tuple[UserSites, asyncio.Task[None]]:
            sites = UserSites(read_settings().model_copy(update={"data_dir": data}), url)
            server = uvicorn.Server(uvicorn.Config(sites.build_site(), log_level="error"))
            ends.append(server)
            return sites, asyncio.create_task(server.serve(sockets=[listener]))

        async def end() -> None:
            ends[0].should_exit = True
            await serve
            await sites.close()

        ends: list[uvicorn.Server] = []
        sites, serve = SHARED.run(begin())
        while not ends[0].started:
            time.sleep(0.01)
        try:
            yield url
        finally:
            SHARED.run(end())
