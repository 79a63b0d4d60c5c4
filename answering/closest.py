"""What is nearest in meaning to a question that the library does not answer in its words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from evaluation.blocks import SourceUnit, units
from providers.features import words
from providers.word_vectors import alignment
from question_words import without_function_words
from schema import Hit, Message

_MOST, _OF_SECTION = 3, 2
_LEAST = 0.35  # of what a question means (`python -m benchmarks answers --data benchmarks/data/other_words/en`)
_LONGEST = 160  # characters of a sentence
_UNITS = 200  # that are compared

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
    said = alignment(asked, [words(f"{unit.context}\n{unit.text}") for unit in found])
    nearest, of_section = list[SourceUnit](), Counter[tuple[int, str]]()
    for place in np.argsort(-said, kind="stable").tolist():
        unit = found[place]
        of_section[section := (unit.hit, unit.context)] += 1
        if said[place] >= _LEAST and of_section[section] <= _OF_SECTION:
            nearest.append(unit)
    return "\n".join(f"- {unit.under_heading()}" for unit in nearest[:_MOST])
