"""The chain against real local servers: every fault, alone and with somebody to step in."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, aclosing, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel

from benchmarks.model_server import (
    STALL,
    ModelServer,
    Reply,
    Script,
    filled,
    model_server,
    nobody_listening,
    wanted_form,
)
from errors import ModelError
from providers import chat
from providers.breaker import COOLDOWN
from providers.llm import Chain, CutOff, Model, Restart
from providers.structured import MOST_TOKENS, MOST_WITH_THOUGHTS
from settings import Settings

PROMPT = [("system", "be brief"), ("user", "hello")]
ANSWER = "年假有十天 [1]。"
QUICK = "1"  # seconds: a time-out that a test waits for


class Colour(BaseModel):
    reason: str
    name: str


BLUE = {"reason": "sky", "name": "blue"}


def healthy(request: dict) -> Reply:
    return filled(request, BLUE) if wanted_form(request) else Reply(ANSWER)


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "FIRST_WAIT", 0.01)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def chain_of(tmp_path: Path, *addresses: str, seconds: str = "600", **how) -> AsyncIterator[Chain]:
    """A chain of addresses a, b, ... with models model-a, model-b, ...; `seconds` is the time-out of the first."""
    entries = {
        name: {"base_url": address, "model": f"model-{name}", "api_key": f"key-{name}"}
        for name, address in zip("abcde", addresses, strict=False)
    }
    entries["a"]["timeout"] = seconds
    for name, weight in zip("abcde", how.pop("weights", ()), strict=False):
        entries[name]["weight"] = weight
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({"llm_providers": {"primary": "a", "fallback": [*entries][1:], **entries}}))
    settings = {"CITEWISE_CONFIG": str(path), "CITEWISE_OLLAMA": "false", "CITEWISE_LLM_TIMEOUT": "600"}
    settings["CITEWISE_ANSWER_TIMEOUT"] = how.pop("in_all", "")
    chain = Chain(Settings.from_mapping(settings), **how)
    try:
        yield chain
    finally:
        await chain.close()


async def heard(model: Model) -> tuple[str, list[Restart]]:
    """What a reader ends up with, and what was void before."""
    text, restarts = "", []
    async for piece in model.stream(PROMPT):
        if isinstance(piece, Restart):
            text, restarts = "", [*restarts, piece]
        else:
            text += piece
    return text, restarts


@contextmanager
def failing(fault: Reply | None) -> Iterator[tuple[str, ModelServer | None]]:
    """An address that fails so; None: nobody listens there."""
    if fault is None:
        with nobody_listening() as address:
            yield address, None
    else:
        with model_server(lambda _: fault) as server:
            yield server.base_url, server


LONG = "the answer that is not finished "
# fault, what is said of it, requests when alone, requests when another one can step in, whether text was out before
FAULTS = {
    "401": (Reply(status=401), "does not accept the key (401)", 1, 1, False),
    "403": (Reply(status=403), "denies access (403)", 1, 1, False),
    "quota": (Reply(raw='{"error": {"code": "insufficient_quota"}}', status=429), "has no credit", 1, 1, False),
    "context": (Reply("maximum context length is 4096 tokens", status=400), "cannot take so long a text", 1, 1, False),
    "402": (Reply(status=402), "has no credit", 1, 1, False),
    "404": (Reply(status=404), "no such model", 1, 1, False),
    "400": (Reply(status=400), "refused this request (400)", 1, 1, False),
    "429 for long": (Reply(status=429, retry_after=60), "too many requests (429), 60 s", 1, 1, False),
    "429": (Reply(status=429), "too many requests (429)", 3, 1, False),
    "500": (Reply(status=500), "has an error (500)", 3, 2, False),
    "503": (Reply(status=503, retry_after=30), "has an error (503)", 1, 1, False),
    "no answer": (Reply(LONG, drop_after=0), "closed the connection", 3, 2, False),
    "garbage": (Reply(raw="<html>welcome</html>"), "has an error", 3, 2, False),
    "odd date": (Reply(status=503, retry_after="Fri, 31 Dec 2099 99:99:99 GMT"), "has an error (503)", 3, 2, False),
    "odd wait": (Reply(status=503, retry_after="soon"), "has an error (503)", 3, 2, False),
    "no number": (Reply(status=503, retry_after="inf"), "has an error (503)", 3, 2, False),
    "too deep": (Reply(raw="[" * 100_000), "has an error", 3, 2, False),
    "odd role": (Reply(raw='{"choices": [{"message": {"role": "x", "content": "a"}}]}'), "has an error", 3, 2, False),
    "no choices": (Reply(raw='{"choices": null}'), "has an error", 3, 2, False),
    "empty": (Reply(""), "said nothing", 1, 1, False),
    "blank": (Reply(" \n "), "said nothing", 1, 1, False),
    "only thoughts": (Reply("<think>so many thoughts"), "said nothing", 1, 1, False),
    "refused": (None, "cannot be reached", 2, 1, False),
    "late": (Reply(ANSWER, first_delay=60), "did not respond within 1 seconds", 1, 1, False),
    "silent": (Reply(ANSWER, stall_after=0), "did not respond within 1 seconds", 1, 1, False),
    "stalled": (Reply(LONG, stall_after=3), "did not respond within 1 seconds", 1, 1, True),
    "cut": (Reply(LONG, cut_after=3), "broke off its answer", 1, 1, True),
    "dropped": (Reply(LONG, drop_after=3), "broke off its answer", 1, 1, True),
}
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


# --- the breaker -------------------------------------------------------------------------------------------------


async def test_who_failed_is_left_alone_and_then_probed_by_one(tmp_path: Path) -> None:
    clock, state = Clock(), {"status": 401}
    with model_server(lambda _: Reply(ANSWER, **state)) as first, model_server(healthy) as second:
        async with chain_of(tmp_path, first.base_url, second.base_url, clock=clock) as chain:
            for turn in range(3):
                model = chain.model()
                await heard(model)
                assert len(first.requests) == 1
                assert "does not accept the key" in model.calls[0].error.en
                assert ("asked again in" in model.calls[0].error.en) == (turn > 0)
            assert [one.state for one in chain.health()] == ["open", "ok"]
            clock.now += 1000
            state["first_delay"] = 0.2
            await asyncio.gather(*(heard(chain.model()) for _ in range(5)))  # one of them tries, the others do not wait
            assert len(first.requests) == 2
            clock.now += 1000
            state.update(status=200, first_delay=0.0)
            model = chain.model()
            await heard(model)
            assert model.name == "model-a"
            assert chain.health()[0].state == "ok"


async def test_alone_and_open_nobody_waits(tmp_path: Path) -> None:
    clock = Clock()
    with model_server(lambda _: Reply(status=500)) as server:
        async with chain_of(tmp_path, server.base_url, clock=clock) as chain:
            with pytest.raises(ModelError):
                await chain.model().fill(PROMPT, Colour, purpose="plan")
            assert len(server.requests) == 3  # which opened it
            with pytest.raises(ModelError, match="asked again in 15 s"):
                await heard(chain.model())
            assert len(server.requests) == 3
            clock.now += COOLDOWN
            with pytest.raises(ModelError, match="500"):
                await heard(chain.model())
            assert len(server.requests) == 4  # a probe is not repeated


async def test_what_the_request_itself_caused_does_not_open_it(tmp_path: Path) -> None:
    with model_server(lambda _: Reply(status=400)) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            for _ in range(5):
                with pytest.raises(ModelError):
                    await heard(chain.model())
            assert len(server.requests) == 5


async def test_a_stopped_probe_does_not_block_the_next(tmp_path: Path) -> None:
    clock, state, arrived = Clock(), {"status": 401}, threading.Event()

    def script(_: dict) -> Reply:
        if len(server.requests) == 3:
            arrived.set()
        return Reply(LONG, **state)

    with model_server(script) as server:
        async with chain_of(tmp_path, server.base_url, clock=clock) as chain:
            with pytest.raises(ModelError):
                await heard(chain.model())
            clock.now += 1000
            state.update(status=200, stall_after=2)
            model = chain.model()
            async with aclosing(model.stream(PROMPT)) as pieces:
                assert await anext(pieces) == LONG[:4]
            assert [call.error for call in model.calls] == [None]
            task = asyncio.create_task(heard(chain.model()))
            await asyncio.to_thread(arrived.wait)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            del state["stall_after"]
            assert (await heard(chain.model()))[0] == LONG


# --- answers without end ----------------------------------------------------------------------------------------


def pass_time(seconds: float) -> None:
    """The loop's clock jumps: no test waits for it."""
    loop = asyncio.get_running_loop()
    now = loop.time
    loop.time = lambda: now() + seconds


