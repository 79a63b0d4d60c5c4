"""Turns with a model over real HTTP: what is searched beside the plan, who answers, what the judge says."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from turn_cases import (
    CERTAIN,
    GUIDE,
    JUDGEMENT,
    PASSAGE,
    PLAN,
    Script,
    assistant_of,
    note,
    numbers,
    of,
    purpose,
    purposes,
    say,
    talking,
)

from answering.confidence import UNCERTAIN
from benchmarks.model_server import ModelServer, Reply, model_server
from graph.turns import Assistant
from nodes.evaluate import NOT_BY_MODEL
from nodes.events import Answered, Evaluated, EvidenceFound, PlanMade, Reset, Token, Traced
from nodes.state import Record


@pytest.mark.parametrize(
    ("restated", "translation", "passages"),
    [
        ("How do I prime the pump?", "", 1),  # the same with fewer words
        ("How do I prime the pump?", "如何灌泵？", 1),  # and a translation
        ("What noise does the pump make?", "", 2),  # another question
    ],
)
async def test_what_was_imagined_beside_the_plan_is_kept_when_it_serves(
    make_settings, restated: str, translation: str, passages: int
) -> None:
    asked = {"plan": threading.Event(), "hyde": threading.Event()}

    def beside(request: dict) -> Any:
        asked[purpose(request)].set()
        assert all(one.wait(timeout=60) for one in asked.values())  # both are on their way before one is answered
        plan = PLAN | {"question": restated, "translation": translation, "strategy": "hyde"}
        return plan if purpose(request) == "plan" else PASSAGE

    script = Script(plan=beside, hyde=beside)
    async with talking(make_settings, script) as (assistant, server):
        events = await say(assistant, f"Using hyde: keep this short: {CERTAIN}")
        assert of(events, PlanMade)[0].plan.origin == "model"
        assert purposes(server).count("hyde") == passages
        assert of(events, EvidenceFound)[0].evidence.hypothetical == PASSAGE
        notes = {step.name: step.note.en for step in of(events, Traced)[-1].trace.steps if step.note}
        assert PASSAGE in notes["hyde"]
        assert translation in notes.get("search", "")


async def test_an_early_call_that_nobody_needs_is_cancelled(make_settings) -> None:
    asked = threading.Event()

    def hyde(_: dict) -> Reply:
        asked.set()
        return Reply(PASSAGE, first_delay=60)

    def plan(_: dict) -> dict:
        assert asked.wait(5)
        return PLAN | {"intent": "unknown"}

    async with talking(make_settings, Script(plan=plan, hyde=hyde)) as (assistant, server):
        before = asyncio.all_tasks()
        events = await say(assistant, "Using hyde: keep this short: priming of pumps")  # asks nothing in so many words
        assert of(events, PlanMade)[0].plan.actions == ()
        await asyncio.sleep(0)  # cancelled tasks end at the loop's next turn
        left = {task for task in asyncio.all_tasks() - before if not task.done()}
        assert [task for task in left if "imagine" in repr(task) or "search" in repr(task)] == []
        assert "hyde" in purposes(server)


# --- the answer --------------------------------------------------------------------------------------------------


async def test_another_provider_steps_in_and_the_page_hears_of_it(make_settings) -> None:
    broken = Script(answer=Reply("Prime the wrong pump, and then another", cut_after=3))
    with model_server(broken) as first, model_server(Script()) as second:
        settings = make_settings(
            CITEWISE_LLM_MODEL="one", CITEWISE_LLM_BASE_URL=first.base_url, DEEPSEEK_API_KEY="k",
            DEEPSEEK_MODEL="two", DEEPSEEK_BASE_URL=second.base_url,
        )  # fmt: skip
        async with assistant_of(settings) as assistant:
            await assistant.library.add("guide.md", GUIDE.encode())
            events = await say(assistant, CERTAIN)
            [reset] = of(events, Reset)
            assert "DeepSeek" in reset.reason.en
            assert "DeepSeek" in reset.reason.zh
            void = events[: events.index(reset)]
            assert "wr" in "".join(event.text for event in of(void, Token))
            answer = of(events, Answered)[0].answer
            assert "".join(event.text for event in of(events[events.index(reset) :], Token)) == answer.text
            assert (answer.answered_by, answer.text, answer.notices) == ("two", "Prime the pump [1].", ())
            calls = of(events, Traced)[-1].trace.calls
            assert [(call.provider, call.purpose, call.error is None) for call in calls][:2] == [
                ("custom", "answer", False),
                ("deepseek", "answer", True),
            ]
            record = Record.of((await assistant.history("t"))[-1])
            assert record.trace == of(events, Traced)[-1].trace
            assert {step.name for step in record.trace.steps} >= {"plan", "search", "answer", "judge"}


async def test_when_all_fail_the_sources_answer_and_the_trace_says_why(make_settings) -> None:
    async with talking(make_settings, lambda _: Reply("no", status=401)) as (assistant, _):
        events = await say(assistant, CERTAIN)
        answer = of(events, Answered)[0].answer
        assert answer.fallback_used
        assert "Prime the pump before the first start" in answer.text
        assert "401" in answer.notices[0].en
        assert "CITEWISE_LLM_API_KEY" in answer.notices[1].zh
        assert "401" in of(events, Traced)[-1].trace.calls[0].error.zh
        verdict = of(events, Evaluated)[-1].verdict
        assert (verdict.unjudged, verdict.judged_by) == (NOT_BY_MODEL, None)
        assert verdict.support > 0.5


SECTIONS = [
    f"## Part {n}\n\nThe pump part number {n} weighs {n + 10} kilograms. " + "It is steel. " * 30 for n in range(6)
]
PARTS = "# Parts of the pump\n\n" + "\n\n".join(SECTIONS)


@asynccontextmanager
async def reading_parts(make_settings, **replies: Any) -> AsyncIterator[tuple[Assistant, ModelServer]]:
    script = Script(**replies)
    variables = {"CITEWISE_MAX_CONTEXT_LENGTH": "400", "CITEWISE_TOP_K": "6", "CITEWISE_CHUNKER": "markdown"}
    async with talking(make_settings, script, **variables) as (assistant, server):
        await assistant.library.delete("guide.md")
        await assistant.library.add("steel.md", PARTS.encode())
        await assistant.library.settle()
        yield assistant, server


async def test_too_much_evidence_is_read_side_by_side_and_merged_in_one_stream(make_settings) -> None:
    expected = 3
    together = threading.Barrier(expected)

    def noting(request: dict) -> str:
        together.wait(timeout=60)  # answered only when all are asked at once
        return note(request)

    answer = "Part 1 weighs 11 kilograms [1]. Part 2 weighs 12 kilograms [2]."
    async with reading_parts(make_settings, note=noting, merge=answer) as (assistant, server):
        events = await say(assistant, "What do the parts of the pump weigh?")
        assert purposes(server) == ["note"] * expected + ["merge", "judge"]
        shown = [numbers(request) for request in server.requests[:expected]]
        found = of(events, Answered)[0].answer
        assert sorted(n for part in shown for n in part) == list(range(1, len(found.sources) + 1))
        merge = next(request for request in server.requests if purpose(request) == "merge")
        assert merge["stream"]
        assert all(f"[{n}]" in merge["messages"][-1]["content"] for n in range(1, len(found.sources) + 1))
        assert not [one for one in found.notices if "confidence" not in one.en]
        cited = {found.sources[c.source].text.split()[0] for s in found.statements for c in s.citations}
        assert cited  # markers lead to the sources of the whole answer
        assert len(of(events, Traced)[-1].trace.calls) == expected + 2


async def test_one_part_that_says_something_needs_no_merging(make_settings) -> None:
    def noting(request: dict) -> str:
        return note(request) if 1 in numbers(request) else "nothing"

    async with reading_parts(make_settings, note=noting) as (assistant, server):
        answer = of(await say(assistant, "What do the parts of the pump weigh?"), Answered)[0].answer
        assert "merge" not in purposes(server)
        assert "[1]" in answer.text
        assert answer.answered_by == "m"


async def test_parts_that_say_nothing_leave_the_best_one_to_answer(make_settings) -> None:
    script = {"note": "nothing", "answer": "The sources do not say it."}
    async with reading_parts(make_settings, **script) as (assistant, server):
        answer = of(await say(assistant, "What do the parts of the pump weigh?"), Answered)[0].answer
        assert answer.text == "The sources do not say it."
        assert 1 in numbers(next(request for request in server.requests if purpose(request) == "answer"))


async def test_a_part_that_cannot_be_read_is_said(make_settings) -> None:
    def noting(request: dict) -> str | Reply:
        return Reply("no", status=400) if 1 in numbers(request) else note(request)

    async with reading_parts(make_settings, note=noting, merge="It is steel [3].") as (assistant, _):
        answer = of(await say(assistant, "What do the parts of the pump weigh?"), Answered)[0].answer
        assert answer.text.startswith("It is steel [3]")
        assert any("could not be read" in notice.en for notice in answer.notices)


# --- the verdict -------------------------------------------------------------------------------------------------


async def test_the_judge_is_asked_beside_the_local_figures(make_settings, monkeypatch) -> None:
    asked = threading.Event()

    def judge(_: dict) -> dict:
        asked.set()
        return JUDGEMENT | {"sentences": [{"number": 1, "lacking": "", "supported": True, "source": 1}]}

    async with talking(make_settings, Script(judge=judge)) as (assistant, _):
        vectors = assistant.library.vectors

        def waiting(ids: list[int]) -> Any:
            assert asked.wait(5)  # the figures come to an end only when the judge has been asked
            return vectors(ids)

        monkeypatch.setattr(assistant.library, "vectors", waiting)
        verdict = of(await say(assistant, CERTAIN), Evaluated)[-1].verdict
        assert verdict.max_similarity is not None
        assert (verdict.faithfulness, verdict.judged_by) == (5, "m")
        assert verdict.findings[0].supported
        assert verdict.reasons == ("why faithfulness", "why relevance", "why completeness")


async def test_a_judge_that_fails_leaves_the_answer_and_says_why(make_settings) -> None:
    async with talking(make_settings, Script(judge="I would rather not.")) as (assistant, _):
        events = await say(assistant, CERTAIN)
        assert of(events, Answered)[0].answer.answered_by == "m"
        verdict = of(events, Evaluated)[-1].verdict
        assert verdict.judged_by is None
        assert verdict.unjudged is not None
        assert verdict.support is not None
        assert Record.of((await assistant.history("t"))[-1]).verdict == verdict


async def test_a_weak_answer_says_so(make_settings) -> None:
    async with talking(make_settings, Script(), CITEWISE_MIN_CONFIDENCE="1") as (assistant, _):
        answer = of(await say(assistant, "How do I prime the pump of the zeppelin?"), Answered)[0].answer
        assert answer.notices == (UNCERTAIN,)
