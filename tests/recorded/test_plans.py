"""Messages and questions over tables are understood as they were when they were recorded."""

from __future__ import annotations

import pytest

from tests.recorded import plans


@pytest.fixture(scope="module")
def recorded() -> dict:
    return plans.recorded()


@pytest.mark.parametrize("subject", plans.SUBJECTS)
def test_a_subject_is_planned_as_it_was_recorded(subject: str, recorded: dict) -> None:
    assert plans.subject_differences(subject, recorded, {subject: plans.planned(subject, recorded)}) == []


def test_every_recorded_subject_is_planned(recorded: dict) -> None:
    assert set(recorded) == set(plans.SUBJECTS)
    assert sum(map(len, recorded.values())) >= 7_000
    assert plans.PATH.stat().st_size < 400_000
