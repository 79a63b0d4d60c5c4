"""Of several sections the one that is about the question: by its own title before that of the whole document."""

from __future__ import annotations

from evaluation.blocks import units
from evaluation.extractive import extract_answer
from evaluation.steps import section_about
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


def test_a_section_in_another_language_counts_less() -> None:
    """Which a dictionary finds for 临时 = temporary."""
    hall = "# Hall\n\n## Licences\n\nAlcohol needs a temporary event notice. A temporary bar is no bar.\n"
    rules = "# 须知\n\n## 约车与请假\n\n临时有事请提前6小时取消，否则扣一个学时。\n"
    hits = [
        Hit(1, "hall.txt", "", hall, 0, len(hall), 1, 5, score=1.0),
        Hit(2, "须知.md", "", rules, 0, len(rules), 1, 5, score=0.7),
    ]
    found = [unit for number, one in enumerate(hits, 1) for unit in units(number, one)]
    question = "temporary 临时有事怎么办？"
    own, foreign = ([i for i, unit in enumerate(found) if unit.hit == number] for number in (2, 1))
    assert section_about(question, found, hits) == foreign
    assert section_about(question, found, hits, [1.0 if unit.hit == 2 else 0.4 for unit in found]) == own
