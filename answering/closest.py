"""What is nearest in meaning to a question that the library does not answer in its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evaluation.blocks import SourceUnit, units
from providers.features import words
from providers.sentence_encoder import Floats, sentence_encoder
from providers.word_vectors import alignment
from question_words import without_function_words
from schema import Hit, Message

_MOST, _OF_SECTION = 3, 2
_LEAST = 0.35  # of what a question means (`python -m benchmarks answers --data benchmarks/data/other_words/en`)
_LONGEST = 160  # characters of a sentence
_UNITS = 200  # that are compared
_READ = 64  # units that are read by a sentence encoder
_NEAR = 0.2  # least cosine of a sentence, of passages one of which is near
_TITLE = 40  # characters of a line that may be one
_end = re.compile(r"[.。!！?？…;；,，)）\"”]\s*$")

CLOSEST = Message(
    zh="知识库里没有直接回答这个问题的内容。按意思看，最接近的是下面几处，不一定相关：",
    en="Nothing in the library answers this question in its words. Closest in meaning, though perhaps not about it:",
)


def closest_sentences(question: str, hits: Sequence[Hit]) -> str:
    """A list of at most three sentences that say much of what the question means in other words, each under its heading
    and with the marker of its hit; of a section at most two. Tables and code have no sentences."""
    found = [unit for number, hit in enumerate(hits, 1) for unit in units(number, hit) if unit.is_sentence(_LONGEST)]
    found = found[:_UNITS]
    asked = words(without_function_words(question))
    return _listed(found, alignment(asked, [words(f"{unit.context}\n{unit.text}") for unit in found]), _LEAST)


def nearest_sentences(question: str, hits: Sequence[Hit]) -> str:
    """The same of passages that are near in meaning (`retrieval/nearest_passages.py`), in whatever language."""
    found = [one for number, hit in enumerate(hits, 1) for one in _under_titles(units(number, hit))][:_READ]
    texts = [f"{unit.headings[-1]}: {unit.text}" if unit.headings else unit.text for unit in found]
    near = sentence_encoder().nearness(question, [*texts, *(unit.text for unit in found)]).reshape(2, -1).max(axis=0)
    return _listed(found, near, _NEAR)


def _under_titles(found: Sequence[SourceUnit]) -> Iterator[SourceUnit]:
    """The sentences, each under the line before it where that is only a title, as plain texts have them."""
    title = ""
    for unit in found:
        if unit.kind == "prose" and len(unit.text) <= _TITLE and not _end.search(unit.text):
            title = unit.text
            continue
        if unit.is_sentence(_LONGEST):
            yield replace(unit, headings=(*unit.headings, title)) if title else unit
        title = ""


def _listed(found: Sequence[SourceUnit], said: Floats, least: float) -> str:
    nearest, of_section = list[SourceUnit](), Counter[tuple[int, str]]()
    for place in np.argsort(-said, kind="stable").tolist():
        unit = found[place]
        of_section[section := (unit.hit, unit.context)] += 1
        if said[place] >= least and of_section[section] <= _OF_SECTION:
            nearest.append(unit)
    return "\n".join(f"- {unit.under_heading()}" for unit in nearest[:_MOST])
