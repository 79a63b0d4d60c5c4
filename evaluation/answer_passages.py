"""What speaks for a sentence by the passage that it stands in: how well that fits, and what has been said before."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from evaluation.answer_reading import Array, Reading
from schema import Hit
from text import HAN

_word = re.compile(rf"[{HAN}]|[^\W{HAN}]+")
_ASKED, _LOOKED_AT = 40, 8_000  # words of a question, characters of a hit, in which runs are looked for
_OFTEN = 1.2  # occurrences that count half of what any number does


def of_passages(reading: Reading, hits: Sequence[Hit]) -> Iterator[Array]:
    """Columns (units,) of the hits, and of the place that each unit has in its own."""
    numbers = [unit.hit for unit in reading.units]
    top = max((hit.score for hit in hits), default=0.0) or 1.0
    scores = np.array([hits[number - 1].score / top for number in numbers])
    best, second, *_ = [*sorted((hit.score for hit in hits), reverse=True), 0.0, 0.0]
    own = reading.share(reading.has)
    places = {number: [i for i, one in enumerate(numbers) if one == number] for number in dict.fromkeys(numbers)}
    whole = {number: np.maximum(reading.has, reading.over)[within].max(axis=0) for number, within in places.items()}
    yield scores
    yield np.log(np.maximum(scores, 0.05))
    yield np.array([score - (second if score == best else best) for score in (hits[n - 1].score for n in numbers)])
    yield reading.share(np.array([whole[number] for number in numbers]).reshape(reading.has.shape))
    of_hit = _fits(reading, hits, places)
    yield from np.array([of_hit[number] for number in numbers]).reshape(len(numbers), 4).T
    most = {number: own[within].max() for number, within in places.items()}
    yield np.array([most[number] for number in numbers])
    within = {i: row for indices in places.values() for i, row in zip(indices, _within(reading, indices), strict=True)}
    yield from np.array([within[i] for i in range(len(numbers))]).reshape(len(numbers), 4).T


def _fits(reading: Reading, hits: Sequence[Hit], places: dict[int, list[int]]) -> dict[int, list[float]]:
    """Of each hit: the share of the question by how few hits hold a term, how often it does, the longest run of the
    question's words, and the length."""
    asked = list(reading.asked)
    counts = {
        n: Counter(term for i in within for term in reading.texts[i] if term in reading.asked)
        for n, within in places.items()
    }
    lengths = {n: sum(len(reading.texts[i]) for i in within) for n, within in places.items()}
    held = {term: sum(term in count for count in counts.values()) for term in asked}
    idf = {t: math.log((len(counts) - n + 0.5) / (n + 0.5) + 1) if n else 0.0 for t, n in held.items()}
    total = sum(idf.values()) or 1.0
    words = _word.findall(reading.question.lower())[:_ASKED]
    return {
        number: [
            sum(idf[term] for term in asked if term in count) / total,
            sum(idf[term] * count[term] / (count[term] + _OFTEN) for term in asked) / total,
            longest_run(words, _word.findall(hits[number - 1].text[:_LOOKED_AT].lower())) / max(len(words), 1),
            math.log1p(lengths[number]) / 5,
        ]
        for number, count in counts.items()
    }


def _within(reading: Reading, indices: Sequence[int]) -> Array:
    """Of each unit of one hit: its place, what of the question was said before it, that and what it says itself, and
    the share of what tells the hit's units from each other."""
    has, count = reading.has[indices], len(indices)
    said = np.maximum.accumulate(np.maximum(has, reading.over[indices]), axis=0)
    before = np.vstack([reading.over[indices[:1]], said[:-1]])
    held = has.sum(axis=0)
    asked = np.array([term in reading.asked for term in reading.terms])
    telling = np.where((held > 0) & asked, np.log((count + 1) / np.maximum(held, 1)), 0.0)
    return np.column_stack([
        np.arange(1, count + 1) / count,
        reading.share(before * (1 - has)),
        reading.share(np.maximum(before, has)),
        has @ telling / (telling.sum() or 1.0),
    ])  # fmt: skip


def longest_run(words: Sequence[str], text: Sequence[str]) -> int:
    """How many of the words stand together in the text, in their order."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(text):
        places.setdefault(word, []).append(place)
    longest, ending = 0, dict[int, int]()
    for word in words:
        ending = {place: ending.get(place - 1, 0) + 1 for place in places.get(word, ())}
        longest = max(longest, max(ending.values(), default=0))
    return longest
