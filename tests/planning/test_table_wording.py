"""What a selection does, told in both languages: each of its kinds, conditions of each kind, times of each length."""

from __future__ import annotations

from table_cases import table

from planning.tables.periods import Period
from planning.tables.spec import Condition, Selection
from planning.tables.wording import in_words
from schema import Message
from tests.each_row import each_row

SALES = table(
    "sales.csv",
    """Order,Client,Region,Amount ($),Cost ($),Rate %,Year,Placed
A1,Acme,North,1200.5,700,12.5%,2005,2024-01-31
A2,Bolt,South,80,90,50%,2006,2024-12-31
A3,Acme,,310,,25%,2006,2025-03-09
A4,Acme,South,310,30,,2006,2025-03-10
""",
)
ORDER, CLIENT, REGION, AMOUNT, COST, RATE, YEAR, PLACED = range(8)
ACME, BIG = Condition(CLIENT, "=", ("Acme",)), Condition(AMOUNT, ">", (1000,))
NORTH, SOUTH = (Condition(REGION, "=", (name,)) for name in ("North", "South"))


@each_row(
    ("condition", "zh", "en"),
    [
        (Condition(CLIENT, "=", ("Acme", "Bolt")), "“Client”为“Acme”或“Bolt”", "“Client” is Acme or Bolt"),
        (Condition(CLIENT, "!=", ("Acme",)), "“Client”不为“Acme”", "“Client” is not Acme"),
        (
            Condition(CLIENT, "=", ("Acme",), either=REGION),
            "“Client”或“Region”为“Acme”",
            "“Client” or “Region” is Acme",
        ),
        (Condition(AMOUNT, ">", (1000,)), "“Amount”大于 1,000 ", "“Amount” is over 1,000"),
        (Condition(AMOUNT, ">=", (1500.0,)), "“Amount”不小于 1,500 ", "“Amount” is at least 1,500"),
        (Condition(AMOUNT, "<", (2000.5,)), "“Amount”小于 2,000.5 ", "“Amount” is under 2,000.5"),
        (Condition(AMOUNT, "<=", (10,)), "“Amount”不大于 10 ", "“Amount” is at most 10"),
        (Condition(AMOUNT, "=", (80,)), "“Amount”为 80 ", "“Amount” is 80"),
        (
            Condition(AMOUNT, "between", (1000, 2000)),
            "“Amount”在 1,000 到 2,000 之间",
            "“Amount” is between 1,000 and 2,000",
        ),
        (Condition(AMOUNT, ">", other=COST), "“Amount”大于“Cost”", "“Amount” is over “Cost”"),
        (Condition(AMOUNT, "=", other=COST), "“Amount”为“Cost”", "“Amount” is “Cost”"),
        (Condition(AMOUNT, "<", average=True), "“Amount”小于平均值", "“Amount” is under the average"),
        (Condition(RATE, "=", (0.1234567,)), "“Rate %”为 12.3457% ", "“Rate %” is 12.3457%"),
        (Condition(YEAR, "=", (2005,)), "“Year”为 2005 ", "“Year” is 2005"),
        (Condition(REGION, "blank"), "“Region”为空", "“Region” is blank"),
        (Condition(REGION, "not blank"), "“Region”不为空", "“Region” is not blank"),
        (Condition(PLACED, "not in period", period=Period(2024)), "“Placed”不在 2024 年", "“Placed” is not in 2024"),
        (
            Condition(PLACED, "in period", period=Period(2024, 12, 12)),
            "“Placed”在 2024 年 12 月",
            "“Placed” is in December 2024",
        ),
        (Condition(PLACED, "in period", period=Period(None, 3, 5)), "“Placed”在 3–5 月", "“Placed” is in March–May"),
        (
            Condition(PLACED, "in period", period=Period(None, 3, 3, 9)),
            "“Placed”在 3 月 9 日",
            "“Placed” is on March 9",
        ),
        (
            Condition(PLACED, "in period", period=Period(2025, 3, 3, 9)),
            "“Placed”在 2025 年 3 月 9 日",
            "“Placed” is on March 9, 2025",
        ),
        (Condition(PLACED, "<", ("2025-03-09~",)), "“Placed”不晚于 2025-03-09 ", "“Placed” is on or before 2025-03-09"),
        (Condition(PLACED, "<", ("2025-03-09",)), "“Placed”早于 2025-03-09 ", "“Placed” is before 2025-03-09"),
        (Condition(PLACED, ">=", ("2025-03-09~",)), "“Placed”晚于 2025-03-09 ", "“Placed” is after 2025-03-09"),
        (Condition(PLACED, ">=", ("2025-03-09",)), "“Placed”不早于 2025-03-09 ", "“Placed” is on or after 2025-03-09"),
        (Condition(CLIENT, ">", (1,), counts=True), "“Client”行数大于 1 ", "“Client” has over 1 rows"),
        (
            Condition(CLIENT, ">=", (2,), counts=True, rows=(BIG, NORTH)),
            "“Client”“Amount”大于 1,000 且“Region”为“North”的行数不小于 2 ",
            "“Client” has at least 2 rows for which “Amount” is over 1,000 and “Region” is North",
        ),
        (
            Condition(CLIENT, "=", (0,), counts=True, rows=(NORTH,)),
            "“Client”没有“Region”为“North”的行",
            "“Client” has no row for which “Region” is North",
        ),
    ],
)
def test_a_condition(condition: Condition, zh: str, en: str) -> None:
    told = in_words(Selection("aggregate", conditions=(condition,)), SALES)
    assert told == Message(f"{zh}的行数", f"number of rows where {en}")


