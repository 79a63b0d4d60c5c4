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
        (" \n \n", " \n \n"),
        # what stands further in below an item is of it
        ("1、血糖 6.4\n   建议：少吃糖\n2、视力 1.0\n", "1、血糖 6.4\n   建议：少吃糖\n\n2、视力 1.0\n"),
        ("- Oven\n  Remarks: clean\nRoom: hall\n", "- Oven\n  Remarks: clean\n\nRoom: hall\n"),
        # of several each is a record of its own
        ("2) Mains\n   Pie £11\n   Curry £12\n", "2) Mains\n\n   Pie £11\n\n   Curry £12\n"),
        ("- 身份证\n收费\n  停车 200 元\n", "- 身份证\n\n收费\n\n  停车 200 元\n"),
    ],
)
def test_a_line_is_parted_from_the_next_where_it_stands_alone(text: str, parted: str) -> None:
    assert "".join(with_record_breaks(text.splitlines(keepends=True))) == parted


@each_row(
    ("widths", "broken"),
    [
        ((30, 23, 5), True),
        ((29, 29, 29), False),  # too narrow for a page
        ((40, 30, 40), True),
        ((40, 29, 40), False),
        ((29, 40, 1), False),
        ((30, 40, 1), True),  # the last line may be short
    ],
)
def test_a_broken_paragraph_is_as_wide_as_a_page_and_fills_its_lines(widths: tuple[int, ...], broken: bool) -> None:
    for char, columns in (("A", 1), ("高", 2)):
        rows = [char * (width // columns) + "B" * (width % columns) + "\n" for width in widths]
        assert ("\n" not in with_record_breaks(rows)) is broken


@given(st.text(alphabet="aB .,，。1\n|高", max_size=200))
def test_nothing_but_empty_lines_is_added(text: str) -> None:
    lines = text.splitlines(keepends=True)
    parted = [*with_record_breaks(lines)]
    assert [one for one in parted if one.strip()] == [one for one in lines if one.strip()]
