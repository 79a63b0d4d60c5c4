"""Of several sections the one that is about the question: by its own title before that of the whole document."""

from __future__ import annotations

from evaluation.extractive import extract_answer
from schema import Hit

TEXT = """# Travel and expenses

For everybody who works here. In force since January.

## Trains

Second class up to six hours.

## Expenses

1. Fill in the form within ten days.
2. Attach the receipts.
"""


def test_a_title_that_says_nothing_else_wins_over_that_of_the_document() -> None:
    hit = Hit(1, "travel.md", "", TEXT, 0, len(TEXT), 1, 14, ("Travel and expenses",), score=1.0)
    answer = extract_answer("How do I claim expenses?", [hit], "en")
    assert "Fill in the form" in answer
    assert "Attach the receipts" in answer
    assert "For everybody" not in answer
