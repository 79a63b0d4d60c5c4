"""Where a text holds an answer of a kind: a number with all of its unit, whole names."""

from __future__ import annotations

from evaluation.answer_types import AnswerType, spans
from tests.each_row import each_row


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
        ("person", "记录由王建国签字", ["王建国"]),
        ("person", "The mill that Ana Reis built is old.", ["Ana Reis"]),
        ("person", "Ana built it. Nobody helped, but Reis paid.", ["Reis"]),  # each sentence begins with a capital
    ],
)
def test_names_are_found_whole(kind: AnswerType, text: str, found: list[str]) -> None:
    assert list(dict.fromkeys(text[start:end] for start, end in spans(kind, text))) == found
