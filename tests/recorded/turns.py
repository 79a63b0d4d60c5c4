"""The recording of the scripted turns: made, read, compared."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from tests.recorded import model_scenes, scenes, web_scenes  # noqa: F401  # each registers its scenes
from tests.recorded.normal import Json, differences
from tests.recorded.packed import path_of, read
from tests.recorded.stage import SCENES, play

PATH = path_of("turns")


def now(names: Sequence[str] | None = None) -> list[Json]:
    """All scenes, or those that are named, as they are played now."""
    return [line for name in names or SCENES for line in asyncio.run(play(name))]


def recorded() -> dict[str, list[Json]]:
    """By scene."""
    return _by_scene(read(PATH))


def compared(lines: Sequence[Json]) -> list[str]:
    """Differences between what was recorded of these scenes and what they are now."""
    before, after = recorded(), _by_scene(lines)
    return [line for name in after for line in scene_differences(name, before.get(name, []), after[name])]


def scene_differences(name: str, before: Sequence[Json], after: Sequence[Json]) -> list[str]:
    """Turn by turn, so that one event more does not make all later turns differ."""
    old, new = _by_turn(before), _by_turn(after)
    found = [] if len(old) == len(new) else [f"{name}: {len(new)} turns instead of {len(old)}"]
    for number, (one, other) in enumerate(zip(old, new, strict=False)):
        message = f"{name}, turn {number} ({str(other[0]['message'])[:40]!r})"
        found += differences(_by_event(one), _by_event(other), message)
    return found


def counted(lines: Sequence[Json]) -> str:
    return f"{sum('scene' in line for line in lines)} turns, {len(lines)} lines"


def _by_scene(lines: Sequence[Json]) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for line in lines:
        if "scene" in line:
            held = found.setdefault(line["scene"], [])
        held.append(line)
    return found


def _by_turn(lines: Sequence[Json]) -> list[list[Json]]:
    turns: list[list[Json]] = []
    for line in lines:
        if "scene" in line:
            turns.append([])
        turns[-1].append(line)
    return turns


def _by_event(turn: Sequence[Json]) -> Json:
    """Their order, and each by its name and number, so that a difference says which event it stands in."""
    names = [line.get("event", "end") for line in turn[1:]]
    named = {
        f"{name}#{names[:at].count(name)}": line for at, (name, line) in enumerate(zip(names, turn[1:], strict=True))
    }
    return {"asked": turn[0], "order": " ".join(names), **named}
