"""What speaks for a sentence as an answer."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.answer_passages import longest_run
from evaluation.answer_ranking import FEATURES, features
from evaluation.blocks import units
from schema import Hit
from tests.each_row import each_row

TEXT = "The mill stands by the river. It was built by Ana Reis in 1820. Nobody lives there."


def column(name: str, question: str, *texts: str) -> list[float]:
    hits = [Hit(n, f"{n}.md", "", text, 0, len(text), 1, 1, score=1 / (n + 1)) for n, text in enumerate(texts)]
    found = [unit for number, hit in enumerate(hits, 1) for unit in units(number, hit)]
    values = features(question, found, hits, [0.5] * len(found)).values
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
        ("cosine", "Who built the mill?", [0.5, 0.5, 0.5, 0.5]),
        ("repeats", "Does the mill stand by the river?", [1, 0, 0, 0]),
    ],
)
def test_by_hand(name: str, question: str, values: list[float]) -> None:
    assert column(name, question, TEXT, "Bread is baked daily.") == pytest.approx(values, abs=0.01)


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
