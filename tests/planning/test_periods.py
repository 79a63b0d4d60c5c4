"""Times as a question about a table writes them, in both languages."""

from __future__ import annotations

from planning.tables.periods import Period, period_at
from tests.each_row import each_row


@each_row(
    ("text", "period"),
    [
        ("2024年", Period(2024)),
        ("2024年一季度", Period(2024, 1, 3)),
        ("2024年第四季度", Period(2024, 10, 12)),
        ("q3 2024", Period(2024, 7, 9)),
        ("2024年上半年", Period(2024, 1, 6)),
        ("2024年下半年", Period(2024, 7, 12)),
        ("2024年3月", Period(2024, 3, 3)),
        ("2024年二月", Period(2024, 2, 2)),
        ("2024年十月", Period(2024, 10, 10)),
        ("2024年十二月", Period(2024, 12, 12)),
        ("2024年2月29日", Period(2024, 2, 2, 29)),
        ("march 2024", Period(2024, 3, 3)),
        ("2024-02-29", Period(2024, 2, 2, 29)),
    ],
)
def test_a_time_is_read_to_its_end(text: str, period: Period) -> None:
    assert period_at(text, 0) == (period, len(text))


@each_row("text", ["2024年13月", "may be", "x"])
def test_what_is_no_time_is_none(text: str) -> None:
    assert period_at(text, 0) is None
