"""How likely each sentence of the sources is to answer a question: a log-linear model of a few features.

The probabilities of the sentences of one question add up to 1 (softmax over their scores). The weights were fitted by
`python -m benchmarks answers --fit`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.answer_passages import of_passages
from evaluation.answer_reading import Array, Reading, read
from evaluation.answer_sentences import of_kinds, of_words
from evaluation.answer_wording import of_wording
from evaluation.blocks import SourceUnit
from schema import Hit, Language

Weights = Mapping[str, float]

# Of questions in each language, in the order of the columns of `features`.
_WEIGHTS: Mapping[str, tuple[float, float]] = {  # English, Chinese
    "own": (0.24, -1.85),  # share of the question, by weight, that stands in the unit itself
    "own_many": (1.91, -1.72),  # the same, for a question of many words
    "own_short": (2.23, -3.32),  # and for a short unit
    "own_rare": (-0.04, 2.14),  # and by the square of the weight
    "near": (3.30, 1.57),  # what more of it stands around it
    "after": (1.12, 1.12),  # and in the sentence behind it
    "density": (-0.77, -1.08),  # share of its words that are of the question
    "similar": (0.95, 0.58),  # its cosine beside the best one's
    "cosine": (-1.62, -0.57),  # and as it is
    "last": (0.07, 2.95),  # of the question's last two terms: what a question is after comes last in both languages
    "length": (-2.85, -4.89),
    "repeats": (-2.77, -0.39),  # says nothing but words of the question
    "defines": (0.46, 0.54),  # begins with what is asked about
    "type": (0.45, 1.01),  # holds an answer of a kind that is asked for
    "close": (1.43, 1.10),  # how near that stands to rare words of the question
    "many": (1.17, 1.62),  # several of the kind
    "number": (1.91, -0.67),
    "time": (1.20, 2.27),
    "person": (-0.72, -1.07),
    "list": (0.80, 0.98),  # names several things, as was asked for
    "noun": (0.04, 0.03),  # the word behind "which"
    "letters": (10.42, 1.90),  # share of the question's runs of four letters, by how few units hold one
    "letters_many": (-8.49, 3.95),  # and its square
    "passage_letters": (2.17, -0.05),  # that of its whole hit
    "words": (2.46, 10.54),  # share of the question's words, function words too, by how few units hold one
    "names": (-0.92, -0.95),  # share of the question's names and numbers
    "passage_names": (1.75, 4.35),  # that of its whole hit
    "hit": (4.25, 4.44),  # the score of its hit, beside the best one's
    "log_hit": (2.24, 1.42),
    "gap": (-0.17, 1.27),  # how far that is above the best other one
    "passage": (-3.92, -5.14),  # share of the question that the whole hit holds
    "passage_rare": (2.71, 1.49),  # the same, by how few hits hold a term
    "passage_often": (-3.60, 3.83),  # and how often it does
    "passage_run": (4.09, 3.25),  # the longest run of the question that stands in it word for word
    "passage_length": (-2.43, -1.72),
    "passage_best": (-1.11, -0.99),  # the most that one unit of the hit holds
    "place": (-0.42, -2.45),  # of the unit in its hit
    "before": (1.63, 3.98),  # share of the question that units before it have said, and it does not
    "so_far": (1.41, 2.64),  # and with what it says itself
    "telling": (1.37, 3.28),  # share of what tells units of this hit from each other
}

FEATURES = tuple(_WEIGHTS)
WEIGHTS: Mapping[Language, Weights] = {
    "en": {name: english for name, (english, _) in _WEIGHTS.items()},
    "zh": {name: chinese for name, (_, chinese) in _WEIGHTS.items()},
}


@dataclass(frozen=True)
class Features:
    values: Array  # (units, features)
    terms: tuple[frozenset[str], ...]  # of each unit, those of a row with its header's
    own: tuple[frozenset[str], ...]  # of each unit, the terms of the question that stand in it
    over: tuple[bool, ...]  # of each unit, whether what the question is about stands right over it
    said: Array  # (units,): share of the question, by weight, that it says itself
    coverage: Array  # (units,): the same, with what stands around it


def probabilities(values: Array, weights: Weights) -> Array:
    """Softmax over the units."""
    scores = values @ np.array(list(weights.values()))
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
    values = np.column_stack([
        *of_words(reading, similarity), *of_kinds(reading), *of_wording(reading), *of_passages(reading, hits)
    ])  # fmt: skip
    owned = tuple(frozenset(reading.asked.keys() & text) for text in reading.sets)
    coverage = reading.share(np.maximum(reading.has, reading.around))
    return Features(values, tuple(reading.sets), owned, _led(reading), reading.share(reading.has), coverage)


def _led(reading: Reading) -> tuple[bool, ...]:
    """Of each unit, whether its lead-in or last heading says as much of the question as the unit itself; of a row,
    which says its header too, whether that says enough."""
    said = np.maximum(reading.has, reading.over).max(axis=0, initial=0.0)
    least = max(float(said @ reading.idf) / 3, 0.01)  # what no text says no heading must
    led = []
    for unit, has in zip(reading.units, reading.has, strict=True):
        above = unit.context[unit.context.split("\n")[0].rfind(" > ") + 1 :]
        over = set(reading.tokens(_without_label(above) if unit.kind == "row" else above))
        enough = least if unit.kind == "row" else max(float(reading.idf @ has), least)
        led.append(bool(reading.idf @ [term in over for term in reading.terms] >= enough))
    return tuple(led)


def _without_label(above: str) -> str:
    """Without the first cell of a table's header: 项目 or "Item" there names the rows, and not what is asked about."""
    path, _, header = above.rpartition("\n")
    return f"{path}\n{'|'.join(header.split('|')[2:])}"
