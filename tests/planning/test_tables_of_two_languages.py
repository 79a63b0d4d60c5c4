"""Tables of both languages in one library, amounts in several currencies, and heads that any table may have."""

from __future__ import annotations

from table_cases import sql_of, table

from planning.tables import plan_table_query
from schema import Message
from tests.each_row import each_row

EXPENSES = """Date,Employee,Category,Amount,Currency
2026-10-02,Grace Kim,Taxi,34.5,EUR
2026-10-05,Grace Kim,Meals,28,EUR
2026-10-09,Luis Diaz,Taxi,41,EUR
"""
FEES = """项目,金额（元）,说明
保教费,1200,按学期收取
伙食费,380,按天退
校服费,460,自愿购买
"""
RIDES = """Day,Rider,Fare,Currency,Km
2026-10-02,Noor,12,EUR,4
2026-10-05,Noor,20,USD,9
2026-10-09,Sami,18,USD,7
2026-10-12,Sami,15,EUR,6
"""
HELD = [table("expenses.csv", EXPENSES, 1), table("收费标准.csv", FEES, 2)]
BY_CURRENCY = 'SELECT "Currency", SUM("Fare") FROM t WHERE "Currency" IS NOT NULL GROUP BY 1 ORDER BY 1'
EXPENSIVE = 'SELECT "Date", "Employee", "Category", "Currency", "Amount" FROM t WHERE "Amount" = (SELECT MAX'


@each_row(
    ("question", "sql"),
    [
        ("What was the most expensive expense?", f'{EXPENSIVE}("Amount") FROM t)'),
        ("伙食费多少钱？", """SELECT "项目", "金额（元）" FROM t WHERE "项目" = '伙食费' LIMIT 1000"""),
        ("出租车一共花了多少钱？", """SELECT SUM("Amount") FROM t WHERE "Category" = 'Taxi'"""),
        ("How much did Grace spend on taxis?", """SELECT SUM("Amount") FROM t WHERE "Employee" = 'Grace Kim' AND \
"Category" = 'Taxi'"""),
        ("项目花了多少钱了？", None),  # any project's
        ("项目一共花了多少钱？", None),
        ("哪个项目的金额最高？", """SELECT "项目", "金额（元）" FROM t WHERE "金额（元）" = \
(SELECT MAX("金额（元）") FROM t)"""),
        ("一共有多少个项目？", "SELECT COUNT(*) FROM t"),
        ("保教费收到几点？", None),  # a time, and no number of rows
        ("What time is the taxi?", None),
        ("租金晚交20天会怎样？", None),
        ("账单晚付10天会怎么样？", None),
        ("What happens if the expense is 20 days late?", None),
    ],
)  # fmt: skip
def test_a_question_goes_to_the_table_that_it_speaks_of(question: str, sql: str | None) -> None:
    assert sql_of(question, HELD) == sql


@each_row(
    ("question", "sql"),
    [
        ("What is the total fare?", BY_CURRENCY),
        ("What is the total fare in USD?", """SELECT SUM("Fare") FROM t WHERE "Currency" = 'USD'"""),
        ("Total fare of each currency?", BY_CURRENCY),
        ("Total fare by rider?", None),  # of two currencies
        ("What is the average km of Noor?", """SELECT AVG("Km") FROM t WHERE "Rider" = 'Noor'"""),
        ("How many rides were there?", "SELECT COUNT(*) FROM t"),
        (
            "Which ride was the most expensive?",
            'SELECT "Currency", "Day", "Rider", "Km", "Fare" FROM t WHERE ("Currency", "Fare") IN '
            '(SELECT "Currency", MAX("Fare") FROM t GROUP BY 1) ORDER BY "Currency"',
        ),
    ],
)  # fmt: skip
def test_amounts_in_several_currencies_stand_apart(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("rides.csv", RIDES)]) == sql


def test_the_top_row_of_each_currency_is_described() -> None:
    query = plan_table_query("Which ride was the most expensive?", [table("rides.csv", RIDES)])
    assert query is not None
    assert query.words == Message("每个“Currency”“Fare”最高的行", "the row with the highest “Fare” of each “Currency”")


STAFF = "Name,Department,Salary ($)\nAnn Lee,Sales,4200\nBen Ode,IT,5100\nCy Fox,IT,5300\n"
STAFF_ZH = "姓名,部门,月薪（元）\n王磊,销售部,9000\n陈晨,技术部,12000\n李明,技术部,15000\n"


@each_row(
    ("question", "document"),
    [
        ("How many employees are there?", "staff.csv"),
        ("What is the total salary?", "staff.csv"),
        ("How many departments are there?", "staff.csv"),
        ("各部门平均月薪", "员工.csv"),
        ("What is the average salary of 技术部?", "员工.csv"),
    ],
)
def test_of_two_tables_alike_that_of_the_questions_language_is_asked(question: str, document: str) -> None:
    query = plan_table_query(question, [table("员工.csv", STAFF_ZH, 1), table("staff.csv", STAFF, 2)])
    assert query is not None
    assert query.document == document
