"""What is said of the question where its answer stands: in the same clause, and as much of it as anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

import numpy as np

from evaluation.answer_reading import Array
from evaluation.answer_types import AnswerType, expected_types, holds
from evaluation.blocks import SourceUnit
from evaluation.money import asks_price, names_money
from text import detect_language, search_tokens, simplified

_KINDS: frozenset[AnswerType] = frozenset({"number", "time", "duration", "contact"})
_clause = re.compile(r"[;；]")
_BESIDE = 0.2  # times as likely, where the clause that answers says nothing of the question and another one does
_MORE = 1.05  # times as likely as what says less


def with_own_clauses(
    question: str, units: Sequence[SourceUnit], owned: Sequence[Collection[str]], shares: Array
) -> Array:
    """“The filter cannot be washed; the sieve is cleaned every two weeks” does not tell how often the filter is."""
    kinds = expected_types(question) & _KINDS
    money = asks_price(question)
    if not kinds and not money:
        return shares

    def answers(clause: str) -> bool:
        return names_money(simplified(clause)) if money else any(holds(kind, clause) for kind in kinds)

    beside = [
        unit.kind == "prose" and _is_beside(unit.text, own, answers) for unit, own in zip(units, owned, strict=True)
    ]
    if not any(beside) or all(beside):
        return shares
    weighed = shares * np.where(beside, _BESIDE, 1.0)
    return np.asarray(weighed / weighed.sum())


def _is_beside(text: str, own: Collection[str], answers: Callable[[str], bool]) -> bool:
    clauses = _clause.split(text)
    if len(clauses) < 2 or not own:
        return False
    told = [clause for clause in clauses if answers(clause)]
    return bool(told) and all({*search_tokens(clause)}.isdisjoint(own) for clause in told)


def with_all_that_is_said(
    question: str, units: Sequence[SourceUnit], owned: Sequence[frozenset[str]], shares: Array
) -> Array:
    """Of sentences that hold what is asked for, one that says all of the question that the likeliest one says, and
    more, comes before it."""
    kinds = expected_types(question) & _KINDS
    if not kinds or not len(shares):
        return shares
    best = int(shares.argmax())
    language, of_money = detect_language(question), names_money(simplified(units[best].text))

    def tells(unit: SourceUnit) -> bool:
        if unit.kind != "prose" or not unit.answers or detect_language(unit.text) != language:
            return False
        return any(holds(kind, unit.text) for kind in kinds) and (not of_money or names_money(simplified(unit.text)))

    more = [i for i, unit in enumerate(units) if owned[i] > owned[best] and tells(unit)]
    if not more or not owned[best] or not tells(units[best]):
        return shares
    first = max(more, key=lambda i: shares[i])
    moved = shares.copy()
    moved[first] = max(moved[first], shares[best] * _MORE)
    return np.asarray(moved / moved.sum())
