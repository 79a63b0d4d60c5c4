"""Columns of yes and no that are asked about by their own words: done, not done, still to do, and only named."""

from __future__ import annotations

from table_cases import sql_of, table

from tests.each_row import each_row

BOATS = """Boat,Renter,Deposit returned,Late,Crew leader
Osprey,Mia Holt,yes,no,yes
Heron,Leo Park,no,yes,no
Swift,Ida Rhys,yes,no,no
Tern,Max Lind,no,no,yes
"""
HOMEWORK = """学生,作业已交,订正完成,是否课代表
张三丰,是,否,否
李思思,否,否,是
王五一,是,是,否
"""
LOG = "Day,Person,Attended\n2026-03-02,Ann,yes\n2026-03-03,Ann,no\n2026-03-02,Bo,no\n"
DONE, UNDONE = "yes", "no"


def renters(column: str, value: str) -> str:
    return f"""SELECT "Renter" FROM t WHERE "{column}" = '{value}' LIMIT 1000"""


def boats(column: str, value: str) -> str:
    return f"""SELECT "Boat" FROM t WHERE "{column}" = '{value}' LIMIT 1000"""


def students(column: str, value: str) -> str:
    return f"""SELECT "学生" FROM t WHERE "{column}" = '{value}' LIMIT 1000"""


@each_row(
    ("question", "sql"),
    [
        ("Which deposits were returned?", boats("Deposit returned", DONE)),
        ("Which deposits were not returned?", boats("Deposit returned", UNDONE)),
        ("Which deposits are unreturned?", boats("Deposit returned", UNDONE)),
        ("Which deposits still have to be returned?", boats("Deposit returned", UNDONE)),
        ("Which deposits are yet to be returned?", boats("Deposit returned", UNDONE)),
        ("Which deposits have to be returned?", None),  # nobody knows whether they are
        ("Which deposits must be returned?", None),
        ("Which deposits are returned and unreturned?", None),
        ("How many deposits were returned?", """SELECT COUNT(*) FROM t WHERE "Deposit returned" = 'yes'"""),
        ("How many deposits are there?", None),  # nor what is only named
        ("How many crews are there?", None),
        ("How many crew leaders are there?", """SELECT COUNT(*) FROM t WHERE "Crew leader" = 'yes'"""),
        ("Who is crew leader?", renters("Crew leader", DONE)),
        ("Who is not crew leader?", renters("Crew leader", UNDONE)),
        ("Which boats are not late?", boats("Late", UNDONE)),
    ],
)
def test_it_is_done_or_not(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("boats.csv", BOATS)]) == sql


@each_row(
    ("question", "sql"),
    [
        ("谁交作业了？", students("作业已交", "是")),
        ("谁没交作业？", students("作业已交", "否")),
        ("谁的作业还没交？", students("作业已交", "否")),
        ("谁还要交作业？", students("作业已交", "否")),
        ("谁还需要交作业？", students("作业已交", "否")),
        ("谁要交作业？", None),
        ("谁不用交作业？", None),
        ("几个学生没交作业？", """SELECT COUNT(*) FROM t WHERE "作业已交" = '否'"""),
        ("谁的订正没完成？", students("订正完成", "否")),
        ("谁不是课代表？", students("是否课代表", "否")),
    ],
)
def test_it_is_done_or_not_in_chinese(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("登记.csv", HOMEWORK)]) == sql


def test_an_adjective_alone_is_a_condition() -> None:
    held = [table("orders.csv", "Order,Late delivery\nA1,yes\nA2,no\nA3,no\n")]
    assert (
        sql_of("Which orders are late?", held) == """SELECT "Order" FROM t WHERE "Late delivery" = 'yes' LIMIT 1000"""
    )


def test_a_column_of_yes_and_no_tells_no_people() -> None:
    held = [table("班级.csv", "姓名,性别,是否团员\n林小满,女,是\n周一诺,男,否\n吴思远,男,是\n")]
    assert sql_of("谁不是团员？", held) == """SELECT "姓名" FROM t WHERE "是否团员" = '否' LIMIT 1000"""
    assert sql_of("哪些人是团员？", held) == """SELECT "姓名" FROM t WHERE "是否团员" = '是' LIMIT 1000"""


def test_what_one_row_denies_another_may_tell() -> None:
    held = [table("log.csv", LOG)]
    assert sql_of("Who has attended?", held) is not None
    assert sql_of("Who has not attended?", held) is None
