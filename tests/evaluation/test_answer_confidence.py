"""How likely an extracted answer is to be right."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from evaluation.answer_confidence import WEIGHTS, likelihood, signs

STEPS = [number / 20 for number in range(21)]


@pytest.mark.parametrize("evidence", [0.1, 0.4, 0.9])
def test_the_likelier_what_is_shown_the_surer(evidence: float) -> None:
    found = [likelihood(signs(shown, evidence)) for shown in STEPS]
    assert all(0 < low <= high < 1 for low, high in pairwise(found))


@pytest.mark.parametrize("shown", [0.5, 0.8, 1.0])
def test_the_more_of_the_question_was_found_the_surer(shown: float) -> None:
    found = [likelihood(signs(shown, evidence)) for evidence in STEPS]
    assert all(low <= high for low, high in pairwise(found))


def test_a_likely_answer_says_so_and_what_is_hardly_covered_does_not() -> None:
    assert likelihood(signs(0.95, 0.9)) > 0.75
    assert likelihood(signs(0.95, 0.1)) < 0.3


def test_a_logistic_model() -> None:
    weights = dict(zip(WEIGHTS, (0.5, 2.0, 1.0), strict=True))
    odds = math.log(0.8 / 0.2)
    score = 0.5 + 2 * odds + 0.4
    assert likelihood(signs(0.8, 0.4), weights) == pytest.approx(1 / (1 + math.exp(-score)))
    assert likelihood(signs(0, 0), dict.fromkeys(WEIGHTS, 10.0)) == pytest.approx(0.0)
