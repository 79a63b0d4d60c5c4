"""How likely an extracted answer is to be right."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from evaluation.answer_confidence import WEIGHTS, likelihood, signs
from evaluation.answer_consistency import consistency
from evaluation.blocks import units
from schema import Hit
from tests.each_row import each_row

STEPS = [number / 20 for number in range(21)]


@each_row("evidence", [0.1, 0.4, 0.9])
def test_the_likelier_what_is_shown_the_surer(evidence: float) -> None:
    found = [likelihood(signs(shown, evidence)) for shown in STEPS]
    assert all(0 < low <= high < 1 for low, high in pairwise(found))


@each_row("shown", [0.5, 0.8, 1.0])
def test_the_more_of_the_question_was_found_the_surer(shown: float) -> None:
    found = [likelihood(signs(shown, evidence)) for evidence in STEPS]
    assert all(low <= high for low, high in pairwise(found))


def test_a_likely_answer_says_so_and_what_is_hardly_covered_does_not() -> None:
    assert likelihood(signs(0.95, 0.9)) > 0.7
    assert likelihood(signs(0.95, 0.1)) < 0.3


def test_a_logistic_model() -> None:
    weights = dict(zip(WEIGHTS, (0.5, 2.0, 1.0, 3.0), strict=True))
    odds = math.log(0.8 / 0.2)
    score = 0.5 + 2 * odds + 0.4 + 3 * 0.6
    assert likelihood(signs(0.8, 0.4, 0.6), weights) == pytest.approx(1 / (1 + math.exp(-score)))
    assert likelihood(signs(0, 0), dict.fromkeys(WEIGHTS, 10.0)) == pytest.approx(0.0)


BRIDGE = "The stone bridge of Arwick was built by Ines Duarte in 1931. It was painted blue."


@each_row(
    ("question", "expected"),
    [
        ("When was the bridge of Arwick built?", 1.0),
        ("Who built the bridge of Arwick in 1931?", 1.0),
        ("Who built the bridge of Arwick in 1874?", 0.6),  # another number
        ("When was the bridge of Arwick not painted blue?", 0.5),  # denied by the question alone
    ],
)
def test_a_question_that_the_source_contradicts_is_not_answered_by_it(question: str, expected: float) -> None:
    hit = Hit(1, "bridge.md", "", BRIDGE, 0, len(BRIDGE), 1, 1, (), 1.0)
    shown = units(1, hit)[:1]
    assert consistency(question, shown, hit) == pytest.approx(expected)
    assert likelihood(signs(0.9, 0.9, consistency(question, shown, hit))) <= likelihood(signs(0.9, 0.9))


def test_what_denies_as_its_question_does_is_consistent() -> None:
    text = "员工未休的年假不能折现。"
    hit = Hit(1, "a.md", "", text, 0, len(text), 1, 1, (), 1.0)
    assert consistency("什么情况下年假不能折现？", units(1, hit), hit) == 1.0
