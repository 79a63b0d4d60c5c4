"""Which sets of questions can choose between strategies, and what is said of those that cannot."""

from __future__ import annotations

import pytest

from errors import CitewiseError
from evaluation.lab.cases import SELF_MADE, SENTENCE_MADE, LabCase
from evaluation.lab.choosing import FEWEST, refuse_unfit
from tests.each_row import each_row


def cases(*tags: str, count: int = FEWEST) -> list[LabCase]:
    return [LabCase(id=str(number), question="How?", tags=list(tags)) for number in range(count)]


ASKED, OF_SENTENCES = cases(SELF_MADE), cases(SELF_MADE, SENTENCE_MADE)


def test_enough_questions_of_people_can_choose_a_few_of_sentences_among_them() -> None:
    refuse_unfit(ASKED)
    refuse_unfit([*ASKED[1:], OF_SENTENCES[0]])


@each_row(
    ("unfit", "zh", "en"),
    [
        (OF_SENTENCES, "单句", "single sentences"),
        (OF_SENTENCES[:2], "单句", "single sentences"),
        (ASKED[1:], f"只有 {FEWEST - 1} 题", f"{FEWEST - 1} questions are too few"),
        ([], "只有 0 题", "0 questions are too few"),
    ],
)
def test_what_cannot_choose_is_refused_with_what_to_do(unfit: list[LabCase], zh: str, en: str) -> None:
    with pytest.raises(CitewiseError) as refused:
        refuse_unfit(unfit)
    assert refused.value.kind == "settings"
    assert zh in refused.value.message.zh
    assert en in refused.value.message.en
