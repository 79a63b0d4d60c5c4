"""Passages that are written in every way that an answer has to cope with: how they are read, and what answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import yaml

from evaluation.answer_text import extract_opening
from evaluation.answer_units import read_units
from evaluation.blocks import units
from evaluation.extractive import choose
from evaluation.scored_units import FOREIGN, scored_units
from evaluation.steps import steps_around
from schema import Hit, Language, Origin, Vectors
from tests.recorded.evidence_rows import rounded, scored_rows, source_unit_row
from tests.recorded.normal import Json
from text import language_of

_PASSAGES = [
    (one["text"], one["ask"].splitlines())
    for one in yaml.safe_load((Path(__file__).parent / "data" / "corners.yaml").read_text(encoding="utf-8"))
]
_TITLES: Sequence[tuple[str, ...]] = ((), ("Handbook",), ("Handbook", "Part two"), ("手册", "第二部分"))


def corner_rows() -> Iterator[Json]:
    """Each passage as it is read, then its questions, each of three hits: it, two that stand behind it, one far off."""
    for number in range(len(_PASSAGES)):
        hits = [_hit(number, 0), _hit(number + 1, 1, 2), _hit(number + 11, 2)]
        row = f"corner {number}: {hits[0].text[:40]!r}"
        read = [one for place, hit in enumerate(hits[:1], 1) for one in units(place, hit)]
        yield {
            "row": row,
            "units": [source_unit_row(one) for one in read],
            "steps": [steps_around(read, place) for place in range(len(read))],
            "opening": [extract_opening(hits, 2 + number % 3, language) for language in (None, "zh", "en")],
        }
        for place, question in enumerate(_PASSAGES[number][1]):
            yield {"row": f"corner {number}: {question}", **_answered(question, hits[:: 1 - 2 * (place % 2)])}


def _answered(question: str, hits: Sequence[Hit]) -> dict[str, Json]:
    language: Language = language_of(question, "en")
    among = read_units(
        question, hits, _embed if len(question) % 2 else None, ("pump", "水泵") if len(question) < 8 else ()
    )
    scored = scored_units(among, language, FOREIGN, None)
    chosen = choose(among, language)
    return {
        "named": sorted(among.named),
        "scored": scored_rows(scored),
        "chosen": [chosen.text, rounded(chosen.probability or 0), rounded(chosen.consistent)],
    }


def _hit(number: int, rank: int, count: int = 1) -> Hit:
    """So many passages one after the other, under the headings that are their turn."""
    text = "\n".join(_PASSAGES[(number + step) % len(_PASSAGES)][0] for step in range(count))
    name = ("guide.md", "notes.txt", "手册.md")[number % 3]
    origin = Origin(doc_type="text" if name.endswith("txt") else "markdown")
    headings = _TITLES[number % len(_TITLES)]
    lines = 1 + text.count("\n")
    return Hit(number, name, "", text, 0, len(text), 1, lines, headings, score=1 - rank / 4, origin=origin)


def _embed(texts: Sequence[str]) -> Vectors:
    """By their letters alone, of length 1."""
    counts = np.array([[text.lower().count(sign) for sign in "aeionrst的是水日元"] for text in texts], dtype=np.float32)
    lengths = np.linalg.norm(counts, axis=1, keepdims=True)
    return counts / np.maximum(lengths, 1)
