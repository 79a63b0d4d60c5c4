"""How likely each sentence of the sources is to answer a question: a log-linear model of a few features.

The probabilities of the sentences of one question add up to 1 (softmax over their scores). The weights were fitted by
`python -m benchmarks answers --fit`, one set for both languages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from evaluation.answer_types import AnswerType, expected_types, spans
from evaluation.blocks import Unit
from schema import Hit
from text import count_tokens, question_terms, search_tokens

Array = npt.NDArray[np.float64]

# In the order of the columns of `features`.
WEIGHTS: Mapping[str, float] = {
    "own": 1.11,  # share of the question, by weight, that stands in the unit itself
    "near": 3.02,  # and what more of it stands around it
    "hit": 2.57,  # the score of its hit, beside the best one's
    "log_hit": 3.16,
    "passage": 0.80,  # share of the question that the whole hit holds
    "words": 1.79,  # `own`, for a question of many words
    "similar": 1.20,
    "last": 2.16,  # of the question's last two terms: what a question is after comes last in both languages
    "type": 1.73,  # holds an answer of a kind that is asked for
    "close": 0.35,  # and that stands near words of the question
    "number": 0.56,
    "time": 0.64,
    "length": -0.75,
    "repeats": -0.36,  # says nothing but words of the question
    "defines": 0.49,  # begins with what is asked about
}
_FOLLOW_UP = 0.25  # of a term of the conversation, beside one of the question


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
    units: Sequence[Unit],
    hits: Sequence[Hit],
    similarity: Sequence[float],
    context_terms: Sequence[str] = (),
) -> Features:
    """What speaks for each unit as an answer; `similarity` is its cosine to the question in [0, 1]."""
    tokens = cache(lambda text: tuple(search_tokens(text)))  # a context is that of many units
    asked = dict.fromkeys(question_terms(question), 1.0)
    last = list(asked)[-2:]
    terms = list(dict.fromkeys(context_terms, _FOLLOW_UP) | asked)
    texts = [tokens(_read(unit)) for unit in units]
    sets = [frozenset(text) for text in texts]
    idf = _idf(terms, sets) * np.array([asked.get(term, _FOLLOW_UP) for term in terms])
    total = idf.sum() or 1.0
    has = np.array([[term in text for term in terms] for text in sets], dtype=float).reshape(len(units), len(terms))
    around = _around(units, sets, [frozenset(tokens(unit.context)) for unit in units], terms)
    whole: dict[int, set[str]] = {}
    for unit, text in zip(units, sets, strict=True):
        whole.setdefault(unit.hit, set()).update(text, tokens(unit.context))
    passage = {hit: sum(idf[i] for i, term in enumerate(terms) if term in text) / total for hit, text in whole.items()}
    top = max((hit.score for hit in hits), default=0.0) or 1.0
    kinds = expected_types(question)
    repeated = " ".join(question.lower().split())
    said = frozenset[str]().union(*whole.values())
    least = max(float(idf @ [term in said for term in terms]) / 3, 0.01)  # what no text says no heading must say
    rows, led = [], []
    for i, unit in enumerate(units):
        over = set(tokens(unit.context[unit.context.split("\n")[0].rfind(" > ") + 1 :]))
        led.append(bool(idf @ [term in over for term in terms] >= max(float(idf @ has[i]), least)))
        own = float(has[i] @ idf) / total
        near = float(np.maximum(has[i], around[i]) @ idf) / total - own
        found, close = _answer_spans(kinds, unit.text, repeated, asked)
        score = hits[unit.hit - 1].score / top
        rows.append([
            own,
            near,
            score,
            math.log(max(score, 0.05)),
            passage[unit.hit],
            own * math.log1p(len(asked)),
            similarity[i],
            sum(term in sets[i] for term in last) / len(last) if last else 0.0,
            float(found),
            close,
            float(found and "number" in kinds),
            float(found and "time" in kinds),
            math.log1p(count_tokens(unit.text)) / 5,
            float(len(sets[i] - asked.keys()) <= 1),
            float(bool(set(texts[i][:3]) & asked.keys())),
        ])  # fmt: skip
    values = np.array(rows, dtype=float).reshape(len(units), len(WEIGHTS))
    owned = tuple(frozenset(asked.keys() & text) for text in sets)
    coverage = np.maximum(has, around) @ idf / total if len(units) else np.zeros(0)
    return Features(values, owned, tuple(led), coverage)


def _read(unit: Unit) -> str:
    """What a unit says: a row says it under its header."""
    return f"{unit.text}\n{unit.context.split(chr(10))[-1]}" if unit.kind == "row" else unit.text


def _idf(terms: Sequence[str], texts: Sequence[frozenset[str]]) -> Array:
    """Robertson's idf among the units, never below .1: a term of every sentence tells none from another."""
    count = len(texts)
    holds = [sum(term in text for text in texts) for term in terms]
    return np.array(
        [max(math.log((count - n + 0.5) / (n + 0.5) + 1), 0.1) if n else math.log(count + 1) for n in holds]
    )


_NEAR, _LEAD = 0.5, 0.7


def _around(
    units: Sequence[Unit], sets: Sequence[frozenset[str]], contexts: Sequence[frozenset[str]], terms: Sequence[str]
) -> Array:
    """How far a term counts for a unit without standing in it: in its headings, lead-in or the sentence before."""
    rows = []
    for i, (unit, over) in enumerate(zip(units, contexts, strict=True)):
        before = sets[i - 1] if i and units[i - 1].hit == unit.hit else frozenset[str]()
        rows.append([_LEAD if term in over else _NEAR if term in before else 0.0 for term in terms])
    return np.array(rows).reshape(len(units), len(terms))


def _answer_spans(
    kinds: frozenset[AnswerType], text: str, question: str, asked: Mapping[str, float]
) -> tuple[bool, float]:
    """Whether the text holds an answer of a kind that is asked for and that the question does not hold itself; and
    how near, in [0, 1], such a one stands to the words of the question."""
    found = [
        span for kind in sorted(kinds) for span in spans(kind, text) if text[span[0] : span[1]].lower() not in question
    ]
    if not found:
        return False, 0.0
    close = 0.0
    for start, end in found[:8]:
        window = set(search_tokens(text[max(0, start - 40) : end + 40]))
        close = max(close, len(window & asked.keys()) / max(len(asked), 1))
    return True, close
