"""What the nodes compute from evidence and answer: similarities of what was found, and how far to trust the answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from answering.confidence import UNCHECKED, confidence_of
from evaluation.answer_confidence import likelihood, signs
from evaluation.extractive import ExtractiveAnswer
from nodes.answer import _rests_on_nothing
from nodes.evaluate import _figures
from schema import Citation, Evidence, Hit, Statement, Support, Vectors
from tests.each_row import each_row

A, B, MIDDLE = [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]


def figures_of(question: list[float] | None, *found: list[float]) -> Any:
    """Of a library that has these vectors of the question and of what was found for it."""

    def vectors(chunk_ids: list[int]) -> Vectors:
        assert chunk_ids == list(range(len(found)))
        return np.array(found, np.float32).reshape(-1, 2)

    asked = None if question is None else np.array(question, np.float32)
    library = SimpleNamespace(question_vector=lambda _: asked, vectors=vectors)
    hits = tuple(Hit(number, "a.md", "", "text", 0, 4, 1, 1) for number in range(len(found)))
    context: Any = SimpleNamespace(library=library)
    return _figures(context, Evidence("q", "hybrid", hits))


@each_row(
    ("found", "mean", "best", "diversity"),
    [
        ([A, A], 1.0, 1.0, 0.0),
        ([A, B], 0.5, 1.0, 1.0),
        ([A, B, MIDDLE], 1.6 / 3, 1.0, 1 - 1.4 / 3),
        ([MIDDLE, B, [0.0, 0.0]], 0.3, 0.6, 0.2),  # what has no vector yet counts for nothing
    ],
)
def test_similarity_and_diversity_are_those_of_what_was_found(
    found: list[list[float]], mean: float, best: float, diversity: float
) -> None:
    shown = figures_of(A, *found)
    assert (shown.mean_similarity, shown.max_similarity, shown.diversity) == (
        pytest.approx(mean), pytest.approx(best), pytest.approx(diversity, abs=1e-6),
    )  # fmt: skip


def test_without_a_vector_of_the_question_or_in_another_space_there_is_no_similarity() -> None:
    for question in (None, [1.0, 0.0, 0.0]):
        shown = figures_of(question, A, B)
        assert (shown.mean_similarity, shown.max_similarity) == (None, None)
        assert shown.diversity == pytest.approx(1.0)


def said(score: float, comparable: bool = True, checkable: bool = True) -> Statement:
    support = Support(score, score > 0.5, comparable=comparable)
    cited = Citation(1, 0, 0, 4, 1, 1, "text", support)
    return Statement("The lamp is trimmed at dusk.", (cited,), checkable)


@each_row(
    ("evidence", "statements", "confidence"),
    [
        (0.9, (said(0.4),), 0.4),  # no further than the support of its sentences
        (0.3, (said(0.8),), 0.3),  # nor than the evidence
        (0.9, (said(0.8), said(0.2)), 0.7 * 0.5 + 0.3 * 0.2),
        (0.9, (Statement("Nothing is cited here."),), 0.0),
        (0.9, (said(0.0, comparable=False),), UNCHECKED),
        (0.2, (said(0.0, comparable=False),), 0.2),
        (0.9, (said(0.9, checkable=False),), 0.0),
        (0.9, (), 0.0),
    ],
)
def test_confidence_is_held_by_evidence_and_by_support(
    evidence: float, statements: tuple[Statement, ...], confidence: float
) -> None:
    found = confidence_of(Evidence("q", "hybrid", confidence=evidence), statements)
    assert found == pytest.approx(confidence)


@pytest.mark.parametrize(("support", "confidence"), [(1.0, likelihood(signs(0.95, 0.9))), (0.4, 0.4)])
def test_sentences_that_were_picked_are_trusted_by_how_likely_they_answer(support: float, confidence: float) -> None:
    found = confidence_of(Evidence("q", "hybrid", confidence=0.9), (said(support),), ExtractiveAnswer("", 0.95))
    assert found == pytest.approx(confidence)


@each_row("evidence", [0.03, 0.1, 0.2])
def test_a_sentence_without_a_rival_is_no_surer_than_its_evidence_allows(evidence: float) -> None:
    found = confidence_of(Evidence("q", "hybrid", confidence=evidence), (said(1.0),), ExtractiveAnswer("", 1.0))
    assert found <= 3 * evidence + 1e-9


UNCITED, ELSEWHERE = Statement("Nothing is cited here."), said(0.0, comparable=False)  # in another language


@each_row(
    ("statements", "nothing"),
    [
        ((UNCITED,), True),
        ((said(0.2), UNCITED), True),
        ((said(0.8), UNCITED, UNCITED), False),
        ((ELSEWHERE,), False),
        ((ELSEWHERE, UNCITED), False),
        ((ELSEWHERE, UNCITED, UNCITED), True),
        ((Statement("来源没有提到年假。"),), False),
        ((Statement("Yes.", checkable=False),), True),
    ],
)
def test_an_answer_that_rests_on_nothing_is_known(statements: tuple[Statement, ...], nothing: bool) -> None:
    assert _rests_on_nothing(statements) is nothing
