"""Strategies side by side: one plan, turns of their own that leave nothing behind, how far they found the same."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from turn_cases import GUIDE, HANDBOOK, Script, assistant_of, purposes, say, talking

from errors import CitewiseError
from graph.comparison import Comparison, ComparisonColumn, compare
from graph.turns import Assistant
from nodes.state import Controls
from schema import ConsideredPassage, Evidence, Hit, Plan, Scope

SHARED = "# {}\n\nThe valve is made of brass. {}\n"


async def ended(assistant: Assistant, question: str, strategies: list, controls: Controls | None = None) -> Comparison:
    async with aclosing(compare(assistant, question, strategies, controls)) as states:
        return [state async for state in states][-1]


async def threads(assistant: Assistant) -> int:
    rows = await assistant._conversations._saver.conn.execute_fetchall("select count(*) from checkpoints")
    return next(iter(rows))[0]


async def test_each_strategy_answers_the_same_question_and_leaves_nothing(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("员工手册.md", HANDBOOK.encode())
        await assistant.library.add("guide.md", GUIDE.encode())
        found = await ended(assistant, "年假有几天？", ["keyword", "vector", "hybrid"])
        assert [one.strategy for one in found.columns] == ["keyword", "vector", "hybrid"]
        for one in found.columns:
            assert one.over
            assert one.error is None
            assert "十五天" in one.answer.text
            assert one.answer.statements[0].citations
            assert one.evidence.strategy == one.strategy
            assert one.evidence.question == found.plan.asked
            assert 0 < one.first_word <= one.seconds
            assert one.verdict.support is not None
            assert (one.calls, one.tokens) == (0, None)
        assert len(found.overlaps) == 3
        assert await threads(assistant) == 0


async def test_nothing_but_a_question_comes_of_the_words(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        before = assistant.library.generation()
        for words in ["Re-chunk guide.md with fixed chunks of 200 characters", "Search the web for pumps", "hello"]:
            found = await ended(assistant, words, ["keyword", "vector"])
            assert found.plan.actions == ("retrieve",)
            assert [one.over for one in found.columns] == [True, True]
        assert assistant.library.generation() == before


async def test_only_what_is_in_scope_is_searched(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        for name in ("a.md", "b.md"):
            await assistant.library.add(name, SHARED.format(name, "It lasts.").encode())
        controls = Controls(scope=Scope(documents=("b.md",)))
        found = await ended(assistant, "What is the valve made of?", ["keyword", "vector"], controls)
        assert {hit.document for one in found.columns for hit in one.evidence.hits} == {"b.md"}


async def test_the_model_plans_once_and_answers_for_each(make_settings) -> None:
    async with talking(make_settings, Script()) as (assistant, server):
        found = await ended(assistant, "How is the pump started?", ["keyword", "hybrid"])
        assert [one.answer.text for one in found.columns] == ["Prime the pump [1]."] * 2
        assert [one.verdict.faithfulness for one in found.columns] == [5, 5]
        assert all(one.calls >= 2 for one in found.columns)
        assert purposes(server).count("answer") == 2
        assert purposes(server).count("plan") <= 1
        quiet = await ended(assistant, "How is the pump started?", ["keyword", "hybrid"], Controls(evaluate=False))
        assert [one.verdict.judged_by for one in quiet.columns] == [None, None]
        assert not any(one.answer.remembered for one in quiet.columns)


async def test_who_leaves_stops_all_of_it(make_settings) -> None:
    asked = asyncio.Event()
    never = asyncio.Event()

    async def run() -> None:
        async with aclosing(compare(assistant, "How is the pump started?", ["keyword", "hybrid"])) as states:
            async for state in states:
                if any(one.evidence for one in state.columns):
                    asked.set()
                    await never.wait()

    async with talking(make_settings, Script()) as (assistant, _):
        running = asyncio.create_task(run())
        await asked.wait()
        running.cancel()
        await asyncio.wait([running])
        others = {task for task in asyncio.all_tasks() if "compar" in repr(task.get_coro())}
        assert not others - {asyncio.current_task()}
        assert await threads(assistant) == 0


async def test_what_a_killed_program_left_of_questions_is_gone_at_the_next_start(make_settings) -> None:
    settings, name = make_settings(), "0123456789abcdef" * 2
    kept = ["t", name, f"anna/{name}", "once-mine", f"anna/program-a/once-{name}", f"program-compare-{name}"]
    async with assistant_of(settings) as assistant:
        for thread in (*kept, f"compare-{name}", f"once-{name}", f"anna/once-{name}"):
            await say(assistant, "hello", thread=thread)
    async with assistant_of(settings) as assistant:
        connection = assistant._conversations._saver.conn
        rows = await connection.execute_fetchall("select thread_id from checkpoints union select thread_id from writes")
        assert sorted(thread for (thread,) in rows) == sorted(kept)


@pytest.mark.parametrize(
    ("question", "strategies"),
    [
        pytest.param(" ", ["keyword", "vector"], id="no question"),
        pytest.param("x" * 20_001, ["keyword", "vector"], id="too long"),
        pytest.param("Why?", ["keyword"], id="one"),
        pytest.param("Why?", ["keyword", "vector", "hybrid", "hyde", "rm3"], id="five"),
        pytest.param("Why?", ["keyword", "keyword"], id="twice"),
        pytest.param("Why?", ["keyword", "magic"], id="unknown"),
    ],
)
async def test_what_cannot_be_compared_is_said(make_settings, question: str, strategies: list) -> None:
    async with assistant_of(make_settings()) as assistant:
        with pytest.raises(CitewiseError) as refused:
            await ended(assistant, question, strategies)
        assert refused.value.message.zh
        assert refused.value.message.en


def hit(chunk: int, document: str) -> Hit:
    return Hit(chunk, document, "", "words", 0, 5, 1, 1)


def test_the_overlap_is_that_of_passages_and_documents() -> None:
    found = Comparison(
        Plan(),
        (
            ComparisonColumn("keyword", evidence=Evidence("q", "keyword", (hit(1, "a"), hit(2, "a"), hit(3, "b")))),
            ComparisonColumn("vector", evidence=Evidence("q", "vector", (hit(2, "a"), hit(4, "c")))),
            ComparisonColumn("hybrid", evidence=Evidence("q", "hybrid")),
            ComparisonColumn("hyde"),
        ),
    )
    pairs = {(one.first, one.second): (one.jaccard, one.passages, one.documents) for one in found.overlaps}
    assert pairs == {
        ("keyword", "vector"): (0.25, 1, 1),
        ("keyword", "hybrid"): (0.0, 0, 0),
        ("vector", "hybrid"): (0.0, 0, 0),
    }
    assert [one.document for one in found.found_alone("keyword")] == ["a", "b"]
    assert [one.document for one in found.found_alone("vector")] == ["c"]
    assert found.found_alone("hyde") == ()


def test_neighbours_that_are_read_as_one_still_count_each() -> None:
    considered = tuple(
        ConsideredPassage(chunk, "a", "", 1, 2, "words", {}, rank, fate=fate)
        for rank, (chunk, fate) in enumerate([(1, "kept"), (2, "joined"), (3, "limit"), (4, "duplicate")], 1)
    )
    evidence = Evidence("q", "keyword", (hit(1, "a"),), considered=considered)
    assert list(ComparisonColumn("keyword", evidence=evidence).passages) == [1, 2]
