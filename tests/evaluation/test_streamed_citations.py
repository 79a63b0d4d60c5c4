"""Citations while an answer comes: a marker is held back until it is verified."""

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.citations import CheckedSources, CitationStream
from tests.evaluation.citation_cases import ANSWERS, DOCUMENT, HITS, checked, fed, shown


def test_a_marker_is_held_back_until_it_is_verified():
    stream = CitationStream(CheckedSources(HITS))
    assert fed(stream, "The harbour opens at 6 in the morning") == "The harbour opens at 6 in the morning"
    assert fed(stream, " [") == ""
    assert fed(stream, "1]") == ""
    assert fed(stream, ".") == " [1]."


def test_brackets_that_are_no_markers_flow():
    assert shown("see [note 3] and [2015] and a list [a, b] [") == "see [note 3] and [2015] and a list [a, b] ["


def test_the_answer_that_was_shown_checks_the_same():
    answer = "The harbour opens at 6 [1]. It closes at 9 [1]. 夜间不得鸣笛[2]。"
    first, again = checked(answer), checked(shown(answer))
    assert first == again
    assert [statement.supported for statement in first] == [True, False, True]


@settings(max_examples=400)
@given(ANSWERS, st.lists(st.integers(0, 60), max_size=6))
def test_what_is_shown_does_not_depend_on_the_tokens(answer, cuts):
    whole = shown(answer)
    assert shown(answer, [cut for cut in cuts if cut < len(answer)]) == whole
    assert shown(answer, range(len(answer))) == whole


@settings(max_examples=200)
@given(ANSWERS)
def test_no_marker_is_shown_without_its_source(answer):
    statements = checked(answer)
    assert all(1 <= c.marker <= 2 for statement in statements for c in statement.citations)
    for statement in statements:
        for c in statement.citations:
            assert DOCUMENT[c.start : c.end] == c.quote
            assert c.quote.splitlines()[0] in DOCUMENT.splitlines()[c.start_line - 1]


@settings(max_examples=200)
@given(st.text(max_size=60))
def test_text_without_brackets_passes_unchanged(text):
    answer = "".join(sign for sign in text if sign not in "[［【")
    assert shown(answer) == answer
