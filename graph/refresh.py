"""A refresh of a source from beginning to end, for whoever waits until what is new can be found."""

from __future__ import annotations

from contextlib import aclosing
from typing import NamedTuple

from errors import CitewiseError
from graph.turns import Assistant
from schema import Message
from web.sources import SourceEvent


class RefreshReport(NamedTuple):
    """What became of the pages or files of a source."""

    changes: list[SourceEvent]  # of each that is not as it was
    last: SourceEvent  # "done" or "failed", with the counts
    unread: list[tuple[str, Message]]  # documents that came and could not be stored, and why


async def refresh(assistant: Assistant, source_id: int) -> RefreshReport:
    """Raises CitewiseError where there is no such source, or it is being refreshed."""
    async with aclosing(assistant.sources.refresh(source_id)) as events:
        [*changes, last] = [event async for event in events if event.state != "unchanged"]
    library = assistant.library
    tasks = {task.id: task.name for task in library.tasks() if task.origin.source == source_id}
    outcomes = await library.finished(list(tasks))
    unread = [
        (tasks.get(task_id, ""), outcome.in_full)
        for task_id, outcome in outcomes.items()
        if isinstance(outcome, CitewiseError)
    ]
    return RefreshReport([event for event in changes if event.url], last, unread)
