"""Whatever a row of a table is called, plain questions about rows and amounts are told apart."""

from __future__ import annotations

import pytest
from table_cases import sql_of, table

from planning.tables import plan_table_query
from tests.each_row import each_row

ENGLISH = "invoice order booking payment repair inspection loan claim donation participant incident purchase lesson"
CHINESE = "发票 订单 预订 付款 维修 检查 借款 报销 捐款 访问 投诉 课程 采购"
ROWS = "A1,Acme,2026-01-05,open,120,3\nA2,Bolt,2026-02-05,closed,80,5\nA3,Acme,2026-02-07,open,45,9\n"


@pytest.mark.parametrize("noun", ENGLISH.split())
def test_rows_are_counted_and_amounts_summed(noun: str) -> None:
    held = [table(f"{noun}s.csv", f"{noun.title()},Client,Date,Status,Amount,Quantity\n{ROWS}", 1)]
    asked = {
        f"How many {noun}s are there?": "SELECT COUNT(*) FROM t",
        f"How many {noun}s are open?": """SELECT COUNT(*) FROM t WHERE "Status" = 'open'""",
        f"What is the total amount of all {noun}s?": 'SELECT SUM("Amount") FROM t',
        f"How many {noun}s have an amount over 100?": 'SELECT COUNT(*) FROM t WHERE "Amount" > 100',
    }
    assert _planned(asked, held) == asked


@pytest.mark.parametrize("noun", CHINESE.split())
def test_so_they_are_in_chinese(noun: str) -> None:
    held = [table(f"{noun}.csv", f"{noun}编号,客户,日期,状态,金额,数量\n{ROWS}", 1)]
    asked = {
        f"一共有多少{noun}？": "SELECT COUNT(*) FROM t",
        f"Acme有多少个{noun}？": """SELECT COUNT(*) FROM t WHERE "客户" = 'Acme'""",
        f"所有{noun}的金额合计是多少？": 'SELECT SUM("金额") FROM t',
        f"金额超过100的{noun}有几个？": 'SELECT COUNT(*) FROM t WHERE "金额" > 100',
    }
    assert _planned(asked, held) == asked


def _planned(asked, held):
    queries = {question: plan_table_query(question, held) for question in asked}
    return {question: query and query.sql.replace(f'"{query.document}"', "t") for question, query in queries.items()}


@each_row(
    ("content", "question", "sql"),
    [
        ("Date,Visitors\n2026-01-01,40\n2026-01-02,140\n", "List the days with over 100 visitors",
         'SELECT "Date", "Visitors" FROM t WHERE "Visitors" > 100 LIMIT 1000'),
        ("Fund,Visitors\nA,40\nB,140\n", "List the days with over 100 visitors", None),  # nothing says a day
        ("Name,Salary,Age\nAnn,40,31\nBo,50,42\n", "How many people earn over 45?",
         'SELECT COUNT(*) FROM t WHERE "Salary" > 45'),
        ("Name,Price\nLamp,40\nDesk,50\n", "How many people are over 45?", None),  # nor that it is of people
    ],
)  # fmt: skip
def test_rows_are_days_or_people_where_the_columns_say_so(content: str, question: str, sql: str | None) -> None:
    assert sql_of(question, [table("list.csv", content)]) == sql
