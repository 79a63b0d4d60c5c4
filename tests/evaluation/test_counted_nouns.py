"""The number of the noun that is asked for, and not of another."""

from __future__ import annotations

from evaluation.counted_nouns import counted_noun, gives_number_of
from evaluation.extractive import extract_answer
from tests.each_row import each_row
from tests.evaluation.extractive_cases import hit


@each_row(
    ("question", "noun"),
    [
        ("How much salt goes into the bread?", "salt"),
        ("How many desk lamps did Casa Verde order?", "lamp"),
        ("how many days of leave do I get", "day"),
        ("How much does it cost?", ""),
        ("血压是多少？", "血压"),
        ("宽带密码多少", "宽带密码"),
        ("押金要交多少？", "押金"),
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
        ("lesson", "Parents may stay for the first two lessons.", False),
        ("血压", "血压 128/82，心率 70。", True),
        ("血压", "血压：128/82", True),
        ("血压", "每年量两次血压，共 3 天。", False),
    ],
)
def test_a_number_of_the_noun_itself(noun: str, text: str, gives: bool) -> None:
    assert gives_number_of(noun, text) is gives


GUIDE = "# Backups\n\nA first backup takes about three hours.\n\n## Schedule\n\nWe recommend every night at 02:30.\n"
ZH_GUIDE = "# 咖啡机\n\n除垢一次约需40分钟。\n\n## 保养\n\n每三个月除垢，滤网随时清洗。\n"

TERMINALS = "盘点每季度一次，全仓停工一天半。\n\n系统是 2015 年上线的，供应商已停止维护，终端经常掉线，平均每班 6 次。"


@each_row(
    ("question", "text", "says"),
    [
        ("How often should I make a backup?", GUIDE, "We recommend **every night**"),
        ("咖啡机多久除垢一次？", ZH_GUIDE, "每三个月除垢"),
    ],
)
def test_how_often_is_answered_by_what_says_so(question: str, text: str, says: str) -> None:
    answer = extract_answer(question, [hit(1, text)], "en" if question.isascii() else "zh")
    assert says.replace("*", "") in answer.replace("*", "")


def test_so_many_times_a_shift_says_how_often() -> None:
    assert extract_answer("终端多久掉线一次？", [hit(1, TERMINALS)], "zh").startswith("系统是")


def test_how_long_is_no_question_of_how_often() -> None:
    assert extract_answer("How long does a first backup take?", [hit(1, GUIDE)], "en").startswith("A first backup")


def test_how_many_can_come_is_answered_by_the_places() -> None:
    letter = "Children should be in school by 8.\n\nChildren who cannot swim may come.\n\n46 places are available."
    answer = extract_answer("How many children can go on the trip?", [hit(1, f"# Trip\n\n{letter}")], "en")
    assert "46" in answer
    assert "46" not in extract_answer("How many children cannot swim?", [hit(1, f"# Trip\n\n{letter}")], "en")
