"""Thoughts of reasoning models, whole and in pieces."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from providers.thoughts import ThoughtFilter, without_thoughts
from tests.each_row import each_row


@each_row(
    ("said", "answer"),
    [
        ("<think>let me see</think>\n\nTen days [1].", "Ten days [1]."),
        ("\n <thinking>嗯\n</thinking>年假十天。", "年假十天。"),
        ("The template opened it\n</think>\nTen days.", "Ten days."),
        ("Ten days.\n<think>am I sure?</think>\nYes.", "Ten days.\n\nYes."),
        ("<think>without an end", ""),
        ("Use a `<think>` tag; `</think>` ends it.", "Use a `<think>` tag; `</think>` ends it."),
        ("a < b and <thin", "a < b and <thin"),
        ("<thin", "<thin"),
        ("<b>bold</b>\n<p>\n</p>", "<b>bold</b>\n<p>\n</p>"),
        ("<think>1</think><think>2</think>x", "x"),
        ("<think></think>", ""),
        (" \n ", ""),
    ],
)
def test_only_the_answer_is_left(said: str, answer: str) -> None:
    assert without_thoughts(said) == answer


PARTS = ["<think>", "</think>", "<thinking>", "</thinking>", "<", "</", "think>", "\n", " ", "a", "年", "`"]


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join), st.lists(st.integers(0, 60), max_size=8))
def test_pieces_make_no_difference(said: str, cuts: list[int]) -> None:
    thoughts, out = ThoughtFilter(), ""
    edges = [0, *sorted(min(cut, len(said)) for cut in cuts), len(said)]
    for begin, end in itertools.pairwise(edges):
        piece = thoughts.feed(said[begin:end])
        out = piece if thoughts.void else out + piece
        thoughts.void = False
    assert (out + thoughts.finish()).strip() == without_thoughts(said)


@given(st.text(alphabet="ab <>/\n年", max_size=40))
def test_an_answer_without_tags_is_left_alone(said: str) -> None:
    assert without_thoughts(said) == said.strip()


def test_what_is_certain_is_let_out_at_once() -> None:
    thoughts = ThoughtFilter()
    assert [thoughts.feed(piece) for piece in ("Ten", " days", "\n<", "b>")] == ["Ten", " days", "\n", "<b>"]


def test_an_end_without_a_beginning_makes_void_what_was_let_out() -> None:
    thoughts = ThoughtFilter()
    assert thoughts.feed("I should look\n") == "I should look\n"
    assert thoughts.feed("</think>Ten") == "Ten"
    assert thoughts.void
