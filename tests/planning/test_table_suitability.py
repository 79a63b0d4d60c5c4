"""Ages and numbers of people for which the rows of a table are, and what is full or left."""

from __future__ import annotations

from table_cases import sql_of, table

from tests.each_row import each_row

CLASSES = """课程,老师,适合年龄,学费,剩余名额
陶艺,方老师,6-12岁,1680,3
书法,蔡老师,8岁以上,1280,0
儿童画,罗老师,4-8岁,1480,6
"""
CAMPS = """Camp,Ages,Fee,Places left
Sailing,9-14,310,0
Clay,5-10,140,4
Chess,7 and up,90,2
"""
GAMES = """Game,Players,Minutes
Harbour,2-4,60
Tower,1-2,30
Festival,3 to 6,90
"""


@each_row(
    ("question", "sql"),
    [
        ("五岁的孩子可以上什么课？", """SELECT "课程", "适合年龄" FROM t WHERE allows("适合年龄", 5) LIMIT 1000"""),
        ("适合7岁孩子的课有哪些？", """SELECT "课程", "适合年龄" FROM t WHERE allows("适合年龄", 7) LIMIT 1000"""),
        ("9岁小朋友能上几门课？", """SELECT COUNT(*) FROM t WHERE allows("适合年龄", 9)"""),
        ("最贵的课是哪门？", """SELECT "课程", "学费" FROM t WHERE "学费" = (SELECT MAX("学费") FROM t)"""),
        ("最便宜的课是什么？", """SELECT "课程", "学费" FROM t WHERE "学费" = (SELECT MIN("学费") FROM t)"""),
        ("哪门课剩的名额最多？",
         """SELECT "课程", "剩余名额" FROM t WHERE "剩余名额" = (SELECT MAX("剩余名额") FROM t)"""),
        ("哪些课已经报满了？", """SELECT "课程", "剩余名额" FROM t WHERE "剩余名额" <= 0 LIMIT 1000"""),
        ("哪些课没名额了？", """SELECT "课程", "剩余名额" FROM t WHERE "剩余名额" <= 0 LIMIT 1000"""),
        ("5岁以上有几个人？", None),
    ],
)  # fmt: skip
def test_classes_are_told_by_age_and_by_what_is_left(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("课表.csv", CLASSES)]) == sql


@each_row(
    ("question", "sql"),
    [
        ("Which camps are suitable for a 5-year-old?",
         """SELECT "Camp", "Ages" FROM t WHERE allows("Ages", 5) LIMIT 1000"""),
        ("Which camps can my seven-year-old daughter attend?",
         """SELECT "Camp", "Ages" FROM t WHERE allows("Ages", 7) LIMIT 1000"""),
        ("How many camps are there for children aged 9?", """SELECT COUNT(*) FROM t WHERE allows("Ages", 9)"""),
        ("Which camps are full?", """SELECT "Camp", "Places left" FROM t WHERE "Places left" <= 0 LIMIT 1000"""),
        ("Which camps are sold out?", """SELECT "Camp", "Places left" FROM t WHERE "Places left" <= 0 LIMIT 1000"""),
        ("Which camp is the cheapest for a 6-year-old?",
         """SELECT "Camp", "Fee" FROM t WHERE allows("Ages", 6) AND "Fee" = """
         """(SELECT MIN("Fee") FROM t WHERE allows("Ages", 6))"""),
    ],
)  # fmt: skip
def test_camps_are_told_by_age_and_by_what_is_left(question: str, sql: str) -> None:
    assert sql_of(question, [table("camps.csv", CAMPS)]) == sql


def test_games_are_told_by_how_many_play() -> None:
    held = [table("games.csv", GAMES)]
    assert sql_of("Which games are for 5 players?", held) == (
        """SELECT "Game", "Players" FROM t WHERE allows("Players", 5) LIMIT 1000"""
    )
    assert sql_of("Which games are for a 5-year-old?", held) is None
