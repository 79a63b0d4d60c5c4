"""Where a text holds a number: with all of its unit."""

from __future__ import annotations

from evaluation.answer_types import spans
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
