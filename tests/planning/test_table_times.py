"""Which column a time of a question is of, and whether what is asked for lies before, after or within it."""

from __future__ import annotations

from table_cases import sql_of, table

from tests.each_row import each_row

TABLES = {
    "loans": """Loan,Book,Borrowed,Returned
L1,Moby,2023-12-30,2024-02-01
L2,Emma,2024-03-15,
L3,Emma,2024-05-20,2024-06-01
""",
    "films": """Title,Director,Year,Budget
Dune Sea,Ann Ray,1999,4000000
Low Tide,Ann Ray,2004,1500000
Old Mill,Ben Orr,2011,900000
""",
    "sheds": """编号,片区,起租日
K1,东区,3月5日
K2,西区,8月20日
K3,东区,12月1日
""",
    "tours": """Tour,Guide,Start,End,Price
T1,Ann,2024-03-01,2024-03-10,100
T2,Bob,2024-04-01,2024-04-02,200
T3,Bob,2024-05-01,2024-05-09,300
""",
    "orders": """单号,客户,下单日期,发货日期,金额
A1,甲,2024-03-05,2024-03-09,100
A2,乙,2024-04-06,,200
A3,乙,2024-05-07,2024-05-08,300
""",
    "checks": """Check,Planned,Done
C1,2024-03-05,2024-03-09
C2,2024-04-06,2024-03-09
""",
    "visits": """Visit,Seen,Followed up
V1,2024-03-05,2024-03-09
V2,2024-04-06,
""",
    "steps": """No,Milestone,Owner,Due date,Status
M1,Freeze,Ann,2025-05-17,completed
M4,Trial,Bo,2025-09-13,delayed
M7,Load test,Cy,2025-10-23,open
M8,Launch,Ann,2025-11-04,open
""",
    "milestones": """编号,里程碑,负责人,计划日期,状态
M1,需求冻结,何雨桐,5月17日,已完成
M4,联调,范志刚,9月13日,延迟
M7,压力测试,卢静,10月23日,未开始
M8,上线,何雨桐,11月4日,未开始
""",
}
HELD = {name: table(f"{name}.csv", content) for name, content in TABLES.items()}


def condition(name: str, question: str) -> str | None:
    """What follows WHERE; None where nothing is computed."""
    sql = sql_of(question, [HELD[name]])
    return sql and sql.partition(" WHERE ")[2].removesuffix(" LIMIT 1000")


@each_row(
    ("time", "sql"),
    [
        ("in 2024", """("Borrowed" >= '2024-01-01' AND "Borrowed" < '2025-01-01')"""),
        ("from 2024", """("Borrowed" >= '2024-01-01' AND "Borrowed" < '2025-01-01')"""),
        ("before 2024", """"Borrowed" < '2024-01-01'"""),
        ("after 2024", """"Borrowed" >= '2025-01-01'"""),
        ("since 2024", """"Borrowed" >= '2024-01-01'"""),
        ("starting from 2024", """"Borrowed" >= '2024-01-01'"""),
        ("until March 2024", """"Borrowed" < '2024-04-01'"""),
        ("by March 15, 2024", """"Borrowed" < '2024-03-15~'"""),
        ("on March 15, 2024", """("Borrowed" >= '2024-03-15' AND "Borrowed" < '2024-03-15~')"""),
        ("after March 15, 2024", """"Borrowed" >= '2024-03-15~'"""),
        ("between March and May 2024", """"Borrowed" >= '2024-03-01' AND "Borrowed" < '2024-06-01'"""),
        ("between 5 and 15 March 2024", """"Borrowed" >= '2024-03-05' AND "Borrowed" < '2024-03-15~'"""),
        ("in 2024 and 2023", """"Borrowed" >= '2023-01-01' AND "Borrowed" < '2025-01-01'"""),
        ("in March and April", """substr("Borrowed", 6, 2) BETWEEN '03' AND '04'"""),
        ("before March", """substr("Borrowed", 6, 5) BETWEEN '01-01' AND '02-29'"""),
        ("before March 15", """substr("Borrowed", 6, 5) BETWEEN '01-01' AND '03-14'"""),
        ("before March 1", """substr("Borrowed", 6, 5) BETWEEN '01-01' AND '02-29'"""),
        ("after March 15", """substr("Borrowed", 6, 5) BETWEEN '03-16' AND '12-31'"""),
        ("after March 31", """substr("Borrowed", 6, 5) BETWEEN '04-01' AND '12-31'"""),
        ("after May", """substr("Borrowed", 6, 5) BETWEEN '06-01' AND '12-31'"""),
        ("since May 20", """substr("Borrowed", 6, 5) BETWEEN '05-20' AND '12-31'"""),
        ("until May", """substr("Borrowed", 6, 5) BETWEEN '01-01' AND '05-31'"""),
        ("earlier than March 15", """substr("Borrowed", 6, 5) BETWEEN '01-01' AND '03-14'"""),
        ("later than March 15", """substr("Borrowed", 6, 5) BETWEEN '03-16' AND '12-31'"""),
        ("no later than March 15", """substr("Borrowed", 6, 5) BETWEEN '01-01' AND '03-15'"""),
        ("not before March 15", None),
        ("in March and May", None),  # and not in April
        ("in March 2024 and May 2024", None),
        ("last March", None),  # of which year?
        ("from November to February", None),
        ("before January", None),
        ("after December", None),
    ],
)
def test_loans_of_a_time(time: str, sql: str | None) -> None:
    assert condition("loans", f"How many loans were borrowed {time}?") == sql


