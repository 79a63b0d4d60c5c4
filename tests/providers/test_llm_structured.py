"""Forms that a model fills: the way that an address takes, and what becomes of wrong ones."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.model_server import ModelServer, Reply, Script, filled, model_server, wanted_form
from errors import ModelError
from providers.structured import MOST_TOKENS
from tests.providers.llm_cases import BLUE, FAULTS, PROMPT, QUICK, Colour, chain_of, failing, healthy

pytestmark = pytest.mark.usefixtures("short_waits")


async def asked_for(script: Script, tmp_path: Path, times: int = 1) -> tuple[Colour, ModelServer]:
    with model_server(script) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            for _ in range(times):
                form = await chain.model().fill(PROMPT, Colour, purpose="plan")
    return form, server


def way_of(request: dict) -> str:
    kind = (request.get("response_format") or {}).get("type")
    asked = "schema" in str(request["messages"])
    return kind or ("tools" if request.get("tools") else "text" if asked else "none")


WAYS = ["json_schema", "tools", "json_object", "text"]


@pytest.mark.parametrize("ignored", [Reply("unsupported", status=400), Reply("I would say blue"), Reply("")])
@pytest.mark.parametrize("understood", WAYS)
async def test_the_way_that_an_address_takes_is_found_once(tmp_path: Path, understood: str, ignored: Reply) -> None:
    def script(request: dict) -> Reply:
        return filled(request, BLUE) if way_of(request) == understood else ignored

    form, server = await asked_for(script, tmp_path, times=3)
    assert form.name == "blue"
    tried = WAYS[: WAYS.index(understood) + 1]
    assert [way_of(request) for request in server.requests] == [*tried, understood, understood]
    assert all(wanted_form(request) == "Colour" for request in server.requests if way_of(request) != "json_object")


@pytest.mark.parametrize("wrong", ['{"reason": "sky"}', '{"reason": "sky", "nam', "{'reason': {}, 'name': 1}"])
async def test_a_wrong_form_is_sent_back_once_with_what_is_wrong(tmp_path: Path, wrong: str) -> None:
    replies = iter([Reply(wrong), filled({}, BLUE)])
    form, server = await asked_for(lambda _: next(replies), tmp_path)
    assert form.name == "blue"
    *_, answer, complaint = server.requests[1]["messages"]
    assert (answer["role"], answer["content"]) == ("assistant", wrong)
    assert "name" in complaint["content"]


@pytest.mark.parametrize(("prompt", "words"), [("请填写", "请重新回答"), ("Fill this in", "Answer again")])
async def test_a_complaint_speaks_the_language_of_the_prompt(tmp_path: Path, prompt: str, words: str) -> None:
    replies = iter([Reply(""), Reply(""), Reply('{"reason": 1}'), filled({}, BLUE)])
    with model_server(lambda _: next(replies)) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            await chain.model().fill([("system", prompt), ("user", "blue 蓝")], Colour, purpose="plan")
    assert ("请只回答一个 JSON 对象" in str(server.requests[2]["messages"])) is (words == "请重新回答")
    assert words in server.requests[3]["messages"][-1]["content"]


@pytest.mark.parametrize("understood", ["json_object", "text"])
async def test_a_server_that_fails_over_a_form_is_asked_in_another_way_from_then_on(
    tmp_path: Path, understood: str
) -> None:
    """As the server of llama-cpp-python: 500 for a JSON schema, while it knows a JSON object with one."""

    def script(request: dict) -> Reply:
        way = way_of(request)
        if understood == "json_object" and way == understood:
            assert request["response_format"]["schema"]["title"] == "Colour"
            assert request["max_tokens"] == MOST_TOKENS
        return filled(request, BLUE) if way == understood else Reply(status=500)

    with model_server(script) as server, model_server(healthy) as second:
        async with chain_of(tmp_path, server.base_url, second.base_url) as chain:
            models = [chain.model() for _ in range(3)]
            for model in models:
                assert (await model.fill(PROMPT, Colour, purpose="plan")).name == "blue"
            assert [one.state for one in chain.health()] == ["ok", "unknown"]
    tried = ["json_schema", "json_object", "text"]
    tried = tried[: tried.index(understood) + 1]
    assert [way_of(request) for request in server.requests] == [*tried, understood, understood]


@pytest.mark.parametrize("given_up", ["by the time-out", "by the reader"])
async def test_a_form_that_is_given_up_leaves_its_server_alone(tmp_path: Path, given_up: str) -> None:
    """The connection is closed, which is how a server learns that nobody waits for what it writes."""
    begun, closed = asyncio.Event(), asyncio.Event()

    async def never_answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        begun.set()
        await reader.read()  # until the other side has closed
        closed.set()
        writer.close()

    server = await asyncio.start_server(never_answers, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server, chain_of(tmp_path, address, seconds=QUICK if given_up == "by the time-out" else "600") as chain:
        asked = asyncio.create_task(chain.model().fill(PROMPT, Colour, purpose="plan"))
        if given_up == "by the reader":
            await begun.wait()
            asked.cancel()
        with pytest.raises((ModelError, asyncio.CancelledError)):
            await asked
        await closed.wait()


async def test_a_broken_server_is_left_after_three_ways(tmp_path: Path) -> None:
    with model_server(lambda _: Reply(status=500)) as server, model_server(healthy) as second:
        async with chain_of(tmp_path, server.base_url, second.base_url) as chain:
            for _ in range(2):
                assert (await chain.model().fill(PROMPT, Colour, purpose="plan")).name == "blue"
            assert [way_of(request) for request in server.requests] == ["json_schema", "json_object", "text"]
            assert chain.health()[0].state == "open"  # it rests: the second turn did not wait for it


async def test_a_way_that_has_worked_is_no_reason_to_try_others(tmp_path: Path) -> None:
    state = {"status": 200}
    with model_server(lambda request: replace(healthy(request), **state)) as server:
        async with chain_of(tmp_path, server.base_url, server.base_url) as chain:
            await chain.model().fill(PROMPT, Colour, purpose="plan")
            state["status"] = 503
            with pytest.raises(ModelError):
                await chain.model().fill(PROMPT, Colour, purpose="plan")
    assert {way_of(request) for request in server.requests[:3]} == {"json_schema"}


async def test_a_form_that_stays_wrong_is_a_typed_failure_of_a_provider_that_is_well(tmp_path: Path) -> None:
    with model_server(lambda _: Reply('{"no": 1}')) as server, model_server(healthy) as second:
        async with chain_of(tmp_path, server.base_url, second.base_url) as chain:
            model = chain.model()
            with pytest.raises(ModelError, match="did not answer in the form"):
                await model.fill(PROMPT, Colour, purpose="judge")
            assert len(server.requests) == 2
            assert [bool(call.error) for call in model.calls] == [False, True]
            assert chain.health()[0].state == "ok"
            assert not second.requests


async def test_broken_arguments_of_a_tool_are_repaired(tmp_path: Path) -> None:
    def script(request: dict) -> Reply:
        return Reply(arguments="{'reason': 'sky', 'name': 'blue'") if request.get("tools") else Reply(status=400)

    assert (await asked_for(script, tmp_path))[0].name == "blue"


async def test_all_ways_together_take_no_longer_than_the_time_out(tmp_path: Path) -> None:
    with model_server(lambda _: Reply(status=400, first_delay=0.6)) as server, model_server(healthy) as second:
        async with chain_of(tmp_path, server.base_url, second.base_url, seconds=QUICK) as chain:
            model = chain.model()
            assert (await model.fill(PROMPT, Colour, purpose="plan")).name == "blue"
            assert len(server.requests) <= 2  # of four ways
            assert "within 1 seconds" in model.calls[-2].error.en


async def test_temperature_and_model_of_one_request(tmp_path: Path) -> None:
    with model_server(healthy) as first, model_server(healthy) as second:
        async with chain_of(tmp_path, first.base_url, second.base_url) as chain:
            model = chain.model()
            await model.fill(PROMPT, Colour, purpose="rerank", temperature=0.7, model="small")
            await model.fill(PROMPT, Colour, purpose="rerank", model="b/large")
            await model.fill(PROMPT, Colour, purpose="rerank", model="org/of-its-own")
            await model.write(PROMPT, purpose="hyde", temperature=0.9)
            assert [(r["model"], r["temperature"]) for r in first.requests] == [
                ("small", 0.7), ("org/of-its-own", 0.0), ("model-a", 0.9),
            ]  # fmt: skip
            assert [(r["model"], r["temperature"]) for r in second.requests] == [("large", 0.0)]
            assert [call.model for call in model.calls] == ["small", "large", "org/of-its-own", "model-a"]


async def test_a_model_of_its_own_is_not_asked_of_another_provider(tmp_path: Path) -> None:
    with failing(FAULTS["401"][0]) as (address, _), model_server(healthy) as second:
        async with chain_of(tmp_path, address, second.base_url) as chain:
            await chain.model().fill(PROMPT, Colour, purpose="rerank", model="small")
            assert second.requests[0]["model"] == "model-b"
