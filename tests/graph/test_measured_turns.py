"""What turns and the library have cost: counted once, by numbers alone."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.model_server import Reply
from errors import CitewiseError
from graph.metrics import RECENT, Metrics, Share, first_cited
from graph.request import Request
from graph.turn_result import TurnResult
from nodes.events import Answered, Failed, Token, Traced
from schema import Answer, Call, Citation, Hit, Message, Statement, Step, Support, Trace
from tests.conftest import MakeSettings
from tests.each_row import each_row
from tests.graph.turn_cases import GUIDE, HANDBOOK, Script, assistant_of, say, talking, upload


async def test_a_turn_is_measured_step_by_step(make_settings: MakeSettings) -> None:
    async with talking(make_settings, Script()) as (assistant, _):
        before = assistant.metrics.totals()
        await say(assistant, "How long do I wait after priming the pump?")
        after, figures = assistant.metrics.totals(), {one.name: one for one in assistant.metrics.figures()}
    assert after.turns["answered"] == before.turns.get("answered", 0) + 1
    assert after.calls["custom"][0] - before.calls.get("custom", (0, 0))[0] >= 2  # the answer and the judge
    assert after.calls["custom"][1] == 0
    assert after.tokens[0] > before.tokens[0]
    assert after.tokens[1] > before.tokens[1]
    assert after.embedded > 0
    assert {"turn", "first_token", "search", "answer", "judge", "embed"} <= figures.keys()
    assert figures["first_token"].recent[-1] <= figures["turn"].recent[-1]


async def test_failed_requests_are_counted_with_their_provider(make_settings: MakeSettings) -> None:
    async with talking(make_settings, Script(answer=Reply(status=401))) as (assistant, _):
        await say(assistant, "How long do I wait after priming the pump?")
        totals = assistant.metrics.totals()
    assert totals.calls["custom"][1] >= 1
    assert totals.turns["extracted"] == 1


async def test_a_stopped_turn_and_a_reply_count_as_such(make_settings: MakeSettings, tmp_path: Path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存", upload(tmp_path, "员工手册.md", HANDBOOK))
        turn = assistant.run_turn(Request("t", "年假有几天？"))
        await anext(turn)
        await turn.aclose()
        assert assistant.metrics.totals().turns == {"replied": 1, "stopped": 1}


async def test_what_is_exposed_names_nobody(make_settings: MakeSettings, tmp_path: Path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "save it", upload(tmp_path, "geheim.md", GUIDE), thread="anna/t")
        await say(assistant, "Why does the pump make a rattling noise?", thread="anna/t")
        exposed = assistant.metrics.exposed(documents=1).decode()
    assert 'citewise_turns_total{outcome="extracted"} 1.0' in exposed
    assert 'citewise_library{of="documents"} 1.0' in exposed
    for word in ("geheim", "anna", "rattling", "pump"):
        assert word not in exposed


def test_two_programs_in_one_process_do_not_share() -> None:
    one, other = Metrics(), Metrics()
    one.count_embedded(10, 0.5)
    assert (one.totals().embedded, other.totals().embedded) == (10, 0)


def test_recent_values_are_bounded_and_the_count_is_not() -> None:
    metrics = Metrics()
    for number in range(RECENT + 10):
        metrics.count_embedded(1, float(number))
    (figure,) = metrics.figures()
    assert (figure.count, len(figure.recent), figure.recent[0]) == (RECENT + 10, RECENT, 10.0)
    assert figure.median < figure.p95 < figure.recent[-1]


def test_the_median_of_two_stands_between_them() -> None:
    metrics = Metrics()
    for number in (1.0, 3.0):
        metrics.count_embedded(1, number)
    [figure] = metrics.figures()
    assert figure.median == 2.0 < figure.p95


@each_row(
    ("events", "outcome"),
    [
        ([Token("a"), Answered(Answer("a"))], "answered"),
        ([Answered(Answer("a", fallback_used=True))], "extracted"),
        ([Answered(Answer("a", remembered="2026"))], "remembered"),
        ([Failed(CitewiseError("file", Message(zh="坏", en="bad")))], "failed"),
        ([Failed(CitewiseError("internal", Message(zh="坏", en="bad")), "id")], "defect"),
    ],
)
def test_outcomes(events: list, outcome: str) -> None:
    metrics = Metrics()
    with metrics.turn(result := TurnResult()):
        for event in events:
            result.apply(event)
    assert metrics.totals().turns == {outcome: 1}


def test_a_cancelled_turn_counts() -> None:
    metrics = Metrics()
    with pytest.raises(asyncio.CancelledError), metrics.turn(TurnResult()):
        raise asyncio.CancelledError
    assert metrics.totals().turns == {"stopped": 1}


def test_steps_that_did_not_run_take_no_time() -> None:
    metrics = Metrics()
    with metrics.turn(result := TurnResult()):
        result.apply(Traced(Trace((Call("answer", "p", "m", 1.0),), (Step("rerank", 0.0), Step("search", 0.2)))))
    assert [figure.name for figure in metrics.figures()] == ["turn", "search"]


HITS = tuple(Hit(n, "d", "", "t", 0, 1, 1, 1, scores={"rerank": 0.1 * n}) for n in (1, 3, 2))


def citing(*sources: int) -> tuple[Statement, ...]:
    return tuple(Statement("s", (Citation(1, n, 0, 1, 1, 1, "q", Support(1.0, True)),)) for n in sources)


@each_row(
    ("sources", "cited", "first"),
    [(HITS, (0, 1), True), (HITS, (2,), False), (HITS, (), None), ((replace(HITS[0], scores={}),), (0,), None)],
)
def test_whether_the_rerankers_first_hit_is_cited(
    sources: tuple[Hit, ...], cited: tuple[int, ...], first: bool | None
) -> None:
    assert first_cited(Answer("a", citing(*cited), sources)) is first


@each_row(
    ("well", "count", "last", "recent"),
    [(1, 2, [True, False], (1.0, 0.5)), (3, 4, [False, True], (2 / 3, 0.75)), (0, 0, [], ())],
)
def test_a_share_is_drawn_as_it_was_each_time(
    well: int, count: int, last: list[bool], recent: tuple[float, ...]
) -> None:
    assert Share.of("x", well, count, last) == Share("x", well, count, recent)


def test_how_often_the_rerankers_first_hit_was_cited_is_a_share() -> None:
    metrics = Metrics()
    for cited in ((0, 1), (2,), (0,)):
        with metrics.turn(result := TurnResult()):
            result.apply(Answered(Answer("a", citing(*cited), HITS)))
    assert metrics.first_cited() == Share("first_cited", 1, 3, (1.0, 0.5, 1 / 3))