@each_row(
    ("after", "before", "zh", "en"),
    [
        ("2024-01-31", "2025-01-01", "2024-01-31 到 2024-12-31 ", "2024-01-31 and 2024-12-31"),
        ("2024-01-31", "2025-03-09~", "2024-01-31 到 2025-03-09 ", "2024-01-31 and 2025-03-09"),
    ],
)
def test_a_stretch_of_days_is_told_by_the_days_that_it_holds(after: str, before: str, zh: str, en: str) -> None:
    ends = Condition(PLACED, ">=", (after,)), Condition(PLACED, "<", (before,))
    told = in_words(Selection("aggregate", conditions=(*ends, ACME)), SALES)
    assert told.zh == f"“Placed”在 {zh}之间且“Client”为“Acme”的行数"
    assert told.en == f"number of rows where “Placed” is between {en} and “Client” is Acme"


def test_two_bounds_of_a_number_or_of_two_columns_are_told_one_by_one() -> None:
    both = (Condition(AMOUNT, ">=", (10,)), Condition(AMOUNT, "<", (20,)), Condition(PLACED, ">=", ("2024-01-31",)))
    assert in_words(Selection("aggregate", conditions=both), SALES).en == (
        "number of rows where “Amount” is at least 10 and “Amount” is under 20 and “Placed” is on or after 2024-01-31"
    )


