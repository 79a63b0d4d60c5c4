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


def test_code_is_of_no_language() -> None:
    """A block of it does not make a foreign section one of the language that is wanted."""
    english = "# Admin\n\n## Filter\n\nRoutes are filtered by name.\n\n```shell\ncurl /routes?name=test\n```\n"
    chinese = "# 管理\n\n## 过滤\n\n路由可以按 name 过滤。\n\n```shell\ncurl /routes?name=test\n```\n"
    hits = [
        Hit(1, "admin.md", "", english, 0, len(english), 1, 9, score=1.0),
        Hit(2, "管理.md", "", chinese, 0, len(chinese), 1, 9, score=0.7),
    ]
    answer = extract_answer("filter routes by name 怎么按 name 过滤路由？", hits, "zh")
    assert answer.startswith("路由可以按")


def test_steps_of_something_else_do_not_answer() -> None:
    """“冰箱” stands in a single sentence of another file, and only that is asked about."""
    complaints = "# 投诉\n\n## 处理步骤\n\n1. 先道歉。\n2. 调取录音。\n\n## 处理时限\n\n三天内处理完。\n"
    move = "# 搬家\n\n先打包书。冰箱提前一天断电，门开着晾干。周六上午装车。\n"
    hits = [
        Hit(1, "投诉.md", "", complaints, 0, len(complaints), 1, 10, score=1.0),
        Hit(2, "搬家.md", "", move, 0, len(move), 1, 4, score=0.8),
    ]
    answer = extract_answer("冰箱要怎么处理？", hits, "zh")
    assert "断电" in answer
    assert "道歉" not in answer


def test_the_first_step_stands_in_the_section_with_steps() -> None:
    text = "# 投诉处理办法（2026）\n\n适用于各门店。由客服部管理投诉。\n\n## 处理步骤\n\n1. 先道歉。\n2. 调取录音。\n"
    hit = Hit(1, "投诉.md", "", text, 0, len(text), 1, 9, score=1.0)
    assert extract_answer("处理投诉第一步做什么？", [hit], "zh").startswith("1. 先道歉")


def test_what_changed_stands_under_changes() -> None:
    text = "# Rules\n\nVersion 2.1, in force since May.\n\n## Parking\n\nFree on Sundays.\n\n"
    text += "## Changes since version 2.0\n\nThe bins are grey now. Bikes need a tag.\n"
    hit = Hit(1, "rules.md", "", text, 0, len(text), 1, 12, ("Rules",), score=1.0)
    assert extract_answer("What changed in version 2.1?", [hit], "en").startswith("The bins are grey now")


def test_the_section_of_a_release_goes_before_one_on_changes() -> None:
    text = "# Releases\n\n## Changes in general\n\nWe tell of them here.\n\n"
    text += "## 2.1\n\n- Bikes need a tag.\n\n## 2.0\n\n- The bins are grey.\n"
    hit = Hit(1, "releases.md", "", text, 0, len(text), 1, 12, ("Releases",), score=1.0)
    assert "Bikes need a tag" in extract_answer("What changed in version 2.1?", [hit], "en").split("[1]")[0]
