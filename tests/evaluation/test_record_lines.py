"""Lines that are statements of their own, and those of a paragraph that was broken to fit a page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.record_lines import with_record_breaks
from tests.each_row import each_row

BROKEN = """The archive of the town hall is open on weekdays from nine to
five, and on the first Saturday of each month from ten until
noon; readers need a card.
"""


@each_row(
    ("text", "parted"),
    [
        ("身高 172cm\n体重 81kg\n", "身高 172cm\n\n体重 81kg\n"),
        ("Height 172\nWeight 81\n", "Height 172\n\nWeight 81\n"),
        (BROKEN, BROKEN),
        ("Sent to Ann,\nBob and Cid\n", "Sent to Ann,\nBob and Cid\n"),  # goes on
        ("A short line\nthat goes on\n", "A short line\nthat goes on\n"),
        ("It is open.\nCome in.\n", "It is open.\nCome in.\n"),  # sentences end by themselves
        ("| a |\n|---|\n| b |\n", "| a |\n|---|\n| b |\n"),
        ("\n\nOne line\n\n", "\n\nOne line\n\n"),
    ],
)
def test_a_line_is_parted_from_the_next_where_it_stands_alone(text: str, parted: str) -> None:
    assert "".join(with_record_breaks(text.splitlines(keepends=True))) == parted


@given(st.text(alphabet="aB .,，。1\n|高", max_size=200))
def test_nothing_but_empty_lines_is_added(text: str) -> None:
    lines = text.splitlines(keepends=True)
    parted = [*with_record_breaks(lines)]
    assert [one for one in parted if one.strip()] == [one for one in lines if one.strip()]
