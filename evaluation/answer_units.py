"""The sentences of the hits that may answer a question, read once, with what speaks for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.answer_ranking import Features, features
from evaluation.blocks import MOST, SourceUnit, units
from evaluation.named_sections import named_in_headings
from question_words import question_terms
from schema import Hit, Vectors
from text import search_tokens, simplified

Embed = Callable[[Sequence[str]], Vectors]
_LEAST = 50  # units of a hit that are looked at, however many those before it have


@dataclass(frozen=True)
class AnswerUnits:
    question: str
    hits: Sequence[Hit]
    units: Sequence[SourceUnit]
    similarity: Sequence[float]  # the cosine of each to the question in [0, 1]; 0 without an embedder
    features: Features
    asked: str  # the question as it was asked, where translations of its words stand before it; else the question

    @cached_property
    def named(self) -> frozenset[str]:
        """The words of the question that only headings say."""
        return named_in_headings(self.question, self.units, self.features.terms)


def read_units(
    question: str, hits: Sequence[Hit], embed: Embed | None = None, context_terms: Sequence[str] = (), asked: str = ""
) -> AnswerUnits:
    """None where the question has no term. It is read in simplified script, as what tells its kind is written. Where no
    sentence has a term of its own, as of “那什么时候退？”, it is read with those of the conversation before it."""
    question, found = simplified(question), list[SourceUnit]()
    for number, hit in enumerate(hits if question_terms(question) else (), 1):
        found += units(number, hit, max(MOST - len(found), _LEAST))
    if context_terms and not _says_any(found, question_terms(question)):
        question, context_terms = f"{' '.join(dict.fromkeys(context_terms))} {question}", ()
    similarity = _similarities(question, [unit.text for unit in found], embed)
    known = features(question, found, hits, similarity, context_terms)
    return AnswerUnits(question, hits, found, similarity, known, simplified(asked) or question)


def _says_any(found: Sequence[SourceUnit], terms: Sequence[str]) -> bool:
    wanted = {*terms}
    return any(not wanted.isdisjoint(search_tokens(unit.text)) for unit in found)


def _similarities(question: str, texts: Sequence[str], embed: Embed | None) -> list[float]:
    if embed is None or not texts:
        return [0.0] * len(texts)
    vectors = embed([question, *texts])
    return [float(cosine) for cosine in np.clip(vectors[1:] @ vectors[0], 0, 1)]
