"""The sample library: stored by a click, and each of its questions is answered from it."""

from __future__ import annotations

from typing import Any

import pytest

from graph.request import Request
from graph.turns import Assistant
from nodes.events import Answered
from schema import Language
from ui.examples import examples
from ui.sample import LOAD, load_sample, sample_questions

ANSWERS = {
    "上海的住宿标准是每晚多少？": "550",
    "怎么报销？": "报销单",
    "出差要提前几天申请？": "三个工作日",
    "How do I descale the machine?": "descaler",
    "How much water does a lungo take?": "110",
    "May I use vinegar?": "must not be used",
}


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_each_question_of_the_sample_is_answered(make_settings: Any, language: Language) -> None:
    assistant = await Assistant.open(make_settings())
    try:
        library = assistant.library
        assert (await examples(library, language))[0]["text"] == LOAD
        assert sample_questions(library, language) == []
        await load_sample(library, language)
        offered = [one["text"] for one in await examples(library, language)]
        assert offered == sample_questions(library, language)
        assert set(offered) <= set(ANSWERS)
        for question in offered:
            answer = await answered(assistant, question)
            assert ANSWERS[question] in answer.text, (question, answer.text)
            assert answer.confidence > 0.6, (question, answer.confidence)
    finally:
        await assistant.close()


async def answered(assistant: Assistant, question: str) -> Any:
    async for event in assistant.run_turn(Request("t", question)):
        if isinstance(event, Answered):
            return event.answer
    raise AssertionError(question)
