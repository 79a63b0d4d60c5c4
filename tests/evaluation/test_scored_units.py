"""How likely each sentence is to answer: what holds it back, and what must come first."""

from __future__ import annotations

import pytest

from evaluation.answer_units import read_units
from evaluation.scored_units import (
    FOREIGN,
    ScoredUnit,
    asks_code,
    asks_list,
    keep_subject,
    names_several,
    scored_units,
)
from schema import Language
from tests.each_row import each_row
from tests.evaluation.extractive_cases import hit


def scored(question: str, *texts: str, language: Language = "en", foreign: float = FOREIGN) -> dict[str, ScoredUnit]:
    among = read_units(question, [hit(number, text) for number, text in enumerate(texts, 1)])
    found = scored_units(among, language, foreign, None)
    assert sum(one.share for one in found) < 1.0001
    return {one.unit.text: one for one in found}


@each_row(
    ("question", "several", "as_list", "code"),
    [
        ("What are the steps?", True, True, True),
        ("Which tools do I need?", True, True, False),
        ("What should I bring to the exam?", True, True, False),
        ("需要带什么？", True, True, False),
        ("有哪些材料？", True, True, False),
        ("How do I install it?", False, True, True),
        ("Show me an example", False, False, True),
        ("给我一个示例", False, False, True),
        ("Who is it?", False, False, False),
        ("是谁？", False, False, False),
    ],
)
def test_several_things_or_code_are_asked_for(question: str, several: bool, as_list: bool, code: bool) -> None:
    assert (names_several(question), asks_list(question), asks_code(question)) == (several, as_list, code)


LEAVE = "You get 25 days of leave. See chapter 4 for days of leave. Days of leave. Leave has 15 days. 年假有15天。"


def test_what_only_repeats_the_question_or_points_elsewhere_hardly_answers() -> None:
    found = scored("How many days of leave do I get?", LEAVE)
    answer, *others = (found[f"{text}."] for text in ("You get 25 days of leave", "See chapter 4 for days of leave",
                                                      "Days of leave"))  # fmt: skip
    assert all(0 < one.score < answer.score / 30 for one in others)
    assert answer.own == {"day", "leav"}
    assert answer.itself


def test_whether_something_is_so_may_be_answered_in_the_words_of_the_question() -> None:
    text = "Dogs are allowed. Cats are not allowed in rooms."
    assert scored("Are dogs allowed?", text)["Dogs are allowed."].score > 0.5
    assert scored("Who says: dogs are allowed?", text)["Dogs are allowed."].score < 0.01


def test_a_sentence_in_another_language_counts_for_less_and_code_has_none() -> None:
    text = "A day of leave is 年假. 年假有15天。\n\n```py\n年假 = 15\n```\n"
    full, less = (scored("年假 leave?", text, foreign=foreign) for foreign in (1.0, FOREIGN))
    assert {one.unit.text for one in less.values() if one.foreign} == {"年假有15天。"}
    for name, one in full.items():
        assert less[name].share == pytest.approx(one.share * (FOREIGN if one.foreign else 1))
    assert not any(one.foreign for one in scored("年假？", "年假有15天。", language="zh").values())


CODE = "Set the pump speed in the file.\n\n```py\npump.speed = 3\n```\n"


def test_code_counts_for_less_where_none_is_asked_for_and_words_stand_beside_it() -> None:
    [code] = [name for name in scored("pump speed", CODE) if name.startswith("```")]
    asked = scored("pump speed code", CODE)[code]
    beside, alone = scored("pump speed", CODE)[code], scored("pump speed", CODE.partition("\n\n")[2])[code]
    assert beside.share < 0.2 < asked.share
    assert alone.share == pytest.approx(1)


TABLE = "# Pumps\n\n| Pump | Top speed |\n| --- | --- |\n| A | 30 rpm |\n| B | fast |\n\nPumps are red.\n"


def test_a_row_that_says_only_in_its_header_what_is_asked_answers_by_what_it_holds() -> None:
    number = scored("How many rpm is the top speed?", TABLE)
    assert number["| A | 30 rpm |"].score == 1  # a number, under the words of the question
    assert number["| B | fast |"].score < 0.3
    which, every = scored("Whose is the top speed?", TABLE), scored("List the top speed", TABLE)
    for row in ("| A | 30 rpm |", "| B | fast |"):
        assert which[row].score == which[row].share < every[row].share / 3


PARTS = "# Parts of the pump\n\n- a valve\n- a motor\n\nThe pump is red.\n"


def test_the_items_under_the_words_of_a_question_for_a_list_come_first() -> None:
    found = scored("What are the parts of the pump?", PARTS)
    assert [found[text].score for text in ("a valve", "a motor")] == [1, 1]
    assert found["a valve"].itself
    assert found["The pump is red."].score < 1
    one = scored("Who made the parts of the pump?", PARTS)
    assert one["a valve"].score == one["a valve"].share < 1
    assert not one["a valve"].itself


def test_what_shares_no_word_with_the_question_has_no_share() -> None:
    found = scored("What is the pump?", "The pump is red.", "# Garden\n\nRoses grow. Tulips too.\n")
    assert found["Tulips too."].share == found["Tulips too."].score == 0


def test_a_question_of_the_source_speaks_for_what_stands_behind_it() -> None:
    found = scored("How long does a refund take?", "How long does a refund take? Ten days. A refund is free.")
    assert found["Ten days."].score > found["A refund is free."].score
    assert found["How long does a refund take?"].score == 0
    apart = scored("How long does a refund take?", "How long does a refund take?", "Ten days. A refund is free.")
    assert apart["Ten days."].share < found["Ten days."].share / 10


def test_what_says_nothing_of_the_subject_counts_for_less_where_anything_says_it() -> None:
    texts = "# Pump A1\n\nThe speed is 30.\n", "# Pump B2\n\nThe speed is 40. That of A1 is less.\n"
    found = scored("What is the speed?", *texts)
    before = {text: one.score for text, one in found.items()}
    keep_subject([*found.values()], ["nothing"])
    assert {text: one.score for text, one in found.items()} == before
    keep_subject([*found.values()], ["a1", "nothing"])
    kept = {text for text, one in found.items() if one.score == before[text]}
    assert kept == {"The speed is 30.", "That of A1 is less."}
    assert found["The speed is 40."].score == pytest.approx(before["The speed is 40."] * 0.2)
