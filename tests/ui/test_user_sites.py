"""A library of one's own for each user: what one has, no door gives another; libraries open and close as needed."""

from __future__ import annotations

import asyncio
import base64
import gc
import json
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI, Request

import ui.user_sites
from doors.services import SERVICES
from errors import CitewiseError
from graph.turns import Assistant
from library import Library
from settings import Settings
from stores.folder import FolderHeld
from stores.user_libraries import settings_of
from tests.conftest import MakeSettings
from tests.test_page_pictures import guide
from ui.user_sites import UserSites

USERS = ("anna", "ben", "cleo")
KEYS = {user: f"key-of-{user}-1234567890" for user in USERS}
PRIVATE = {
    "CITEWISE_LIBRARIES": "private",
    "CITEWISE_API_KEYS": ",".join(f"{user}:{key}" for user, key in KEYS.items()),
}
SECRET = "Quillfeather"
ASKED = "Who keeps the lamp of the pier?"
COUNTED = "Which order has the largest amount?"


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[tuple[UserSites, dict[str, httpx2.AsyncClient]]]:
    """The sites, and a client for each user's program."""
    sites = UserSites(settings)
    transport = httpx2.ASGITransport(app=sites.build_site())
    clients = {
        user: httpx2.AsyncClient(
            transport=transport, base_url="http://localhost", headers={"authorization": f"Bearer {key}"}, timeout=None
        )
        for user, key in KEYS.items()
    }
    try:
        yield sites, clients
    finally:
        await sites.close()


def service(name: str, /, **given: Any) -> tuple[str, str, Any]:
    return "POST", f"/services/{name}", given


def tool(name: str, /, **given: Any) -> tuple[str, str, Any]:
    params = {"name": name, "arguments": given}
    return "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def chat(question: str) -> tuple[str, str, Any]:
    return "POST", "/v1/chat/completions", {"model": "citewise", "messages": [{"role": "user", "content": question}]}


LAMP = f"# Lamp\n\nThe lamp of the pier is kept by {SECRET}.\n"
ORDERS = f"order,amount,note\nA1,120,rope\n{SECRET},900,sails\nB7,300,oil\n"
CASE = {"question": "Who?", "answer": SECRET, "evidence": [{"document": "lamp.md", "quote": SECRET}]}
OF_ANNA = [
    service("add_document", name="lamp.md", content=LAMP, doc_set=SECRET),
    service("add_document", name="orders.csv", content=ORDERS),
    service("add_document", name="guide.pdf", base64=base64.b64encode(guide()).decode()),
    service("change_glossary", add=[["灯塔看守人", SECRET]]),
    service("add_source", address=f"https://example.com/{SECRET}/", doc_set="web"),
    service("lab_put", name="harbour", jsonl=json.dumps(CASE)),
]
# What shows its owner the secret, by every door: each must show it to anna, and nothing of it to ben.
TELLING = [
    service("list_documents"),
    service("list_sets"),
    service("search", question="lamp of the pier"),
    service("ask", question=ASKED),
    service("ask", question=ASKED, documents=["lamp.md"]),
    service("ask", question=COUNTED),
    service("evaluate", question=ASKED),
    service("chunks", name="lamp.md"),
    service("preview", name="orders.csv"),
    service("list_glossary"),
    service("list_sources"),
    service("lab_cases", name="harbour"),
    tool("list_documents"),
    tool("search", question="lamp of the pier"),
    tool("ask", question=ASKED),
    tool("list_sources"),
    chat(ASKED),
    chat(COUNTED),
    ("GET", "/originals?name=lamp.md&doc_set=Quillfeather", None),
    ("GET", "/originals?name=orders.csv", None),
]
SHOWN = ["/originals?name=guide.pdf", "/pages/1.png?name=guide.pdf", "/pages/1.json?name=guide.pdf"]
EXPORTED = ["/unanswered.jsonl", "/unanswered.csv", "/feedback.jsonl", "/conversations/mine.md"]


