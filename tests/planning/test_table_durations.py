"""Durations in words: they are computed with as minutes and shown as they are written."""

from __future__ import annotations

from table_cases import sql_of, table

from planning.tables import plan_table_query
from tests.each_row import each_row

OVEN = """Programme,Heat,Duration
Bread,220 °C,1 h 5 min
Pizza,250 °C,12 min
Drying,60 °C,4 h 30 min
Cakes,175 °C,50 min
"""
WASHING = """程序,温度,时长
棉麻,60 ℃,2小时15分
快洗,30 ℃,29分钟
羊毛,30 ℃,45分钟
混合,40 ℃,1小时
"""

SHORTEST = 'SELECT "Programme", "Duration" FROM t WHERE minutes("Duration") = (SELECT MIN(minutes("Duration")) FROM t)'
LONGEST = 'SELECT "Programme", "Duration" FROM t WHERE minutes("Duration") = (SELECT MAX(minutes("Duration")) FROM t)'
SHORTEST_ZH = 'SELECT "程序", "时长" FROM t WHERE minutes("时长") = (SELECT MIN(minutes("时长")) FROM t)'
LONGEST_ZH = 'SELECT "程序", "时长" FROM t WHERE minutes("时长") = (SELECT MAX(minutes("时长")) FROM t)'


@each_row(
    ("question", "sql"),
    [
        ("Which programme is the shortest?", SHORTEST),
        ("Which programme takes longest?", LONGEST),
        ("Which is the quickest programme?", SHORTEST),
        ("Which takes longer, Bread or Cakes?",
         """SELECT "Programme", "Duration" FROM t WHERE "Programme" IN ('Bread', 'Cakes') AND minutes("Duration") = """
         """(SELECT MAX(minutes("Duration")) FROM t WHERE "Programme" IN ('Bread', 'Cakes'))"""),
        ("How long does Drying take?",
         """SELECT "Programme", "Duration" FROM t WHERE "Programme" = 'Drying' LIMIT 1000"""),
        ("Which programmes take longer than 1 hour?",
         """SELECT "Programme", "Duration" FROM t WHERE minutes("Duration") > 60 LIMIT 1000"""),
        ("Which programmes take less than 1 h 30 min?",
         """SELECT "Programme", "Duration" FROM t WHERE minutes("Duration") < 90 LIMIT 1000"""),
        ("What is the average duration?", """SELECT AVG(minutes("Duration")) FROM t"""),
        ("What is the total duration of all programmes?", """SELECT SUM(minutes("Duration")) FROM t"""),
    ],
)  # fmt: skip
def test_programmes_are_told_by_how_long_they_take(question: str, sql: str) -> None:
    assert sql_of(question, [table("oven.csv", OVEN)]) == sql


@each_row(
    ("question", "sql"),
    [
        ("哪个程序最快？", SHORTEST_ZH),
        ("时间最短的程序是哪个？", SHORTEST_ZH),
        ("哪个程序时间最长？", LONGEST_ZH),
        ("哪些程序超过1小时？", """SELECT "程序", "时长" FROM t WHERE minutes("时长") > 60 LIMIT 1000"""),
        ("平均时长是多少？", """SELECT AVG(minutes("时长")) FROM t"""),
        ("棉麻要多长时间？", """SELECT "程序", "时长" FROM t WHERE "程序" = '棉麻' LIMIT 1000"""),
    ],
)  # fmt: skip
def test_programmes_are_told_by_their_time_in_chinese(question: str, sql: str) -> None:
    assert sql_of(question, [table("洗衣程序.csv", WASHING)]) == sql


def test_what_is_asked_is_told_in_hours_and_minutes() -> None:
    query = plan_table_query("Which programmes take longer than 90 minutes?", [table("oven.csv", OVEN)])
    assert query is not None
    assert query.words.en == "“Programme”, “Duration” where “Duration” is over 1 h 30 min"
    total = plan_table_query("总时长是多少？", [table("洗衣程序.csv", WASHING)])
    assert total is not None
    assert total.unit == "小时:分"
