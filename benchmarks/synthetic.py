"""An embedder that knows the truth: the vector of a question is that of its passage, mixed with noise.

It knows no words, so that what it finds is independent of what BM25 finds, as good as one wants. Of a text that is
nobody's question it looks up which sentence has the same words in the same order, which is what a real model would
recognise; where several have, it is between them.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from schema import Language, Vectors
from text import CJK, detect_language, sentences

_DIMENSIONS = 384
_LUCK = (0.5, 1.5)  # no model understands all questions equally well: a question's share of the strength
_MOST = 0.99  # cosine of a question and its passage
_units = re.compile(rf"[{CJK}]|[^\W\d_{CJK}]+|\d+|[^\w\s]|_", re.UNICODE)


@dataclass(frozen=True)
class Quality:
    """How good the embedder is."""

    strength: float  # mean cosine of a question and its passage; 0 is useless
    made: float = 1.0  # for questions made of the library's sentences, as a share of that for people's questions
    reads: Language | None = None  # the only language it understands

    @property
    def model(self) -> str:
        return f"truth-{self.strength:.5f}-{self.made:g}-{self.reads or 'all'}"


class Truth:
    """Which passage a question belongs to, and all vectors."""

    def __init__(self, passages: Mapping[str, str], answers: Mapping[str, str]) -> None:
        """`passages`: text -> document; `answers`: a person's question -> document."""
        self.passages, self.answers = passages, answers
        self._of: dict[str, list[str]] = defaultdict(list)
        self._sentences: list[tuple[list[str], str]] = []  # units, passage
        self._with: dict[str, set[int]] = defaultdict(set)  # unit -> sentences
        for text, document in passages.items():
            self._of[document].append(text)
            for start, end in sentences(text):
                units = _units.findall(text[start:end])
                for unit in units:
                    self._with[unit].add(len(self._sentences))
                self._sentences.append((units, text))

    def vectors(self, texts: Sequence[str], quality: Quality) -> Vectors:
        """(n, dimensions) of passages and questions."""
        return np.array([self._vector(text, quality) for text in texts], np.float32).reshape(-1, _DIMENSIONS)

    def _vector(self, text: str, quality: Quality) -> Vectors:
        if text in self.passages:
            return self._passage(text)
        share = random.Random(text).uniform(*_LUCK) * (1.0 if text in self.answers else quality.made)
        meant = [self._passage(source) for source in self._sources(text)]
        if not meant or quality.reads not in (None, detect_language(text)):
            return _direction(f"noise {text}")
        cosine = min(quality.strength * share, _MOST)
        return _unit(cosine * _unit(np.sum(meant, axis=0)) + np.sqrt(1 - cosine**2) * _direction(f"noise {text}"))

    def _passage(self, text: str) -> Vectors:
        """Passages of one document have something in common."""
        return _unit(_direction(f"document {self.passages[text]}") + _direction(f"passage {text}"))

    def _sources(self, text: str) -> list[str]:
        """The passages that a question belongs to; of a person's question one of its document, always the same."""
        if text in self.answers:
            found = self._of.get(self.answers[text], [])
            return [random.Random(text).choice(found)] if found else []
        units = _units.findall(text)
        places = sorted((self._with.get(unit, set()) for unit in units), key=len)
        all_there = set.intersection(*places) if places else set()
        return sorted({self._sentences[place][1] for place in all_there if self._in_order(units, place)})

    def _in_order(self, units: Sequence[str], place: int) -> bool:
        rest = iter(self._sentences[place][0])
        return all(unit in rest for unit in units)


@lru_cache(maxsize=50_000)
def _direction(name: str) -> Vectors:
    seed = int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "little")
    return _unit(np.random.default_rng(seed).standard_normal(_DIMENSIONS))


def _unit(vector: npt.NDArray[Any]) -> Vectors:
    return np.asarray(vector / np.linalg.norm(vector), np.float32)