async def all_of(model: Model) -> list[str | Restart | CutOff]:
    return [piece async for piece in model.stream(PROMPT)]


async def test_an_answer_that_goes_on_past_its_time_is_cut_short(tmp_path: Path) -> None:
    said = []
    with model_server(lambda _: Reply(LONG, stall_after=3)) as server, model_server(healthy) as second:
        async with chain_of(tmp_path, server.base_url, second.base_url, in_all="50") as chain:
            model = chain.model()
            async for piece in model.stream(PROMPT):
                said.append(piece)
                if isinstance(piece, str) and "".join(said) == LONG[:12]:
                    pass_time(60)
            assert "".join(said[:-1]) == LONG[:12]
            assert isinstance(said[-1], CutOff)
            assert said[-1].why.kind == "late"
            assert "CITEWISE_ANSWER_TIMEOUT" in said[-1].why.remedy.zh
            assert [(call.error, call.model) for call in model.calls] == [(None, "model-a")]
            assert not second.requests
            assert model.name == "model-a"


async def form_of(model: Model) -> Colour:
    return await model.fill(PROMPT, Colour, purpose="plan")


@pytest.mark.parametrize("call", [all_of, form_of], ids=["stream", "form"])
async def test_a_call_is_over_in_its_time_however_many_could_be_asked(tmp_path: Path, call) -> None:
    loop, asked = asyncio.get_running_loop(), asyncio.Event()

    def never(_: dict) -> Reply:
        loop.call_soon_threadsafe(asked.set)
        return Reply(first_delay=STALL)

    with model_server(never) as server, model_server(healthy) as second:
        async with chain_of(tmp_path, server.base_url, second.base_url, in_all="50") as chain:
            model = chain.model()
            asking = asyncio.create_task(call(model))
            await asked.wait()
            pass_time(60)
            with pytest.raises(ModelError, match="did not finish in the time") as caught:
                await asking
            assert [call.error for call in model.calls] == [caught.value.message]
            assert not second.requests


