"""What small libraries find and answer, and how claims are judged, is what it was when it was recorded."""

from __future__ import annotations

import pytest

from tests.recorded import evidence
from tests.recorded.asked_libraries import LIBRARIES


@pytest.fixture(scope="module")
def recorded() -> dict:
    return evidence.recorded()


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_says_what_was_recorded(name: str, recorded: dict) -> None:
    assert evidence.row_differences(recorded, evidence.rows_of_library(name)) == []


@pytest.mark.parametrize("subject", evidence.CLAIMS)
def test_claims_are_judged_as_was_recorded(subject: str, recorded: dict) -> None:
    assert evidence.row_differences(recorded, evidence.rows_of(subject)) == []


def test_the_recording_is_small_and_has_no_other_rows(recorded: dict) -> None:
    assert 400 < len(recorded) < 2_000
    assert evidence.PATH.stat().st_size < 200_000
