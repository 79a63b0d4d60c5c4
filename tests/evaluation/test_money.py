"""What something costs is answered by an amount, and by one that is for that thing."""

from __future__ import annotations

from evaluation.extractive import extract_answer
from schema import Hit

GYM = """## Pausing

You can pause your membership for three months a year. A pause costs €5 per month.

## Lockers

Lockers can be rented for €8 a month.
"""


def test_a_year_is_no_subject_that_something_is_paid_for() -> None:
    hits = [Hit(1, "gym.md", "", GYM, 0, len(GYM), 1, 7, score=0.9)]
    answer = extract_answer("What does a rented locker cost a year?", hits, "en")
    assert "€8" in answer
    assert "pause" not in answer
