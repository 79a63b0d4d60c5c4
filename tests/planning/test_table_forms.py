"""Forms of questions over tables that name no column as it is called: money, verbs, parts of names, rows of a few."""

from __future__ import annotations

from collections import Counter

from table_cases import sql_of, table

from planning.tables import plan_table_query
from planning.tables.operators import operator_lines, tokens
from schema import Message
from tests.each_row import each_row

CLAIMS = """单号,申请人,部门,类别,金额（元）,申请日期,状态
E001,王强,销售部,差旅,3200,2025年1月5日,已批准
E002,李娜,市场部,餐饮,450.5,2025年1月12日,待审批
E003,王强,销售部,餐饮,680,2025年2月3日,已批准
E004,赵磊,研发部,办公用品,129,2025年2月14日,已驳回
"""
MARKS = """学号,姓名,班级,性别,数学,缺勤次数
2024001,陈晨,一班,女,92,0
2024002,林涛,一班,男,64,3
2024003,赵敏,二班,女,85,1
2024004,孙浩,二班,男,73,5
"""
PLANS = """Customer,Plan,Seats,MRR ($),Country
Aster,Pro,25,1250,US
Birch,Basic,5,100,UK
Cedar,Pro,120,9600,US
"""
TICKETS = """Ticket,Agent,Product,Hours to close
T-1,Maya,Router,5
T-2,Omar,Router,30
T-3,Maya,Modem,8
"""
BOOKS = """书名,作者,出版社,出版年份
活着,余华,作家出版社,2012
三体,刘慈欣,重庆出版社,2008
围城,钱锺书,人民文学出版社,1991
"""
CONTRACTS = """合同编号,客户,合同金额（万元）,已回款（万元）
HT-01,华光电子,120,120
HT-02,东方物流,85.5,0
HT-03,东方物流,60,60
"""


HELD = {
    name: table(name, content, number)
    for number, (name, content) in enumerate(
        {
            "报销.csv": CLAIMS, "成绩.csv": MARKS, "subscriptions.csv": PLANS, "tickets.csv": TICKETS,
            "图书.csv": BOOKS, "合同.csv": CONTRACTS,
        }.items(),
        1,
    )
}  # fmt: skip


@each_row(
    ("name", "question", "sql"),
    [
        ("报销.csv", "王强报销了多少钱？", """SELECT SUM("金额（元）") FROM t WHERE "申请人" = '王强'"""),
        ("报销.csv", "平均每笔报销多少钱？", 'SELECT AVG("金额（元）") FROM t'),
        ("报销.csv", "差旅费总共多少？", """SELECT SUM("金额（元）") FROM t WHERE "类别" = '差旅'"""),
        ("报销.csv", "最贵的一笔报销是哪个？",
         'SELECT "单号", "金额（元）" FROM t WHERE "金额（元）" = (SELECT MAX("金额（元）") FROM t)'),
        ("报销.csv", "被驳回的报销有几笔？", """SELECT COUNT(*) FROM t WHERE "状态" = '已驳回'"""),
        ("成绩.csv", "二班男生的数学成绩是多少？",
         """SELECT "姓名", "数学" FROM t WHERE "班级" = '二班' AND "性别" = '男' LIMIT 1000"""),
        ("成绩.csv", "缺勤超过2次的学生名单", 'SELECT "姓名", "缺勤次数" FROM t WHERE "缺勤次数" > 2 LIMIT 1000'),
        ("subscriptions.csv", "MRR by country",
         'SELECT "Country", SUM("MRR ($)") FROM t WHERE "Country" IS NOT NULL GROUP BY 1 ORDER BY 1'),
        ("tickets.csv", "Which agent closed the most tickets?",
         'SELECT "Agent", COUNT(*) FROM t WHERE "Agent" IS NOT NULL GROUP BY 1 HAVING COUNT(*) = '
         '(SELECT COUNT(*) FROM t WHERE "Agent" IS NOT NULL GROUP BY "Agent" ORDER BY 1 DESC LIMIT 1)'),
        ("图书.csv", "2010年以后出版的书有哪些？",
         'SELECT "书名", "出版年份" FROM t WHERE "出版年份" >= 2010 LIMIT 1000'),
        ("合同.csv", "还没回款的合同有哪些？",
         'SELECT "合同编号", "已回款（万元）" FROM t WHERE "已回款（万元）" <= 0 LIMIT 1000'),
    ],
)  # fmt: skip
def test_a_question_is_one_query_over_the_table_that_it_fits(name: str, question: str, sql: str) -> None:
    query = plan_table_query(question, [*HELD.values()])
    assert query is not None
    assert query.document == name
    assert query.sql.replace(f'"{name}"', "t") == sql


@each_row("question", ["What is the cheapest listing?", "三科总分最高的是谁？", "报销流程要多少钱？"])
def test_what_names_nothing_of_a_table_is_left_to_the_text(question: str) -> None:
    assert plan_table_query(question, [*HELD.values()]) is None


def test_a_phrase_of_a_question_does_one_thing() -> None:
    listed = [line for _, phrases in operator_lines() for line in {tokens(phrase) for phrase in phrases}]
    assert [phrase for phrase, count in Counter(listed).items() if count > 1] == []


FEES = """Date,Member,Kind,Fee,Paid
2026-04-03,Ana Silva,Course,$45.00,yes
2026-04-11,Bo Lind,Course,$25.00,no
2026-04-19,Ana Silva,Locker,$15.00,no
2026-05-02,Ana Silva,Course,$45.00,yes
"""
BILLS = """日期,客户,项目,金额,是否付清
2026-04-03,唐丽,剪毛,120,是
2026-04-11,何军,洗澡,68,否
2026-04-19,唐丽,洗澡,68,是
"""
HELD_ROWS = [table("fees.csv", FEES, 1), table("账单.csv", BILLS, 2)]
WHOLE = 'SELECT "Date", "Member", "Kind", "Paid", "Fee" FROM t WHERE'
WHOLE_ZH = 'SELECT "日期", "客户", "项目", "金额", "是否付清" FROM t WHERE'


@each_row(
    ("question", "sql"),
    [
        ("Which fees are not paid?", f"""{WHOLE} "Paid" = 'no' LIMIT 1000"""),
        ("Which fee was the highest?", f"""{WHOLE} "Fee" = (SELECT MAX("Fee") FROM t)"""),
        (
            "Which members have fees that are not paid?",
            """SELECT DISTINCT "Member" FROM t WHERE "Paid" = 'no' AND "Member" IS NOT NULL ORDER BY 1 LIMIT 1000""",
        ),
        ("哪些账单还没付清？", f"""{WHOLE_ZH} "是否付清" = '否' LIMIT 1000"""),
        ("没付清的账单有哪些？", f"""{WHOLE_ZH} "是否付清" = '否' LIMIT 1000"""),
    ],
)
def test_rows_without_a_name_of_their_own_are_shown_whole(question: str, sql: str) -> None:
    assert sql_of(question, HELD_ROWS) == sql


def test_rows_that_are_shown_whole_are_described_without_their_columns() -> None:
    query = plan_table_query("Which fees are not paid?", HELD_ROWS)
    assert query is not None
    assert query.words == Message("“Paid”为“no”的行", "rows where “Paid” is no")
