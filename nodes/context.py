"""Context: what every node is handed. Made once per turn; `memory`, `searches` and `steps` are the turn's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from library import Library
from nodes.events import Event
from nodes.memory import Memory
from nodes.searches import Searches
from providers.llm import Model
from schema import Step, Trace
from settings import Settings

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


@dataclass(frozen=True)
class Context:
    settings: Settings
    library: Library
    memory: Memory
    searches: Searches
    model: Model | None = None
    steps: list[Step] = field(default_factory=list)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """A step of the trace, also when it fails."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.steps.append(Step(name, time.perf_counter() - started))

    @property
    def trace(self) -> Trace:
        """How the turn has come about so far."""
        return Trace(tuple(self.model.calls) if self.model else (), tuple(self.steps))


def emitter(runtime: Runtime[Context]) -> Callable[[Event], None]:
    """Where a node sends its events."""
    return runtime.stream_writer