@each_row(
    ("selection", "zh", "en"),
    [
        (Selection("aggregate", "median", AMOUNT), "“Amount”中位数", "median “Amount”"),
        (Selection("aggregate", "min", AMOUNT), "“Amount”最小值", "lowest “Amount”"),
        (Selection("aggregate", "max", AMOUNT), "“Amount”最大值", "highest “Amount”"),
        (Selection("aggregate", "distinct", CLIENT), "“Client”不同值的个数",
         "number of different values of “Client”"),
        (Selection("distinct", columns=(REGION,)), "“Region”（不重复）", "different values of “Region”"),
        (Selection("rows", columns=(ORDER, CLIENT, REGION, AMOUNT)), "“Order”、“Client”、“Region”、“Amount”",
         "“Order”, “Client”, “Region”, “Amount”"),
        (Selection("rows", columns=(ORDER, CLIENT, REGION, AMOUNT, COST)), "行", "rows"),
        (Selection("groups", "sum", AMOUNT, REGION), "各“Region”的“Amount”合计", "total “Amount” by “Region”"),
        (Selection("groups", "sum", COST, CLIENT, limit=1), "“Cost”合计最高的“Client”",
         "the “Client” with the highest total “Cost”"),
        (Selection("groups", "avg", COST, CLIENT, descending=False, limit=2), "“Cost”平均值最低的 2 个“Client”",
         "the 2 values of “Client” with the lowest average “Cost”"),
        (Selection("groups", "count", None, CLIENT, descending=False, limit=1), "行数最少的“Client”",
         "the “Client” with the fewest rows"),
        (Selection("groups", "count", AMOUNT, CLIENT, limit=1), "行数最多的“Client”",
         "the “Client” with the most rows"),
        (Selection("groups", "count", None, PLACED, "month"), "按月“Placed”统计的行数",
         "number of rows by month of “Placed”"),
        (Selection("groups", "count", None, PLACED, "day"), "按日“Placed”统计的行数",
         "number of rows by day of “Placed”"),
        (Selection("groups", "count", None, PLACED, "year"), "按年“Placed”统计的行数",
         "number of rows by year of “Placed”"),
        (Selection("groups", "count", None, PLACED, "day", limit=1), "行数最多的“日期”",
         "the day of “Placed” with the most rows"),
        (Selection("groups", "sum", COST, PLACED, "year", limit=1), "“Cost”合计最高的“年份”",
         "the year of “Placed” with the highest total “Cost”"),
        (Selection("groups", "sum", COST, PLACED, "month", False, 2), "“Cost”合计最低的 2 个“月份”",
         "the 2 values of month of “Placed” with the lowest total “Cost”"),
        (Selection("top", "max", AMOUNT, limit=1), "“Amount”最高的行", "the row with the highest “Amount”"),
        (Selection("top", "min", AMOUNT, descending=False, limit=3), "“Amount”最低的 3 行",
         "the 3 rows with the lowest “Amount”"),
        (Selection("top", "max", PLACED, limit=2), "“Placed”最晚的 2 行", "the 2 rows with the latest “Placed”"),
        (Selection("top", "min", PLACED, descending=False, limit=1), "“Placed”最早的行",
         "the row with the earliest “Placed”"),
        (Selection("best", "max", AMOUNT, CLIENT), "每个“Client”“Amount”最高的行",
         "the row with the highest “Amount” of each “Client”"),
        (Selection("best", "min", PLACED, CLIENT, descending=False), "每个“Client”“Placed”最早的行",
         "the row with the earliest “Placed” of each “Client”"),
        (Selection("best", "max", AMOUNT, PLACED, "month"), "每个月“Amount”最高的行",
         "the row with the highest “Amount” of each month of “Placed”"),
        (Selection("best", "max", AMOUNT, PLACED, "year"), "每年“Amount”最高的行",
         "the row with the highest “Amount” of each year of “Placed”"),
        (Selection("best", "max", AMOUNT, PLACED, "day"), "每天“Amount”最高的行",
         "the row with the highest “Amount” of each day of “Placed”"),
        (Selection("per", "sum", AMOUNT, PLACED, "month"), "平均每月的“Amount”", "average total “Amount” per month"),
        (Selection("per", "sum", AMOUNT, PLACED, "day"), "平均每天的“Amount”", "average total “Amount” per day"),
        (Selection("per", "count", None, PLACED, "year"), "平均每年的行数", "average number of rows per year"),
        (Selection("per", "count", None, CLIENT), "平均每“Client”的行数", "average number of rows per “Client”"),
        (Selection("share", conditions=(ACME,)), "“Client”为“Acme”的行所占比例",
         "share of the rows where “Client” is Acme"),
        (Selection("share", "sum", AMOUNT, conditions=(ACME,)), "“Client”为“Acme”的“Amount”占比",
         "share of “Amount” where “Client” is Acme"),
        (Selection("share", conditions=(SOUTH, ACME), share_of=(SOUTH,)),
         "“Region”为“South”的行中，“Client”为“Acme”的行所占比例",
         "share of the rows where “Client” is Acme among those where “Region” is South"),
        (Selection("shares", "sum", AMOUNT, CLIENT), "各“Client”的“Amount”占比", "share of “Amount” by “Client”"),
        (Selection("shares", "count", None, CLIENT, conditions=(BIG,)),
         "“Amount”大于 1,000 的行中，各“Client”的行数占比",
         "share of the rows by “Client” where “Amount” is over 1,000"),
        (Selection("difference", "max", AMOUNT), "“Amount”最大值与最小值之差",
         "difference between the highest and the lowest “Amount”"),
        (Selection("difference", "sum", AMOUNT, CLIENT, pair=("Acme", "Bolt")), "“Amount”合计之差（Acme − Bolt）",
         "difference in the total “Amount” (Acme − Bolt)"),
        (Selection("difference", "sum", AMOUNT, CLIENT, descending=False, pair=("Acme", "Bolt")),
         "“Amount”合计之差（Bolt − Acme）", "difference in the total “Amount” (Bolt − Acme)"),
        (Selection("difference", "sum", AMOUNT, YEAR, sides=tuple(Condition(YEAR, "=", (y,)) for y in (2005, 2006))),
         "“Amount”合计之差（2005 − 2006）", "difference in the total “Amount” (2005 − 2006)"),
        (Selection("ratio", "sum", AMOUNT, CLIENT, pair=("Acme", "Bolt")), "Acme与Bolt的“Amount”合计之比",
         "ratio of the total “Amount”, Acme to Bolt"),
    ],
)  # fmt: skip
def test_a_selection(selection: Selection, zh: str, en: str) -> None:
    assert in_words(selection, SALES) == Message(zh, en)


def test_the_year_of_a_condition_is_written_as_a_year() -> None:
    members = table("members.csv", "Name,Joined,Steps\nAnn,2016,5000\nBo,2019,900\n")
    for column, written in ((1, "2017"), (2, "2,017")):
        found = in_words(Selection("aggregate", conditions=(Condition(column, ">=", (2017,)),)), members)
        assert found.en.endswith(f"is at least {written}")
        assert f"不小于 {written} " in found.zh
