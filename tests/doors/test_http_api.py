"""The services over plain HTTP, and errors as fields at every door: what, what to do, what still works."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, get_args

import gradio as gr
import httpx2
import pytest
from fastapi import FastAPI

from doors.http_api import services_door
from doors.mcp_server import calling
from doors.openai_api import openai_door
from doors.problems import problem_of
from doors.services import SERVICES, Services
from errors import CitewiseError, Kind
from schema import Message
from tests.graph.turn_cases import GUIDE, HANDBOOK, assistant_of
from ui.api import _endpoint

QUESTION = {"zh": "员工有几天年假？", "en": "How long is the wait?"}


@pytest.fixture
async def services(make_settings) -> AsyncIterator[Services]:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        await assistant.library.add("员工手册.md", HANDBOOK.encode(), doc_set="人事")
        yield Services(assistant)


async def post(services: Services, path: str, given: Any) -> httpx2.Response:
    site = FastAPI()
    site.include_router(services_door(services))
    site.include_router(openai_door(services))
    content = given if isinstance(given, bytes) else json.dumps(given).encode()
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(site), base_url="http://localhost") as client:
        return await client.post(path, content=content)


async def test_every_kind_of_call_is_done_over_http(services: Services) -> None:
    async def done(service: str, /, **given: Any) -> dict[str, Any]:
        reply = await post(services, f"/services/{service}", given)
        assert reply.status_code == 200, reply.text
        return dict(reply.json())

    assert "十五天" in (await done("ask", question=QUESTION["zh"]))["answer"]
    assert (await done("stats"))["documents"] == 2
    assert await done("make_set", name="档案") == {"count": 1}
    assert await done("move", names=["guide.md"], to="档案") == {"count": 1}
    await done("rename_set", name="档案", to="archive")
    assert {one["name"]: one["documents"] for one in (await done("list_sets"))["doc_sets"]} == {"archive": 1, "人事": 1}
    shown = await done("preview", name="guide.md", chunker="fixed", chunk_size=60, chunk_overlap=0, limit=2)
    assert (shown["chunking"]["strategy"], len(shown["chunks"]), shown["total"] > 2) == ("fixed", 2, True)
    await done("rechunk", names=["guide.md"], chunker="fixed", chunk_size=60, chunk_overlap=0)
    stored = await done("chunks", name="guide.md", first=1, limit=1)
    assert (stored["total"], stored["chunks"]) == (shown["total"], [shown["chunks"][1]])
    assert await done("process") == {"stored": [], "failed": {}, "embedded": 0}
    assert await done("tasks") == {"tasks": []}
    assert await done("delete_set", name="archive") == {"deleted": 1}
    assert await done("delete", names=["员工手册.md"]) == {"deleted": 1}


@pytest.mark.parametrize(
    ("name", "given", "status", "kind"),
    [
        ("ask", {"question": " "}, 400, "settings"),
        ("ask", {"question": "?", "top_k": True}, 400, "settings"),
        ("chunks", {"name": "no such.md"}, 404, "not_found"),
        ("rename_set", {"name": "nowhere", "to": "x"}, 404, "not_found"),
        ("make_set", {"name": "人事"}, 400, "settings"),
        ("make_set", {"name": " "}, 400, "settings"),
        ("retry", {"names": ["x.md"]}, 404, "not_found"),
        ("delete", {"names": ["guide.md", "no such.md"]}, 404, "not_found"),
        ("paint", {}, 404, "not_found"),
        ("stats", [], 400, "settings"),
        ("stats", b"{", 400, "settings"),
        ("stats", b"[" * 100_000, 400, "settings"),
    ],
)
async def test_errors_are_fields(services: Services, name: str, given: Any, status: int, kind: str) -> None:
    reply = await post(services, f"/services/{name}", given)
    error = reply.json()["error"]
    assert (reply.status_code, error["type"]) == (status, kind)
    for said in ([error["message"]], error["suggestions"], error["still_works"]):
        assert said
        for zh, en in (one.splitlines() for one in said):
            assert not zh.isascii()
            assert en.isascii() or "人事" in en
    assert services.assistant.library.stats().documents == 2


async def test_each_door_tells_the_same_fields_in_the_language_of_the_request(services: Services, language) -> None:
    given = {"question": QUESTION[language], "documents": ["x.md"]}
    with pytest.raises(CitewiseError) as wrong:
        await services.call("ask", given)
    fields = problem_of(wrong.value, language).model_dump()
    assert (await post(services, "/services/ask", given)).json()["error"] == fields
    asked = {"messages": [{"role": "user", "content": given["question"]}], "documents": ["x.md"]}
    chat = (await post(services, "/v1/chat/completions", asked)).json()["error"]
    assert chat["code"] == fields["type"]
    assert {key: chat[key] for key in ("suggestions", "still_works")} == {
        key: fields[key] for key in ("suggestions", "still_works")
    }
    assert fields["message"] in chat["message"]
    called = await calling(services)("ask", given, "")
    assert (called.is_error, called.structured_content) == (True, {"error": fields})
    endpoint = _endpoint(services, "ask", SERVICES["ask"])
    with pytest.raises(gr.Error) as shown:
        await endpoint(None, given["question"], "", [], ["x.md"])
    assert all(
        said in shown.value.message for said in [fields["message"], *fields["suggestions"], *fields["still_works"]]
    )
    assert shown.value.title == "not_found"
    other = {"zh": "en", "en": "zh"}[language]
    reply = (await post(services, "/services/ask", {**given, "language": other})).json()["error"]
    assert reply == problem_of(wrong.value, other).model_dump()  # type: ignore[arg-type]


def test_every_kind_of_error_tells_what_still_works() -> None:
    for kind in get_args(Kind):
        if kind not in ("internal", "missing_extra"):  # these say it themselves
            assert problem_of(CitewiseError(kind, Message(zh="错", en="wrong")), "en").still_works, kind
