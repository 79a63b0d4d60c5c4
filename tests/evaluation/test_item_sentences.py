"""Of a list item of several sentences those that answer are shown."""

from __future__ import annotations

from evaluation.blocks import SourceUnit
from evaluation.extractive import extract_answer
from evaluation.item_sentences import shortened
from schema import Hit
from tests.each_row import each_row

MINUTES = """# Minutes

1. **Winter fair.** It takes place on 5 December in the gym. Ben has booked the gym. We expect 300 visitors.
2. **Playground.** There were two quotes. Greenplay was chosen because it is cheaper. Work starts in February.
"""
COMMANDS = """# Commands

| Command | What it does |
|---|---|
| `up` | deploys the branch |
| `lock` | blocks deployments to production |
| `logs` | follows the pods |
"""
RULES = """# 规定

## 一、工作时间

每天工作满8小时。

## 二、迟到

1. 迟到30分钟以内，每次扣50元。
2. 迟到30分钟以上按旷工半天处理。
"""


def _hit(text: str) -> Hit:
    return Hit(1, "a.md", "", text, 0, len(text), 1, text.count("\n"), score=1.0)


@each_row(
    ("question", "answer"),
    [
        ("When is the winter fair?", "1. Winter fair: It takes place on **5 December** in the gym [1]."),
        (
            "Why was Greenplay chosen for the playground?",
            "2. Playground: There were two quotes [1]. Greenplay was chosen because it is cheaper [1].",
        ),
    ],
)
def test_an_item_is_shortened_to_what_answers(question: str, answer: str) -> None:
    assert extract_answer(question, [_hit(MINUTES)], "en").split("\n")[0] == answer


WARD = """# Ward

- No smoking in the rooms. Phones are charged at the socket on the left.
- Visitors come after three. They stay until seven.
- The lift is slow. Take the stairs.
- Car: Agreed with Allianz. Insurance ends on 3 May.
"""


@each_row(
    ("question", "answer"),
    [
        ("Where are phones charged?", "- Phones are charged at the socket on the left [1]."),
        ("Until when may they stay?", "- Visitors come after three [1]. They stay until seven [1]."),  # who they are
        ("When does the insurance end?", "- Car: Agreed with Allianz [1]. Insurance ends on 3 May [1]."),  # whose it is
        ("Is the lift slow?", "- The lift is slow [1]. Take the stairs [1]."),  # what follows from it
    ],
)
def test_of_two_sentences_the_second_one_may_stand_alone(question: str, answer: str) -> None:
    assert extract_answer(question, [_hit(WARD)], "en").replace("**", "").split("\n")[0] == answer


def test_of_a_table_the_row_that_says_how_is_shown_and_not_all() -> None:
    answer = extract_answer("How do I block deployments?", [_hit(COMMANDS)], "en")
    assert "`lock`" in answer
    assert "`logs`" not in answer


def test_a_section_that_holds_a_word_of_the_question_does_not_hide_the_answer() -> None:
    assert "旷工半天" in extract_answer("迟到一小时怎么处理？", [_hit(RULES)], "zh")


def test_lines_that_are_statements_of_their_own_are_shown_apart() -> None:
    report = "胆固醇 6.2（参考值<5.2）偏高\n尿酸 455（参考值208–428）偏高\n转氨酶 38（参考值9–50）\n"
    assert extract_answer("哪些指标偏高？", [_hit(report)], "zh") == (
        "胆固醇 6.2（参考值<5.2）偏高[1]\n\n尿酸 455（参考值208–428）偏高[1]"
    )


def test_an_item_as_long_as_pages_is_shown_as_it_is():
    item = SourceUnit(1, "item", "The gym is booked. " + "Nothing else was said. " * 200, "")
    assert shortened(item, "Is the gym booked?", {"gym"}, ()) is item
    short = SourceUnit(1, "item", "The gym is booked. " + "Nothing else was said. " * 3, "")
    assert shortened(short, "Is the gym booked?", {"gym"}, ()).text.strip() == "The gym is booked."
