"""Hostile requests at every door for programs: refused with the reason in both languages, and no traceback."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import BaseModel

from doors import http_api, mcp_server
from doors.export import export_door
from doors.feedback import feedback_door
from doors.http_api import services_door
from doors.lab import LAB_SERVICES
from doors.management import MANAGEMENT
from doors.mcp_server import add_mcp
from doors.metrics import metrics_door
from doors.openai_api import openai_door
from doors.openai_forms import ChatRequest
from doors.originals import originals_door
from doors.pages import pages_door
from doors.problems import REFUSALS
from doors.services import SERVICES, Services
from doors.sources import SOURCE_SERVICES
from doors.unanswered import unanswered_door
from settings import Settings
from tests.graph.turn_cases import GUIDE, assistant_of
from ui.api import add_api
from ui.gradio_internals.blocks import UploadsOnly
from ui.gradio_internals.mount import mount_page

DEEP = 100_000
CHAT, MCP = "/v1/chat/completions", "/mcp"
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
FORMS: dict[str, type[BaseModel]] = {name: service.form for name, service in SERVICES.items()} | {
    name: service[0] for name, service in (MANAGEMENT | SOURCE_SERVICES | LAB_SERVICES).items()
}
FITTING = {"question": "How long is the wait?", "name": "no.md", "names": ["no.md"], "to": "x", "answer": "Long [1]."}
VALUES: dict[str, Any] = {
    "truth": True,
    "negative": -1,
    "huge": 10**400,
    "NaN": float("nan"),
    "endless": float("inf"),
    "list in a list": [[1]],
    "object": {"a": {"b": 1}},
    "null": None,
    "NUL": "a\0b",
    "half a character": "\ud800",
    "long": "x" * 30_000,
}
BODIES = {
    "deep": b"[" * DEEP,
    "deep object": b'{"a":' * DEEP,
    "deep value": b'{"question":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "digits": b'{"limit":' + b"9" * 5_000 + b"}",
    "list": b"[]",
    "text": b'"x"',
    "form": b"question=x",
    "noise": b"\xff\xfe",
    "gzip": b"\x1f\x8b\x08",
    "cut off": b"{",
}


@pytest.fixture(scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[httpx2.AsyncClient]:
    """An exception that passes through a door is raised here."""
    folder = str(tmp_path_factory.mktemp("hostile"))
    alone = {"CITEWISE_OLLAMA": "false", "CITEWISE_INGEST_WORKERS": "0"}
    settings = Settings.from_mapping({"CITEWISE_DATA_DIR": folder, **alone})
    async with assistant_of(settings) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        site, services = FastAPI(exception_handlers=REFUSALS), Services(assistant)
        for door in (
            services_door(services),
            openai_door(services),
            metrics_door(assistant),
            feedback_door(assistant),
            unanswered_door(assistant),
            export_door(assistant, lambda _: "en"),
            originals_door(assistant.library),
            pages_door(assistant.library),
        ):
            site.include_router(door)
        add_mcp(site, services)
        with UploadsOnly() as page:
            add_api(services)
        mount_page(site, page, nullcontext)
        transport = httpx2.ASGITransport(site)
        async with (
            site.router.lifespan_context(site),
            httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client,
        ):
            yield client


@pytest.fixture(autouse=True)
def no_traceback(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    caplog.set_level(logging.WARNING, logger="httpx2")
    yield
    assert not [record.getMessage() for record in caplog.records if record.exc_info]


def assert_both(said: str) -> None:
    zh, en = said.splitlines()
    assert not zh.isascii()
    assert en.isascii()


@pytest.mark.parametrize("name", FORMS)
async def test_a_service_refuses_what_its_fields_cannot_be(client: httpx2.AsyncClient, name: str) -> None:
    form = FORMS[name]
    good = {key: value for key, value in FITTING.items() if key in form.model_fields}
    for field in form.model_fields:
        for value in VALUES.values():
            if field != "question" or not isinstance(value, str):  # a question may be anything
                reply = await client.post(f"/services/{name}", content=json.dumps({**good, field: value}))
                no_model = field == "with_model" and value is True  # said as it is: there is none
                fitting = (503,) if no_model else (200, 400, 404)
                assert reply.status_code in fitting, (field, value, reply.text)
    for field in ("nope", "\ud800"):
        reply = await client.post(f"/services/{name}", content=json.dumps({**good, field: "\ud800"}))
        assert reply.status_code == 400
        assert "there is no parameter" in reply.text or "没有参数" in reply.text


@pytest.mark.parametrize("place", ["/services/ask", "/services/list_sets", CHAT])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
async def test_what_is_no_object_is_refused(client: httpx2.AsyncClient, place: str, body: bytes) -> None:
    for kind in ("application/json", "text/plain", "multipart/form-data", "application/x-www-form-urlencoded"):
        reply = await client.post(place, content=body, headers={"content-type": kind})
        assert reply.status_code == 400
        assert_both(reply.json()["error"]["message"])


async def test_a_chat_refuses_what_its_fields_cannot_be(client: httpx2.AsyncClient) -> None:
    for value in VALUES.values():
        for given in (
            *({field: value} for field in ChatRequest.model_fields if field not in ("messages", "stream")),
            {"messages": value},
            {"messages": [value]},
            {"messages": [{"role": value, "content": "x"}]},
            {"messages": [{"role": "user", "content": [{"type": "text", "text": value}]}]},
            {"stream_options": {"include_usage": value}},
        ):
            asked = {"messages": [{"role": "assistant", "content": "nobody asks"}], **given}
            if isinstance(value, str) and "messages" in given and given["messages"] != value:
                continue  # a question may be anything
            reply = await client.post(CHAT, content=json.dumps(asked))
            assert reply.status_code in (400, 404), (given, reply.text)
            assert_both(reply.json()["error"]["message"])


async def test_a_chat_without_a_message_is_told_so_in_both_languages(client: httpx2.AsyncClient) -> None:
    reply = await client.post(CHAT, content=b'{"messages": []}')
    assert reply.status_code == 400
    said = reply.json()["error"]["message"]
    assert "messages 不能为空" in said
    assert "messages must not be empty" in said


def call(**params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


REFUSED_BY_MCP = {
    **BODIES,
    "another version": b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}',
    "parameters in a list": b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": [1]}',
    "half a character": call(name="ask", arguments={"question": "\ud800"}),
    "deep arguments": call(name="ask", arguments={}).replace(b"{}", b'{"question":' + b"[" * DEEP + b"]" * DEEP + b"}"),
}


@pytest.mark.parametrize("body", REFUSED_BY_MCP.values(), ids=REFUSED_BY_MCP)
async def test_mcp_refuses_what_is_no_message(client: httpx2.AsyncClient, body: bytes) -> None:
    reply = await client.post(MCP, content=body, headers=JSON)
    assert reply.status_code == 400
    assert_both(reply.json()["error"]["message"])
    assert "validation error" not in reply.text


@pytest.mark.parametrize("headers", [{"content-type": "text/plain"}, {"accept": "text/html"}], ids=str)
async def test_mcp_refuses_other_kinds_of_content(client: httpx2.AsyncClient, headers: dict[str, str]) -> None:
    reply = await client.post(MCP, content=call(name="ask", arguments={}), headers=JSON | headers)
    assert reply.status_code in (400, 406, 415)
    assert_both(reply.json()["error"]["message"])


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("paint", {}),
        ("move", {"names": ["guide.md"], "to": "x"}),  # not among the tools
        ("ask", {}),
        ("ask", {"question": 7}),
        ("ask", {"question": "?", "min_similarity": float("nan")}),
        ("list_documents", {"limit": 10**400}),
        ("list_documents", {"offset": 10**30}),
        ("list_documents", {"limit": True, "nope": None}),
    ],
)
async def test_a_tool_says_what_does_not_fit(client: httpx2.AsyncClient, name: str, arguments: dict[str, Any]) -> None:
    reply = await client.post(MCP, content=call(name=name, arguments=arguments), headers=JSON)
    assert reply.status_code == 200
    told = json.loads(next(line for line in reply.text.splitlines() if line.startswith("data:"))[5:])["result"]
    assert told["isError"]
    assert told["content"][0]["text"]


@pytest.mark.parametrize("place", ["api", "run"])
@pytest.mark.parametrize("name", SERVICES)
async def test_an_event_refuses_what_its_arguments_cannot_be(
    client: httpx2.AsyncClient, place: str, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    for data in ([], [None], [1], [[1]], [{}], [{"path": "/etc/hostname"}], ["x"] * 50, {}, "x", None):
        reply = await client.post(f"/gradio_api/{place}/{name}", json={"data": data})
        assert reply.status_code in (400, 404), (data, reply.text)
        said = str(reply.json().get("detail") or reply.json()["error"])
        assert not said.isascii() or "does not fit" in said  # in both languages, or in that of a question
        assert data or "/gradio_api/info" in said
    assert "Traceback" not in capfd.readouterr().err


async def test_what_is_too_large_is_refused(client: httpx2.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_api, "LARGEST", 1_000)
    for place, size in (("/services/stats", 1_001), (CHAT, 4 * 2**20 + 1), (MCP, mcp_server.LARGEST + 1)):
        reply = await client.post(place, content=b" " * size, headers=JSON)
        assert reply.status_code in (400, 413)
        assert_both(reply.json()["error"]["message"])


async def test_what_does_not_fit_into_an_address_is_told_with_a_remedy(client: httpx2.AsyncClient) -> None:
    for place, told in {
        "/originals": "name is missing",
        "/pages/0.png?name=guide.md": "number must be at least 1",
        "/pages/1.json?name=guide.md&spans=x": "spans must be written like",
        "/unanswered.exe": "kind must be one of csv, jsonl",
        "/services/ask": "accept POST requests only",
    }.items():
        reply = await client.get(place)
        assert reply.status_code in (400, 405)
        error = reply.json()["error"]
        assert told in error["message"]
        for text in (error["message"], *error["suggestions"], *error["still_works"]):
            assert_both(text)


@pytest.mark.parametrize("name", ["%00", "..%2f..%2fx", "x" * 9_000, "%ed%a0%80", "%F0%9F%98%80"])
async def test_names_in_addresses_lead_nowhere(client: httpx2.AsyncClient, name: str) -> None:
    for place in (f"/conversations/{name}.md", f"/v1/models/{name}", f"/unanswered.{name}"):
        assert (await client.get(place)).status_code in (400, 404)
    assert (await client.post(f"/services/{name}", content=b"{}")).status_code == 404
    for place in ("metrics", "feedback.jsonl"):
        assert (await client.get(f"/{place}?{name}={name}")).status_code == 200
        assert (await client.post(f"/{place}", content=b"[" * DEEP)).status_code in (404, 405)
