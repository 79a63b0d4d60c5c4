"""What is shown with the sentence that answers best."""

from __future__ import annotations

from evaluation.answer_reading import read
from evaluation.blocks import SourceUnit
from evaluation.extractive import extract_answer
from schema import Hit
from tests.each_row import each_row

TRIP = """# News

## Residential

Malham, 11 - 13 May. The balance of £96 is due on 27 March. If that is difficult talk to Mrs Lindqvist.

## Lunches

A dinner costs £2.65 from 1 April.
"""
COPIES = """# Printing and copying of documents by visitors

- Black and white: 10p
- Colour: 40p
- The machine was bought in 2019
"""
NOTICE = """# 回执

请于4月3日放学前交给班主任。没有签字的不安排座位。


联系人：谭敏

研学之后每人交一份手抄报，4月24日交，优秀作品展出。
"""


def _answer(question: str, text: str) -> str:
    hit = Hit(1, "a.md", "", text, 0, len(text), 1, text.count("\n"), score=1.0)
    return extract_answer(question, [hit], "zh" if "回" in question else "en").replace("*", "")


@each_row(
    ("question", "shown", "left_out"),
    [
        # only the trip is named in what comes first: what else is dated there may be the answer in other words
        ("When does the last instalment for the Malham trip have to be paid?", "due on 27 March", "1 April"),
        ("When does the last instalment for the Malham trip have to be paid?", "due on 27 March", "Lindqvist"),
        ("When is the balance due?", "due on 27 March", "11 - 13 May"),  # which says it all
        ("How much money is still missing for the Malham trip?", "£96", "Lindqvist"),
    ],
)
def test_around_a_sentence_that_says_little_what_is_asked_for_is_shown(question, shown, left_out):
    answer = _answer(question, TRIP)
    assert shown in answer
    assert left_out not in answer


def test_a_verb_is_found_in_one_word_with_what_completes_it():
    assert _answer("回执什么时候交？", NOTICE).startswith("请于4月3日放学前交给班主任")


def test_an_item_that_holds_what_is_asked_for_stands_alone():
    answer = _answer("How much is it for visitors to copy documents in colour?", COPIES)
    assert "40p" in answer
    assert "2019" not in answer


@each_row(
    ("text", "said"),
    [
        ("请于4月3日放学前交给班主任。", {"交"}),
        ("默认端口为 8443。", set()),  # 口为 is no word
        ("现在没有收入。", set()),  # nouns
    ],
)
def test_only_a_verb_is_found_in_a_longer_word(text, said):
    unit = SourceUnit(1, "prose", text, "")
    terms = ["交", "口", "现", "收"]
    assert read("交、口、现、收", [unit], terms).sets[0].intersection(terms) == said
