"""Turns on questions that ask for several things: each part is cited, and what is lacking is said at once."""

from __future__ import annotations

import pytest
from turn_cases import Script, assistant_of, of, purposes, say, talking

from nodes.events import Answered, PlanMade
from retrieval.part_evidence import nothing_of
from schema import QuestionPart

FILES = {
    "holidays.md": "# Annual leave\n\nEmployees take twenty days of annual leave.\n\n# Overtime\n\nOvertime is paid.\n",
    "sickness.md": "# Sick leave\n\nSick leave is reported to the office before nine.\n",
    "年假.md": "# 年假\n\n员工每年有十五天年假。\n\n# 加班\n\n加班有加班费。\n",
    "病假.md": "# 病假\n\n病假须在九点前向办公室报告。\n",
}
ASKED = [
    (
        "What is the difference between annual leave and sick leave?",
        {"holidays.md", "sickness.md"},
        "sick leave",
        "moon leave",
    ),
    ("年假和病假有什么区别？", {"年假.md", "病假.md"}, "病假", "探月假"),
]


@pytest.mark.parametrize(("question", "documents", "known", "unknown"), ASKED)
async def test_without_a_model_each_part_is_cited_and_the_other_named(
    make_settings, question, documents, known, unknown
) -> None:
    async with assistant_of(make_settings()) as assistant:
        for name, text in FILES.items():
            await assistant.library.add(name, text.encode())
        answer = of(await say(assistant, question), Answered)[0].answer
        cited = {answer.sources[one.source].document for line in answer.statements for one in line.citations}
        assert documents <= cited
        assert not [notice for notice in answer.notices if "nothing was found" in notice.en]
        lacking = of(await say(assistant, question.replace(known, unknown), thread="u"), Answered)[0].answer
        assert nothing_of(QuestionPart("", unknown)) in lacking.notices


async def test_no_call_to_the_model_stands_between_parts_and_answer(make_settings) -> None:
    """Nothing is imagined for a question in parts, however weak its search is."""
    async with talking(make_settings, Script(answer="Prime the pump [1].")) as (assistant, server):
        events = await say(assistant, "What is the difference between the pump and the zeppelin?")
        assert [name for name in purposes(server) if name != "judge"] == ["answer"]
        [answered] = of(events, Answered)
        assert nothing_of(QuestionPart("", "the zeppelin")) in answered.answer.notices


async def test_parts_that_only_a_model_sees_are_searched(make_settings) -> None:
    parts = ["How do I prime the pump?", "What does a rattling noise mean?"]
    message = "Keep this short: priming the pump, rattling noise, what about them?"
    plan = {"reason": "", "intent": "retrieve", "question": "", "parts": parts}
    async with talking(make_settings, Script(plan=plan)) as (assistant, _):
        events = await say(assistant, message)
        assert [part.question for part in of(events, PlanMade)[0].plan.parts] == parts
