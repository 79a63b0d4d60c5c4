"""What is right of an answer, by the kind of its question; what a reader is given; passages that a model is asked
about."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from evaluation.lab.answer_figures import is_correct, says_something_else
from evaluation.lab.cases import LabCase
from evaluation.lab.model_questions import PASSAGE, ModelQuestion, QuestionedPassage, passages, why_dropped
from evaluation.lab.numerals import same_number
from evaluation.lab.retrieval_figures import within_budget
from schema import Answer, Document
from tests.each_row import each_row
from text import count_tokens


def case(kind: str, answer: Any, **more: Any) -> LabCase:
    return LabCase(id="x", question="What is it?", kind=kind, answer=answer, **more)


@each_row(
    ("kind", "reference", "said", "right"),
    [
        ("number", "1200", "It holds 1,200 litres.", True),
        ("number", "1200", "It holds 1,300 litres.", False),
        ("number", ["5", "7"], "It is 7.", True),
        ("choice", "B", "The answer is (B).", True),
        ("choice", "B", "A is wrong, so it is C", False),
        ("yes_no", "yes", "Yes, it may.", True),
        ("yes_no", "no", "Yes, it may.", False),
        ("yes_no", "no", "It depends.", False),
        ("yes_no", "是", "可以。", True),
        ("list", ["red", "blue"], "red and blue", True),
        ("list", ["red", "blue", "green", "black"], "red", False),
        ("text", "ninety seconds", "The pump must wait ninety seconds.", True),
        ("text", "ninety seconds", "The pump must wait.", False),
    ],
)
def test_an_answer_is_right_by_the_kind_of_its_question(kind: str, reference: Any, said: str, right: bool) -> None:
    assert is_correct(case(kind, reference), said) is right


def test_a_number_may_be_a_share_off_where_that_is_told() -> None:
    assert is_correct(case("number", "100", tolerance=0.05), "About 104.")
    assert not is_correct(case("number", "100", tolerance=0.01), "About 104.")


@each_row(
    ("kind", "said", "wrong"),
    [
        ("number", "It holds 9 litres.", True),
        ("number", "It holds some.", False),
        ("choice", "Nothing.", True),
        ("yes_no", "No.", True),
        ("yes_no", "Who knows.", False),
        ("text", "It is so.", False),
    ],
)
def test_what_is_not_right_is_wrong_or_left_out(kind: str, said: str, wrong: bool) -> None:
    answer = Answer(said, (), (), 1.0, "en", 0.0)
    assert says_something_else(case(kind, "8"), answer) is wrong


@each_row(("given", "kept"), [(True, "yes"), (False, "no"), (3, "3"), (0.1 + 0.2, "0.3"), (None, ""), ("a", "a")])
def test_cells_become_answers(given: Any, kept: str) -> None:
    assert case("text", given).answer == kept


def test_a_reader_is_given_whole_passages_within_its_budget_and_one_at_least() -> None:
    hits: list[Any] = [SimpleNamespace(text=f"The pump number {n} waits.") for n in range(4)]
    one = count_tokens(hits[0].text)
    assert [len(within_budget(hits, most, budget)) for most, budget in [(4, 9 * one), (3, 9 * one), (4, 2 * one)]] == [
        4,
        3,
        2,
    ]
    assert len(within_budget(hits, 4, 2 * one - 1)) == len(within_budget(hits, 4, 1)) == 1


def test_a_model_is_asked_about_whole_paragraphs_evenly_from_the_documents() -> None:
    paragraph = "Words of a paragraph. " * 20
    long = Document("long.md", "\n\n".join(f"{n} {paragraph}".strip() for n in range(12)))
    short, code = Document("short.md", "Only this."), Document("code.py", paragraph, kind="code")
    drawn = passages([long, short, code], 50)
    assert {one.document.name for one in drawn[:2]} == {"long.md", "short.md"}
    assert sorted(one.text for one in drawn if one.document is short) == ["Only this."]
    parts = [one.text for one in drawn if one.document is long]
    assert all(len(part) <= PASSAGE for part in parts)
    told = [piece for part in parts for piece in part.split("\n\n")]
    assert {*told} <= {*long.text.split("\n\n")}
    assert len(told) == len({*told})
    assert passages([long, short], 50) == passages([long, short], 50) != passages([long, short], 50, seed=1)
    assert len(passages([long, short], 2)) == 2


TANK = "The tank of the northern station holds 1,200 litres of filtered rainwater."


@each_row(
    ("question", "answer", "quote", "dropped"),
    [
        ("How much fits into the container?", "1,200 litres", TANK, None),
        (" ", "1,200 litres", TANK, "no_question"),
        ("How much fits in?", "", TANK, "no_question"),
        ("How much fits in?", "1,200 litres", "  ", "no_quote"),
        ("How much fits in?", "1,200 litres", "The tank holds 1,200 litres.", "no_quote"),  # not as it stands there
        ("How much fits in?", "900 barrels", TANK, "not_supported"),
        (
            "How many litres of filtered rainwater does the northern station's tank hold?",
            "1,200 litres",
            TANK,
            "literal",
        ),
    ],
)
def test_a_question_of_a_model_is_dropped_for_a_reason(
    question: str, answer: str, quote: str, dropped: str | None
) -> None:
    passage = QuestionedPassage(Document("tank.md", TANK), f"Before. {TANK} Behind.")
    made = ModelQuestion.model_validate({"question": question, "answer": answer, "quote": quote})
    assert why_dropped(made, passage, lambda word: 1) == dropped


@each_row(
    ("question", "dropped"),
    [
        ("How much rainwater is there?", None),
        ("Is the rainwater filtered?", "literal"),
        ("Is rainwater filtered northern?", "literal"),
    ],
)
def test_the_rare_half_of_the_words_tells_whether_a_question_is_literal(question: str, dropped: str | None) -> None:
    """Six words that say something, of which rainwater, filtered and northern are the rarest: two are too many."""
    often = {"rainwater": 1, "filtered": 2, "northern": 3, "station": 4, "litres": 5, "tank": 6}
    quote = "The tank of the northern station: litres, filtered rainwater."
    made = ModelQuestion.model_validate({"question": question, "answer": "rainwater", "quote": quote})
    passage = QuestionedPassage(Document("tank.md", quote), quote)
    assert why_dropped(made, passage, lambda word: often.get(word, 9)) == dropped


@each_row(
    ("said", "reference", "same"),
    [
        ("It weighs 5.", "5 kg", True),  # a unit that is left out is no other one
        ("It weighs 5 kg.", "5", True),
        ("It is 5 metres long.", "5 kg", False),
        ("It is 3 metres long and weighs 5 kg.", "5 kg", True),
        ("重5公斤。", "5公斤", True),
        ("长5米。", "5公斤", False),
    ],
)
def test_a_unit_that_both_name_is_the_same(said: str, reference: str, same: bool) -> None:
    assert same_number(said, reference) is same
