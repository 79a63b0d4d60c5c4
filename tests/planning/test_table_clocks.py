"""Times of day in tables: 06:40, ranges of them, and what a question asks by them."""

from __future__ import annotations

from table_cases import sql_of, table

from tests.each_row import each_row

BOATS = """Boat,From,To,Departs,Arrives,Fare EUR
B1,Korsund,Vik,6:40,07:55,18
B2,Korsund,Nes,09:25,10:50,24
B3,Vik,Korsund,12:30,13:45,18
B4,Nes,Korsund,17:50,19:05,24
"""
CLASSES = """课程,星期,时间,教室
陶艺,周六,9:00-10:30,201
吉他,周三,18:30-20:00,105
书法,周六,14:00-15:30,203
素描,周日,10:00-11:30,201
"""
BUSES = """班次,出发,到达
K1,06:10,07:00
K2,13:20,14:15
K3,22:05,22:50
"""
SESSIONS = """Session,Time
Opening,9 am - 9:30 am
Soldering,9:30 am - 12 pm
Welding,1:15 pm - 4 pm
"""


@each_row(
    ("question", "sql"),
    [
        ("Which boat leaves first in the morning?",
         """SELECT "Boat", "Departs" FROM t WHERE clock("Departs") < '12:00' AND clock("Departs") = """
         """(SELECT MIN(clock("Departs")) FROM t WHERE clock("Departs") < '12:00')"""),
        ("What is the latest departure from Korsund?",
         """SELECT "Boat", "Departs" FROM t WHERE "From" = 'Korsund' AND clock("Departs") = """
         """(SELECT MAX(clock("Departs")) FROM t WHERE "From" = 'Korsund')"""),
        ("When does the last boat arrive?",
         """SELECT "Boat", "Arrives" FROM t WHERE clock("Arrives") = (SELECT MAX(clock("Arrives")) FROM t)"""),
        ("boats after 12:00", """SELECT "Boat", "Departs" FROM t WHERE clock("Departs") > '12:00' LIMIT 1000"""),
        ("Which boats leave before 9 am?",
         """SELECT "Boat", "Departs" FROM t WHERE clock("Departs") < '09:00' LIMIT 1000"""),
        ("Which boats arrive between 10:00 and 14:00?",
         """SELECT "Boat", "Arrives" FROM t WHERE clock("Arrives") BETWEEN '10:00' AND '14:00' LIMIT 1000"""),
        ("How many boats leave in the afternoon?",
         """SELECT COUNT(*) FROM t WHERE clock("Departs") >= '12:00' AND clock("Departs") < '18:00'"""),
        ("Which boat leaves at 9:25?",
         """SELECT "Boat", "Departs" FROM t WHERE clock("Departs") = '09:25' LIMIT 1000"""),
        ("When does B3 leave?", """SELECT "Boat", "Departs" FROM t WHERE "Boat" = 'B3' LIMIT 1000"""),
        ("How many boats don't leave after 12:00?", None),
        ("Which boat leaves first in May?", None),
    ],
)  # fmt: skip
def test_boats_are_told_by_the_hour(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("boats.csv", BOATS)]) == sql


@each_row(
    ("question", "sql"),
    [
        ("哪门课最早开始？",
         """SELECT "课程", "时间" FROM t WHERE clock("时间") = (SELECT MIN(clock("时间")) FROM t)"""),
        ("周六最晚的课是哪门？",
         """SELECT "课程", "时间" FROM t WHERE "星期" = '周六' AND clock("时间") = """
         """(SELECT MAX(clock("时间")) FROM t WHERE "星期" = '周六')"""),
        ("下午五点以后有哪些课？", """SELECT "课程", "时间" FROM t WHERE clock("时间") >= '17:00' LIMIT 1000"""),
        ("上午有几门课？", """SELECT COUNT(*) FROM t WHERE clock("时间") < '12:00'"""),
        ("9:00开始的课有哪些？", """SELECT "课程", "时间" FROM t WHERE clock("时间") = '09:00' LIMIT 1000"""),
        ("从9:00开始的课有哪些？", """SELECT "课程", "时间" FROM t WHERE clock("时间") >= '09:00' LIMIT 1000"""),
        ("吉他几点开始？", """SELECT "课程", "时间" FROM t WHERE "课程" = '吉他' LIMIT 1000"""),
        ("周末有哪些课？", """SELECT "课程" FROM t WHERE "星期" IN ('周六', '周日') LIMIT 1000"""),
        ("星期三有什么课？", """SELECT "课程" FROM t WHERE "星期" = '周三' LIMIT 1000"""),
        ("How many courses are on Saturdays?", """SELECT COUNT(*) FROM t WHERE "星期" = '周六'"""),
        ("Which courses are at the weekend?",
         """SELECT "课程" FROM t WHERE "星期" IN ('周六', '周日') LIMIT 1000"""),
        ("最晚的课是哪门？", None),  # the latest hour, or the last day of the week
        ("六点以后有哪些课？", None),  # in the morning or in the evening
        ("哪门课最晚结束？", None),  # no column tells ends alone
    ],
)  # fmt: skip
def test_a_timetable_goes_by_the_beginnings(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("课表.csv", CLASSES)]) == sql


@each_row(
    ("question", "sql"),
    [
        (
            "最晚的一班是几点？",
            """SELECT "班次", "出发" FROM t WHERE clock("出发") = (SELECT MAX(clock("出发")) FROM t)""",
        ),
        (
            "哪班车最早出发？",
            """SELECT "班次", "出发" FROM t WHERE clock("出发") = (SELECT MIN(clock("出发")) FROM t)""",
        ),
        (
            "哪一班最晚到达？",
            """SELECT "班次", "到达" FROM t WHERE clock("到达") = (SELECT MAX(clock("到达")) FROM t)""",
        ),
    ],
)
def test_the_last_bus_is_the_last_to_leave(question: str, sql: str) -> None:
    assert sql_of(question, [table("时刻表.csv", BUSES)]) == sql


def test_hours_of_two_halves_of_the_day_are_ordered() -> None:
    held = [table("sessions.csv", SESSIONS)]
    assert sql_of("Which session starts last?", held) == (
        """SELECT "Session", "Time" FROM t WHERE clock("Time") = (SELECT MAX(clock("Time")) FROM t)"""
    )
    assert sql_of("Which sessions are after 1 pm?", held) == (
        """SELECT "Session", "Time" FROM t WHERE clock("Time") > '13:00' LIMIT 1000"""
    )


def test_nobody_is_the_first_where_no_column_tells_of_people() -> None:
    films = "Film,Starts\nOtters,14:00\nHarbour,17:30\n"
    shifts = "Who,From,To\nAda,6:00,14:00\nBen,14:00,22:00\n"
    assert sql_of("Who started first?", [table("films.csv", films)]) is None
    assert sql_of("Who starts first?", [table("shifts.csv", shifts)]) == (
        """SELECT "Who", "From" FROM t WHERE clock("From") = (SELECT MIN(clock("From")) FROM t)"""
    )


def test_what_comes_first_may_be_of_anything() -> None:
    assert sql_of("What comes first?", [table("boats.csv", BOATS)]) is None


def test_a_date_is_earlier_than_an_hour() -> None:
    content = "Match,Date,Kick-off\nA,2026-05-02,15:00\nB,2026-05-01,18:30\n"
    assert "clock" not in (sql_of("Which match was the earliest?", [table("matches.csv", content)]) or "clock")
