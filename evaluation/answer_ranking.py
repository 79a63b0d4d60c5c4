"""How likely each sentence of the sources is to answer a question: a log-linear model of a few features.

The probabilities of the sentences of one question add up to 1 (softmax over their scores). The weights were fitted by
`python -m benchmarks answers --fit`, one set for both languages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.answer_passages import of_passages
from evaluation.answer_reading import Reading, read
from evaluation.answer_sentences import of_kinds, of_words
from evaluation.blocks import SourceUnit
from schema import Hit

Array = npt.NDArray[np.float64]

# In the order of the columns of `features`.
WEIGHTS: Mapping[str, float] = {
    "own": -2.28,  # share of the question, by weight, that stands in the unit itself
    "own_many": 1.57,  # the same, for a question of many words
    "own_short": 3.85,  # and for a short unit
    "own_rare": 2.79,  # and by the square of the weight
    "near": 2.69,  # what more of it stands around it
    "after": 1.89,  # and in the sentence behind it
    "density": -1.47,  # share of its words that are of the question
    "similar": 0.66,  # its cosine beside the best one's
    "last": 1.61,  # of the question's last two terms: what a question is after comes last in both languages
    "length": -1.41,
    "repeats": -1.59,  # says nothing but words of the question
    "defines": 0.44,  # begins with what is asked about
    "type": 0.60,  # holds an answer of a kind that is asked for
    "close": 1.41,  # how near that stands to rare words of the question
    "many": 1.40,  # several of the kind
    "number": 0.93,
    "time": 1.18,
    "person": -0.93,
    "list": 1.24,  # names several things, as was asked for
    "noun": 0.61,  # the word behind "which"
    "hit": 5.13,  # the score of its hit, beside the best one's
    "log_hit": 1.62,
    "gap": 0.72,  # how far that is above the best other one
    "passage": -4.28,  # share of the question that the whole hit holds
    "passage_rare": 2.31,  # the same, by how few hits hold a term
    "passage_often": -0.52,  # and how often it does
    "passage_run": 6.47,  # the longest run of the question that stands in it word for word
    "passage_length": -1.91,
    "passage_best": -2.11,  # the most that one unit of the hit holds
    "place": -1.62,  # of the unit in its hit
    "before": 4.02,  # share of the question that units before it have said, and it does not
    "so_far": 2.37,  # and with what it says itself
    "telling": 2.88,  # share of what tells units of this hit from each other
}


@dataclass(frozen=True)
class Features:
    values: Array  # (units, features)
    own: tuple[frozenset[str], ...]  # of each unit, the terms of the question that stand in it
    over: tuple[bool, ...]  # of each unit, whether what the question is about stands right over it
    coverage: Array  # (units,): share of the question, by weight, that it or what stands around it says


def probabilities(values: Array, weights: Array | None = None) -> Array:
    """Softmax over the units."""
    scores = values @ (np.array(list(WEIGHTS.values())) if weights is None else weights)
    shares = np.exp(scores - scores.max(initial=-np.inf))
    return np.asarray(shares / shares.sum()) if len(shares) else scores


def features(
    question: str,
    units: Sequence[SourceUnit],
    hits: Sequence[Hit],
    similarity: Sequence[float],
    context_terms: Sequence[str] = (),
) -> Features:
    """What speaks for each unit as an answer; `similarity` is its cosine to the question in [0, 1]."""
    reading = read(question, units, context_terms)
    values = np.column_stack([*of_words(reading, similarity), *of_kinds(reading), *of_passages(reading, hits)])
    owned = tuple(frozenset(reading.asked.keys() & text) for text in reading.sets)
    return Features(values, owned, _led(reading), reading.share(np.maximum(reading.has, reading.around)))


def _led(reading: Reading) -> tuple[bool, ...]:
    """Of each unit, whether its lead-in or last heading says as much of the question as the unit itself."""
    said = np.maximum(reading.has, reading.over).max(axis=0, initial=0.0)
    least = max(float(said @ reading.idf) / 3, 0.01)  # what no text says no heading must
    led = []
    for unit, has in zip(reading.units, reading.has, strict=True):
        over = set(reading.tokens(unit.context[unit.context.split("\n")[0].rfind(" > ") + 1 :]))
        led.append(bool(reading.idf @ [term in over for term in reading.terms] >= max(float(reading.idf @ has), least)))
    return tuple(led)
