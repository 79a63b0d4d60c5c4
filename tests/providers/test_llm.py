"""The chain against real local servers: every fault, alone and with somebody to step in."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.model_server import Reply, model_server
from errors import ModelError
from providers.llm import Chain
from settings import Settings
from tests.providers.llm_cases import ANSWER, FAULTS, PROMPT, QUICK, Colour, chain_of, failing, healthy, heard

pytestmark = pytest.mark.usefixtures("short_waits")

STREAM_ONLY = {"silent", "stalled", "cut", "dropped"}  # elsewhere they are no faults
WHOLE = {name: fault for name, fault in FAULTS.items() if name not in {*STREAM_ONLY, "no choices", "garbage"}}


@pytest.mark.parametrize("name", FAULTS)
async def test_alone_a_fault_is_told_with_a_remedy(tmp_path: Path, name: str) -> None:
    fault, said, requests, *_ = FAULTS[name]
    with failing(fault) as (address, server):
        async with chain_of(tmp_path, address, seconds=QUICK if "did not respond" in said else "600") as chain:
            model = chain.model()
            with pytest.raises(ModelError) as caught:
                await heard(model)
            assert said in caught.value.message.en
            assert "model-a" in caught.value.message.zh
            assert all(one.zh and one.en for one in caught.value.suggestions)
            assert caught.value.suggestions
            assert len(model.calls) == requests == (len(server.requests) if server else requests)
            assert all(call.error for call in model.calls)
            assert chain.health()[0].state in ("failing", "open")
            assert chain.health()[0].error == model.calls[-1].error


@pytest.mark.parametrize("name", FAULTS)
async def test_the_next_one_steps_in_for_a_stream(tmp_path: Path, name: str) -> None:
    fault, said, _, requests, began = FAULTS[name]
    with failing(fault) as (address, server), model_server(healthy) as second:
        async with chain_of(
            tmp_path, address, second.base_url, seconds=QUICK if "did not respond" in said else "600"
        ) as chain:
            model = chain.model()
            assert model.name == "model-a"
            text, restarts = await heard(model)
            assert (text, model.name) == (ANSWER, "model-b")
            assert [restart.provider for restart in restarts] == (["model-b"] if began else [])
            assert all(said in restart.reason.en for restart in restarts)
            assert all("b (model-b) starts the answer over" in restart.reason.en for restart in restarts)
            assert [bool(call.error) for call in model.calls] == [True] * requests + [False]
            assert len(server.requests if server else model.calls[:-1]) == requests
            assert [call.provider for call in model.calls] == ["a"] * requests + ["b"]
            assert all(said in call.error.en for call in model.calls[:-1])


@pytest.mark.parametrize("name", WHOLE)
async def test_the_next_one_steps_in_for_whole_answers_and_forms(tmp_path: Path, name: str) -> None:
    fault, said, *_ = FAULTS[name]
    with failing(fault) as (address, _), model_server(healthy) as second:
        async with chain_of(
            tmp_path, address, second.base_url, seconds=QUICK if "did not respond" in said else "600"
        ) as chain:
            model = chain.model()
            assert (await model.fill(PROMPT, Colour, purpose="plan")).name == "blue"
            assert model.name == "model-b"
            assert said in model.calls[0].error.en
        async with chain_of(
            tmp_path, address, second.base_url, seconds=QUICK if "did not respond" in said else "600"
        ) as chain:
            model = chain.model()
            assert await model.write(PROMPT, purpose="hyde") == ANSWER
            assert [call.purpose for call in model.calls] == ["hyde"] * len(model.calls)


async def test_an_address_that_is_none_is_told(tmp_path: Path) -> None:
    settings = {"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": "box:8000/v1", "CITEWISE_OLLAMA": "false"}
    chain = Chain(Settings.from_mapping(settings))
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        await heard(chain.model())
    assert "address" in caught.value.suggestions[0].en
    await chain.close()


async def test_every_provider_is_named_when_none_answers(tmp_path: Path) -> None:
    with failing(FAULTS["401"][0]) as (first, _), failing(FAULTS["empty"][0]) as (second, _):
        async with chain_of(tmp_path, first, second) as chain:
            with pytest.raises(ModelError) as caught:
                await chain.model().write(PROMPT, purpose="hyde")
    assert "model-a" in caught.value.message.en
    assert "model-b" in caught.value.message.zh
    assert any("llm_providers.a.api_key" in one.en for one in caught.value.suggestions)


async def test_a_short_retry_after_is_waited_for(tmp_path: Path) -> None:
    replies = iter([Reply(status=429, retry_after=0.05), Reply(ANSWER)])
    with model_server(lambda _: next(replies)) as server, model_server(healthy) as second:
        async with chain_of(tmp_path, server.base_url, second.base_url) as chain:
            model = chain.model()
            assert (await heard(model))[0] == ANSWER
            assert (model.name, [call.provider for call in model.calls]) == ("model-a", ["a", "a"])


async def test_a_stumble_is_no_reason_to_leave(tmp_path: Path) -> None:
    replies = iter([Reply(status=502), Reply(ANSWER)])
    with model_server(lambda _: next(replies)) as server, model_server(healthy) as second:
        async with chain_of(tmp_path, server.base_url, second.base_url) as chain:
            model = chain.model()
            assert (await heard(model))[0] == ANSWER
            assert model.name == "model-a"
            assert chain.health()[0].state == "ok"


async def test_a_call_is_recorded_with_tokens_and_times(tmp_path: Path) -> None:
    with model_server(lambda _: Reply(ANSWER, usage=(40, 7))) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            assert chain.health()[0].state == "unknown"
            model = chain.model()
            await heard(model)
            await model.write(PROMPT, purpose="hyde")
            streamed, whole = model.calls
            assert (streamed.purpose, streamed.provider, streamed.model) == ("answer", "a", "model-a")
            assert [(call.input_tokens, call.output_tokens) for call in model.calls] == [(40, 7), (40, 7)]
            assert 0 < streamed.first_token <= streamed.seconds
            assert whole.first_token is None
            health = chain.health()[0]
            assert (health.state, health.error) == ("ok", None)
            assert 0 < health.latency <= whole.seconds
            assert server.requests[0]["stream_options"] == {"include_usage": True}