async def test_the_limit_of_a_call_is_ten_time_outs_unless_it_is_set(tmp_path: Path) -> None:
    async with chain_of(tmp_path, "http://127.0.0.1:1/v1", seconds="30") as chain:
        left = chain.model().deadline() - asyncio.get_running_loop().time()
    assert 299 < left <= 300


@pytest.mark.parametrize(("reply", "kind"), [
    (Reply(ANSWER, finish="length"), "length"),
    (Reply(f"{ANSWER} " + "the city " * 4000, piece=50), "loop"),
])  # fmt: skip
async def test_what_ends_too_early_or_turns_in_circles_says_so(tmp_path: Path, reply: Reply, kind: str) -> None:
    with model_server(lambda _: reply) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            model = chain.model()
            *said, cut = await all_of(model)
            assert isinstance(cut, CutOff)
            assert cut.why.kind == kind
            assert "".join(map(str, said)).startswith(ANSWER)
            assert len("".join(map(str, said))) < len(ANSWER) + 150
            assert len(model.calls) == 1
            assert chain.health()[0].state == "ok"


async def test_another_provider_steps_in_for_one_that_turns_in_circles(tmp_path: Path) -> None:
    with model_server(lambda _: Reply("the city " * 4000, piece=50)) as server, model_server(healthy) as second:
        async with chain_of(tmp_path, server.base_url, second.base_url) as chain:
            text, restarts = await heard(chain.model())
    assert text == ANSWER
    assert ["the same words over and over" in one.reason.en for one in restarts] == [True]


async def test_texts_have_a_bound_and_no_circles(tmp_path: Path) -> None:
    with model_server(lambda _: Reply(f"{ANSWER} " + "the city " * 4000, piece=5000)) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            await all_of(chain.model())
            assert len(await chain.model().write(PROMPT, purpose="hyde")) < len(ANSWER) + 150
    assert [request["max_tokens"] for request in server.requests] == [MOST_WITH_THOUGHTS] * 2


TOO_SMALL = "maximum context length is 4096 tokens. However, you requested {} tokens ({} in the messages, "


@pytest.mark.parametrize("needed", [1000, 5000])
async def test_a_small_context_is_no_reason_to_fail(tmp_path: Path, needed: int) -> None:
    """vLLM counts the tokens that a request allows as if all of them were written."""

    def script(request: dict) -> Reply:
        if "max_tokens" in request:
            return Reply(TOO_SMALL.format(needed + 8000, needed) + "8000 in the completion).", status=400)
        return healthy(request) if needed < 4096 else Reply("maximum context length is 4096 tokens", status=400)

    with model_server(script) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            if needed < 4096:
                assert (await heard(chain.model()))[0] == ANSWER
            else:
                with pytest.raises(ModelError, match="cannot take so long a text"):
                    await heard(chain.model())
    assert ["max_tokens" in request for request in server.requests] == [True, False]


# --- forms -------------------------------------------------------------------------------------------------------


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


# --- what providers are like -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["temperature", "stream_options", "max_tokens"])
async def test_a_parameter_that_a_model_refuses_is_left_out_from_then_on(tmp_path: Path, name: str) -> None:
    def script(request: dict) -> Reply:
        return Reply(f"Unsupported value: '{name}'", status=400) if name in request else healthy(request)

    with model_server(script) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            for _ in range(2):
                assert (await heard(chain.model()))[0] == ANSWER
                assert (await chain.model().fill(PROMPT, Colour, purpose="rerank", temperature=0.5)).name == "blue"
            assert len([request for request in server.requests if name in request]) == 1


