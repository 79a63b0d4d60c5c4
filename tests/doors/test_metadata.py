"""What documents are added with, at every door: they are found by it, and what does not fit is refused."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

import citewise
from doors.http_api import services_door
from doors.mcp_server import calling
from doors.openai_api import openai_door
from doors.services import SERVICES, Services
from errors import CitewiseError
from library import Library
from schema import Chunking, Hit, Message, Scope
from stores.metadata import FILLED_IN, checked
from stores.safety.backup import write_backup
from stores.safety.repair import restore_library
from tests.each_row import each_row
from ui.api import _endpoint

TEXT = "---\nauthor: the file\n---\n# Lamp\n\nThe lamp is trimmed at dusk. It burns until dawn.\n"
GIVEN: dict[str, Any] = {"author": "Li", "year": 2026, "open": True, "tags": ["灯", "sea"]}


class House:
    def __init__(self, library: citewise.AsyncCitewise, folder: Path) -> None:
        self.library, self.folder = library, folder
        self.services = Services(library.assistant)


@pytest.fixture
async def house(make_settings, bare_environment, tmp_path: Path) -> AsyncIterator[House]:
    async with citewise.aopen(make_settings().data_dir, web="never", embedding="hashing") as library:
        yield House(library, tmp_path)


# --- the doors, each as a function of a house, a name and metadata ----------------------------------------------------


async def python_add(house: House, name: str, metadata: Any) -> None:
    path = house.folder / name
    path.write_text(TEXT, encoding="utf-8")
    await house.library.add(path, metadata=metadata)


async def python_add_content(house: House, name: str, metadata: Any) -> None:
    await house.library.add_content(name, TEXT, metadata=metadata)


async def http(house: House, name: str, metadata: Any) -> None:
    site = FastAPI()
    site.include_router(services_door(house.services))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(site), base_url="http://localhost") as client:
        given = {"name": name, "content": TEXT, "metadata": metadata}
        told = (await client.post("/services/add_document", content=json.dumps(given))).json()
    _raise(told.get("error"))


async def mcp(house: House, name: str, metadata: Any) -> None:
    given = {"name": name, "content": TEXT, "metadata": metadata}
    told = (await calling(house.services)("add_document", given, "")).structured_content
    _raise((told or {}).get("error"))


async def gradio(house: House, name: str, metadata: Any) -> None:
    endpoint = _endpoint(house.services, "add_document", SERVICES["add_document"])
    person = SimpleNamespace(request=SimpleNamespace(scope={}))
    bound = inspect.signature(endpoint).bind(person, name=name, content=TEXT, metadata=metadata)
    bound.apply_defaults()
    try:
        await endpoint(*bound.args)
    except Exception as error:
        _raise({"type": error.title, "message": error.message})  # type: ignore[attr-defined]  # Gradio's own


def _raise(problem: Mapping[str, Any] | None) -> None:
    if problem:
        zh, _, en = problem["message"].partition("\n")
        raise CitewiseError(problem["type"], Message(zh=zh, en=en))


DOORS: dict[str, Callable[[House, str, Any], Awaitable[None]]] = {
    "add": python_add, "add_content": python_add_content, "http": http, "mcp": mcp, "gradio": gradio,
}  # fmt: skip


async def test_a_document_is_found_by_what_it_was_added_with_at_every_door(house: House) -> None:
    for door, add in DOORS.items():
        await add(house, f"{door}.md", {**GIVEN, "door": door})
        for name, value in (("door", door), ("author", "Li"), ("year", 2026), ("open", True), ("tags", "灯")):
            found = house.library.library.documents(Scope(metadata={name: value}))
            assert f"{door}.md" in {info.name for info in found}, (door, name)
        answer = await house.library.ask("When is the lamp trimmed?", where={"door": door})
        assert {hit.document for hit in answer.sources} == {f"{door}.md"}
        with pytest.raises(CitewiseError) as wrong:
            await add(house, f"wrong {door}.md", {"file_path": "elsewhere"})
        assert wrong.value.kind == "settings"
        assert "“file_path”由程序填写" in wrong.value.message.zh
        assert 'fills in "file_path"' in wrong.value.message.en
    assert house.library.library.documents(Scope(metadata={"author": "the file"})) == []
    assert {info.name for info in house.library.library.documents()} == {f"{door}.md" for door in DOORS}


async def test_passages_and_ratings_are_of_what_meets_the_conditions(house: House) -> None:
    asked = {"question": "When is the lamp trimmed?"}
    for shelf in ("north", "south"):
        await house.library.add_content(f"{shelf}.md", TEXT, metadata={"shelf": shelf})
    found = await house.services.call("search", {**asked, "where": {"shelf": "south"}, "kinds": ["markdown"]})
    assert {one.document for one in found.passages} == {"south.md"}  # type: ignore[attr-defined]
    site = FastAPI()
    site.include_router(openai_door(house.services))
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(site), base_url="http://localhost") as client:
        chat = {"messages": [{"role": "user", "content": asked["question"]}], "where": {"shelf": "south"}}
        answered = (await client.post("/v1/chat/completions", json={**chat, "kinds": ["markdown"]})).json()
        assert {one["document"] for one in answered["choices"][0]["message"]["sources"]} == {"south.md"}
        refused = await client.post("/v1/chat/completions", json={**chat, "kinds": ["pdf"]})
        assert refused.json()["error"]["code"] == "not_found"
    for name, more in (("search", {}), ("evaluate", {}), ("evaluate", {"answer": "At dusk."})):
        for condition in ({"where": {"shelf": "east"}}, {"kinds": ["pdf"]}):
            with pytest.raises(CitewiseError) as wrong:
                await house.services.call(name, {**asked, **condition, **more})
            assert wrong.value.kind == "not_found"


def test_the_python_face_without_await_has_the_same(make_settings, tmp_path: Path, bare_environment) -> None:
    (tmp_path / "a.md").write_text(TEXT, encoding="utf-8")
    with citewise.open(make_settings().data_dir, web="never", embedding="hashing") as library:
        library.add(tmp_path / "a.md", metadata={"client": "Li"})
        library.add_content("b.md", "# Bell\n\nThe bell rings at noon.\n", metadata={"client": "Wu"})
        for name, client in (("a.md", "Li"), ("b.md", "Wu")):
            found = library.asynchronous.library.documents(Scope(metadata={"client": client}))
            assert [info.name for info in found] == [name]


# --- what becomes of them ---------------------------------------------------------------------------------------------


async def test_they_outlive_a_cut_and_a_backup(make_settings, tmp_path: Path) -> None:
    settings, who = make_settings(), Scope(metadata={"author": "Li", "tags": "sea"})
    async with await Library.open(settings, warm=False) as library:
        await library.add("lamp.md", TEXT.encode(), metadata=GIVEN)
        await library.rechunk("lamp.md", Chunking(strategy="fixed", size=50, overlap=0))
        assert [info.chunking.size for info in library.documents(who)] == [50]
        folder = Path(settings.data_dir)
        await asyncio.to_thread(write_backup, folder, tmp_path / "b.zip")
        await library.delete("lamp.md")
        await asyncio.to_thread(restore_library, folder, tmp_path / "b.zip")
        assert [info.name for info in library.documents(who)] == ["lamp.md"]


async def test_a_file_that_has_not_changed_gets_them_and_keeps_them(house: House) -> None:
    path, library = house.folder / "lamp.md", house.library
    path.write_text(TEXT, encoding="utf-8")
    outcomes, said = [], []
    for metadata in (None, {"client": "Li"}, {"client": "Li"}, None, {"client": True}, {"client": 1}):
        outcomes += [one.outcome for one in (await library.add(path, metadata=metadata)).stored]
        document = library.library.document("lamp.md")
        assert document
        said.append(document.metadata.get("client"))
    assert outcomes == ["added", *["unchanged"] * 5]
    assert list(map(repr, said)) == list(map(repr, [None, "Li", "Li", "Li", True, 1]))


# --- what fits --------------------------------------------------------------------------------------------------------


@each_row(
    ("given", "zh", "en"),
    [
        ({"language": "en"}, "由程序填写", "itself"),
        ({" kind ": "en"}, "由程序填写", "itself"),
        ({"": "x"}, "不能作为", "no name"),
        ({3: "x"}, "不能作为", "no name"),
        ({"n" * 201: "x"}, "不能作为", "no name"),
        ({"a": None}, "“a”的值", 'value of "a"'),
        ({"a": {"b": 1}}, "“a”的值", 'value of "a"'),
        ({"a": [["b"]]}, "“a”的值", 'value of "a"'),
        ({"a": float("nan")}, "“a”的值", 'value of "a"'),
        ({"a": 10**5000}, "“a”的值", 'value of "a"'),
        ({"a": "x" * 20_001}, "太多", "too much"),
        ({f"a{n}": n for n in range(101)}, "太多", "too much"),
        ("author=Li", "名称与值", "names with values"),
    ],
)
def test_what_does_not_fit_is_said_in_both_languages(given: Any, zh: str, en: str) -> None:
    with pytest.raises(CitewiseError) as wrong:
        checked(given)
    assert zh in wrong.value.message.zh
    assert en in wrong.value.message.en
    assert wrong.value.suggestions


def test_names_are_trimmed_and_text_is_storable() -> None:
    assert checked({" a ": ("x\0", "\ud800"), "b": False}) == {"a": ["x", "?"], "b": False}
    assert {*Hit(1, "", "", "", 0, 0, 0, 0).metadata} <= FILLED_IN


@pytest.mark.parametrize("door", ["python", "http", "mcp"])
async def test_a_source_takes_them_for_its_documents(house: House, door: str) -> None:
    async def add(metadata: Any) -> Mapping[str, Any]:
        given = {"address": "https://docs.example.com/", "doc_set": "guide", "metadata": metadata}
        if door == "python":
            return (await house.library.add_source(**given)).metadata
        if door == "mcp":
            told = (await calling(house.services)("add_source", given, "")).structured_content or {}
        else:
            site = FastAPI()
            site.include_router(services_door(house.services))
            async with httpx2.AsyncClient(transport=httpx2.ASGITransport(site), base_url="http://localhost") as client:
                told = (await client.post("/services/add_source", content=json.dumps(given))).json()
        _raise(told.get("error"))
        return dict(told["metadata"])

    for unfit in ({"url": "x"}, {"a": {"b": 1}}, ["a"], "a"):
        with pytest.raises(CitewiseError):
            await add(unfit)
    assert await house.library.sources() == []
    for given in (GIVEN, None):  # None: they stay as they are
        assert await add(given) == GIVEN
    [source] = await house.library.sources()
    assert source.metadata == GIVEN
