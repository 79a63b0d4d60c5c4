"""Things that are counted by their quantity, sentences in cells, days without a year."""

from __future__ import annotations

import pytest
from table_cases import sql_of, table

from tables.columns import typed_column
from tests.each_row import each_row

ORDERS = """Order,Date,Customer,City,Product,Quantity,Unit price,Status
1001,2026-10-02,Nordwind,Hamburg,Desk lamp,12,34.50,delivered
1003,2026-10-09,Casa Verde,Porto,Desk lamp,20,33.00,delivered
1004,2026-10-15,Nordwind,Hamburg,Wall clock,8,45.00,returned
1007,2026-11-04,Casa Verde,Porto,Wall clock,10,44.00,open
"""
KIT = """申请单号,日期,部门,物品,数量
S1,2026-03-02,市场部,台灯,4
S2,2026-03-04,研发部,显示器,6
S3,2026-03-09,市场部,显示器,2
"""
LOG = """Time,Event
09:12,Change 8841 deployed by the release bot
09:24,Marek joins as incident commander
09:52,Rollback finished
09:59,Incident closed
"""
ZH_TASKS = "事项,负责人,截止\n补齐用例,李泽,11 月 10 日\n给出设计,赵一鸣,11 月 7 日\n联系客户,周航,11 月 14 日\n"
TASKS = "Task,Owner,Due\nBook the hall,Ben,Nov 7\nPrint badges,Cleo,10 Nov\nInvite speakers,Ana,30 Nov\n"
LENT = "图书,借书人,应还\n活着,小王,11/10\n三体,小李,11/7\n围城,小王,12/3\n"
LAMPS = """SELECT SUM("Quantity") FROM t WHERE "Product" = 'Desk lamp' AND """
OF_CASA = """"Customer" = 'Casa Verde'"""
OF_DEPARTMENTS = """FROM t WHERE "部门" IS NOT NULL GROUP BY 1 ORDER BY 1"""
MARKET = """SELECT SUM("数量") FROM t WHERE "部门" = '市场部' AND "物品" = '显示器'"""


@each_row(
    ("question", "sql"),
    [
        ("How many desk lamps did Casa Verde order?", LAMPS + OF_CASA),
        ("How many desk lamps did Casa Verde take?", LAMPS + OF_CASA),
        ("How many desk lamps has Casa Verde ordered?", LAMPS + OF_CASA),
        ("How many orders did Casa Verde place?", f"SELECT COUNT(*) FROM t WHERE {OF_CASA}"),
        ("How many desk lamp orders are there?", """SELECT COUNT(*) FROM t WHERE "Product" = 'Desk lamp'"""),
        ("How many orders of desk lamps did Casa Verde place?",
         f"""SELECT COUNT(*) FROM t WHERE "Product" = 'Desk lamp' AND {OF_CASA}"""),
        ("How many customers ordered desk lamps?",
         """SELECT COUNT(DISTINCT "Customer") FROM t WHERE "Product" = 'Desk lamp'"""),
        ("市场部领了几台显示器？", MARKET),
        ("市场部领用了多少台显示器？", MARKET),
        ("各部门的申请单数量", f"""SELECT "部门", COUNT(*) {OF_DEPARTMENTS}"""),
        ("各部门的物品数量", f"""SELECT "部门", SUM("数量") {OF_DEPARTMENTS}"""),
    ],
)  # fmt: skip
def test_things_are_counted_by_their_quantity(question: str, sql: str) -> None:
    assert sql_of(question, [table("orders.csv", ORDERS, 1), table("领用.csv", KIT, 2)]) == sql


STAFF = """Name,Department,Hired,Departed,Salary
Ann Lee,Sales,2020-01-05,,50000
Bob Ray,Sales,2019-03-01,2025-02-01,48000
Cy Poe,IT,2021-07-11,2025-06-30,61000
"""
DEPARTED = """SELECT COUNT(*) FROM t WHERE "Departed" IS NOT NULL"""


@each_row(
    ("question", "sql"),
    [
        ("How many departed employees are there?", DEPARTED),
        ("How many employees left?", DEPARTED),
        ("How many departments are there?", """SELECT COUNT(DISTINCT "Department") FROM t"""),
        ("Who left in 2025?",
         """SELECT "Name", "Departed" FROM t """
         """WHERE ("Departed" >= '2025-01-01' AND "Departed" < '2026-01-01') LIMIT 1000"""),
    ],
)  # fmt: skip
def test_words_of_one_stem_are_told_apart_as_they_are_written(question: str, sql: str) -> None:
    assert sql_of(question, [table("staff.csv", STAFF)]) == sql


@pytest.mark.parametrize("question", ["Who was the incident commander?", "Who closed the rollback?"])
def test_who_is_not_answered_by_the_cell_that_was_asked_about(question: str) -> None:
    assert sql_of(question, [table("log.csv", LOG)]) is None


@each_row(
    ("name", "content", "question", "days"),
    [
        ("待办.csv", ZH_TASKS, "哪些待办在11月10日之前截止？", "BETWEEN '01-01' AND '11-09'"),
        ("待办.csv", ZH_TASKS, "哪些待办11月10日前截止？", "BETWEEN '01-01' AND '11-09'"),
        ("待办.csv", ZH_TASKS, "哪些待办最晚11月10日截止？", "BETWEEN '01-01' AND '11-10'"),
        ("待办.csv", ZH_TASKS, "哪些待办在11月10日之后截止？", "BETWEEN '11-11' AND '12-31'"),
        ("tasks.csv", TASKS, "Which tasks are due before November 10?", "BETWEEN '01-01' AND '11-09'"),
        ("tasks.csv", TASKS, "Which tasks are due by November 10?", "BETWEEN '01-01' AND '11-10'"),
        ("借书.csv", LENT, "哪些书要在11月10日之前还？", "BETWEEN '01-01' AND '11-09'"),
    ],
)
def test_days_without_a_year(name: str, content: str, question: str, days: str) -> None:
    sql = sql_of(question, [table(name, content)])
    assert sql is not None
    assert f", 6, 5) {days}" in sql


def test_a_year_that_no_row_tells_is_not_compared() -> None:
    assert sql_of("哪些待办在2026年11月10日之前截止？", [table("待办.csv", ZH_TASKS)]) is None


@each_row(
    ("name", "cells", "kind", "first"),
    [
        ("截止", ["11 月 10 日", "11月7日"], "date", "XXXX-11-10"),
        ("应还", ["11/10", "11/7"], "date", "XXXX-11-10"),
        ("Due", ["13/10", "11/7"], "date", "XXXX-10-13"),
        ("Due", ["11/10", "11/7"], "text", "11/10"),  # nobody knows which is the month
        ("Score", ["11/10", "13/7"], "text", "11/10"),
        ("得分", ["11/10", "11/7"], "text", "11/10"),
    ],
)
def test_days_with_a_slash(name: str, cells: list[str], kind: str, first: str) -> None:
    column, values = typed_column(name, cells)
    assert (column.kind, values[0]) == (kind, first)
