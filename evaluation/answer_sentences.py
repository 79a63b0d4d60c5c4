"""What speaks for a sentence as an answer in itself: the words that it shares, what it holds of the kind asked for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from evaluation.answer_reading import Array, Reading
from evaluation.answer_types import expected_types, spans
from text import count_tokens, search_tokens

_asks_list = re.compile(r"哪些|哪几|有什么|分别|\bname |\bwhich \w+s |\bwhat are\b", re.IGNORECASE)
_between = re.compile(r"、|,\s|[;；]|\band\b")  # the things of a list
_which = re.compile(r"(\b(?:what|which|whose|how m(?:any|uch))\b)|什么|哪[一个些种位座项年]*|多少|几", re.IGNORECASE)
_SPANS, _RARE = 8, 4  # of a sentence, and of the question's terms in it, whose distance is looked at
_FAR = 45.0  # characters at which nearness has fallen to 1 / e


def of_words(reading: Reading, similarity: Sequence[float]) -> Iterator[Array]:
    """Columns (units,) of what the units share with the question."""
    units, has, asked = reading.units, reading.has, reading.asked
    own = reading.share(has)
    lengths = np.array([max(len(text), 1) for text in reading.sets], dtype=float)
    matched = has[:, [term in asked for term in reading.terms]].sum(axis=1)
    same = np.array([i + 1 < len(units) and units[i + 1].hit == unit.hit for i, unit in enumerate(units)], dtype=float)
    squares = reading.idf**2
    last = [list(reading.terms).index(term) for term in list(asked)[-2:]]
    yield own
    yield own * math.log1p(len(asked))
    yield own / np.log1p(lengths)
    yield has @ squares / (squares.sum() or 1.0)
    yield reading.share(np.maximum(has, reading.around)) - own
    yield reading.share(np.roll(has, -1, axis=0) * (1 - has)) * same
    yield matched / lengths
    yield np.asarray(similarity, dtype=float) / (max(similarity, default=0.0) or 1.0)
    yield np.asarray(similarity, dtype=float)
    yield has[:, last].mean(axis=1) if last else np.zeros(len(units))
    yield np.array([math.log1p(count_tokens(unit.text)) / 5 for unit in units])
    yield np.array([len(text - asked.keys()) <= 1 for text in reading.sets], dtype=float)
    yield np.array([bool(asked.keys() & set(text[:3])) for text in reading.texts], dtype=float)


def of_kinds(reading: Reading) -> Iterator[Array]:
    """Columns (units,) of what the units hold of the kind that is asked for."""
    kinds = expected_types(reading.question)
    said = " ".join(reading.question.lower().split())
    weights = {term: float(idf) for term, idf in zip(reading.terms, reading.idf, strict=True) if term in reading.asked}
    several = bool(_asks_list.search(reading.question))
    nouns = _nouns(reading.question)
    known: dict[tuple[str, frozenset[str]], list[float]] = {}  # a list says the same again and again
    for unit, terms in zip(reading.units, reading.sets, strict=True):
        if (unit.text, terms) in known:
            continue
        every = (
            (start, end)
            for kind in sorted(kinds)
            for start, end in spans(kind, unit.text)
            if unit.text[start:end].lower() not in said
        )
        found = [*islice(every, _SPANS)]
        known[unit.text, terms] = [
            bool(found),
            _close(unit.text.lower(), found, {term: weights[term] for term in weights.keys() & terms}),
            min(len(found), 5) / 5,
            bool(found) and not kinds.isdisjoint(("number", "duration")),
            bool(found) and not kinds.isdisjoint(("time", "duration")),
            bool(found) and "person" in kinds,
            min(len(_between.findall(unit.text)), 5) / 5 if several else 0,
            bool(nouns & terms),
        ]
    rows = [known[unit.text, terms] for unit, terms in zip(reading.units, reading.sets, strict=True)]
    yield from np.array(rows, dtype=float).reshape(len(rows), 8).T


def _close(text: str, found: Sequence[tuple[int, int]], weights: dict[str, float]) -> float:
    """How near, in [0, 1], one of the spans stands to the rarest of the question's terms in the text."""
    rarest = sorted(weights, key=lambda term: (-weights[term], term))[:_RARE]
    places = [(text.find(term[: max(2, len(term) - 1)]), weights[term]) for term in rarest] if found else []  # a stem
    places = [(place, weight) for place, weight in places if place >= 0]
    total = sum(weight for _, weight in places)
    near = (
        sum(weight * math.exp(-min(abs(place - start), abs(place - end)) / _FAR) for place, weight in places) / total
        for start, end in found
        if total
    )
    return max(near, default=0.0)


def _nouns(question: str) -> set[str]:
    """The first term behind "which", "how many" or 什么: what an answer often names."""
    asks = _which.search(question)
    if not asks:
        return set()
    behind = question[asks.end() :] if asks[1] else question[asks.end() : asks.end() + 3]
    return set(search_tokens(behind)[:1])
