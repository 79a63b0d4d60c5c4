"""What makes a sentence likelier to answer: a number of what is counted, a label, the title of its section."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.answer_sentences import Array
from evaluation.blocks import SourceUnit, units
from evaluation.counted_nouns import gives_number_of, raised, with_counted
from evaluation.labelled_lines import with_labels
from evaluation.titled_sections import section_asked_for
from tests.each_row import each_row
from tests.evaluation.extractive_cases import hit


def equal(count: int) -> Array:
    return np.full(count, 1 / count)


def likelier(before: Array, after: Array, found: list[SourceUnit]) -> list[str]:
    """The units that have become likelier."""
    assert after.sum() == pytest.approx(1)
    return [unit.text for unit, old, new in zip(found, before, after, strict=True) if new > old]


def test_what_is_chosen_is_so_many_times_as_likely_beside_the_others_and_all_add_up_to_one() -> None:
    shares = raised(np.array([0.2, 0.3, 0.5]), [True, False, False], 4.0)
    assert shares == pytest.approx(np.array([0.8, 0.3, 0.5]) / 1.6)
    assert raised(np.array([0.5, 0.5]), [True, True], 4.0) == pytest.approx([0.5, 0.5])


@each_row("chosen", [[], [False, False], [True, False]])
def test_where_nothing_that_can_answer_is_chosen_all_stays_as_it_is(chosen: list[bool]) -> None:
    shares = np.array([0.0, 1.0][: len(chosen)])
    assert raised(shares, chosen, 1.5) is shares


def test_little_more_is_enough_to_be_likelier() -> None:
    assert raised(np.array([0.5, 0.5]), [True, False], 1.5) == pytest.approx([0.6, 0.4])


BREAD = "Take 900 g of flour. Add 20 g of salt. Stir for 10 minutes. It rests every night. Salt is cheap."


@each_row(
    ("question", "texts"),
    [
        ("How much salt goes into it?", ["Add 20 g of salt."]),
        ("How much flour is in it?", ["Take 900 g of flour."]),
        ("How many eggs are in it?", []),
        ("How often does it rest?", ["It rests every night."]),
        ("Who bakes it?", []),
        ("盐是多少？", []),
    ],
)
def test_a_sentence_with_the_number_of_what_is_counted_is_likelier(question: str, texts: list[str]) -> None:
    found = units(1, hit(1, BREAD))
    shares = with_counted(question, found, before := equal(len(found)))
    assert likelier(before, shares, found) == texts


def test_how_often_weighs_more_than_how_many() -> None:
    found, before = units(1, hit(1, BREAD)), equal(5)
    often, many = with_counted("How often?", found, before), with_counted("How much salt is in it?", found, before)
    assert often.max() > many.max() > 2 * before.max()


@each_row(
    ("noun", "text", "gives"),
    [
        ("lamp", "20 very nice new desk lamps", False),  # too far from it
        ("lamp", "20 nice new desk lamps", True),
        ("lamp", "lamps 20", False),
        ("lamp", "No lamps are left.", True),
        ("lamp", "Twelve lamps", True),
        ("lamp", "Nobody wants lamps.", False),
    ],
)
def test_a_number_belongs_to_the_noun_that_it_stands_right_before(noun: str, text: str, gives: bool) -> None:
    assert gives_number_of(noun, text) is gives


FAIR = """# School fair

Date: 5 May 2026

Place: the gym

When: it is dry

# Staff trip

Date: 6 June 2026

Duration: 3 hours

地点：操场
"""


@each_row(
    ("question", "texts"),
    [
        ("When is the school fair?", ["Date: 5 May 2026"]),  # and not when it is dry, which is no date
        ("When is the staff trip?", ["Date: 6 June 2026"]),
        ("How long is the staff trip?", ["Duration: 3 hours"]),
        ("Where is the fair?", ["Place: the gym"]),
        ("Where is the staff trip?", ["地点：操场"]),
        ("Who is at the fair?", []),
        ("Where is the harbour?", []),
        ("Where?", []),
    ],
)
def test_a_line_with_the_label_of_what_is_asked_is_likelier_under_a_heading_about_it(
    question: str, texts: list[str]
) -> None:
    found = units(1, hit(1, FAIR))
    shares = with_labels(question, found, before := equal(len(found)))
    assert likelier(before, shares, found) == texts


REVIEW = """# Review

Intro.

## Root cause

A node was full. Was it new? Every query waited.

## 2 Next steps

Buy disks.
"""


@each_row(
    ("question", "texts"),
    [
        ("What was the root cause?", ["A node was full.", "Every query waited."]),
        ("What are the next steps?", ["Buy disks."]),  # a number in a title is none of its words
        ("What was the cause?", []),  # not all of the title
        ("Why the root cause?", ["A node was full.", "Every query waited."]),
        ("Was there a root cause?", []),
        ("When was the root cause?", []),
        ("How do I find the root cause?", []),
        ("What?", []),
    ],
)
def test_the_first_section_with_the_title_that_is_asked_for_answers(question: str, texts: list[str]) -> None:
    found = [*units(1, hit(1, REVIEW)), *units(2, hit(2, "## Root cause\n\nNobody knows.\n"))]
    assert [found[i].text for i in section_asked_for(question, found)] == texts


def test_the_title_of_all_that_was_found_tells_nothing_apart() -> None:
    alone = units(1, hit(1, "## Root cause\n\nA node was full.\n"))
    assert section_asked_for("What was the root cause?", alone) == []
    two = [*alone, *units(2, hit(2, "## Root cause\n\nA disk.\n\n## Other\n\nB.\n"))]
    assert [two[i].text for i in section_asked_for("What was the root cause?", two)] == ["A node was full."]


def test_without_a_title_there_is_no_section() -> None:
    assert section_asked_for("What was it?", units(1, hit(1, "It broke.\n\n## Cause\n\nA disk.\n"))) == []
