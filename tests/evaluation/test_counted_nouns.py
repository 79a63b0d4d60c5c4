"""The number of the noun that is asked for, and not of another."""

from __future__ import annotations

from evaluation.counted_nouns import counted_noun, gives_number_of
from tests.each_row import each_row


@each_row(
    ("question", "noun"),
    [
        ("How much salt goes into the bread?", "salt"),
        ("How many desk lamps did Casa Verde order?", "lamp"),
        ("how many days of leave do I get", "day"),
        ("How much does it cost?", ""),
        ("血压是多少？", "血压"),
        ("宽带密码多少", "宽带密码"),
        ("房租多少钱？", ""),
        ("Who is it?", ""),
    ],
)
def test_the_noun_that_is_counted(question: str, noun: str) -> None:
    assert counted_noun(question) == noun


@each_row(
    ("noun", "text", "gives"),
    [
        ("salt", "You need 900 g of flour and 20 g of salt.", True),
        ("salt", "Add the starter and the salt.", False),
        ("salt", "Salt comes last, after 20 minutes.", False),
        ("lamp", "Casa Verde took twenty desk lamps.", True),
        ("血压", "血压 128/82，心率 70。", True),
        ("血压", "血压：128/82", True),
        ("血压", "每年量两次血压，共 3 天。", False),
    ],
)
def test_a_number_of_the_noun_itself(noun: str, text: str, gives: bool) -> None:
    assert gives_number_of(noun, text) is gives
