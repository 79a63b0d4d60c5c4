"""Whole extracted answers, and how well an answer is supported as a whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.answer_text import extract_opening, written
from evaluation.blocks import SourceUnit
from evaluation.citations import answer_support
from evaluation.extractive import extract_answer
from evaluation.support import weight
from schema import Citation, Statement, Support
from tests.each_row import each_row
from tests.evaluation.extractive_cases import GUIDE, HANDBOOK, HITS, NESTED, hit

STEPS = "1. Create an account [2].\n2. Open Settings and choose Keys [2].\n3. Copy the key into `.env` [2]."
DEPOSIT = hit(1, "A deposit of £900 is held by the agent. It is given back within ten days.\n\nPets pay £20.", "Lease")
DONE = hit(1, "The deposit comes back on Friday. It is held by the agent.", "Lease")
LEASES = [hit(1, "A tenant pays a lease. A lease is a contract. Nothing else."), hit(2, "租约是合同。", score=0.5)]


@each_row(
    ("question", "hits", "language", "answer"),
    [
        ("新生儿要做哪些检查？", HITS, "zh",
         "- 听力筛查[1]\n- 先天性心脏病筛查[1]\n- 足跟血筛查，需在喂奶后进行[1]\n\n检查费用由医保支付[1]。"),
        ("How do I install the tool?", HITS, "en",
         f"To install the tool, run [2]:\n\n```bash\npip install example[1]\n```\n[2]\n\n{STEPS}"),
        ("What is the price of the Team plan?", HITS, "en",
         "| Plan | Price | Seats |\n| --- | --- | --- |\n| Team | $12 | 10 [2] |"),
        ("How do I get a key? List the steps.", HITS, "en", STEPS),
        ("How are fluids given?", [hit(1, NESTED, "Care")], "en",
         "- Give oral salts first [1].\n- Watch the urine [1]."),
        ("What is a lease?", LEASES, "en", "A tenant pays a lease [1]. A lease is a contract [1]."),
        ("When do I get my deposit?", [DEPOSIT], "en",
         "A deposit of £900 is held by the agent [1]. It is given back **within ten days** [1]."),
        ("When does the deposit come back?", [DONE], "en", "The deposit comes back on **Friday** [1]."),
        ("什么是租约？", LEASES, "zh", "租约是合同[2]。"),
    ],
)  # fmt: skip
def test_an_answer_is_what_answers_and_nothing_else(question, hits, language, answer):
    assert extract_answer(question, hits, language) == answer


def test_the_opening_of_each_document_is_shown():
    hits = [hit(1, HANDBOOK), replace(hit(2, GUIDE, "Install"), document="b.md"), hit(3, "Last of all. The end.")]
    assert extract_opening(hits, 2) == (
        "- 听力筛查[1]\n- 先天性心脏病筛查[1]\n\n"
        "To install the tool, run [2]:\n\n```bash\npip install example[1]\n```\n[2]\n\n1. Create an account [2]."
    )
    assert extract_opening([hit(1, "One? Two. Three. Four. Five. Six.")]) == "Two [1]. Three [1]. Four [1]. Five [1]."
    assert extract_opening([hit(1, "One."), hit(2, "Two."), replace(hit(3, "Three."), document="b.md")], 1) == (
        "One [1].\n\nThree [3]."
    )
    assert extract_opening([]) == ""


def said(text: str, *scores: float, comparable: bool = True, checkable: bool = True) -> Statement:
    cited = tuple(Citation(1, 0, 0, 9, 1, 1, "", Support(score, False, (), comparable)) for score in scores)
    return Statement(text, cited, checkable)


SHORT, LONG = "Cats purr.", "Large cats of the north hunt reindeer, hares and birds."


@each_row(
    ("statements", "expected"),
    [
        ([], None),
        ([said("# Cats", checkable=False)], None),
        ([said(SHORT, 0.2, comparable=False)], None),
        ([said(SHORT, 0.2, 0.9)], 0.9),
        ([said(SHORT)], 0.0),
        ([said("Yes.", 0.5), said("Well.", 1.0)], 0.75),  # what says next to nothing counts as one word
        ([said(SHORT, 0.5), said("# Cats", 1.0, checkable=False), said(SHORT, 1.0, comparable=False)], 0.5),
        ([said(SHORT, 1.0), said(LONG)], 0.7 * weight(SHORT) / (weight(SHORT) + weight(LONG))),
        ([said(LONG, 1.0)] * 9 + [said(LONG, 0.5)], 0.7 * 0.95 + 0.3 * 0.5),  # one that is made up weighs among many
        ([said(LONG, 1.0)] * 9 + [said("Yes.", 0.0)], pytest.approx(0.99, abs=0.01)),  # unless it says nothing
    ],
)
def test_an_answer_is_supported_by_how_much_its_sentences_say(statements, expected):
    assert answer_support(statements) == (expected if expected is None else pytest.approx(expected))


def test_a_sentence_of_another_source_that_shares_a_word_is_left_out():
    notes = "Priya: finished the offline cache.\nPriya: started on push notifications.\nTom: certificate renewed."
    lease = "A deposit is held. It is returned within ten working days. Pets are asked for."

    def shown(score):
        return extract_answer("What is Priya working on?", [hit(1, notes), hit(2, lease, score=score)], "en")

    assert "push notifications [1]" in shown(0.4)
    assert "[2]" not in shown(0.4)
    assert "[2]" in shown(0.9)  # a source that fits as well


@each_row(
    ("bullets", "lines"),
    [
        (["1.", "2."], "1. ja [1]\n2. jb [1]"),
        (["4.", "5."], "4. ja [1]\n5. jb [1]"),
        (["2.", "1.", "2."], "- ja [1]\n- jb [1]\n- jc [1]"),  # would be shown as 2, 3 and 4
        (["1.", "3."], "- ja [1]\n- jb [1]"),
        (["1.", "-", "2."], "1. ja [1]\n- jb [1]\n2. jc [1]"),
    ],
)
def test_numbers_of_a_list_are_those_of_its_source_or_none(bullets: list[str], lines: str) -> None:
    chosen = [SourceUnit(1, "item", f"j{'abc'[place]}", "", bullet=bullet) for place, bullet in enumerate(bullets)]
    assert written(chosen) == lines
