"""Sentences without a source are marked, in a stream as in the whole answer."""

from __future__ import annotations

from hypothesis import example, given, settings

from evaluation.citations import CheckedSources, CitationStream, check_answer
from evaluation.unsourced import SentenceMarks, mark_unsourced, without_unsourced_marks
from tests.each_row import each_row
from tests.evaluation.citation_cases import ANSWERS, HITS


def streamed(answer: str, size: int) -> str:
    stream, marks, said = CitationStream(CheckedSources(HITS)), SentenceMarks(), []
    for start in range(0, len(answer), size):
        said += [marks.feed(piece, stream.shown(piece)) for piece in stream.feed(answer[start : start + size])]
    said += [marks.feed(piece, stream.shown(piece)) for piece in stream.feed("", final=True)]
    return "".join([*said, marks.end()])


MARKED = [
    (
        "The harbour opens at 6 [1]. Every employee also receives a company car. Yes.",
        "The harbour opens at 6 [1]. Every employee also receives a company car.⚠ Yes.",
    ),
    (
        "夜间不得鸣笛[2]。所有员工都有公司车。他说：“火星是红的。”",
        "夜间不得鸣笛[2]。所有员工都有公司车。⚠ 他说：“火星是红的。”⚠",
    ),
    ("资料中没有提到。具体如下：", "资料中没有提到。具体如下："),
    (
        "- It flies to Mars\n\n1. Cars are free\n2. It opens at 6 [1]",
        "- It flies to Mars⚠\n\n1. Cars are free⚠\n2. It opens at 6 [1]",
    ),
    (
        "| a | b |\n|---|---|\n| cars | free |\n| harbour | 6 [1] |",
        "| a | b |\n|---|---|\n| cars | free⚠ |\n| harbour | 6 [1] |",
    ),
    (
        "# A title\n\nIt costs Prof. Smith e.g. 5 dollars. So what?",
        "# A title\n\nIt costs Prof. Smith e.g. 5 dollars.⚠ So what?",
    ),
    ("```sh\ncars. Are free\n```\n\nMars is red.", "```sh\ncars. Are free\n```\n\nMars is red.⚠"),
    ("The harbour opens at 6.\n\n[1]\n\nMars is red.", "The harbour opens at 6.\n\n[1]\n\nMars is red.⚠"),
    ("Mars is red [99]. The moon\nis a cheese [1].", "Mars is red.⚠ The moon\nis a cheese [1]⚠."),
    ("**Mars is red.** *It sings.* `a. B` is meant.", "**Mars is red.**⚠ *It sings.*⚠ `a. B` is meant.⚠"),
    ("- [1] says it opens at 6\n- Mars is red", "- [1] says it opens at 6\n- Mars is red⚠"),
]  # fmt: skip


@each_row(("answer", "expected"), MARKED)
def test_a_sentence_without_a_source_is_marked_as_it_comes(answer: str, expected: str) -> None:
    assert streamed(answer, 1) == expected
    assert streamed(answer, len(answer)) == expected
    statements = check_answer(expected, CheckedSources(HITS))
    assert statements == check_answer(answer, CheckedSources(HITS))
    assert mark_unsourced(expected, statements) == expected  # and the check of the whole answer says the same
    assert without_unsourced_marks(
        mark_unsourced(without_unsourced_marks(expected), statements)
    ) == without_unsourced_marks(expected)


def test_the_mark_comes_before_the_next_sentence() -> None:
    marks = SentenceMarks()
    (piece,) = CitationStream(CheckedSources(())).feed("Mars is red. I")
    assert marks.feed(piece, piece.text) == "Mars is red.⚠ I"


@settings(max_examples=200)
@example("e.g. [1]The harbour opens at 6]")
@given(ANSWERS)
def test_nothing_but_marks_is_added_whatever_the_tokens(answer: str) -> None:
    whole = streamed(answer, max(len(answer), 1))
    assert streamed(answer, 1) == whole
    stream = CitationStream(CheckedSources(HITS))
    shown = "".join(stream.shown(piece) for piece in stream.feed(answer, final=True))
    assert "".join(whole.replace("⚠", "").split()) == "".join(shown.replace("⚠", "").split())
    statements = check_answer(whole, CheckedSources(HITS))
    complete = mark_unsourced(whole, statements)
    assert mark_unsourced(complete, statements) == complete


def test_words_that_came_with_a_marker_before_are_marked_where_they_have_none() -> None:
    answer = "Prime the pump before the start [1]. Prime the pump"
    statements = check_answer(answer, CheckedSources(HITS))
    assert mark_unsourced(answer, statements).rstrip("⚠") == answer


@each_row(
    ("cited", "again"),
    [
        ("Mars is red. [1] ", "Mars is red."),
        ("火星是红的。[2]", "火星是红的。"),
        ("- Mars is red [1]\n- ", "Mars is red"),
    ],
)
def test_of_the_same_words_twice_those_without_a_marker_are_marked(cited: str, again: str) -> None:
    statements = check_answer(cited + again, CheckedSources(HITS))
    assert mark_unsourced(cited + again, statements) == f"{cited}{again}⚠"
