"""Rosters: a row for each day, and the same people in several columns."""

from __future__ import annotations

import pytest
from table_cases import sql_of, table

from planning.tables.names import names_of_table
from tests.each_row import each_row

ROSTER = """日期,星期,白班,夜班,电话
2026-12-01,周二,陈思远,高磊,8001
2026-12-02,周三,吴桐,陈思远,8001
2026-12-03,周四,高磊,吴桐,8002
2026-12-05,周六,陈思远,高磊,8003
2026-12-08,周二,高磊,陈思远,8001
"""
SHIFTS = """Date,Early,Late,Phone
2026-12-01,Ann Lee,Bo Kim,8001
2026-12-02,Cleo May,Ann Lee,8001
2026-12-03,Ann Lee,Cleo May,8002
2026-12-04,Bo Kim,Ann Lee,8001
"""
CARDS = """卡种,价格,可否转让
月卡,299元,否
年卡,2399元,是，手续费200元
次卡,600元,是，免费
"""


@each_row(
    ("question", "sql"),
    [
        ("陈思远哪几天上白班？", """SELECT "日期" FROM t WHERE "白班" = '陈思远' LIMIT 1000"""),
        ("高磊哪天上夜班？", """SELECT "日期" FROM t WHERE "夜班" = '高磊' LIMIT 1000"""),
        ("陈思远什么时候上夜班？", """SELECT "日期" FROM t WHERE "夜班" = '陈思远' LIMIT 1000"""),
        ("高磊一共上几个夜班？", """SELECT COUNT(*) FROM t WHERE "夜班" = '高磊'"""),
        ("12月3日谁上夜班？",
         """SELECT "日期", "夜班" FROM t WHERE substr("日期", 6, 5) = '12-03' LIMIT 1000"""),
        ("12月5号的值班电话是多少？",
         """SELECT "日期", "电话" FROM t WHERE substr("日期", 6, 5) = '12-05' LIMIT 1000"""),
        ("哪些天陈思远上白班？", """SELECT "日期" FROM t WHERE "白班" = '陈思远' LIMIT 1000"""),
        ("陈思远哪天休息？", None),
        ("高磊的电话", None),
    ],
)  # fmt: skip
def test_a_roster_tells_days_and_who_is_on_duty(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("值班表.csv", ROSTER)]) == sql


@each_row(
    ("question", "sql"),
    [
        ("On which days is Ann Lee on the early shift?",
         """SELECT "Date" FROM t WHERE "Early" = 'Ann Lee' LIMIT 1000"""),
        ("Which days does Ann Lee work late?", """SELECT "Date" FROM t WHERE "Late" = 'Ann Lee' LIMIT 1000"""),
        ("List the days of Ann Lee on the early shift",
         """SELECT "Date" FROM t WHERE "Early" = 'Ann Lee' LIMIT 1000"""),
        ("Days that Ann Lee is late",
         """SELECT "Date", "Early", "Late", "Phone" FROM t WHERE "Late" = 'Ann Lee' LIMIT 1000"""),
        ("When does Ann Lee work late?", """SELECT "Date" FROM t WHERE "Late" = 'Ann Lee' LIMIT 1000"""),
        ("What is the phone on 3 December?",
         """SELECT "Date", "Phone" FROM t WHERE substr("Date", 6, 5) = '12-03' LIMIT 1000"""),
        ("When does Ann Lee work?", None),
    ],
)  # fmt: skip
def test_a_roster_in_english(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("shifts.csv", SHIFTS)]) == sql


def test_under_a_title_that_asks_yes_and_no_may_go_on() -> None:
    cards = table("会员卡.csv", CARDS)
    assert names_of_table(cards).flags == {2: (("是，手续费200元", "是，免费"), ("否",))}
    told = """SELECT "卡种" FROM t WHERE "可否转让" """
    assert sql_of("哪些卡可以转让？", [cards]) == f"{told}IN ('是，手续费200元', '是，免费') LIMIT 1000"
    assert sql_of("哪些卡不能转让？", [cards]) == f"{told}= '否' LIMIT 1000"


@pytest.mark.parametrize("cells", ["是，免费", "是的；否"])
def test_no_other_column_says_yes_in_a_sentence(cells: str) -> None:
    rows = "\n".join(f"{at},{cell}" for at, cell in enumerate(cells.split("；") * 2))
    assert names_of_table(table("注.csv", f"编号,备注\n{rows}\n")).flags == {}
