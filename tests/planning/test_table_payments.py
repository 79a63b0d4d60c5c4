"""Lists of payments: what was paid, in which month, for things that were bought several times."""

from __future__ import annotations

import pytest
from table_cases import sql_of, table

from tests.each_row import each_row

LEDGER = """日期,类别,项目,金额(元),付款方式,经手人
2026-10-02,原料,咖啡豆 20kg,2400,转账,何静
2026-10-03,原料,牛奶 60升,540,现金,陈涛
2026-10-12,房租,十月房租,6800,转账,何静
2026-10-20,水电,九月电费,1120.5,转账,何静
2026-10-23,原料,咖啡豆 15kg,1800,转账,何静
2026-11-12,房租,十一月房租,6800,转账,何静
"""
EXPENSES = """Date,Category,Item,Amount (EUR),Paid by,Handled by
2026-10-02,Supplies,Coffee beans 20 kg,240,transfer,Anna
2026-10-03,Supplies,Milk 60 l,54,cash,Tom
2026-10-12,Rent,October rent,680,transfer,Anna
2026-10-23,Supplies,Coffee beans 15 kg,180,transfer,Anna
2026-11-12,Rent,November rent,680,transfer,Anna
"""
ACTIONS = """# Search latency incident

About 18 % of searches timed out.

## Actions

| # | Action | Owner | Due | State |
|---|---|---|---|---|
| 1 | Refuse full nodes | Dev Patel | 2026-05-20 | done |
| 2 | Correct the runbook | Marta Kowalska | 2026-05-18 | open |
"""
PAID = """SELECT SUM("Amount (EUR)") FROM t WHERE """
ZH_PAID = """SELECT SUM("金额(元)") FROM t WHERE """
OCTOBER = """substr("Date", 6, 2) BETWEEN '10' AND '10'"""
BEANS = """"Item" IN ('Coffee beans 20 kg', 'Coffee beans 15 kg')"""
ZH_BEANS = """"项目" IN ('咖啡豆 20kg', '咖啡豆 15kg')"""


@each_row(
    ("question", "sql"),
    [
        ("How much was spent in October?", PAID + OCTOBER),  # and not the October rent
        ("What were the total expenses in October?", PAID + OCTOBER),
        ("How much did we spend on coffee beans?", PAID + BEANS),
        ("How many times did we buy coffee beans?", f"SELECT COUNT(*) FROM t WHERE {BEANS}"),
        ("How many expenses are there in total?", "SELECT COUNT(*) FROM t"),
        ("十月一共花了多少钱？", f"""{ZH_PAID}substr("日期", 6, 2) BETWEEN '10' AND '10'"""),
        ("咖啡豆一共买了多少钱？", ZH_PAID + ZH_BEANS),
        ("咖啡豆买了几次？", f"SELECT COUNT(*) FROM t WHERE {ZH_BEANS}"),
        ("房租一共多少？", f"""{ZH_PAID}"类别" = '房租'"""),
        ("十月的水电费多少？", f"""{ZH_PAID}"类别" = '水电' AND substr("日期", 6, 2) BETWEEN '10' AND '10'"""),
        ("房租有几笔？", """SELECT COUNT(*) FROM t WHERE "类别" = '房租'"""),
        ("哪一笔最大？",
         """SELECT "项目", "金额(元)" FROM t WHERE "金额(元)" = (SELECT MAX("金额(元)") FROM t)"""),
    ],
)  # fmt: skip
def test_a_list_of_payments_is_asked_what_was_paid(question: str, sql: str) -> None:
    tables = [table("expenses.csv", EXPENSES, 1), table("记账.csv", LEDGER, 2), table("post.md", ACTIONS, 3)]
    assert sql_of(question, tables) == sql


@pytest.mark.parametrize("question", ["十月花了多少钱？", "How much was spent in October?"])
def test_what_customers_ordered_is_not_what_was_spent(question: str) -> None:
    orders = "Date,Customer,Total\n2026-10-02,Nordwind,240\n2026-10-03,Casa Verde,54\n"
    assert sql_of(question, [table("orders.csv", orders)]) is None


def test_of_two_lists_none_is_guessed() -> None:
    tables = [table("expenses.csv", EXPENSES, 1), table("more.csv", EXPENSES, 2)]
    assert sql_of("How much was spent in October?", tables) is None
    assert sql_of("十月花了多少钱？", tables) is None


@pytest.mark.parametrize("question", ["How many searches timed out?", "How long did the last?"])
def test_the_rows_of_a_table_in_a_text_are_not_what_the_text_is_about(question: str) -> None:
    assert sql_of(question, [table("postmortem-search.md", ACTIONS)]) is None


def test_they_are_what_the_table_is_called() -> None:
    counted = """SELECT COUNT(*) FROM t WHERE "State" = 'open'"""
    sql = sql_of("How many actions are open?", [table("postmortem-search.md", ACTIONS)])
    assert (sql or "").replace("postmortem-search.md Actions", "t").replace(chr(34) + "t" + chr(34), "t") == counted
