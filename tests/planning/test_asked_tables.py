"""The questions of the benchmark's sets of tables: as many as before are answered, none more wrongly."""

from __future__ import annotations

import argparse
from collections import Counter

import pytest

from benchmarks import tables
from benchmarks.report import DATA
from tests.each_row import each_row
from tests.recorded import plans

# Right and wrong; the others are not answered. The second set, with a file of 100,000 rows, is left to the command.
FIGURES = {
    "first": (94, 0),
    "third": (86, 0),
    "fourth": (75, 0),
    "fifth": (49, 0),
    "sixth": (93, 0),
    "seventh": (87, 1),
    "eighth": (121, 1),
    "ninth": (107, 0),
    "tenth": (76, 1),
    "eleventh": (54, 1),
    "twelfth": (57, 0),
    "thirteenth": (35, 0),
    "fourteenth": (23, 0),
}
KEPT_BACK = {"twelfth/blind": (50, 0), "fourteenth/blind": (23, 0)}


@pytest.fixture(scope="module")
def recorded() -> dict:
    """That all is answered now as it was recorded is for tests/recorded/test_plans.py to say."""
    return plans.recorded()


@each_row(("name", "right", "wrong"), [(name, *counts) for name, counts in FIGURES.items()])
def test_a_set_of_questions_is_answered_as_documented(name: str, right: int, wrong: int, recorded: dict) -> None:
    counts = Counter(row["judged"] for row in recorded[f"answers-{name}"])
    assert (counts["right"], counts["wrong"]) == (right, wrong)


@pytest.mark.usefixtures("ingested_here")
@pytest.mark.parametrize(("name", "right", "wrong"), [(name, *counts) for name, counts in KEPT_BACK.items()])
def test_what_is_kept_back_is_answered_as_documented(name: str, right: int, wrong: int) -> None:
    report = tables.run(argparse.Namespace(data=DATA / "tables" / name, false_alarms=[], show=False))
    assert (report.metrics["right"], report.metrics["wrong"]) == (right, wrong)
