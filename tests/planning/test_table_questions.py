"""Questions over the rows of a table, as queries by rules; and questions that are none."""

import time

from hypothesis import given
from hypothesis import strategies as st
from table_cases import SALES, STAFF, table

from planning.tables import plan_table_query
from tests.each_row import each_row

BOTH = [STAFF, SALES]


@each_row(
    ("question", "sql"),
    [
        ("各部门平均工资？", 'SELECT "部门", AVG("月薪（元）") FROM t WHERE "部门" IS NOT NULL GROUP BY 1 ORDER BY 1'),
        ("研发部有多少人？", """SELECT COUNT(*) FROM t WHERE "部门" = '研发部'"""),
        ("月薪超过1万的员工有几个？", 'SELECT COUNT(*) FROM t WHERE "月薪（元）" > 10000'),
        ("不在上海的员工有多少？", """SELECT COUNT(*) FROM t WHERE "城市" IS NOT '上海'"""),
        ("未转正的员工有哪些？", """SELECT "姓名" FROM t WHERE "是否转正" = '否' LIMIT 1000"""),
        (
            "研发部占比是多少？",
            """SELECT 1.0 * SUM(CASE WHEN "部门" = '研发部' THEN 1 ELSE 0 END) / COUNT(*) FROM t""",
        ),
        (
            "2020年入职的有几人？",
            """SELECT COUNT(*) FROM t WHERE ("入职日期" >= '2020-01-01' AND "入职日期" < '2021-01-01')""",
        ),
        (
            "月薪最高的两个人是谁？",
            'SELECT "姓名", "月薪（元）" FROM t WHERE "月薪（元）" IS NOT NULL ORDER BY "月薪（元）" DESC LIMIT 2',
        ),
        ("有几个不同的城市？", 'SELECT COUNT(DISTINCT "城市") FROM t'),
        ("What is the average salary?", 'SELECT AVG("月薪（元）") FROM t'),
        (
            "how many orders over 500 in May?",
            """SELECT COUNT(*) FROM t WHERE "Amount" > 500 AND substr("Order Date", 6, 2) BETWEEN '05' AND '05'""",
        ),
        (
            "Total amount per client",
            'SELECT "Client", SUM("Amount") FROM t WHERE "Client" IS NOT NULL GROUP BY 1 ORDER BY 1',
        ),
        ("How many orders are not cancelled?", """SELECT COUNT(*) FROM t WHERE "Status" IS NOT 'Cancelled'"""),
        ("How many orders are paid or open?", """SELECT COUNT(*) FROM t WHERE "Status" IN ('Paid', 'Open')"""),
        ("How many orders are between 100 and 400?", 'SELECT COUNT(*) FROM t WHERE "Amount" BETWEEN 100 AND 400'),
        (
            "Which client has the most orders?",
            'SELECT "Client", COUNT(*) FROM t WHERE "Client" IS NOT NULL GROUP BY 1 HAVING COUNT(*) = '
            '(SELECT COUNT(*) FROM t WHERE "Client" IS NOT NULL GROUP BY "Client" ORDER BY 1 DESC LIMIT 1)',
        ),
        (
            "金额最大的订单是哪个？",
            'SELECT "Order ID", "Product", "Amount" FROM t WHERE "Amount" = (SELECT MAX("Amount") FROM t)',
        ),
        (
            "What is the median quantity?",
            'SELECT MEDIAN("Quantity") FROM t',
        ),
        (
            "lamp 和 desk 的金额相差多少？",
            """SELECT (SELECT SUM("Amount") FROM t WHERE "Product" = 'Lamp'), """
            """(SELECT SUM("Amount") FROM t WHERE "Product" = 'Desk'), (SELECT SUM("Amount") FROM t WHERE """
            """"Product" = 'Lamp') - (SELECT SUM("Amount") FROM t WHERE "Product" = 'Desk')""",
        ),
        (
            "What is the amount difference of desk and lamp?",
            """SELECT (SELECT SUM("Amount") FROM t WHERE "Product" = 'Desk'), """
            """(SELECT SUM("Amount") FROM t WHERE "Product" = 'Lamp'), (SELECT SUM("Amount") FROM t WHERE """
            """"Product" = 'Desk') - (SELECT SUM("Amount") FROM t WHERE "Product" = 'Lamp')""",
        ),
        (
            "How much lower is the amount of lamp than of desk?",
            """SELECT (SELECT SUM("Amount") FROM t WHERE "Product" = 'Lamp'), """
            """(SELECT SUM("Amount") FROM t WHERE "Product" = 'Desk'), (SELECT SUM("Amount") FROM t WHERE """
            """"Product" = 'Desk') - (SELECT SUM("Amount") FROM t WHERE "Product" = 'Lamp')""",
        ),
        (
            "研发部的人数比市场部少多少？",
            """SELECT (SELECT COUNT(*) FROM t WHERE "部门" = '研发部'), """
            """(SELECT COUNT(*) FROM t WHERE "部门" = '市场部'), """
            """(SELECT COUNT(*) FROM t WHERE "部门" = '市场部') - (SELECT COUNT(*) FROM t WHERE "部门" = '研发部')""",
        ),
        (
            "研发部和市场部的人数之比是多少？",
            """SELECT (SELECT COUNT(*) FROM t WHERE "部门" = '研发部'), """
            """(SELECT COUNT(*) FROM t WHERE "部门" = '市场部'), """
            """1.0 * (SELECT COUNT(*) FROM t WHERE "部门" = '研发部') """
            """/ (SELECT COUNT(*) FROM t WHERE "部门" = '市场部')""",
        ),
        (
            "各部门人数占比",
            'SELECT "部门", 1.0 * COUNT(*) / (SELECT COUNT(*) FROM t WHERE "部门" IS NOT NULL) FROM t '
            'WHERE "部门" IS NOT NULL GROUP BY 1 ORDER BY 2 DESC',
        ),
        ("月薪高于平均的有几人？", 'SELECT COUNT(*) FROM t WHERE "月薪（元）" > (SELECT AVG("月薪（元）") FROM t)'),
        (
            "Sum of all orders between 1 May and 31 May 2024",
            """SELECT SUM("Amount") FROM t WHERE "Order Date" >= '2024-05-01' AND "Order Date" < '2024-05-31~'""",
        ),
    ],
)
def test_a_question_is_one_query(question: str, sql: str) -> None:
    query = plan_table_query(question, BOTH)
    assert query is not None
    assert query.sql.replace(f'"{query.document}"', "t") == sql
    assert query.words.zh
    assert query.words.en


