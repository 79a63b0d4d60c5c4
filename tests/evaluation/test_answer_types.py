"""Where a text holds an answer of a kind: a number with all of its unit, whole names."""

from __future__ import annotations

from evaluation.answer_types import AnswerType, expected_types, holds, spans
from tests.each_row import each_row
from tests.growth import assert_growth


@each_row(
    ("text", "numbers"),
    [
        ("雾钟每两分钟敲响", ["两分钟"]),
        ("3个工作日内回复", ["3个工作日"]),
        ("占地9平方公里", ["9平方公里"]),
        ("用时一分五十秒", ["一分", "五十秒"]),
        ("压力为238千帕", ["238千帕"]),
        ("须有三分之二的人同意", ["三分之二"]),
        ("It takes 12 minutes and 3 per cent", ["12", "3 per cent"]),
    ],
)
def test_a_number_comes_with_its_unit(text: str, numbers: list[str]) -> None:
    assert [text[start:end] for start, end in spans("number", text)] == numbers


@each_row(
    ("kind", "text", "found"),
    [
        ("place", "他从杭州去了北京", ["杭州", "北京"]),
        ("place", "She moved from Lund to New York by train", ["Lund", "New York"]),
        ("place", "Lund is old.", []),  # nothing before it says that it is a place
        ("time", "It is returned within ten working days of the end.", ["within ten working days"]),
        ("time", "You can cancel up to 48 hours before.", []),  # says how long, not when
        ("time", "收到发票后30天内付款", ["30天内"]),
        ("time", "全年开放，5:30开门，22:30关门", ["5:30", "22:30"]),
        ("time", "At 3 o'clock, 5 pm and 6 a.m. by the 25th", ["3 o'clock", "5 pm", "6 a.m.", "25th"]),
        ("time", "比例为10:45:3, the 2nd time", []),
        ("time", "Be there at 8.15 am, we leave at 8.45am sharp.", ["8.15 am", "8.45am"]),
        ("duration", "Two years from the date, Mon–Fri 9–17, a 20-minute walk", ["Two years", "20-minute"]),
        ("duration", "Descale it every month; the bridge has 5 km.", ["every month", "5 km"]),
        ("duration", "试用期3个月，每周开会，桥长5公里", ["3个月", "每周", "5公里"]),
        (
            "contact",
            "Write to netops@example.com or call extension 4477 from 7:30.",
            ["netops@example.com", "extension 4477"],
        ),
        ("contact", "on 2026-09-14, by +351 912 555 018", ["+351 912 555 018"]),
        ("contact", "分机：302，手机 138-0013-8000，3 楼", ["分机：302", "手机 138-0013-8000"]),
        ("person", "记录由王建国签字", ["王建国"]),
        ("person", "记录：庄妍", ["庄妍"]),
        ("person", "The mill that Ana Reis built is old.", ["Ana Reis"]),
        ("person", "Ana built it. Nobody helped, but Reis paid.", ["Reis"]),  # each sentence begins with a capital
    ],
)
def test_names_are_found_whole(kind: AnswerType, text: str, found: list[str]) -> None:
    assert list(dict.fromkeys(text[start:end] for start, end in spans(kind, text))) == found


@each_row(
    ("question", "kinds"),
    [
        ("How long is the warranty?", {"duration"}),
        ("保修期多久？", {"duration"}),
        ("How long ago was it built?", {"time", "number"}),
        ("When is it due?", {"time"}),
        ("How many are there?", {"number"}),
    ],
)
def test_the_kind_that_a_question_asks_for(question: str, kinds: set[str]) -> None:
    assert expected_types(question) == kinds


@each_row(
    ("question", "kinds"),
    [
        ("Whom do I call about the VPN?", {"contact"}),
        ("Who can I ask about leave?", {"contact"}),
        ("Who called the meeting?", {"person"}),
        ("Who can call a meeting?", {"person"}),  # not: whom can I call
        ("Tell me who to ask", {"contact"}),
        ("考勤的问题找谁？", {"contact"}),
        ("物业电话多少？", {"contact"}),
    ],
)
def test_whom_to_reach_is_a_kind_of_its_own(question: str, kinds: set[AnswerType]) -> None:
    assert expected_types(question) == kinds


@each_row(
    ("kind", "text", "held"),
    [
        ("number", "共5天", True),
        ("number", "没有限制", False),
        ("reason", "因为下雨", True),
        ("duration", "It is red.", False),
        ("duration", "It lasts 40 minutes.", True),
    ],
)
def test_a_text_holds_an_answer_of_a_kind_or_none(kind: AnswerType, text: str, held: bool) -> None:
    assert holds(kind, text) is held


@each_row("kind", ["number", "duration"])
def test_the_first_answer_is_found_without_the_others(kind: AnswerType) -> None:
    assert_growth(lambda text: holds(kind, text), "5天 " * 100, "5天 " * 20_000, most=20)
