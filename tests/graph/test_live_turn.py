"""A turn goes on whoever looks at it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from turn_cases import GUIDE, Script, assistant_of

from benchmarks.model_server import Reply, model_server
from graph.live_turn import TurnFollower
from graph.request import Request
from nodes.events import Token, TurnBegun


async def test_everybody_who_looks_gets_all_events_from_the_first(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        going = assistant.begin(Request("t", "Hello"))
        assert assistant.live_turn("t") is going

        async def seen() -> list:
            return [event async for new in going.follow(0, TurnFollower()) for event in new]

        first, second = await asyncio.gather(seen(), seen())
        assert first == second == await seen() == going.events
        assert isinstance(first[0], TurnBegun)
        assert assistant.live_turn("t") is None
        assert len(await assistant.turns("t")) == 1


async def test_who_leaves_sees_no_more_and_the_turn_goes_on(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        going, look, seen = assistant.begin(Request("t", "Hello")), TurnFollower(), []

        async def follow() -> None:
            async for new in going.follow(0, look):
                seen.extend(new)
                await asyncio.sleep(0)
            look.over()

        following = asyncio.create_task(follow())
        await look.leave()
        known = list(seen)
        await going.task
        await following
        assert seen == known
        assert len(await assistant.turns("t")) == 1


async def test_a_turn_is_stopped_by_hand_and_by_the_end_of_the_program(make_settings) -> None:
    settings = make_settings()
    async with assistant_of(settings) as assistant:
        await assistant.begin(Request("a", "Hello")).stop()
        assistant.begin(Request("b", "Hello"))
        await asyncio.sleep(0)
    async with assistant_of(settings) as assistant:
        assert [turn.question for turn in await assistant.turns("b")] == ["Hello"]


async def test_what_is_stopped_names_no_source(make_settings) -> None:
    said = "Prime the pump before the first start [1]. " + "Wait for ninety seconds. " * 200
    with model_server(Script(answer=Reply(said, piece_delay=0.01))) as server:
        async with assistant_of(make_settings(llm_model="m", llm_base_url=server.base_url)) as assistant:
            await assistant.library.add("guide.md", GUIDE.encode())
            going = assistant.begin(Request("t", "What is primed before the first start?"))
            async with aclosing(going.follow(0, TurnFollower())) as news:
                async for events in news:
                    if any(isinstance(event, Token) and "[1]" in event.text for event in events):
                        break
            await going.stop()
            stopped = (await assistant.turns("t"))[-1].reply
            assert stopped.startswith("Prime the pump before the first start.")
            assert "[" not in stopped
