"""How many libraries of users are open at a time, and which one gives way."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI, Request

import ui.user_sites
from errors import CitewiseError
from graph.turns import Assistant
from library import Library
from stores.folder import FolderHeld
from stores.user_libraries import settings_of
from tests.conftest import MakeSettings
from tests.ui.user_site_cases import PRIVATE, served
from ui.user_sites import UserSites


@pytest.fixture
def plain_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sites that tell the name of their folder, without a page: that takes a second to build."""

    def build(assistant: Assistant) -> FastAPI:
        site = FastAPI()
        queue = SimpleNamespace(stopped=False, _asyncio_tasks=set())
        site.state.page = SimpleNamespace(_queue=queue, upload_file_set=set())

        @site.get("/")
        async def folder() -> str:
            return assistant.settings.data_dir.name

        @site.get("/names")
        async def names() -> list[str]:
            return assistant.library.names()

        @site.get("/add")
        async def add() -> None:
            await assistant.library.add("one.md", b"The pier is long.")

        @site.get("/heartbeat/{page}")
        @site.get("/wait")
        async def wait(request: Request) -> None:
            waiting.set()
            await ended.wait()

        site.state.waiting, site.state.ended = waiting, ended = asyncio.Event(), asyncio.Event()
        return site

    monkeypatch.setattr(ui.user_sites, "build_rooms", build)


async def events_of(sites: UserSites, user: str) -> Any:
    rooms, _ = await sites._sites[user].opened
    return rooms.state


async def test_the_least_recently_used_library_makes_room(make_settings: MakeSettings, plain_rooms: None) -> None:
    async with served(make_settings(**PRIVATE, CITEWISE_OPEN_LIBRARIES="2")) as (sites, clients):
        for user in ("anna", "ben"):
            assert (await clients[user].get("/")).json().startswith(f"{user}-")
        await clients["anna"].get("/add")
        assert (await clients["cleo"].get("/names")).json() == []
        assert set(sites._sites) == {"anna", "cleo"}
        await sites.until_closed("ben")
        with pytest.raises(FolderHeld):
            await Library.open(settings_of(sites._settings, "anna"))
        await clients["ben"].get("/")
        assert set(sites._sites) == {"cleo", "ben"}
        assert (await clients["anna"].get("/names")).json() == ["one.md"]  # what is closed loses nothing


async def test_a_library_in_use_is_not_closed(make_settings: MakeSettings, plain_rooms: None) -> None:
    async with served(make_settings(**PRIVATE, CITEWISE_OPEN_LIBRARIES="1")) as (sites, clients):
        await clients["anna"].get("/")
        events = await events_of(sites, "anna")
        asked = asyncio.create_task(clients["anna"].get("/wait"))
        await events.waiting.wait()
        await clients["ben"].get("/")
        sites.close_idle(0)
        assert "anna" in sites._sites
        events.ended.set()
        assert (await asked).status_code == 200
        sites.close_idle(0)
        assert sites._sites == {}


async def test_an_open_page_gives_way_only_where_room_is_needed(make_settings: MakeSettings, plain_rooms: None) -> None:
    async with served(make_settings(**PRIVATE, CITEWISE_OPEN_LIBRARIES="2")) as (sites, clients):
        await clients["anna"].get("/")
        events = await events_of(sites, "anna")
        page = asyncio.create_task(clients["anna"].get("/heartbeat/1"))
        await events.waiting.wait()
        await clients["ben"].get("/")
        sites.close_idle(0)
        assert set(sites._sites) == {"anna"}
        await clients["ben"].get("/")
        await clients["cleo"].get("/")
        assert set(sites._sites) == {"anna", "cleo"}  # ben has no page open
        events.ended.set()
        await page


async def test_an_idle_library_gives_up_its_processes(
    make_settings: MakeSettings, plain_rooms: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rested: list[str] = []
    monkeypatch.setattr(Library, "rest", lambda library: rested.append(library.settings.as_user))
    async with served(make_settings(**PRIVATE)) as (sites, clients):
        await clients["anna"].get("/")
        events = await events_of(sites, "anna")
        asked = asyncio.create_task(clients["anna"].get("/wait"))
        await events.waiting.wait()
        await clients["ben"].get("/")
        await sites.rest_idle(3600)
        assert rested == []
        await sites.rest_idle(0)
        assert rested == ["ben"]
        events.ended.set()
        await asked


async def test_who_comes_while_a_library_is_closed_waits_for_it(make_settings: MakeSettings, plain_rooms: None) -> None:
    async with served(make_settings(**PRIVATE)) as (sites, clients):
        for _ in range(3):
            await clients["anna"].get("/")
            sites.close_idle(0)
            assert sites._closing
            found = await asyncio.gather(*(clients["anna"].get("/") for _ in range(5)))
            assert {reply.status_code for reply in found} == {200}


async def test_a_library_that_another_program_has_is_told_of_and_tried_again(
    make_settings: MakeSettings, plain_rooms: None
) -> None:
    settings = make_settings(**PRIVATE)
    async with served(settings) as (_, clients), await Library.open(settings_of(settings, "anna")) as held:
        refused = await clients["anna"].get("/")
        shown = await clients["anna"].get("/", headers={"accept": "text/html"})
        assert [refused.status_code, shown.status_code] == [503, 503]
        for text in (refused.json()["error"]["message"], shown.text):
            assert "正被另一个程序使用" in text
            assert "in use by another program" in text
        assert (await clients["ben"].get("/")).status_code == 200
        await held.close()
        assert (await clients["anna"].get("/")).status_code == 200


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"CITEWISE_LIBRARIES": "private"}, "no users are set"),
        ({**PRIVATE, "CITEWISE_CLOSE_WITH_BROWSER": "true"}, "CITEWISE_CLOSE_WITH_BROWSER"),
    ],
    ids=["no users", "ends with a page"],
)
def test_what_cannot_be_is_refused_at_the_start(
    make_settings: MakeSettings, variables: dict[str, str], said: str
) -> None:
    with pytest.raises(CitewiseError) as refused:
        UserSites(make_settings(**variables))
    assert said in refused.value.message.en
    assert refused.value.suggestions


async def test_two_programs_do_not_serve_the_same_users(make_settings: MakeSettings) -> None:
    async with served(make_settings(**PRIVATE)):
        with pytest.raises(FolderHeld):
            UserSites(make_settings(**PRIVATE))
    UserSites(make_settings(**PRIVATE))


async def test_a_stranger_opens_no_library(make_settings: MakeSettings, tmp_path: Path) -> None:
    async with served(make_settings(**PRIVATE)) as (sites, clients):
        for key in ("", "Bearer key-of-nobody-1234567890"):
            for path in ("/", "/metrics", "/originals?name=lamp.md", "/v1/models", "/pages/1.png?name=guide.pdf"):
                assert (await clients["anna"].get(path, headers={"authorization": key})).status_code == 401
        assert (await clients["anna"].get("/ready", headers={"authorization": ""})).json() == {"status": "ready"}
        assert sites._sites == {}
        assert not [path for path in (tmp_path / "library" / "libraries").iterdir() if path.is_dir()]
