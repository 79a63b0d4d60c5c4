"""Days of the week by their names in both languages."""

from __future__ import annotations

from tables.weekdays import are_weekdays, weekday_names, weekday_of
from tests.each_row import each_row


@each_row(
    ("text", "day"),
    [
        ("周一", 0), ("星期三", 2), ("礼拜天", 6), ("周日", 6), ("Tuesday", 1), ("Tues.", 1),
        ("Thursdays", 3), ("Sat", 5),
        ("周末", None), ("周一、周三", None), ("Mon-Fri", None), ("Satu", None), ("", None),
    ],
)  # fmt: skip
def test_a_day_is_told_by_its_name(text: str, day: int | None) -> None:
    assert weekday_of(text) == day


def test_a_column_of_days_has_no_other_cells() -> None:
    assert are_weekdays(["周一", "周六"])
    assert not are_weekdays(["周一", "每天"])
    assert not are_weekdays([])


def test_a_day_has_its_other_names_and_those_of_a_weekend() -> None:
    assert {*weekday_names("Sunday")} == {
        "周日", "周天", "星期日", "星期天", "礼拜日", "礼拜天", "sunday", "周末", "双休日", "weekend",
    }  # fmt: skip
    assert {*weekday_names("周二")} == {"周二", "星期二", "礼拜二", "tuesday"}
    assert [*weekday_names("daily")] == []
