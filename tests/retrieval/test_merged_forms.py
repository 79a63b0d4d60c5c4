"""Several forms of one question: what each found, put in one order."""

from __future__ import annotations

from typing import Any, cast

from retrieval.confidence import QuestionForm, merge_forms
from retrieval.strategies import Candidate
from tests.each_row import each_row


def form(confidence: float, *found: tuple[int, float]) -> QuestionForm:
    made = QuestionForm(cast(Any, None), [Candidate(chunk, score) for chunk, score in found])
    vars(made)["confidence"] = confidence  # as if it had been asked of the query
    return made


@each_row(
    ("forms", "merged"),
    [
        ([form(0.9, (1, 3.0), (2, 1.0))], [(1, 3.0), (2, 1.0)]),
        # by turns, the form that is covered best first; scores are shares of a form's best, and never rise
        ([form(0.5, (1, 4.0), (2, 3.0)), form(0.9, (3, 10.0), (4, 5.0))], [(3, 1.0), (1, 1.0), (4, 0.5), (2, 0.5)]),
        ([form(0.9, (1, 4.0), (2, 1.0)), form(0.5, (3, 1.0), (4, 0.5))], [(1, 1.0), (3, 1.0), (2, 0.25), (4, 0.25)]),
        # what two of them found stands once, at its first place
        ([form(0.9, (1, 4.0), (2, 1.0)), form(0.5, (2, 1.0))], [(1, 1.0), (2, 1.0)]),
        ([form(0.9, (1, 4.0)), form(0.5, (2, 2.0), (3, 1.0), (4, 0.5))], [(1, 1.0), (2, 1.0), (3, 0.5), (4, 0.25)]),
        # a translation that is covered next to nothing is left out, the question as it was asked never
        ([form(0.9, (1, 4.0)), form(0.26, (2, 1.0))], [(1, 4.0)]),
        ([form(1.0, (1, 4.0)), form(0.3, (2, 1.0))], [(1, 1.0), (2, 1.0)]),
        ([form(0.1, (1, 4.0)), form(0.9, (2, 1.0))], [(2, 1.0), (1, 1.0)]),
        # nothing found, and nothing that speaks for what was found
        ([form(0.9), form(0.8, (1, 2.0))], [(1, 1.0)]),
        ([form(0.9, (1, 2.0), (2, 2.0)), form(0.8, (3, 0.0))], [(1, 1.0), (3, 0.0), (2, 0.0)]),
        ([form(0.9), form(0.8)], []),
    ],
)
def test_forms_are_merged_by_turns(forms: list[QuestionForm], merged: list[tuple[int, float]]) -> None:
    assert [(one.chunk_id, one.score) for one in merge_forms(forms)] == merged
