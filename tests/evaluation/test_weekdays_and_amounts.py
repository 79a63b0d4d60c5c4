"""Days of the week, vague numbers, and numbers that a source has of something else."""

from __future__ import annotations

from evaluation.support import support
from evaluation.weekdays import wrong_weekday
from tests.each_row import each_row

MEETING = "例会在每周三召开，地点为二楼会议室。"
DEPOSIT, CHARGES = "押金500元，清洁费300元。", "The deposit is 500 euros, the cleaning fee 300 euros."


@each_row(
    ("sentence", "source", "supported"),
    [
        ("例会在每周四召开。", MEETING, False),
        ("例会在每周三召开。", MEETING, True),
        ("有10名员工参加。", "有数十名员工参加。", False),
        ("有数十名员工参加。", "有数十名员工参加。", True),
        ("押金300元。", DEPOSIT, False),
        ("押金500元。", DEPOSIT, True),
        ("清洁费300元。", DEPOSIT, True),
        ("押金现为300元。", "押金原为500元，现为300元。", True),
        ("The deposit is 300 euros.", CHARGES, False),
        ("The cleaning fee is 300 euros.", CHARGES, True),
        ("Children pay 9 euros.", "Children pay 4 euros, adults 9 euros.", False),
        ("Adults pay 9 euros.", "Children pay 4 euros, adults 9 euros.", True),
        ("The price is 500 euros.", "The price rose from 300 euros to 500 euros.", True),
    ],
)
def test_what_is_supported(sentence: str, source: str, supported: bool) -> None:
    judged = support(sentence, [source])
    assert judged.supported == supported
    assert bool(judged.reasons) != supported


@each_row(
    ("said", "given", "day"),
    [
        ("周四开会", "周三开会", "周四"),
        ("星期四开会", "周三开会", "周四"),
        ("周四、周五开会", "周四开会", "周五"),
        ("周日休息", "星期天休息", ""),
        ("周三开会", "周一至周五开会", ""),
        ("周六开会", "周一至周五开会", "周六"),
        ("周四开会", "周二、四开会", ""),
        ("周三开会", "周二、四开会", "周三"),
        ("周四开会", "每天开会，周三除外", ""),
        ("周四开会", "开会", ""),  # what no source speaks of is told by its words
        ("开会", "周三开会", ""),
        ("三周年庆", "周三开会", ""),
        ("每两周一次巡检", "每两周巡检一次，定在周三", ""),
        ("每周一次巡检，一周五天上班", "定在周三", ""),
        ("周一周二开会", "周一开会", "周二"),
        ("週四開會", "週三開會", "周四"),
    ],
)
def test_a_day_that_no_source_names(said: str, given: str, day: str) -> None:
    told = wrong_weekday(said, [given])
    assert (told.zh if told else "") == (f"来源中没有“{day}”" if day else "")
