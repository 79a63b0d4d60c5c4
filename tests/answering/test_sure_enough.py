"""When an answer is sure enough: to need no search of the web, and no doubt beside it."""

from __future__ import annotations

import pytest

from answering.confidence import confidence_of, is_answered, is_uncertain
from evaluation.extractive import ExtractiveAnswer
from schema import Citation, Coverage, Evidence, Hit, Statement, Support

HIT = Hit(1, "a.md", "", "Text.", 0, 5, 1, 1)


@pytest.mark.parametrize(
    ("score", "threshold", "confidence", "answered"),
    [
        (0.4, 0.35, 0.0, True),
        (0.3, 0.35, 0.0, False),
        (0.3, 0.35, 0.49, False),
        (0.3, 0.35, 0.5, True),  # found in other words
        (0.3, 0.8, 0.7, False),  # who sets more asks for more
        (0.3, 0.8, 0.8, True),
    ],
)
def test_an_answer_that_is_likely_right_needs_no_web(score, threshold, confidence, answered) -> None:
    assert is_answered(Coverage(score, threshold, score >= threshold), confidence) is answered


@pytest.mark.parametrize(
    ("found", "least", "confidence", "uncertain"),
    [
        (0.1, 0.2, 0.0, True),
        (0.2, 0.2, 0.0, False),
        (0.1, 0.2, 0.6, True),
        (0.1, 0.2, 0.7, False),
        (0.1, 0.9, 0.8, True),
    ],
)
def test_a_doubt_stands_beside_what_was_found_weakly_unless_it_answers(
    make_settings, found, least, confidence, uncertain
) -> None:
    settings = make_settings(CITEWISE_MIN_CONFIDENCE=str(least))
    evidence = Evidence("q", "default", hits=(HIT,), confidence=found)
    assert is_uncertain(evidence, settings, confidence) is uncertain
    assert not is_uncertain(Evidence("q", "default", confidence=found), settings)


def test_where_a_noun_of_the_question_is_nowhere_said_it_is_half_sure_at_most() -> None:
    evidence = Evidence("Does the machine make tea?", "default", (HIT,), 0.9)
    cited = (Statement("Text.", (Citation(1, 0, 0, 5, 1, 1, "Text.", Support(1.0, True)),)),)
    likely = ExtractiveAnswer("Text [1].", 0.99)
    assert confidence_of(evidence, cited, likely) > 0.8
    assert confidence_of(evidence, cited, likely, lacking=True) == 0.5
    assert confidence_of(evidence, cited, None, lacking=True) == 0.5
