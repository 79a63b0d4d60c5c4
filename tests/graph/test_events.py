"""What a turn's queue of events tells."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from nodes.events import Event, PlanMade, Reset, Token, listen_to
from schema import Message, Plan

WHY = Message(zh="重来", en="anew")


async def test_words_that_gather_are_one_piece_and_everything_else_keeps_its_place() -> None:
    queue = asyncio.Queue[Event | None]()
    for event in (PlanMade(Plan(), ()), Token("a"), Token("b"), Reset(WHY), Token("c"), Token("d"), None):
        queue.put_nowait(event)
    assert [event async for event in listen_to(queue)] == [PlanMade(Plan(), ()), Token("ab"), Reset(WHY), Token("cd")]


async def test_the_first_word_waits_for_no_other() -> None:
    queue = asyncio.Queue[Event | None]()
    async with aclosing(listen_to(queue)) as heard:
        for word in ("a", "b"):
            queue.put_nowait(Token(word))
            assert await anext(heard) == Token(word)
