"""Questions asked again."""

from __future__ import annotations

import pytest

from nodes.events import Answered
from tests.graph.turn_cases import PLAN, Script, of, purposes, say, talking

QUESTION = "What does a rattling noise mean?"


@pytest.fixture
def planned(monkeypatch) -> None:
    """No question is covered by what the search finds without a model."""

    async def never(*_: object) -> None:
        return None

    monkeypatch.setattr("nodes.message_plan.why_no_plan", never)


async def test_the_same_words_need_no_plan_where_every_question_is_planned(make_settings, planned) -> None:
    plan = {**PLAN, "question": QUESTION, "translation": "异响是什么意思？"}
    script = Script(plan=plan, answer="Air in the line [1].")
    async with talking(make_settings, script, both=True) as (assistant, server):
        await say(assistant, QUESTION)
        assert purposes(server) == ["plan", "answer", "judge"]
        again = await say(assistant, QUESTION, thread="another")
        assert len(server.requests) == 3
        [answered] = of(again, Answered)
        assert answered.answer.remembered


async def test_words_that_were_restated_are_planned_again(make_settings, planned) -> None:
    """What a model made of a conversation is no answer to the same words elsewhere."""
    script = Script(plan={**PLAN, "question": "What does a rattling noise of the pump mean?"})
    async with talking(make_settings, script, both=True) as (assistant, server):
        await say(assistant, QUESTION)
        await say(assistant, QUESTION, thread="another")
        assert purposes(server) == ["plan", "answer", "judge", "plan"]


async def test_asking_anew_asks_the_model(make_settings) -> None:
    script = Script(plan={**PLAN, "question": QUESTION})
    async with talking(make_settings, script, both=True) as (assistant, server):
        await say(assistant, QUESTION)
        await say(assistant, f"Ask again: {QUESTION}")
        assert purposes(server).count("answer") == 2