@each_row(
    "question",
    [
        "员工每年有几天年假？", "How long is the warranty of the lamp?", "张三的电话是多少？", "你好", "", "total",
        "What is the average discount?", "How do I cancel an order?", "订单怎么取消？", "比较一下", "多少？",
    ],
)  # fmt: skip
def test_what_no_table_answers_is_left_to_the_text(question: str) -> None:
    assert plan_table_query(question, BOTH) is None


LEAVE = """# 员工手册
## 3.1 年假
| 工作年限 | 年假天数 |
| --- | --- |
| 满 1 年不满 10 年 | 7 天 |
| 满 10 年 | 15 天 |
"""


@each_row("question", ["年假有几天？", "年假有多少天？", "年假几天", "How many days is the annual leave?"])
def test_days_are_not_counted_as_rows(question: str) -> None:
    assert plan_table_query(question, [table("员工手册.md", LEAVE)]) is None


def test_days_are_rows_where_each_row_is_a_day() -> None:
    visits = table("visits.csv", "Date,Visitors\n2024-05-01,90\n2024-05-02,150\n2024-05-03,200\n")
    query = plan_table_query("How many days had more than 100 visitors?", [visits])
    assert query is not None
    assert query.sql == 'SELECT COUNT(*) FROM "visits.csv" WHERE "Visitors" > 100'


@each_row(
    ("question", "zh", "en"),
    [
        ("研发部的平均月薪？", "“部门”为“研发部”的“月薪”平均值", "average “月薪” where “部门” is 研发部"),
        ("月薪超过1万的有几人？", "“月薪”大于 10,000 的行数", "number of rows where “月薪” is over 10,000"),
        ("各部门平均工资？", "各“部门”的“月薪”平均值", "average “月薪” by “部门”"),
        (
            "2020年到2021年入职的有几人？",
            "“入职日期”在 2020-01-01 到 2021-12-31 之间的行数",
            "number of rows where “入职日期” is between 2020-01-01 and 2021-12-31",
        ),
        (
            "How many orders in May 2024?",
            "“Order Date”在 2024 年 5 月的行数",
            "number of rows where “Order Date” is in May 2024",
        ),
    ],
)  # fmt: skip
def test_a_query_is_told_in_words(question: str, zh: str, en: str) -> None:
    query = plan_table_query(question, BOTH)
    assert query is not None
    assert (query.words.zh, query.words.en) == (zh, en)


def test_names_and_values_of_a_file_are_never_code() -> None:
    name, value = '金额"; DROP TABLE x; --', "it's'); DELETE"
    hostile = table("x.csv", f'"{name.replace(chr(34), chr(34) * 2)}",类别\n5,"{value}"\n7,b\n')
    query = plan_table_query(f"类别是 {value} 的有多少行？", [hostile])
    assert query is None or value.replace("'", "''") in query.sql
    summed = plan_table_query("金额合计多少？", [hostile])
    assert summed is None or name.replace('"', '""') in summed.sql


@given(st.text(max_size=300))
def test_any_question_is_read_without_an_error(question: str) -> None:
    plan_table_query(question, BOTH)


@each_row("part", ["多少", "最高 ", "5 ", "月薪", "between 3 and ", "上海", "前三"])
def test_a_question_of_any_length_is_read_at_once(part: str) -> None:
    started = time.process_time()
    plan_table_query((part * 300)[:300], BOTH)
    plan_table_query(part * 30_000, BOTH)
    assert time.process_time() - started < 1
