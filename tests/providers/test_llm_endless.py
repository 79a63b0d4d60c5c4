"""Answers and thoughts without end, texts that are too long, calls that take too long."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest

from benchmarks.model_server import STALL, Reply, model_server
from errors import ModelError
from providers.llm import CutOff, Model, Restart
from providers.structured import MOST_WITH_THOUGHTS
from tests.providers.llm_cases import ANSWER, LONG, PROMPT, QUICK, Colour, chain_of, healthy, heard

pytestmark = pytest.mark.usefixtures("short_waits")


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