@each_row(
    ("name", "question", "sql"),
    [
        ("sheds", "3月起租的有几间？", """substr("起租日", 6, 2) BETWEEN '03' AND '03'"""),
        ("sheds", "8月之前起租的有几间？", """substr("起租日", 6, 5) BETWEEN '01-01' AND '07-31'"""),
        ("sheds", "8月之后起租的有几间？", """substr("起租日", 6, 5) BETWEEN '09-01' AND '12-31'"""),
        ("sheds", "3月15日之后起租的有几间？", """substr("起租日", 6, 5) BETWEEN '03-16' AND '12-31'"""),
        ("sheds", "3月到8月起租的有几间？", """substr("起租日", 6, 2) BETWEEN '03' AND '08'"""),
        ("sheds", "上半年起租的有几间？", """substr("起租日", 6, 2) BETWEEN '01' AND '06'"""),
        ("sheds", "3月5日到15日起租的有几间？", """substr("起租日", 6, 5) BETWEEN '03-05' AND '03-15'"""),
        ("orders", "2024年4月有几单？", """("下单日期" >= '2024-04-01' AND "下单日期" < '2024-05-01')"""),
        ("orders", "3月到4月有多少订单？", """substr("下单日期", 6, 2) BETWEEN '03' AND '04'"""),
        ("orders", "2024年4月以来有几个订单？", """"下单日期" >= '2024-04-01'"""),
        ("orders", "早于3月15日的订单有几个？", """substr("下单日期", 6, 5) BETWEEN '01-01' AND '03-14'"""),
        ("orders", "晚于3月15日的订单有几个？", """substr("下单日期", 6, 5) BETWEEN '03-16' AND '12-31'"""),
        ("orders", "2024年3月5日之前的订单有几个？", """"下单日期" < '2024-03-05'"""),
    ],
)
def test_times_are_read_in_chinese(name: str, question: str, sql: str) -> None:
    assert condition(name, question) == sql


@each_row(
    ("question", "sql"),
    [
        ("Which films are from 2004?", '"Year" = 2004'),
        ("How many films are since 2004?", '"Year" >= 2004'),
        ("How many films were made before 2004?", '"Year" < 2004'),
        ("How many films were made after 2004?", '"Year" >= 2005'),
        ("How many films were made until 2004?", '"Year" < 2005'),
        ("How many films were made between 1999 and 2004?", '"Year" BETWEEN 1999 AND 2004'),
        ("How many films were made in March?", None),
        ("How many films were made in March 2004?", None),
        ("How many films were made before March?", None),
        ("How many films were made before March 2004?", None),
        ("How many films were made between March and May 2004?", None),
    ],
)
def test_a_column_of_years_tells_no_month(question: str, sql: str | None) -> None:
    assert condition("films", question) == sql


@each_row("question", ["2024年起租的有几间？", "2024年3月到8月起租的有几间？", "2024年比2023年多起租几间？"])
def test_days_without_a_year_tell_none(question: str) -> None:
    assert condition("sheds", question) is None


@each_row(
    ("name", "question", "column"),
    [
        ("loans", "How many loans were returned in 2024?", "Returned"),  # it is named
        ("loans", "How many loans were there in 2024?", "Borrowed"),  # a loan is of the day on which it begins
        ("tours", "How many tours were there in April 2024?", "Start"),
        ("tours", "How many tours end before April 5, 2024?", "End"),
        ("orders", "发货日期在2024年4月之后的订单有几个？", "发货日期"),
        ("orders", "2024年4月有几单？", "下单日期"),  # of an order the day when it was placed
        ("visits", "How many visits were there in April 2024?", "Seen"),  # that each row has
        ("checks", "How many checks were there in April 2024?", None),
    ],
)
def test_a_time_is_of_the_day_that_is_named_or_usually_meant(name: str, question: str, column: str | None) -> None:
    found = condition(name, question)
    assert (found and found.lstrip("(").split('"')[1]) == column


def test_two_times_are_held_against_each_other() -> None:
    older, newer = (f'(SELECT SUM("Budget") FROM t WHERE "Year" = {year})' for year in (1999, 2004))
    asked = "What is the difference in budget between 2004 and 1999?"
    assert sql_of(asked, [HELD["films"]]) == f"SELECT {newer}, {older}, {newer} - {older}"
    first, then = (
        f"""(SELECT COUNT(*) FROM t WHERE ("Borrowed" >= '{year}-01-01' AND "Borrowed" < '{year + 1}-01-01'))"""
        for year in (2023, 2024)
    )
    asked = "What is the difference in loans borrowed between 2023 and 2024?"
    assert sql_of(asked, [HELD["loans"]]) == f"SELECT {first}, {then}, {first} - {then}"
    april, march = (
        f"""(SELECT COUNT(*) FROM t WHERE substr("下单日期", 6, 2) BETWEEN '{month}' AND '{month}')"""
        for month in ("04", "03")
    )
    assert sql_of("4月比3月多几单？", [HELD["orders"]]) == f"SELECT {april}, {march}, {april} - {march}"


@each_row(
    ("name", "question", "sql"),
    [
        ("steps", "When will M7 be completed?", """"No", "Due date", "Status" FROM t WHERE "No" = 'M7'"""),
        ("milestones", "M7计划哪天完成？", """"编号", "计划日期", "状态" FROM t WHERE "编号" = 'M7'"""),
        (
            "milestones",
            "压力测试计划何时完成",
            """"里程碑", "计划日期", "状态" FROM t WHERE "里程碑" = '压力测试'""",
        ),
        ("steps", "Which milestones are completed?", """"Milestone" FROM t WHERE "Status" = 'completed'"""),
    ],
)
def test_what_a_row_is_to_become_is_no_condition_on_it(name, question, sql):
    assert sql_of(question, [HELD[name]]) == f"SELECT {sql} LIMIT 1000"
