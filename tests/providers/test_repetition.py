"""Texts that turn in circles are cut where they begin to; whatever else a text repeats goes through unchanged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from providers.repetition import FARTHEST, LEAST, Repetition, without_repetition
from tests.each_row import each_row

SENTENCE = "The pump waits for ninety seconds before it starts. "
PARAGRAPH = "".join(f"Step {number} is to open valve {number * 7}. " for number in range(40))
BEFORE = "Prime the pump [1]. 先灌水[1]。"


def through(text: str, size: int) -> tuple[str, bool]:
    repetition = Repetition()
    out = "".join(repetition.feed(text[start : start + size]) for start in range(0, len(text), size))
    return out + repetition.finish(), repetition.endless


@each_row("size", [1, 4, 33, 100_000])
@each_row("circle", ["的", "the city ", SENTENCE, "年假有十五天。" * 2, PARAGRAPH, "ab\n" * 3 + "abc\n"])
def test_a_circle_is_cut_where_it_begins_to_come_again(circle: str, size: int) -> None:
    assert len(circle) <= FARTHEST
    text = BEFORE + circle * (2 + 6 * max(1, LEAST // len(circle)))
    shown, endless = through(text, size)
    assert endless
    assert text.startswith(shown)
    assert len(BEFORE) < len(shown) <= len(BEFORE) + 2 * len(circle) + 100


LISTS = {
    "dashes": "a\n" + "-" * 300 + "\nb",
    "table": "| --- " * 60 + "|\n" + "".join(f"| row {number} | 0 | 0 | 0 |\n" for number in range(200)),
    "steps": "".join(f"{number}. Open the valve and wait.\n" for number in range(300)),
    "refrain": "".join(f"{SENTENCE}{number} " for number in range(60)),
    "spaces": "x" + " " * 400 + "y",
    "three times": SENTENCE * 3,
}


@each_row("size", [3, 100_000])
@each_row("text", LISTS.values())
def test_what_only_looks_alike_goes_through(text: str, size: int) -> None:
    assert through(text, size) == (text, False)


@given(st.lists(st.sampled_from(["ab", "abab", "c", "的", "\n"]), max_size=200), st.integers(1, 40))
def test_nothing_short_is_lost(parts: list[str], size: int) -> None:
    text = "".join(parts)[:LEAST]
    assert through(text, size) == (text, False)


def test_a_whole_text() -> None:
    assert without_repetition(BEFORE) == BEFORE
    assert len(without_repetition(BEFORE + SENTENCE * 200)) < len(BEFORE) + 2 * len(SENTENCE)
