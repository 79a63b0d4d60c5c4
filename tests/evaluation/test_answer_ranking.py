"""What speaks for a sentence as an answer."""

from __future__ import annotations

from unittest.mock import Mock

import numpy as np
import pytest

from evaluation import answer_sentences
from evaluation.answer_passages import longest_run
from evaluation.answer_ranking import FEATURES, features
from evaluation.blocks import units
from schema import Hit
from tests.each_row import each_row

TEXT = "The mill stands by the river. It was built by Ana Reis in 1820. Nobody lives there."


def column(name: str, question: str, *texts: str) -> list[float]:
    hits = [Hit(n, f"{n}.md", "", text, 0, len(text), 1, 1, score=1 / (n + 1)) for n, text in enumerate(texts)]
    found = [unit for number, hit in enumerate(hits, 1) for unit in units(number, hit)]
    values = features(question, found, hits, [0.5 / (n + 1) for n in range(len(found))]).values
    assert values.shape == (len(found), len(FEATURES))
    assert np.isfinite(values).all()
    return [round(float(value), 2) for value in values[:, FEATURES.index(name)]]


@each_row(
    ("name", "question", "values"),
    [
        ("hit", "Who built the mill?", [1, 1, 1, 0.5]),
        ("gap", "Who built the mill?", [0.5, 0.5, 0.5, -0.5]),
        ("type", "Who built the mill?", [0, 1, 0, 0]),
        ("number", "How many mills stand there?", [0, 1, 0, 0]),
        ("time", "When was the mill built?", [0, 1, 0, 0]),
        ("noun", "Which river is near?", [1, 0, 0, 0]),
        ("place", "Who built the mill?", [0.33, 0.67, 1, 1]),
        ("passage_run", "Was it built by Ana?", [0.6, 0.6, 0.6, 0]),  # "it was" is another order
        ("letters", "Built?", [0, 1, 0, 0]),
        ("words", "by whom?", [0.3, 0.3, 0, 0]),
        ("names", "Who is Ana Reis?", [0, 1, 0, 0]),
        ("passage_names", "Who is Ana Reis?", [1, 1, 1, 0]),
        ("passage_letters", "Built?", [1, 1, 1, 0]),
        ("cosine", "Who built the mill?", [0.5, 0.25, 0.17, 0.12]),
        ("similar", "Who built the mill?", [1, 0.5, 0.33, 0.25]),
        ("repeats", "Does the mill stand by the river?", [1, 0, 0, 0]),
        ("own", "Who built the mill?", [0.5, 0.5, 0, 0]),  # each of two terms in one sentence
        ("own_many", "Who built the mill?", [0.55, 0.55, 0, 0]),
        ("own_short", "Who built the mill?", [0.36, 0.31, 0, 0]),  # three terms, four terms
        ("own_rare", "Was Ana at the mill of Ana Reis, by the river?", [0.5, 0.5, 0, 0]),
        ("near", "Who built the mill?", [0, 0.25, 0.25, 0]),
        ("after", "Who built the mill?", [0.5, 0, 0, 0]),
        ("density", "Who built the mill?", [0.33, 0.25, 0, 0]),
        ("last", "Is the river near Ana Reis?", [0, 1, 0, 0]),
        ("length", "Who built the mill?", [0.46, 0.48, 0.39, 0.39]),
        ("defines", "Who lives there?", [0, 0, 1, 0]),
        ("many", "Who built the mill?", [0, 0.2, 0, 0]),
        ("many", "How many live there?", [0, 0.2, 0, 0]),
        ("person", "Who built the mill?", [0, 1, 0, 0]),
        ("person", "When was the mill built?", [0, 0, 0, 0]),
        ("list", "Who built the mill?", [0, 0, 0, 0]),
        ("letters_many", "Built?", [0, 1, 0, 0]),
        ("letters_many", "Who built the mill?", [0.13, 0.05, 0, 0]),
        ("log_hit", "Who built the mill?", [0, 0, 0, -0.69]),
        ("passage", "Was bread at the mill?", [0.5, 0.5, 0.5, 0.5]),
        ("passage_rare", "Was bread at the mill?", [0.5, 0.5, 0.5, 0.5]),
        ("passage_often", "Who built the mill?", [0.45, 0.45, 0.45, 0]),
        ("passage_length", "Who built the mill?", [0.46, 0.46, 0.46, 0.28]),
        ("passage_best", "Who built the mill?", [0.5, 0.5, 0.5, 0]),
        ("telling", "Who built the mill?", [0.5, 0.5, 0, 0]),
    ],
)
def test_by_hand(name: str, question: str, values: list[float]) -> None:
    assert column(name, question, TEXT, "Bread is baked daily.") == pytest.approx(values, abs=0.01)


def test_the_things_of_a_list_count_where_several_are_asked_for() -> None:
    things = ["Mills, roads and barns.", "Mills, roads, barns, wells, fords, weirs and quays."]
    assert column("list", "Which buildings are there?", *things) == [0.4, 1]  # five count as all
    assert column("list", "Which building is there?", *things) == [0, 0]


def test_a_word_that_is_often_said_and_in_few_passages_counts_most() -> None:
    question = "Which mill has bread?"
    assert column("passage_often", question, "Mill.", "Mill, mill, mill.", "Bread.") == [0.15, 0.23, 0.31]
    assert column("passage_rare", question, "Mill.", "Mill, mill, mill.", "Bread.") == [0.32, 0.32, 0.68]


def test_what_was_said_before_counts_for_a_sentence_that_goes_on() -> None:
    before = column("before", "Who built the mill?", TEXT, "Bread is baked daily.")
    so_far = column("so_far", "Who built the mill?", TEXT, "Bread is baked daily.")
    assert before[0] == before[3] == so_far[3] == 0
    assert 0 < before[1] < so_far[1] == so_far[2] == 1


def test_an_answer_near_the_words_of_the_question_is_close() -> None:
    near, far = "Built in 1820 the mill is old.", f"The mill is old, {'and it is old, ' * 9}and it burnt in 1820."
    close = column("close", "When was the mill built?", near, far)
    assert close[0] > 2 * close[1] > 0


@each_row(
    ("words", "text", "longest"),
    [("a b c d", "x b c y d", 2), ("a a", "a b a a", 2), ("a b", "", 0), ("", "a", 0), ("a b c", "a b c", 3)],
)
def test_the_longest_run(words: str, text: str, longest: int) -> None:
    assert longest_run(words.split(), text.split()) == longest


def test_no_sentences_have_no_features() -> None:
    assert features("Who?", [], [], []).values.shape == (0, len(FEATURES))


def test_what_a_source_says_again_and_again_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = Mock(side_effect=answer_sentences.spans)
    monkeypatch.setattr(answer_sentences, "spans", looked_at)
    assert column("type", "年假有几天？", "- 年假有5天\n- 不详\n" * 50) == [1, 0] * 50
    assert looked_at.call_count < 10
