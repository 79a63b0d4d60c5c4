"""The stage on which scripted turns are played and recorded: an assistant of its own, with files to upload."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tests.recorded.normal import Json, events_of, plain
from tests.recorded.product import Until, folded, opened, request_of, run_turn, settings_of, settled, stored_turns

File = tuple[str, str | bytes]
Play = Callable[["Stage", str], Awaitable[None]]
SCENES: dict[str, tuple[Play, str]] = {}  # by name: what is played, and in which language
LANGUAGES = ("zh", "en")


def scene(play: Play) -> Play:
    """It is played once in each language."""
    name = play.__name__.replace("_", "-")
    for language in LANGUAGES:
        SCENES[f"{name}-{language}"] = play, language
    return play


class Stage:
    """One data folder, opened as often as a scene wants; `lines` is the recording so far."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name, self.lines = folder, name, list[Json]()
        self._hidden = {str(folder): "<folder>"}
        self._open = AsyncExitStack()
        self._turns = 0
        self.assistant: Any = None
        self.variables: dict[str, str] = {}

    async def open(self, **variables: str) -> None:
        """Also again, as after a restart: with the variables of before, unless others are given."""
        await self._open.aclose()
        self.variables = variables or self.variables
        settings = settings_of(self.folder / "library", **self.variables)
        self.assistant = await self._open.enter_async_context(opened(settings))
        await settled(self.assistant)

    async def close(self) -> None:
        await self._open.aclose()

    async def add(self, *files: tuple[str, str]) -> None:
        """Without a turn, for scenes that are about something else."""
        if self.assistant is None:
            await self.open()
        for name, text in files:
            await self.assistant.library.add(name, text.encode())
        await settled(self.assistant)

    async def say(self, message: str, *files: File, thread: str = "t", **controls: Any) -> list[Any]:
        return await self.turn(message, files, thread=thread, controls=controls)

    async def turn(
        self,
        message: str = "",
        files: Sequence[File] = (),
        *,
        thread: str = "t",
        controls: dict[str, Any] | None = None,
        readers: int = 1,
        stop: Until | None = None,
        leave: Until | None = None,
        settle: bool = True,
        **more: Any,
    ) -> list[Any]:
        """Run one, record it, and wait until nothing of it goes on in the background."""
        uploads = [self._staged(name, content) for name, content in files]
        request = request_of(thread, message, uploads, controls, **more)
        if self.assistant is None:
            await self.open()
        events = await run_turn(self.assistant, request, readers=readers, stop=stop, leave=leave)
        await self._record(message, files, thread, {**(controls or {}), **more}, events)
        if settle:
            await settled(self.assistant)
        return events

    async def settle(self) -> None:
        """Wait for files on their way and for their vectors."""
        await self.assistant.library.process()
        await settled(self.assistant)

    async def last(self, thread: str = "t") -> Any:
        return (await stored_turns(self.assistant, thread))[-1]

    def _staged(self, name: str, content: str | bytes) -> tuple[str, str]:
        place = self.folder / "uploads" / str(self._turns)
        place.mkdir(parents=True, exist_ok=True)
        path = place / str(len(list(place.iterdir())))
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name, str(path)

    async def _record(
        self, message: str, files: Sequence[File], thread: str, more: dict[str, Any], events: list[Any]
    ) -> None:
        told = events_of(events, self._hidden)
        more = {key: "<turn>" if key == "replaces" else value for key, value in more.items()}
        head = {"message": message if len(message) < 2000 else len(message), "files": [name for name, _ in files]}
        head = {"scene": self.name, "turn": self._turns, "thread": thread, **plain({**head, **more}, self._hidden)}
        turns = [plain(turn, self._hidden) for turn in await stored_turns(self.assistant, thread)]
        kept = _against(turns[-1], told) if turns else None
        end = {"turns": len(turns), "kept": kept, "result": _against(plain(folded(events), self._hidden), told)}
        self.lines += [head, *told, end]
        self._turns += 1


def _against(value: Json, told: Sequence[dict[str, Json]]) -> Json:
    """What an event has told already is not written a second time, wherever it stands in the value."""
    known = {}
    for event in told:
        for field, held in event.items():
            if isinstance(held, dict):
                known[json.dumps(held, sort_keys=True)] = f"as told: {event['event']}.{field}"

    def shorter(one: Json) -> Json:
        if not isinstance(one, dict):
            return [shorter(item) for item in one] if isinstance(one, list) else one
        text = known.get(json.dumps(one, sort_keys=True))
        return text or {key: shorter(item) for key, item in one.items()}

    answers = [event["answer"] for event in told if event["event"] == "Answered"]
    if answers and isinstance(value, dict) and "statements" in value:  # an answer with more beside it
        same = [key for key, item in answers[-1].items() if key in value and value[key] == item]
        value = {**{key: item for key, item in value.items() if key not in same}, "as told": sorted(same)}
    return shorter(value)


async def play(name: str) -> list[Json]:
    """The recording of one scene."""
    played, language = SCENES[name]
    with tempfile.TemporaryDirectory(prefix="recorded-") as place:
        stage = Stage(Path(place), name)
        try:
            await played(stage, language)
        finally:
            await stage.close()
        return stage.lines
