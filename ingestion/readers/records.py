"""The records of a JSON file as rows of a table, each with where it stands in the document's text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from ingestion.readers.rows import MOST_CELLS
from schema import Place
from tables.grids import Grid, GridRow

_mark = re.compile(r'"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"|[{}\[\]]')
_PAIRS = {"}": "{", "]": "["}


def record_grids(source: str, text: str, places: Sequence[Place] = ()) -> list[Grid]:
    """Of a JSON text whose outermost is a list of objects, or an object that holds such lists. Without `places` line n
    of `text` is line n of the source."""
    try:
        read = json.loads(source)
    except (ValueError, RecursionError):
        return []
    held = {"": read} if isinstance(read, list) else read if isinstance(read, Mapping) else {}
    lists = {name: one for name, one in held.items() if _holds_records(one)}
    if not lists:
        return []
    starts = [place.start for place in places]
    if not starts:
        begin, lines = _beginnings(source, ["["] if isinstance(read, list) else ["{", "["]), _line_starts(text)
        starts = [lines[source.count("\n", 0, at)] for at in begin] if source.count("\n") < len(lines) else []
    if len(starts) != sum(map(len, lists.values())) or (len(lists) < len(held) and not isinstance(read, list)
            and any(isinstance(one, list) and one not in lists.values() for one in held.values())):  # fmt: skip
        starts = [0] * sum(map(len, lists.values()))  # the document as a whole is all that can be shown
    ends = [*(start - 1 for start in starts[1:]), len(text)] if any(starts) else [len(text)] * len(starts)
    at, grids = 0, []
    for name, records in lists.items():
        spans = list(zip(starts[at : at + len(records)], ends[at : at + len(records)], strict=True))
        grids += _grid(str(name), records, spans)
        at += len(records)
    return grids


def line_grids(source: str, text: str, places: Sequence[Place]) -> list[Grid]:
    """Of a file with a record on each line; a line that is no object is no row."""
    records, spans = [], []
    ends = [*(place.start - 1 for place in places[1:]), len(text)]
    lines = source.split("\n")
    for place, end in zip(places, ends, strict=False):
        try:
            record = json.loads(lines[place.number - 1])
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            records.append(record)
            spans.append((place.start, end))
    return _grid("", records, spans)


def _holds_records(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(one, dict) for one in value)


def _grid(title: str, records: Sequence[Mapping[str, Any]], spans: Sequence[tuple[int, int]]) -> list[Grid]:
    flat = [_flat(record) for record in records]
    head = tuple(dict.fromkeys(chain.from_iterable(flat)))
    if not 2 <= len(head) <= 200 or len(head) * len(flat) > MOST_CELLS:
        return []
    rows = [GridRow(*span, [record.get(name, "") for name in head]) for record, span in zip(flat, spans, strict=True)]
    return [Grid(title, rows, head)]


def _flat(record: Mapping[str, Any]) -> dict[str, str]:
    """With what stands one level deeper: "address.city"."""
    cells: dict[str, str] = {}
    for key, value in record.items():
        name = _text(key)
        if isinstance(value, dict):
            cells |= {f"{name}.{_text(inner)}": _text(one) for inner, one in value.items()}
        else:
            cells[name] = _text(value)
    return cells


def _text(value: Any) -> str:
    if isinstance(value, str):
        return " ".join(value.encode("utf-8", "replace").decode().split())  # half a surrogate pair cannot be stored
    if value is None or isinstance(value, dict):
        return ""
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _beginnings(source: str, within: list[str]) -> list[int]:
    """Where the objects begin that stand directly in such brackets."""
    open_: list[str] = []
    found = []
    for mark in _mark.finditer(source):
        if mark[0] in ("{", "["):
            if mark[0] == "{" and open_ == within:
                found.append(mark.start())
            open_.append(mark[0])
        elif mark[0] in _PAIRS and open_:
            open_.pop()
    return found


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in re.finditer("\n", text))]
