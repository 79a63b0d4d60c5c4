"""What is drawn for the recording of plans takes ways of its own through the rules."""

from __future__ import annotations

from collections import Counter
from typing import Any

from planning.numerals import whole_number
from tests.recorded.telling import telling


def test_of_what_is_read_alike_three_are_drawn_and_what_is_read_otherwise_too() -> None:
    taken: Counter[Any] = Counter()
    alike = [{"said": digits} for digits in ("12", "34", "56", "78")]
    assert [*telling([alike[0], *alike], _read, taken)] == alike[:3]
    assert [*telling(alike[3:], _read, taken)] == []
    assert [*telling([*alike, {"said": "十二"}], _read, taken)] == [{"said": "十二"}]


def _read(said: dict[str, str]) -> int | None:
    return whole_number(said["said"])
