"""Context: what every node is handed. Made once per turn; only `early` is the turn's own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from library import Library
from nodes.events import Event
from providers.llm import Model
from schema import Evidence, Plan
from settings import Settings

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


class EarlySearch:
    """A retrieval on the message as typed, started beside the plan call: kept when the plan agrees, else cancelled.

    It is held here and not in a parallel node because LangGraph's steps are barriers: a slow search that nobody needs
    would hold up the turn.
    """

    def __init__(self) -> None:
        self._wanted: tuple[object, ...] | None = None
        self._task: asyncio.Task[Evidence] | None = None

    def start(self, plan: Plan, library: Library) -> None:
        self._wanted = (plan.question, plan.strategy, plan.scope)
        self._task = asyncio.create_task(library.search(plan.question, strategy=plan.strategy, scope=plan.scope))

    async def take(self, plan: Plan) -> Evidence | None:
        """The evidence, if this plan wants the very search that was started; otherwise that search is dropped."""
        if self._task is not None and self._wanted == (plan.question, plan.strategy, plan.scope):
            return await self._task
        self.cancel()
        return None

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()


@dataclass(frozen=True)
class Context:
    settings: Settings
    library: Library
    model: Model | None = None
    early: EarlySearch = field(default_factory=EarlySearch)


def emitter(runtime: Runtime[Context]) -> Callable[[Event], None]:
    """Where a node sends its events."""
    return runtime.stream_writer
