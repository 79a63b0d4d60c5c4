"""The words of an answer that was computed, in both languages."""

import pytest

from answering.table_answers import result_sentence, result_table
from schema import Cell, Message, TableQuery, TableResult
from tests.each_row import each_row


def result(columns: list[str], rows: list[tuple[Cell, ...]], unit: str = "") -> TableResult:
    query = TableQuery(document="t.csv", sql="SELECT 1", words=Message("比较", "compared"), unit=unit)
    return TableResult(query, tuple(columns), tuple(rows), False, 9, 9, ())


@each_row(
    ("column", "zh", "en"),
    [
        ('AVG("工资")', "平均工资", "average 工资"),
        ('AVG("月薪（元）")', "平均月薪", "average 月薪"),
        ('AVG("Salary")', "平均 Salary", "average salary"),
        ('SUM("GDP (bn $)")', "GDP 合计", "total GDP"),
        ('MAX("Unit ""price""")', 'Unit "price" 最大值', 'highest unit "price"'),
        ('MEDIAN("数量")', "数量中位数", "median 数量"),
        ('COUNT(DISTINCT "City")', "不同的 City 数", "number of different values of city"),
        ('SUM(minutes("Time"))', "Time 合计", "total time"),
        ('AVG(minutes("时长"))', "平均时长", "average 时长"),
        ("COUNT(*)", "行数", "number of rows"),
        ('1.0 * COUNT(*) / (SELECT COUNT(*) FROM "t.csv")', "占比", "share"),
        ('substr("日期", 1, 7)', "日期", "日期"),
    ],
)
def test_the_head_of_a_computed_column_is_what_people_write(column: str, zh: str, en: str) -> None:
    two = result(["部门", column], [("a", 1), ("b", 2)])
    assert result_table(two, "zh").splitlines()[0] == f"| 部门 | {zh} |"
    assert result_table(two, "en").splitlines()[0] == f"| 部门 | {en} |"


def test_a_difference_and_a_ratio_show_both_sides() -> None:
    sides = ["(SELECT 1)", "(SELECT 2)"]
    assert result_sentence(result([*sides, "(SELECT 1) - (SELECT 2)"], [(7, 2, 5)], "$"), "zh") == "比较：$7 − $2 = $5"
    assert result_sentence(result([*sides, "(SELECT 1) - (SELECT 2)"], [(2, 7, -5)], "$"), "en").endswith("= -$5")
    assert result_sentence(result([*sides, "(SELECT 2) - (SELECT 1)"], [(2, 7, 5)]), "en") == "Compared: 7 − 2 = 5"
    assert result_sentence(result([*sides, "1.0 * (SELECT 1) / (SELECT 2)"], [(6, 4, 1.5)]), "en").endswith(
        "6 ÷ 4 = 1.5"
    )


@each_row(
    ("column", "numbers", "written"),
    [
        ("Joined", (2016, 2021), ("2016", "2021")),
        ("Birth year", (1988, 1999), ("1988", "1999")),
        ("入会", (2016, 2021), ("2016", "2021")),
        ('MIN("成立年份")', (1956, 2021), ("1956", "2021")),
        ('AVG("Birth year")', (1984.5, 1990), ("1984.5", "1990")),
        ("Room", (1204, 12041), ("1204", "12041")),
        ("Phone", (5550101, 5550102), ("5550101", "5550102")),
        ("手机号", (13800010001, 13800010002), ("13800010001", "13800010002")),
        ("Rooms", (1204, 980), ("1,204", "980")),
        ("Left", (2016, 12041), ("2,016", "12,041")),  # how much is left
        ("Opened (letters)", (2016, 2021), ("2,016", "2,021")),
        ("年收入", (2016, 2021), ("2,016", "2,021")),
        ('SUM("Year")', (2016, 2021), ("2,016", "2,021")),
        ('COUNT(DISTINCT "Room")', (1204, 1205), ("1,204", "1,205")),
    ],
)
def test_years_and_numbers_of_things_are_written_without_separators(
    column: str, numbers: tuple[float, float], written: tuple[str, str]
) -> None:
    two = result([column, "Who"], [(numbers[0], "a"), (numbers[1], "b")])
    assert [line.split(" | ")[0] for line in result_table(two, "en").splitlines()[2:]] == [
        f"| {one}" for one in written
    ]


def test_a_year_in_a_sentence_and_years_that_are_grouped_by_are_no_amounts() -> None:
    assert result_sentence(result(["谁", "入会"], [("a", 2016)]), "zh") == "比较：a · 2016"
    groups = result(["Season", 'SUM("Goals")'], [(2023, 1204), (2024, 998)])
    assert result_table(groups, "en").splitlines()[2:] == ["| 2023 | 1,204 |", "| 2024 | 998 |"]


def test_chinese_parts_thousands_from_ten_thousand_on():
    amounts = [(2399, "2399 元", "2,399 元"), (10800, "10,800 元", "10,800 元"), (-2399, "-2399 元", "-2,399 元")]
    for amount, zh, en in amounts:
        one = result(["价格"], [(amount,)], "元")
        assert (result_sentence(one, "zh"), result_sentence(one, "en")) == (f"比较：{zh}", f"Compared: {en}")


def test_a_few_short_names_are_told_in_the_sentence():
    days = result(["日期"], [("2026-12-01",), ("2026-12-05",)])
    assert result_sentence(days, "zh") == "比较：2026-12-01、2026-12-05（共 2 项）"
    assert result_sentence(days, "en") == "Compared: 2026-12-01, 2026-12-05 (2 results)"
    assert result_table(days, "zh") == ""


@pytest.mark.parametrize(
    "cells", [["Lee, Ann", "Kim"], ["是；免费", "是"], ["x" * 41, "y"], [1, 2], [str(number) for number in range(7)]]
)
def test_names_that_would_seem_to_be_others_stand_in_a_table(cells: list[str | int]):
    several = result(["Name"], [(cell,) for cell in cells])
    assert result_sentence(several, "en") == f"Compared: {len(cells)} results"
    assert result_table(several, "en").splitlines()[0] == "| Name |"


def test_minutes_are_told_in_hours_and_minutes_as_the_cells_are() -> None:
    assert result_sentence(result(['AVG(minutes("Time"))'], [(127.5,)], "h:min"), "en") == "Compared: 2 h 8 min"
    assert result_sentence(result(['SUM(minutes("时长"))'], [(90,)], "小时:分"), "zh") == "比较：1小时30分"
    assert result_sentence(result(["Job", "Time"], [("Bread", "1h30m")], "h:min"), "en") == "Compared: Bread · 1h30m"


@each_row(
    ("day", "zh", "en"),
    [("XXXX-10-25", "10月25日", "October 25"), ("XXXX-03-05 09:30", "3月5日 09:30", "March 5 09:30")],
)
def test_a_day_without_a_year_is_written_as_people_do(day: str, zh: str, en: str) -> None:
    told = result(["Name", "Day"], [("M7", day)])
    assert zh in result_sentence(told, "zh")
    assert en in result_sentence(told, "en")