async def told(client: httpx2.AsyncClient, method: str, path: str, given: Any) -> str:
    headers = {"accept": "application/json, text/event-stream"}
    reply = await client.request(method, path, json=given, headers=headers)
    assert reply.status_code < 500, reply.text
    return reply.text


async def of_page(client: httpx2.AsyncClient, name: str, **given: Any) -> str:
    """What an endpoint of the page tells a program."""
    data = [given.get(field) for field in SERVICES[name].form.model_fields]
    begun = await client.post(f"/gradio_api/call/{name}", json={"data": data})
    assert begun.status_code == 200, begun.text
    return (await client.get(f"/gradio_api/call/{name}/{begun.json()['event_id']}")).text


async def test_what_is_one_users_no_door_gives_another(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gc, "freeze", lambda: None)  # as the first turn ends: what has come by then is looked for here
    async with served(make_settings(**PRIVATE, CITEWISE_WEB="never")) as (sites, clients):
        anna, ben = clients["anna"], clients["ben"]
        for method, path, given in OF_ANNA:
            assert "error" not in json.loads(await told(anna, method, path, given))
        unseen = [one for one in TELLING if SECRET not in await told(anna, *one)]
        assert unseen == []  # else what follows would say nothing
        assert SECRET in await of_page(anna, "search", question="lamp of the pier")
        leaks = [one for one in TELLING if SECRET in (await told(ben, *one)).replace(json.dumps(one[2]), "")]
        assert leaks == []
        assert SECRET not in await of_page(ben, "search", question="lamp of the pier")
        assert '"total": 0' in await of_page(ben, "list_documents")
        for path in SHOWN:
            assert [(await one.get(path)).status_code for one in (anna, ben)] == [200, 404], path
        [upload] = (await anna.post("/gradio_api/upload", files={"files": ("a.md", LAMP.encode())})).json()
        of_upload = [(await one.get(f"/gradio_api/file={upload}")).status_code for one in (anna, ben)]
        assert of_upload == [200, 404]
        await told(
            anna,
            *service(
                "ask", question=f"Which salary, pension and dental insurance does {SECRET} get?", conversation="mine"
            ),
        )
        for path in EXPORTED:
            assert SECRET not in (await ben.get(path)).text, path
        assert SECRET in (await anna.get("/unanswered.jsonl")).text

        taken = [
            service("delete_document", name="lamp.md", doc_set=SECRET),
            service("delete", names=["orders.csv"]),
            service("move", names=["orders.csv"], to="mine"),
            service("remove_source", id=1),
            service("lab_delete_set", name="harbour"),
            service("delete_set", name=SECRET),
        ]
        for one in taken:
            await told(ben, *one)
        assert [one for one in TELLING if SECRET not in await told(anna, *one)] == []

        # of one name: each has their own
        await told(ben, *service("add_document", name="lamp.md", content="The lamp of the pier is kept by Ben."))
        assert "Ben" in await told(ben, *service("ask", question=ASKED))
        assert "is kept by Ben" not in await told(anna, *service("ask", question=ASKED))
        counted = [json.loads(await told(one, *service("stats")))["documents"] for one in (anna, ben)]
        assert counted == [3, 1]

        site, assistant = await sites._sites["anna"].opened
        kept = [weakref.ref(one) for one in (site, site.state.page, assistant, assistant.library)]
        del site, assistant
        while "anna" in sites._sites:  # what the page has begun comes to its end
            sites.close_idle(0)
            await asyncio.sleep(0.01)
        await sites.until_closed("anna")
        for _ in range(100):  # Gradio's loops of the page end when they look next
            gc.collect()
            if all(one() is None for one in kept):
                break
            await asyncio.sleep(0.05)
        assert [one() for one in kept] == [None] * len(kept)  # what is closed leaves the memory


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
