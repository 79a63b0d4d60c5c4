"""Headings that are shown with a sentence because they say what it does not: a date, a version."""

from __future__ import annotations

from evaluation.blocks import units
from evaluation.extractive import extract_answer
from schema import Hit, Origin
from tests.each_row import each_row

CHANGES = """# Changelog

## 4.1.1 (2026-08-14)

### Fixed

- Security: tokens were written to the debug log.

## 4.1.0 (2026-07-01)
### Added

- Dark mode.

## 4.0.0 (2026-03-15)
### Removed

- The XML exporter.
"""
INCIDENT = "# Search incident of 12 May 2026\n\nThe search incident began when a node ran out of disk.\n"


def hit(text: str) -> Hit:
    return Hit(1, "doc.md", "", text, 0, len(text), 1, text.count("\n"), origin=Origin(doc_type="markdown"), score=1.0)


@each_row(
    ("question", "text", "begins"),
    [
        ("When was dark mode added?", CHANGES, "- **4.1.0 (2026-07-01), Added**: Dark mode [1]."),
        ("Which version fixed the tokens in the log?", CHANGES, "- **4.1.1 (2026-08-14), Fixed**: Security: tokens"),
        ("Does it export to XML?", CHANGES, "- **4.0.0 (2026-03-15), Removed**: The XML exporter [1]."),
        ("When was the search incident?", INCIDENT, "**Search incident of 12 May 2026**: The search incident began"),
        ("How did the search incident begin?", INCIDENT, "The search incident began when a node"),
    ],
)
def test_a_heading_is_shown_where_it_says_what_the_sentence_does_not(question, text, begins):
    assert extract_answer(question, [hit(text)], "en").startswith(begins)


def test_a_chinese_change_is_told_in_chinese_marks():
    text = "# 更新日志\n\n## 版本 2.1 (2026-05-01)\n\n### 新增\n\n- 深色模式。\n\n## 版本 2.0\n\n- 登录。\n"
    assert extract_answer("深色模式是什么时候加的？", [hit(text)], "zh").startswith(
        "- **版本 2.1 (2026-05-01)，新增**：深色模式[1]。"
    )


def test_a_unit_knows_all_headings_above_it_and_none_that_have_ended():
    headings = {unit.text: unit.headings for unit in units(1, hit(CHANGES))}
    assert headings["Dark mode."] == ("Changelog", "4.1.0 (2026-07-01)", "Added")
    assert headings["The XML exporter."] == ("Changelog", "4.0.0 (2026-03-15)", "Removed")


def test_a_title_that_runs_into_a_paragraph_is_shown_with_what_it_leads_to():
    text = "## Help\n\n**Slow connection.** Move the unit.\n\n**连接很慢。** 换一个位置。\n"
    assert [unit.text for unit in units(1, hit(text))] == [
        "Slow connection: Move the unit.",
        "连接很慢：换一个位置。",
    ]
