"""What is right of questions over twelve kinds of tables, and what wrong, is no worse than docs/benchmarks.md says."""

from __future__ import annotations

from argparse import Namespace

import pytest

from benchmarks.report import DATA
from benchmarks.tables import run

KNOWN = {  # right, wrong
    "third": (86, 0), "fourth": (75, 0), "fifth": (49, 0), "sixth": (93, 0), "seventh": (87, 1), "eighth": (121, 1),
    "ninth": (107, 0), "tenth": (76, 1), "eleventh": (54, 1), "twelfth": (57, 0), "twelfth/blind": (50, 0),
    "thirteenth": (35, 0), "fourteenth": (23, 0), "fourteenth/blind": (23, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_no_fewer_are_right_and_no_more_wrong(name: str) -> None:
    found = run(Namespace(data=DATA / "tables" / name, false_alarms=[], show=True)).metrics
    right, wrong = KNOWN[name]
    assert found["right"] >= right
    assert found["wrong"] <= wrong
