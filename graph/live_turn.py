"""A turn that goes on whoever looks at it: a page that is reloaded, or looks elsewhere, finds it again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from graph.conversations import Turn
from graph.request import Request
from nodes.events import Answered, Evaluated, Event, EvidenceFound, PlanMade, Traced, TurnBegun
from nodes.state import Record
from schema import Plan


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
    """Its events so far; everybody who follows it gets all of them, from the first."""

    def __init__(self, request: Request, run: AsyncGenerator[Event]) -> None:
        self.request = request
        self.events: list[Event] = []
        self._looks: set[TurnFollower] = set()
        self.task = asyncio.create_task(self._collect(run))
        self.task.add_done_callback(lambda _: self._tell())

    async def follow(self, pace: float, look: TurnFollower) -> AsyncGenerator[list[Event]]:
        """What is new, no more often than every `pace` seconds, until the turn is over or the look is."""
        count = 0
        self._looks.add(look)
        try:
            while not look.left:
                look.changed.clear()
                over = self.task.done()  # before looking: nothing comes after
                if new := self.events[count:]:
                    count += len(new)
                    yield new
                    await asyncio.sleep(pace)
                elif over:
                    return
                else:
                    await look.changed.wait()
        finally:
            self._looks.discard(look)

    def is_followed_by(self, look: TurnFollower) -> bool:
        return look in self._looks

    @property
    def id(self) -> str:
        """Of its turn; "" until it has begun."""
        return next((event.turn for event in self.events if isinstance(event, TurnBegun)), "")

    @property
    def turn(self) -> Turn | None:
        """What has come of it so far; None before there is an answer. It is stored when it is over."""
        record = Record(plan=Plan())
        for event in self.events:
            match event:
                case PlanMade():
                    record = record.model_copy(update={"plan": event.plan})
                case EvidenceFound():
                    record = record.model_copy(update={"coverage": event.coverage})
                case Answered():
                    record = record.model_copy(update={"answer": event.answer})
                case Evaluated():
                    record = record.model_copy(update={"verdict": event.verdict})
                case Traced():
                    record = record.model_copy(update={"trace": event.trace})
        if record.answer is None:
            return None
        files = tuple(upload.name for upload in self.request.uploads) or self.request.files
        running, thread = not self.task.done(), self.request.thread_id
        return Turn(self.id, self.request.message, files, record.answer.text, record, running, thread)

    async def stop(self) -> None:
        """End it, and wait until what it said is stored."""
        self.task.cancel()
        await asyncio.wait([self.task])

    async def _collect(self, run: AsyncGenerator[Event]) -> None:
        async with aclosing(run) as events:
            async for event in events:
                self.events.append(event)
                self._tell()

    def _tell(self) -> None:
        for look in self._looks:
            look.changed.set()
