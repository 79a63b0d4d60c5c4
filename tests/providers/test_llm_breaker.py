"""Who failed is left alone for a while, then probed by one."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing
from pathlib import Path

import pytest

from benchmarks.model_server import Reply, model_server
from errors import ModelError
from providers.breaker import COOLDOWN
from tests.providers.llm_cases import ANSWER, LONG, PROMPT, Colour, chain_of, healthy, heard

pytestmark = pytest.mark.usefixtures("short_waits")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


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
