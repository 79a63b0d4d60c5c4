"""Which retrieval strategy a clause orders in everyday words, by how like it is to a bank of paraphrases.

The bank is planning/paraphrases.txt. A clause and the phrases are compared by the cosine of their character n-grams,
weighted by how few phrases hold them (idf). A clause that is as like to two strategies orders neither.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple, cast

from planning.clauses import Clause, asks_how, lead_length
from planning.strategy import Order
from schema import StrategyName

_FILE = Path(__file__).with_name("paraphrases.txt")
_LONGEST = 80  # characters; nobody says how to search in more
_FEWEST = 3  # words, or Han characters: "answer" alone is in many phrases
_LEAST = 0.55  # cosine
_LEAST_BESIDE = 0.5  # the same, next to a clause that orders
_MARGIN = 0.08  # between the best strategy and the next
_PER_LINE = 60  # phrases that a line of the bank stands for: more of the same cost time and tell nothing new
_private = re.compile("[\ue000-\uf8ff]")
_word = re.compile("[\u3400-\u9fff]|[a-z]+")
_negated = re.compile(r"^(?:不要|别|不用|don't|do not|never)")
_asks_word = re.compile(r"什么|怎么|如何|为什么|吗$|区别|哪")


class _Bank(NamedTuple):
    """`weights[G]`: of each n-gram; `holders[G]`: (phrase, its share of the phrase's unit vector)."""

    names: list[StrategyName]
    weights: dict[str, float]
    holders: dict[str, list[tuple[int, float]]]


def paraphrased_order(clause: Clause) -> Order | None:
    """The strategy that a whole clause orders in everyday words. A clause that asks orders nothing."""
    text = clause.text
    if len(text) > _LONGEST or "?" in clause.stop or asks_how(clause) or _private.search(text):
        return None
    if len(_word.findall(clause.body)) < _FEWEST or _asks_word.search(text) or _negated.match(clause.body):
        return None
    name = _nearest(text) or _nearest(text[lead_length(text) :])
    return Order(name, 0, len(text), False) if name else None


def speaks_of_searching(clause: Clause) -> bool:
    """Whether a clause beside an order only says more of how to search, or how not to: "no synonyms", 别抠字眼."""
    text = clause.text
    if len(text) > _LONGEST or "?" in clause.stop or asks_how(clause) or _private.search(text):
        return False
    if len(_word.findall(clause.body)) < _FEWEST - 1:
        return False
    return max([value for _, value in (*_ranked(text), *_ranked(clause.body))], default=0.0) >= _LEAST_BESIDE


@lru_cache(maxsize=2_000)
def _nearest(text: str) -> StrategyName | None:
    ranked = _ranked(text)
    if not ranked or ranked[0][1] < _LEAST:
        return None
    return ranked[0][0] if len(ranked) == 1 or ranked[0][1] - ranked[1][1] >= _MARGIN else None


@lru_cache(maxsize=2_000)
def _ranked(text: str) -> list[tuple[StrategyName, float]]:
    """The two strategies that the text is most like, and how like it is to a phrase of theirs."""
    bank = _bank()
    grams = {gram: bank.weights.get(gram, _rarest(bank)) for gram in _grams(text)}
    length = math.sqrt(sum(weight * weight for weight in grams.values()))
    likeness: dict[int, float] = defaultdict(float)
    for gram, weight in grams.items():
        for phrase, share in bank.holders.get(gram, ()):
            likeness[phrase] += weight * share
    best: dict[StrategyName, float] = defaultdict(float)
    for phrase, value in likeness.items():
        best[bank.names[phrase]] = max(best[bank.names[phrase]], value / length)
    return sorted(best.items(), key=lambda one: -one[1])[:2]


def _rarest(bank: _Bank) -> float:
    return math.log(1 + len(bank.names)) / 1.5  # a gram that no phrase holds says less than it is rare


def _grams(text: str) -> set[str]:
    """Pairs and single characters of Han; three and four letters of Latin words, their ends marked."""
    grams: set[str] = set()
    for word in re.findall(r"[\u3400-\u9fff]+|[a-z]+", text):
        if word[0] > "z":
            grams.update(word)
            grams.update(word[i : i + 2] for i in range(len(word) - 1))
        else:
            grams.update(_of_word(word))
    return grams


@lru_cache(maxsize=2_000)
def _of_word(word: str) -> frozenset[str]:
    marked = f" {word[:30]} "
    return frozenset(marked[i : i + n] for n in (3, 4) for i in range(len(marked) - n + 1))


@cache
def _bank() -> _Bank:
    phrases = list(_phrases())
    held = [_grams(text) for _, text in phrases]
    counts: dict[str, int] = defaultdict(int)
    for grams in held:
        for gram in grams:
            counts[gram] += 1
    weights = {gram: math.log(1 + len(phrases) / count) for gram, count in counts.items()}
    holders: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for phrase, grams in enumerate(held):
        length = math.sqrt(sum(weights[gram] ** 2 for gram in grams))
        for gram in grams:
            holders[gram].append((phrase, weights[gram] / length))
    return _Bank([name for name, _ in phrases], weights, dict(holders))


def _phrases() -> Iterator[tuple[StrategyName, str]]:
    name: StrategyName = "default"
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            name = cast(StrategyName, line[2:])
        elif line and not line.startswith("#"):
            slots = [part.split("|") for part in line.split("/")]
            gap = " " if re.search("[a-z]", line) else ""
            count = math.prod(map(len, slots))
            for number in Random(0).sample(range(count), min(count, _PER_LINE)):
                yield name, gap.join(piece for piece in _choice(slots, number) if piece != "-")


def _choice(slots: list[list[str]], number: int) -> Iterator[str]:
    """The combination of that number, without making the others."""
    for slot in slots:
        number, place = divmod(number, len(slot))
        yield slot[place]
