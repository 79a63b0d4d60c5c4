"""Answers and sources that are one word over and over: read without an error, in time that grows with their length."""

from __future__ import annotations

import pytest

from evaluation.claims import NOT, denials, read
from evaluation.numbers import numbers
from tests.growth import assert_growth


@pytest.mark.parametrize("unit", ["百千", "亿", "二", "9", "1,000", "million ", "one hundred ", "三点五亿", "万亿"])
def test_no_number_is_too_long_to_be_read(unit: str) -> None:
    for size in (1, 10, 30, 100, 1_000):
        assert all(0 <= one.value < 1e309 for one in numbers(unit * size))
        read(unit * size)


@pytest.mark.parametrize("unit", ["出没", "没有", "不仅", "not only ", "never ", "Never Say ", "北京", '"'])
def test_the_time_for_a_claim_grows_with_its_length(unit: str) -> None:
    short, long = (unit * (size // len(unit)) for size in (1_500, 12_000))
    assert_growth(lambda text: denials(read(text).terms), short, long, 24)  # 8 where linear, 64 where square


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("No pumps run, never", [("no", "pumps")]),
        ("Pumps never run; valves do not", [("never", "run"), ("not", "valves")]),
        ("no not pumps", [("no", "pumps"), ("not", "pumps")]),
        ("not", []),
    ],
)
def test_a_denial_reaches_the_next_word_of_its_clause_else_the_one_before(text: str, pairs: list) -> None:
    terms = read(text).terms
    assert [(terms[a].written.lower(), terms[b].written.lower()) for a, b in denials(terms)] == pairs
    assert all(terms[a].form == NOT for a, _ in denials(terms))
