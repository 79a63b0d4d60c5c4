"""How an answer that is made of sentences of the sources reads, and what opens a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from evaluation.blocks import SourceUnit, join_sentences, units
from evaluation.record_lines import stands_alone
from schema import Hit, Language
from text import detect_language


def extract_opening(hits: Sequence[Hit], max_sentences: int = 4, language: Language | None = None) -> str:
    """The first sentences of each document of the hits, cited: for "what is in it?", which none answers best.

    Where some hits are in `language`, those of another one are left out.
    """
    found: dict[str, list[SourceUnit]] = {}
    there = [detect_language(hit.text) == language for hit in hits] if language else []
    for number, hit in enumerate(hits, 1):
        if any(there) and not there[number - 1]:
            continue
        found.setdefault(hit.document, []).extend(unit for unit in units(number, hit) if unit.answers)
    return written([unit for first in found.values() for unit in first[:max_sentences]])


def written(chosen: Sequence[SourceUnit]) -> str:
    """Sentences of one hit as a paragraph, its lines that end without a stop each by itself, list items as a list, rows
    under their header; every piece with its marker."""
    lines: list[str] = []
    previous: SourceUnit | None = None
    for unit in _numbered_as_written(chosen):
        text = unit.rendered(first=previous is None or previous.group != unit.group)
        alike = previous is not None and previous.hit == unit.hit and previous.kind == unit.kind
        if previous is not None and alike and unit.kind == "prose" and not stands_alone(previous.text):
            lines[-1] = join_sentences([lines[-1], text])
        elif alike and unit.kind in ("item", "row"):
            lines.append(text)
        else:
            lines += [""] * bool(lines) + [text]
        previous = unit
    return "\n".join(lines)


def _numbered_as_written(chosen: Sequence[SourceUnit]) -> Iterator[SourceUnit]:
    """With bullets in place of numbers that do not count up by one: a list of items that say 2, 1 and 2 would be shown
    as 2, 3 and 4."""
    for _, run in groupby(chosen, key=lambda unit: (unit.hit, unit.kind)):
        listed = [*run]
        numbers = [int(unit.bullet[:-1]) if unit.bullet[:-1].isdecimal() else None for unit in listed]
        counts_up = all(after is None or before in (None, after - 1) for before, after in pairwise(numbers))
        yield from listed if counts_up else (replace(unit, bullet="-") for unit in listed)
