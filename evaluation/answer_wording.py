"""What speaks for a sentence by its wording: the letters, words and names of the question.

Search terms are stems and leave out function words. Who asks often repeats a text's own phrases, in which both count.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence

import numpy as np

from evaluation.answer_reading import Array, Reading, idf
from text import HAN, search_tokens

_word = re.compile(rf"[{HAN}]|[^\W{HAN}]+")
_name = re.compile(r"\b[A-Z][\w'’-]*|\b\d[\d,.]*")
_LETTERS = 4  # that stand together, a space between words counted
_ASKED, _LOOKED_AT = 400, 8_000  # characters of a question and of a unit whose wording is compared


def of_wording(reading: Reading) -> Iterator[Array]:
    """Columns (units,): the share of the question's runs of letters that each unit holds, its square, and that of its
    whole hit; the same of its words, by the unit alone; and of its names and numbers, by unit and hit."""
    hits = [unit.hit for unit in reading.units]
    texts, asked = [_words(text[:_LOOKED_AT]) for text in reading.written], _words(reading.question[:_ASKED])
    runs = _held(_runs(asked), [f" {text} " for text in texts])
    words = _held(asked.split(), [{*text.split()} for text in texts])
    yield (letters := _share(runs, idf(runs)))
    yield letters**2
    yield _share(_over_hits(runs, hits), idf(runs))
    yield _share(words, idf(words))
    named = {term for name in _name.finditer(reading.question, 1) for term in search_tokens(name[0])}
    weights = reading.idf * [term in named for term in reading.terms]
    yield _share(reading.has, weights)
    yield _share(_over_hits(np.maximum(reading.has, reading.over), hits), weights)


def _words(text: str) -> str:
    return " ".join(_word.findall(text.lower()))


def _runs(text: str) -> list[str]:
    text = f" {text} "
    return [text[start : start + _LETTERS] for start in range(len(text) - _LETTERS + 1)]


def _held(asked: Sequence[str], texts: Sequence[Container[str]]) -> Array:
    """Of each text, which parts of the question it holds."""
    wanted = list(dict.fromkeys(asked))
    return np.array([[part in text for part in wanted] for text in texts], dtype=float).reshape(len(texts), len(wanted))


def _share(has: Array, weights: Array) -> Array:
    return np.asarray(has @ weights / (weights.sum() or 1.0))


def _over_hits(has: Array, hits: Sequence[int]) -> Array:
    """Of each unit, what any unit of its hit has."""
    of_hit = dict[int, Array]()
    for number, row in zip(hits, has, strict=True):
        of_hit[number] = np.maximum(of_hit.get(number, 0.0), row)
    return np.array([of_hit[number] for number in hits]).reshape(has.shape)
