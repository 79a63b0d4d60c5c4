"""A question and the sentences that may answer it, in search terms: which sentence holds which term of the question."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from evaluation.blocks import SourceUnit
from question_words import question_terms
from text import search_tokens

Array = npt.NDArray[np.float64]

_DAYS = {
    **{one[:3]: one for one in "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()},
    **{f"周{one}": f"星期{one}" for one in "一二三四五六"},
    **{f"星期{one}": f"周{one}" for one in "一二三四五六"},
    **dict.fromkeys(("周日", "周天", "星期日", "星期天"), "周日 星期日 星期天"),
}
_named_day = re.compile(rf"(?<![A-Za-z])({'|'.join(_DAYS)})(?![a-z次])")  # 每周一次 is of no Monday
_RARE = 2_400  # occurrences in the corpus of the Chinese cutter: 猫, 锁 and 票, but not 门, 书 or 钱
_COMPLEMENTS = frozenset("给到在成为往向入出完掉好回")  # behind a Chinese verb, that is cut as one word with it
_NO_VERBS = frozenset("收入 支出 行为 爱好 现在 最好".split())  # nothing in them is completed
_FOLLOW_UP = 0.25  # of a term of the conversation, beside one of the question
_NEAR, _LEAD = 0.5, 0.7  # how far a term counts that stands in the sentence before, or in a heading or lead-in


@dataclass(frozen=True)
class Reading:
    question: str
    units: Sequence[SourceUnit]
    asked: dict[str, None]  # the terms of the question
    terms: Sequence[str]  # those of the conversation, and these
    idf: Array  # (terms,)
    written: Sequence[str]  # of each unit, what is read of it
    texts: Sequence[tuple[str, ...]]  # its terms in order
    sets: Sequence[frozenset[str]]
    has: Array  # (units, terms): 1 where the unit holds the term
    over: Array  # (units, terms): 1 where its headings or its lead-in do
    around: Array  # (units, terms): how far a term counts that stands around it
    tokens: Callable[[str], tuple[str, ...]]  # `search_tokens`, each text once

    def share(self, held: Array) -> Array:
        """Of the question, by weight, for each row of (units, terms)."""
        return np.asarray(held @ self.idf / (self.idf.sum() or 1.0))


def read(question: str, units: Sequence[SourceUnit], context_terms: Sequence[str] = ()) -> Reading:
    tokens = cache(lambda text: tuple(search_tokens(text)))  # a context is that of many units
    asked = dict.fromkeys(question_terms(question))
    terms = list(dict.fromkeys([*context_terms, *asked]))
    written = [_unit_text(unit) for unit in units]
    texts = [tokens(text) for text in written]
    single = [term for term in terms if len(term) == 1 and not term.isascii()]
    rare = [term for term in single if _is_rare(term)]
    sets = [_with_characters(words, unit, single, rare) for words, unit in zip(texts, written, strict=True)]
    has = _held(terms, sets)
    over = _held(terms, [frozenset(tokens(unit.context)) for unit in units])
    weights = idf(has) * np.array([1.0 if term in asked else _FOLLOW_UP for term in terms])
    before = np.roll(has, 1, axis=0) * np.array(
        [[i > 0 and units[i - 1].hit == unit.hit] for i, unit in enumerate(units)], dtype=float
    ).reshape(-1, 1)
    around = np.where(over > 0, _LEAD, before * _NEAR)
    return Reading(question, units, asked, terms, weights, written, texts, sets, has, over, around, tokens)


def _is_rare(character: str) -> bool:
    import rjieba

    return int(rjieba.suggest_freq(character)) <= _RARE


def _with_characters(words: Sequence[str], text: str, single: Sequence[str], rare: Sequence[str]) -> frozenset[str]:
    """The words; the verb of 交给 and 寄到, where that is asked for; and rare characters of longer words: 猫狗."""
    completed = {one for one in words if len(one) == 2 and one[1] in _COMPLEMENTS and one[0] in single} - _NO_VERBS
    if completed:  # 口为 of 端口为 is no word
        import rjieba

        completed &= {*rjieba.cut(text)}
    heads = (one[0] for one in completed)
    return frozenset((*words, *heads, *(character for character in rare if character in text)))


def _unit_text(unit: SourceUnit) -> str:
    """What a unit says: a row says it under its header, and “Thu” there is Thursday."""
    if unit.kind != "row":
        return unit.text
    return f"{_named_day.sub(_by_other_names, unit.text)}\n{unit.context.split(chr(10))[-1]}"


def _by_other_names(day: re.Match[str]) -> str:
    return f"{day[0]} {_DAYS[day[1]]}"


def _held(terms: Sequence[str], texts: Sequence[frozenset[str]]) -> Array:
    return np.array([[term in text for term in terms] for text in texts], dtype=float).reshape(len(texts), len(terms))


def idf(has: Array) -> Array:
    """Robertson's idf among the units, never below .1: a term of every sentence tells none from another."""
    count, held = len(has), has.sum(axis=0)
    found = np.maximum(np.log((count - held + 0.5) / (held + 0.5) + 1), 0.1)
    return np.asarray(np.where(held > 0, found, math.log(count + 1)))