async def test_thoughts_do_not_reach_the_answer(tmp_path: Path) -> None:
    said = f"<think>\nsome {{thoughts}}\n</think>\n\n{ANSWER}"
    with model_server(lambda _: Reply(said, reasoning="more of them", piece=3)) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            assert await heard(chain.model()) == (ANSWER, [])
            assert await chain.model().write(PROMPT, purpose="hyde") == ANSWER


async def test_thoughts_that_are_known_too_late_are_void(tmp_path: Path) -> None:
    with model_server(lambda _: Reply(f"I could say so\n</think>\n{ANSWER}")) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            text, restarts = await heard(chain.model())
            assert text == ANSWER
            assert [(one.provider, "thoughts" in one.reason.en) for one in restarts] == [("model-a", True)]


async def test_keys_go_to_their_own_addresses_and_stand_in_no_message(tmp_path: Path, caplog) -> None:
    refusal = Reply("Incorrect API key: key-a", status=401)
    with model_server(lambda _: refusal) as first, model_server(healthy) as second:
        async with chain_of(tmp_path, first.base_url, second.base_url) as chain:
            model = chain.model()
            await heard(model)
            assert [server.keys for server in (first, second)] == [["key-a"], ["key-b"]]
            assert "key-a" not in f"{model.calls}{chain.health()}{caplog.text}"


async def test_load_is_shared_by_weight(tmp_path: Path) -> None:
    addresses = ["http://127.0.0.1:1/v1"] * 4
    how = {"weights": (0, 3, 1, 0), "chance": random.Random(7)}
    async with chain_of(tmp_path, *addresses, **how) as chain:
        first = [chain.model().name for _ in range(400)]
        assert set(first) == {"model-b", "model-c"}
        assert 0.7 < first.count("model-b") / len(first) < 0.8
        behind = [link.provider.model for link in chain.model()._links[2:]]
        assert behind == ["model-a", "model-d"]


async def test_without_weights_the_order_stands(tmp_path: Path) -> None:
    async with chain_of(tmp_path, "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1") as chain:
        assert {chain.model().name for _ in range(50)} == {"model-a"}


async def test_many_turns_at_once(tmp_path: Path) -> None:
    with model_server(healthy, latency=0.1) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            models = [chain.model() for _ in range(30)]
            texts = await asyncio.gather(*(heard(model) for model in models))
            forms = await asyncio.gather(*(model.fill(PROMPT, Colour, purpose="judge") for model in models))
            assert {text for text, _ in texts} == {ANSWER}
            assert {form.name for form in forms} == {"blue"}
            assert {len(model.calls) for model in models} == {2}


def test_each_event_loop_has_a_chain_of_its_own(tmp_path: Path) -> None:
    async def turn(address: str) -> str:
        async with chain_of(tmp_path, address) as chain:
            return (await heard(chain.model()))[0]

    with model_server(healthy) as server:
        assert [asyncio.run(turn(server.base_url)) for _ in range(3)] == [ANSWER] * 3


async def test_half_a_surrogate_pair_reaches_nobody(tmp_path: Path) -> None:
    with model_server(lambda _: Reply("a\ud800b")) as server:
        async with chain_of(tmp_path, server.base_url) as chain:
            assert (await heard(chain.model()))[0] == "a?b"
            assert await chain.model().write(PROMPT, purpose="hyde") == "a?b"


async def test_what_may_be_secret_in_an_address_stands_in_no_message(tmp_path: Path, caplog) -> None:
    with model_server(lambda _: Reply(status=404)) as server:
        address = server.base_url.replace("//", "//me:secret@") + "?token=secret"
        async with chain_of(tmp_path, address) as chain:
            model = chain.model()
            with pytest.raises(ModelError):
                await heard(model)
            assert server.root in str(model.calls)
            assert "secret" not in f"{model.calls}{chain.health()}{caplog.text}"


@pytest.mark.parametrize("before", ["", "The answer is this:\n"])
async def test_an_endless_stream_of_thoughts_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    monkeypatch.setattr("providers.answer_stream.THINKING", 1)
    with ExitStack() as stack:
        endless = Reply(f"{before}<think>" + "hm " * 4000, piece_delay=0.02)
        first = stack.enter_context(model_server(lambda _: endless))
        second = stack.enter_context(model_server(healthy))
        async with chain_of(tmp_path, first.base_url, second.base_url, seconds=QUICK) as chain:
            assert (await heard(chain.model()))[0] == ANSWER
