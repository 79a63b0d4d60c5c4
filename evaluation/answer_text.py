"""How an answer that is made of sentences of the sources reads, and what opens a document."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.blocks import SourceUnit, join_sentences, units
from schema import Hit, Language
from text import detect_language

_sentence_end = re.compile(r"[。！？.!?…:：;；][”’\"')）」』]?\Z")  # a line without it is none that goes on


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
    for unit in chosen:
        text = unit.rendered(first=previous is None or previous.group != unit.group)
        joins = previous is not None and previous.hit == unit.hit and previous.kind == unit.kind == "prose"
        if joins and previous is not None and _sentence_end.search(previous.text):
            lines[-1] = join_sentences([lines[-1], text])
        elif previous is not None and previous.kind == unit.kind in ("item", "row") and previous.hit == unit.hit:
            lines.append(text)
        else:
            lines += [""] * bool(lines) + [text]
        previous = unit
    return "\n".join(lines)
