"""Remembered answers: given again for the same question, plan and library, and for nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from turn_cases import GUIDE, PLAN, Script, assistant_of, of, purposes, say, talking, upload

from benchmarks.model_server import Reply, model_server
from graph.request import Request
from nodes.events import Answered, Evaluated, PlanMade, Token
from nodes.state import Record
from schema import Scope

QUESTION = "How do I prime the pump?"


def answered(events: list):
    [found] = of(events, Answered)
    return found.answer


async def test_the_same_question_again_asks_nobody_and_says_so(make_settings) -> None:
    async with talking(make_settings, Script()) as (assistant, server):
        first = answered(await say(assistant, QUESTION))
        assert first.remembered is None
        server.requests.clear()
        events = await say(assistant, "  How do I  prime the pump", thread="another")
        again = answered(events)
        assert server.requests == []
        assert again.remembered is not None
        assert (again.text, again.statements, again.sources) == (first.text, first.statements, first.sources)
        assert "".join(event.text for event in of(events, Token)) == first.text
        assert of(events, Evaluated)[-1].verdict.judged_by == "m"
        record = Record.of((await assistant.history("another"))[-1])
        assert record.answer == again
        assert record.plan.question == "How do I  prime the pump"


async def test_it_outlives_a_restart_and_not_a_change_of_the_library(make_settings) -> None:
    script = Script()
    with model_server(script) as server:
        settings = make_settings(CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url)
        async with assistant_of(settings) as assistant:
            await assistant.library.add("guide.md", GUIDE.encode())
            await assistant.library.settle()
            await say(assistant, QUESTION)
        async with assistant_of(settings) as assistant:
            assert answered(await say(assistant, QUESTION)).remembered
            await assistant.library.add("other.md", b"# Other\n\nNothing about it.\n")
            await assistant.library.settle()
            assert not answered(await say(assistant, QUESTION)).remembered
            assert answered(await say(assistant, QUESTION)).remembered
            await assistant.library.delete("other.md")
            assert not answered(await say(assistant, QUESTION)).remembered  # as it was, but nobody compares
    file = Path(settings.data_dir) / "answers.sqlite"
    assert file.stat().st_size < 200_000


@pytest.mark.parametrize("words", ["Answer again", "重新回答", f"Ask again: {QUESTION}"])
async def test_a_new_answer_on_demand_takes_the_place_of_the_old_one(make_settings, words: str) -> None:
    script = Script()
    async with talking(make_settings, script) as (assistant, server):
        await say(assistant, QUESTION)
        assert answered(await say(assistant, QUESTION)).remembered
        script.replies["answer"] = "Prime the pump before the first start [1]."
        server.requests.clear()
        events = await say(assistant, words)
        assert of(events, PlanMade)[0].plan.anew
        assert of(events, PlanMade)[0].plan.question == QUESTION
        assert answered(events).text == script.replies["answer"]
        assert "answer" in purposes(server)
        later = answered(await say(assistant, QUESTION))
        assert (later.remembered is not None, later.text) == (True, script.replies["answer"])


async def test_answer_again_keeps_the_plan_it_repeats(make_settings) -> None:
    async with talking(make_settings, Script(), both=True) as (assistant, server):
        await say(assistant, "用关键词检索，只在 guide.md 里查：how do I prime the pump?")
        server.requests.clear()
        plan = of(await say(assistant, "重新回答"), PlanMade)[0].plan
        assert (plan.strategy, plan.scope.documents) == ("keyword", ("guide.md",))
        assert "plan" not in purposes(server)


async def test_answer_again_with_nothing_to_repeat_is_a_message_like_any_other(make_settings) -> None:
    async with talking(make_settings, Script(plan=PLAN | {"intent": "unknown"})) as (assistant, _):
        assert of(await say(assistant, "Answer again"), PlanMade)[0].plan.question != QUESTION


async def test_another_scope_strategy_model_or_setting_is_another_answer(make_settings) -> None:
    script = Script()
    async with talking(make_settings, script, both=True) as (assistant, _):
        scopes = [Scope(), Scope(documents=("guide.md",)), Scope(documents=("员工手册.md",))]
        for scope in scopes:
            for strategy in ("keyword", "hybrid"):
                assert not answered(await say(assistant, QUESTION, scope=scope, strategy=strategy)).remembered
        assert answered(await say(assistant, QUESTION, scope=scopes[1], strategy="hybrid")).remembered
    with model_server(script) as server:
        for variables in ({"CITEWISE_LLM_MODEL": "n"}, {"CITEWISE_LLM_MODEL": "n", "CITEWISE_TOP_K": "2"}):
            settings = make_settings(CITEWISE_LLM_BASE_URL=server.base_url, **variables)
            async with assistant_of(settings) as assistant:
                once = await say(assistant, QUESTION, scope=scopes[1], strategy="hybrid")
                assert not answered(once).remembered


async def test_how_a_question_ends_is_one_and_how_it_begins_is_not(make_settings) -> None:
    async with talking(make_settings, Script()) as (assistant, _):
        await say(assistant, f"NET: {QUESTION}", strategy="hybrid")
        assert answered(await say(assistant, f" NET:  {QUESTION.rstrip('?')} ??", strategy="hybrid")).remembered
        assert not answered(await say(assistant, f".NET: {QUESTION}", strategy="hybrid")).remembered


async def test_follow_ups_are_known_by_the_question_they_mean(make_settings) -> None:
    script = Script(plan=PLAN | {"question": "How long do I wait after priming the pump?"})
    async with talking(make_settings, script) as (assistant, server):
        await say(assistant, QUESTION, thread="a")
        await say(assistant, "And how long?", thread="a")
        script.replies["plan"] = PLAN | {"question": "How long does a rattling noise last?"}
        await say(assistant, "What does a rattling noise mean?", thread="b")
        server.requests.clear()
        assert not answered(await say(assistant, "And how long?", thread="b")).remembered  # the same words
        script.replies["plan"] = PLAN | {"question": "How long do I wait after priming the pump?"}
        await say(assistant, QUESTION, thread="c")
        assert answered(await say(assistant, "and for how long?", thread="c")).remembered  # the same question


@pytest.mark.parametrize(
    "broken",
    [
        {"judge": "I would rather not."},
        {"answer": Reply("Prime", cut_after=1)},
        {"answer": ""},
    ],
)
async def test_what_went_wrong_is_not_remembered(make_settings, broken: dict) -> None:
    script = Script(**broken)
    async with talking(make_settings, script) as (assistant, _):
        await say(assistant, QUESTION)
        assert not answered(await say(assistant, QUESTION)).remembered


async def test_a_stopped_answer_is_not_remembered(make_settings) -> None:
    script = Script(answer=Reply("Prime the pump [1]. " * 50, piece_delay=0.01))
    async with talking(make_settings, script) as (assistant, _):
        events = assistant.run_turn(Request("t", QUESTION))
        async for event in events:
            if isinstance(event, Token):
                break
        await events.aclose()
        script.replies["answer"] = "Prime the pump [1]."
        assert not answered(await say(assistant, QUESTION)).remembered


async def test_an_answer_from_a_library_that_changed_meanwhile_is_not_remembered(make_settings) -> None:
    async with talking(make_settings, Script()) as (assistant, _):
        events = assistant.run_turn(Request("t", QUESTION))
        async for event in events:
            if isinstance(event, Token):
                await assistant.library.add("other.md", b"# Other\n\nThe pump primes itself.\n")
        assert not answered(await say(assistant, QUESTION)).remembered


async def test_without_a_model_or_with_the_memory_switched_off_nothing_is_kept(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "save", upload(tmp_path, "guide.md", GUIDE))
        for _ in range(2):
            assert answered(await say(assistant, QUESTION)).remembered is None
    async with talking(make_settings, Script(), CITEWISE_ANSWER_CACHE="0") as (assistant, _):
        for _ in range(2):
            assert answered(await say(assistant, QUESTION)).remembered is None
    assert not (tmp_path / "library" / "answers.sqlite").exists()
