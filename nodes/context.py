"""Context: what every node is handed. Made once per turn; what is not a setting or a store is the turn's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from langchain_core.messages import AnyMessage

from background import Later
from library import Library
from nodes.events import Event, Replied, Traced
from nodes.memory import Memory
from nodes.state import Record
from nodes.turn_searches import TurnSearches
from providers.llm import Model
from schema import ConsideredPassage, EntityContext, Message, Plan, Step, Trace
from settings import Settings
from stores.pages import PageStore


@dataclass(frozen=True)
class TurnContext:
    settings: Settings
    library: Library
    pages: PageStore
    memory: Memory
    searches: TurnSearches
    emit: Callable[[Event], None]  # LangGraph's own stream wakes the loop through a socket for every token
    later: Later  # takes what nobody waits for: it begins when the turn is over
    model: Model | None = None
    steps: list[Step] = field(default_factory=list)
    considered: list[ConsideredPassage] = field(default_factory=list)  # by the last search
    contexts: list[EntityContext] = field(default_factory=list)  # of the names of its question

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """A step of the trace, also when it fails."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.steps.append(Step(name, time.perf_counter() - started))

    def note(self, message: Message) -> None:
        """Something to be told beside the step that is over."""
        self.steps[-1] = replace(self.steps[-1], note=message)

    def reply(self, plan: Plan, text: str) -> list[AnyMessage]:
        """Tell what is no answer; the message that keeps it in the conversation."""
        self.emit(Replied(text))
        self.emit(Traced(self.trace))
        return [Record(plan=plan, trace=self.trace).message(text)]

    @property
    def trace(self) -> Trace:
        """How the turn has come about so far."""
        calls = tuple(self.model.calls) if self.model else ()
        return Trace(calls, tuple(self.steps), tuple(self.considered), tuple(self.contexts))
