"""Values as they are recorded: plain JSON without what may differ from run to run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic import BaseModel

from errors import CitewiseError
from tests.recorded.names import event_name, field_name

# Each with characters that it holds: most texts have none of them, and to look for them is quicker.
_REPLACED = (
    ("127.", re.compile(r"(127\.0\.0\.\d+)(:|%3A|_|-)\d{4,5}"), r"\1\2<port>"),
    ("127.", re.compile(r"(127\.0\.0\.\d+/[\w/]+)-[0-9a-f]{8}\b"), r"\1-<port>"),  # a digest of the address
    ("-", re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z)?"), "<time>"),
    ("-", re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<id>"),
    (" ", re.compile(r"\b\d+( 秒后再问| s\.)"), r"<seconds>\1"),
)
_OF_A_FILE = re.compile(r"(?:^- [✅❌⏳⏭].*(?:\n|\Z))+", re.M)  # lines in the order in which files came to their end
_DIGITS = 6
_NEAR = 2e-4  # floats that differ by less are the same
Json = Any


def plain(value: Any, hidden: Mapping[str, str]) -> Json:
    """A value as JSON; texts in `hidden`, such as the data folder, are replaced wherever they stand."""
    if isinstance(value, str):
        for text, stand_in in hidden.items():
            value = value.replace(text, stand_in)
        for held, pattern, stand_in in _REPLACED:
            if held in value:
                value = pattern.sub(stand_in, value)
        return _OF_A_FILE.sub(_sorted_lines, value) if "- " in value else value
    if isinstance(value, float):
        return round(value, _DIGITS)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, CitewiseError):
        names = ("kind", "message", "suggestions", "still_works")
        return {name: plain(getattr(value, name), hidden) for name in names}
    if (named := _fields(value)) is not None:
        made = {
            name: plain(getattr(value, field), hidden)
            for field in named
            if (name := field_name(type(value), field)) is not None
        }
        if "calls" in made:  # of two calls to a model that run side by side, which ends first is chance
            made["calls"].sort(key=lambda call: str(call["purpose"]))
            # a passage may be imagined beside the plan and not be wanted: how far that call has come is chance
            made["calls"] = [call for call in made["calls"] if call["purpose"] != "hyde" or call["error"]]
        return made
    if isinstance(value, Mapping):
        return {str(plain(key, hidden)): plain(item, hidden) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [plain(item, hidden) for item in value]
    return plain(str(value), hidden)


def _sorted_lines(found: re.Match[str]) -> str:
    end = "\n" if found[0].endswith("\n") else ""
    return "\n".join(sorted(found[0].splitlines())) + end


def _fields(value: Any) -> Sequence[str] | None:
    if isinstance(value, BaseModel):
        known = type(value).model_fields.items()
        return [name for name, one in known if not (one.exclude_if and one.exclude_if(getattr(value, name)))]
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    named: Sequence[str] | None = getattr(value, "_fields", None)
    return named


def events_of(events: Sequence[Any], hidden: Mapping[str, str]) -> list[dict[str, Json]]:
    """A turn's events in their order: tokens that follow one another as one, files on their way by what they became."""
    told: list[dict[str, Json]] = []
    for event in events:
        one = {"event": event_name(type(event)), **plain(event, hidden)}
        if one["event"] == "Token" and told and told[-1]["event"] == "Token":
            told[-1]["text"] += one["text"]
        else:
            told.append(one)
    traced = [one for one in told if one["event"] == "Traced"]
    for one in traced[:-1]:  # of calls that are made beside one another, how many are over by now is chance
        one["trace"]["calls"] = "so far"
    return _by_runs(told)


def _by_runs(told: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
    """Files and pages go their ways side by side: of those told one after another, each is recorded by itself."""
    ordered: list[dict[str, Json]] = []
    run: list[dict[str, Json]] = []
    for one in [*told, None]:
        if (
            one is not None
            and one["event"] in ("Progress", "Gathered")
            and (not run or one["event"] == run[0]["event"])
        ):
            run.append(one)
            continue
        if run:
            ordered += _ways(run)
            run = []
        if one is not None:
            (run if one["event"] in ("Progress", "Gathered") else ordered).append(one)
    return ordered


def _ways(run: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
    if run[0]["event"] == "Gathered":  # without an address it is about all of them, before or after the rest
        first = [one for one in run if not one["url"] and one["stage"] not in ("done", "failed")]
        last = [one for one in run if not one["url"] and one["stage"] in ("done", "failed")]
        return [*first, *sorted((one for one in run if one["url"]), key=lambda one: str(one["url"])), *last]
    # how often a stage is looked at depends on the time; what a file became does not
    over = [{**one, "done": None} for one in run if one["stored"] or one["error"]]
    begun = {one["file"] for one in run}
    total = max(one["total"] or 0 for one in run)
    return [
        {"event": "Progress", "files": sorted(begun), "total": total},
        *sorted(over, key=lambda one: str(one["file"])),
    ]


def differences(recorded: Json, now: Json, where: str = "", near: float = _NEAR) -> list[str]:
    """Where two recordings differ, as sentences that a person can find the place by; floats by more than `near`."""
    if isinstance(recorded, dict) and isinstance(now, dict):
        found = []
        for key in {**recorded, **now}:
            if key not in recorded or key not in now:
                missing = "now" if key not in now else "in the recording"
                found.append(f"{where}.{key}: missing {missing}: {_short(recorded.get(key, now.get(key)))}")
            else:
                found += differences(recorded[key], now[key], f"{where}.{key}", near)
        return found
    if isinstance(recorded, list) and isinstance(now, list):
        found = [
            line
            for number, (one, other) in enumerate(zip(recorded, now, strict=False))
            for line in differences(one, other, f"{where}[{number}]", near)
        ]
        if len(recorded) != len(now):
            found.append(f"{where}: {len(now)} instead of {len(recorded)}")
        return found
    numbers = (int, float)
    if type(recorded) in numbers and type(now) in numbers and float in (type(recorded), type(now)):
        return [] if abs(recorded - now) <= near else [f"{where}: {now} instead of {recorded}"]
    same = recorded == now and isinstance(recorded, bool) == isinstance(now, bool)
    return [] if same else [f"{where}: {_short(now)} instead of {_short(recorded)}"]


def _short(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:300]}…"
