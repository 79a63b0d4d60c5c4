"""The chat API of OpenAI: whatever comes in, no defect comes out; who goes away stops the turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, given
from hypothesis import settings as thorough
from hypothesis import strategies as st

from benchmarks.model_server import STALL, Reply
from doors.openai_api import LARGEST, openai_door
from doors.openai_forms import MODELS
from doors.services import Services
from graph.turns import Assistant
from tests.graph.turn_cases import GUIDE, Script, assistant_of, talking

ASKED = {"role": "user", "content": "What does a rattling noise mean?"}


def site_of(assistant: Assistant) -> FastAPI:
    site = FastAPI()
    site.include_router(openai_door(Services(assistant)))
    return site


@asynccontextmanager
async def door(make_settings: Any) -> AsyncIterator[httpx2.AsyncClient]:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        transport = httpx2.ASGITransport(site_of(assistant), raise_app_exceptions=True)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
message = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool", "robot"]) | anything},
    optional={"content": st.text(max_size=30) | st.just(ASKED["content"]) | anything, "name": anything},
)
body = st.fixed_dictionaries(
    {"messages": st.lists(message, max_size=3) | anything},
    optional={
        "model": st.sampled_from(MODELS) | anything,
        "stream": st.booleans() | anything,
        "stream_options": anything,
        "strategy": st.sampled_from(["", "keyword", "nonsense"]) | anything,
        "doc_sets": st.lists(st.text(max_size=5), max_size=2) | anything,
        "web": st.just(False) | anything,
        "temperature": anything,
        "tools": anything,
    },
)


async def test_no_request_makes_a_defect(make_settings) -> None:
    loop = asyncio.get_running_loop()
    async with door(make_settings) as client:

        @given(st.binary(max_size=40) | body.map(lambda it: json.dumps(it).encode()))
        @thorough(max_examples=80, suppress_health_check=list(HealthCheck), derandomize=True)
        def answered(sent: bytes) -> None:
            asking = client.post("/v1/chat/completions", content=sent)
            reply = asyncio.run_coroutine_threadsafe(asking, loop).result()
            assert reply.status_code in (200, 400, 404), reply.text
            if reply.status_code != 200:
                error = reply.json()["error"]
                assert error["message"]
                assert error["code"]
                assert error["suggestions"]
                assert error["type"] in ("invalid_request_error", "not_found_error")
            elif reply.headers["content-type"].startswith("text/event-stream"):
                assert reply.text.endswith("data: [DONE]\n\n")
            else:
                assert reply.json()["choices"][0]["message"]["content"]

        await asyncio.to_thread(answered)


async def test_what_cannot_be_answered_is_said_in_both_languages(make_settings) -> None:
    async with door(make_settings) as client:
        for sent, status in (
            ({"model": "citewise", "messages": [{"role": "system", "content": "x"}]}, 400),
            ({"model": "citewise", "messages": [{"role": "user", "content": " "}]}, 400),
            ({"model": "citewise", "messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, 400),
            ({"messages": [ASKED, {"role": "user", "content": [{"type": "image_url"}]}]}, 400),
            ({"model": "other", "messages": [ASKED]}, 404),
            ({"model": "citewise", "messages": [{"role": "user", "content": "长" * 20_001}]}, 400),
        ):
            reply = await client.post("/v1/chat/completions", json=sent)
            assert reply.status_code == status, reply.text
            error = reply.json()["error"]
            assert "请" in error["message"] or "可用的" in error["message"]
            assert error["type"] == "invalid_request_error"  # of a missing model, too, as OpenAI has it
            assert error["code"] == ("model_not_found" if status == 404 else "settings")
            assert all(one in error["message"] for line in error["suggestions"] for one in line.splitlines())
        reply = await client.post("/v1/chat/completions", content=b"{")
        assert "A value does not fit: invalid JSON" in reply.json()["error"]["message"]
        reply = await client.post("/v1/chat/completions", content=b" " * (LARGEST + 1))
        assert reply.status_code == 413
        assert "4 MB" in reply.json()["error"]["message"]
        assert (await client.get("/v1/models/other")).status_code == 404


async def test_nothing_of_a_conversation_is_kept(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        transport = httpx2.ASGITransport(site_of(assistant))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            reply = await client.post("/v1/chat/completions", json={"messages": [ASKED]})
        assert "air in the line" in reply.json()["choices"][0]["message"]["content"]
        assert await assistant.conversations() == []
        assert await stored_threads(assistant) == 0


async def stored_threads(assistant: Assistant) -> int:
    found = await assistant._conversations._saver.conn.execute_fetchall("select count(*) from checkpoints")
    return next(iter(found))[0]


@pytest.mark.parametrize("stream", [True, False])
async def test_who_goes_away_stops_the_turn(make_settings, stream) -> None:
    """The model would go on for an hour; nothing waits for it, and nothing is left behind."""
    loop, answering = asyncio.get_running_loop(), asyncio.Event()

    def answer(_: object) -> Reply:
        loop.call_soon_threadsafe(answering.set)
        return Reply("A rattling noise means air in the line [1].", stall_after=2)

    async with talking(make_settings, Script(answer=answer), CITEWISE_LLM_TIMEOUT=str(STALL)) as (assistant, _):
        sent = json.dumps({"messages": [ASKED], "stream": stream}).encode()
        told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        given: list[dict[str, Any]] = [{"type": "http.request", "body": sent, "more_body": False}]

        async def receive() -> dict[str, Any]:
            if given:
                return given.pop()
            await answering.wait()
            if stream:
                while b"A " not in (await told.get()).get("body", b""):
                    pass
            return {"type": "http.disconnect"}

        scope = {
            "type": "http", "asgi": {"version": "3.0", "spec_version": "2.4"}, "http_version": "1.1", "method": "POST",
            "scheme": "http", "path": "/v1/chat/completions", "raw_path": b"/v1/chat/completions", "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")], "root_path": "",
        }  # fmt: skip
        await site_of(assistant)(scope, receive, told.put)
        assert await stored_threads(assistant) == 0


async def test_a_model_that_plans_nonsense_makes_no_greeting_of_a_question(make_settings: Any) -> None:
    script = Script(plan={"intent": "unknown", "question": "zorp"}, answer="Air is in the line [1].")
    async with talking(make_settings, script, both=True) as (assistant, _):
        transport = httpx2.ASGITransport(site_of(assistant))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            said = await client.post("/v1/chat/completions", json={"messages": [ASKED]})
    assert said.json()["choices"][0]["message"]["content"].startswith("Air is in the line")
