"""A turn while it runs: its events, what they come to, and whoever follows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import aclosing
from typing import Any, Literal, Self

from graph.conversations import Turn
from graph.request import Request
from graph.turn_result import TurnAnswer, TurnResult
from nodes.events import Event, Token
from nodes.state import Record

TurnState = Literal["running", "done", "failed", "stopped"]


class TurnFollower:
    """Somebody's look at a turn; `leave` ends the look and not the turn."""

    def __init__(self) -> None:
        self.changed, self.left, self._over = asyncio.Event(), False, asyncio.Event()

    async def leave(self) -> None:
        """Comes back when the one who looked has taken note, so that nothing is shown any more."""
        self.left = True
        self.changed.set()
        await self._over.wait()

    def over(self) -> None:
        self._over.set()


class LiveTurn:
    """One turn. It goes on whoever follows it, and every reader gets all of its events, from the first.

    It ends by itself, by `stop`, or at the end of `async with`, for whoever wants its answer and nothing else.
    """

    def __init__(self, request: Request, run: Callable[[LiveTurn], Coroutine[Any, Any, None]]) -> None:
        self.request, self.result = request, TurnResult()
        self.events: list[Event] = []
        self._read = 0  # of the events, by whoever has read most
        self._followers: set[TurnFollower] = set()
        self.task = asyncio.create_task(run(self))
        self.task.add_done_callback(lambda _: self._wake())

    def emit(self, event: Event) -> None:
        """Words that have gathered by the time somebody reads are one event."""
        self.result.apply(event)
        last = self.events[-1] if len(self.events) > self._read else None
        if isinstance(event, Token) and isinstance(last, Token):
            self.events[-1] = Token(last.text + event.text)
        else:
            self.events.append(event)
        self._wake()

    async def follow(self, pace: float = 0.0, follower: TurnFollower | None = None) -> AsyncGenerator[list[Event]]:
        """What is new, no more often than every `pace` seconds, until the turn is over or the look is.

        Raises what no turn should raise.
        """
        count, follower = 0, follower or TurnFollower()
        self._followers.add(follower)
        try:
            while not follower.left:
                follower.changed.clear()
                over = self.task.done()  # before looking: nothing comes after
                if new := self.events[count:]:
                    count += len(new)
                    self._read = max(self._read, count)
                    yield new
                    await asyncio.sleep(pace)
                elif over:
                    if not self.task.cancelled():
                        self.task.result()
                    return
                else:
                    await follower.changed.wait()
        finally:
            self._followers.discard(follower)

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Event by event, until the turn is over."""
        async with aclosing(self.follow()) as news:
            async for events in news:
                for event in events:
                    yield event

    def is_followed_by(self, follower: TurnFollower) -> bool:
        return follower in self._followers

    async def answer(self) -> TurnAnswer:
        """When the turn is over. Raises the CitewiseError that has ended it."""
        await asyncio.shield(self.task)
        return self.result.answer()

    @property
    def state(self) -> TurnState:
        if not self.task.done():
            return "running"
        return "stopped" if self.task.cancelled() else "failed" if self.result.failed else "done"

    @property
    def id(self) -> str:
        """ "" until it has begun."""
        return self.result.turn

    @property
    def turn(self) -> Turn | None:
        """What has come of it so far; None before there is an answer. It is stored when it is over."""
        result, asked = self.result, self.request
        if (answer := result.base_answer) is None:
            return None
        record = Record(
            plan=result.plan, answer=answer, verdict=result.verdict, trace=result.trace, coverage=result.coverage
        )
        running = not self.task.done()
        return Turn(self.id, asked.message, asked.names, answer.text, record, running, asked.thread_id)

    async def stop(self) -> None:
        """End it, and wait until what it said is stored."""
        self.task.cancel()
        await asyncio.wait([self.task])

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.stop()

    def _wake(self) -> None:
        for follower in self._followers:
            follower.changed.set()
