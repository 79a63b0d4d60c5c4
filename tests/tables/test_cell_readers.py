"""Cells in words that are computed with: durations, times of day, stretches of numbers."""

from __future__ import annotations

from typing import get_args

from schema import TableColumn, TableInfo
from tables.cell_readers import CellReader, cell_readers, with_minutes
from tables.clocks import clock_at, clock_of
from tables.columns import typed_column
from tables.durations import duration_at, is_compound, minutes_of, spelled
from tables.ranges import counted_in, holds, range_of
from tests.each_row import each_row


@each_row(
    ("text", "minutes"),
    [
        ("3 h 55 min", 235), ("29 min", 29), ("1h30m", 90), ("2 hrs, 5 mins", 125), ("1 h and 5 min", 65),
        ("1 day 4 h", 1680), ("90 s", 1.5), ("1 hour 30 minutes", 90),
        ("1小时30分", 90), ("45分钟", 45), ("半小时", 30), ("一个半小时", 90), ("2小时半", 150), ("两个小时", 120),
        ("30 m", None), ("5 min 1 h", None), ("9.5 l", None), ("h", None), ("1 h 5", None), ("about 2 h", None),
        ("2 h " * 20, None), ("", None),
    ],
)  # fmt: skip
def test_durations_in_words_are_minutes(text: str, minutes: float | None) -> None:
    assert minutes_of(text) == minutes


def test_a_number_with_its_unit_is_no_compound() -> None:
    assert [is_compound(text) for text in ("29 min", "1 h 29 min", "半小时", "29 kg")] == [False, True, True, False]


def test_minutes_are_told_in_hours_and_minutes() -> None:
    assert [spelled(n, "h:min") for n in (235, 29, 120, 0, -90, 127.4)] == [
        "3 h 55 min", "29 min", "2 h", "0 min", "-1 h 30 min", "2 h 7 min",
    ]  # fmt: skip
    assert [spelled(n, "小时:分") for n in (90, 45, 60)] == ["1小时30分", "45分", "1小时"]
    assert spelled(90, "min") is None


def test_a_duration_is_found_within_a_question() -> None:
    found = duration_at("over 1 h 30 min?", 5)
    assert found is not None
    assert (found[0].value, found[0].unit, found[1]) == (90, "min", 15)
    assert duration_at("over 30 min?", 5) is None


@each_row(
    ("text", "time"),
    [
        ("06:40", "06:40"), ("9:25", "09:25"), ("9:30 am", "09:30"), ("12:15 p.m.", "12:15"), ("12 am", "00:00"),
        ("2 pm", "14:00"), ("下午2:30", "14:30"), ("9点半", "09:30"), ("晚上八点", "20:00"), ("14点05分", "14:05"),
        ("09:00-10:30", "09:00"), ("14:00–16:00", "14:00"), ("9 am - 2 pm", "09:00"), ("8:00至12:00", "08:00"),
        ("00:35+1", "24:35"), ("22:10-00:35+1", "22:10"),
        ("42:15", None), ("10:75", None), ("3:1", None), ("13 pm", None), ("9:00 or 10:00", None), ("9.30", None),
        ("Friday 9:00", None), ("9:00-", None), ("", None),
    ],
)  # fmt: skip
def test_times_of_day_are_read(text: str, time: str | None) -> None:
    assert clock_of(text) == time


def test_a_time_is_found_within_a_question() -> None:
    assert clock_at("after 6:30 pm", 6) == ("18:30", 13)
    assert clock_at("after six", 6) is None


@each_row(
    ("text", "ends"),
    [
        ("6-12岁", (6, 12)), ("6–12 years", (6, 12)), ("ages 6 to 12", (6, 12)), ("4-6人", (4, 6)), ("5岁", (5, 5)),
        ("8岁以上", (8, 10**6)), ("8 and up", (8, 10**6)), ("18+", (18, 10**6)), ("from 6", (6, 10**6)),
        ("over 12", (13, 10**6)), ("under 5", (0, 4)), ("up to 12", (0, 12)), ("3岁以下", (0, 3)),
        ("不限", (0, 10**6)), ("all ages", (0, 10**6)),
        ("12-6", None), ("6-12 kg", None), ("six to twelve", None), ("201", (201, 201)), ("A1", None), ("", None),
    ],
)  # fmt: skip
def test_stretches_of_numbers_are_read(text: str, ends: tuple[int, int] | None) -> None:
    assert range_of(text) == ends


def test_a_stretch_holds_both_its_ends() -> None:
    assert [holds("6-12岁", n) for n in (5, 6, 12, 13)] == [False, True, True, False]
    assert holds("whoever", 6) is None


def test_stretches_are_of_ages_or_of_people() -> None:
    assert counted_in("Ages", ["6-12"]) == counted_in("适合", ["6-12岁"]) == "岁"
    assert counted_in("Players", ["2-4"]) == counted_in("桌型", ["2-4人"]) == "人"
    assert counted_in("Pages", ["2-4"]) == ""


def column(name: str, cells: list[str]) -> TableColumn:
    return typed_column(name, cells)[0]


def test_columns_are_read_in_one_way_or_in_none() -> None:
    columns = [
        column("Programme", ["Eco", "Quick"]), column("Duration", ["3 h 55 min", "29 min"]),
        column("Starts", ["9:00", "10:30"]), column("Ages", ["6-12", "8+"]), column("Level", ["1", "2+x"]),
        column("Weight", ["3 kg", "4 kg"]),
    ]  # fmt: skip
    assert cell_readers(columns) == {1: "minutes", 2: "clock", 3: "range"}
    assert {*cell_readers(columns).values()} == {*get_args(CellReader)}
    unlisted = columns[1]._replace(values=columns[1].values[:1])
    assert cell_readers([unlisted]) == {}


def test_durations_are_a_column_of_numbers() -> None:
    told = column("Duration", ["3 h 55 min", "29 min"])
    held = TableInfo(1, "a.csv", "", 0, "", (column("Programme", ["Eco", "Quick"]), told), 2)
    [kept, read] = with_minutes(held, {1: "minutes"}).columns
    assert kept == held.columns[0]
    assert (read.kind, read.unit, read.values) == ("number", "h:min", ())
    assert with_minutes(held, {}) is held


def test_few_durations_stay_as_they_are_written_and_many_are_minutes() -> None:
    few, cells = typed_column("Duration", ["3 h 55 min", "29 min", ""])
    assert (few.kind, few.values, cells) == ("text", ("3 h 55 min", "29 min"), ["3 h 55 min", "29 min", None])
    many, minutes = typed_column("Duration", [f"{n // 60} h {n % 60} min" for n in range(400)])
    assert (many.kind, many.unit, minutes[61]) == ("number", "min", 61)
    chinese, _ = typed_column("时长", [f"{n // 60}小时{n % 60}分" for n in range(400)])
    assert chinese.unit == "分钟"
