"""How the recorder talks to the product: the only file here that opens it, and runs, follows and stops turns."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from errors import CitewiseError
from graph.live_turn import LiveTurn, TurnFollower
from graph.request import Request
from graph.turn_result import TurnResult
from graph.turns import Assistant
from nodes.state import Controls, Upload
from settings import Settings

Until = Callable[[Sequence[Any]], bool]  # of the events so far


def settings_of(folder: Path, **variables: str) -> Settings:
    """Nothing of this machine: no worker, no Ollama, and all the time that a slow machine needs."""
    defaults = {
        "CITEWISE_DATA_DIR": str(folder),
        "CITEWISE_INGEST_WORKERS": "0",
        "CITEWISE_OLLAMA": "false",
        "CITEWISE_SAVE_PATIENCE": "600",
        "CITEWISE_SAVE_QUESTION_PATIENCE": "600",
    }
    return Settings.from_mapping({**defaults, **variables})


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Assistant]:
    assistant = await Assistant.open(settings)
    try:
        yield assistant
    finally:
        await assistant.close()


def request_of(
    thread: str,
    message: str,
    uploads: Sequence[tuple[str, str]] = (),
    controls: dict[str, Any] | None = None,
    **more: Any,
) -> Request:
    """`uploads` are names and paths."""
    files = tuple(Upload(name=name, path=path) for name, path in uploads)
    return Request(thread, message, files, Controls.model_validate(controls or {}), **more)


async def run_turn(
    assistant: Assistant, request: Request, *, readers: int = 1, stop: Until | None = None, leave: Until | None = None
) -> list[Any]:
    """A whole turn as its readers get it; every one of them must get the same.

    With `stop` the turn is stopped as soon as the events so far are enough. With `leave` the first reader goes away
    then, and comes back at once.
    """
    going = assistant.begin(request)
    try:
        heard = await asyncio.gather(*(_read(going, stop, leave if not n else None) for n in range(readers)))
    finally:
        await asyncio.wait([going.task])
    for other in heard[1:]:
        assert other == heard[0]
    if stop is None:
        assert heard[0] == going.events
    return heard[0]


async def _read(going: LiveTurn, stop: Until | None, leave: Until | None) -> list[Any]:
    events: list[Any] = []
    look = TurnFollower()
    left = False
    async with aclosing(going.follow(0, look)) as news:
        async for new in news:
            events += new
            if stop is not None and stop(events):
                await going.stop()
            if left := leave is not None and leave(events):
                break
    look.over()
    if left:
        before = list(events)
        events = await _read(going, stop, None)
        assert events[: len(before)] == before
    return events


def folded(events: Sequence[Any]) -> Any:
    """What a program gets that does not read the events: an answer, or the error that has ended the turn."""
    heard = TurnResult()
    try:
        for event in events:
            heard.apply(event)
        return heard.answer()
    except CitewiseError as error:
        return error


async def stored_turns(assistant: Assistant, thread: str) -> Sequence[Any]:
    """The conversation as it is stored."""
    return await assistant.turns(thread)


async def settled(assistant: Assistant) -> None:
    """Nothing goes on in the background any more that the next turn could meet or miss."""
    with suppress(CitewiseError):  # an embedder that does not answer is part of a scene
        await assistant.library.settle()
    await assistant.jobs.done()
