"""A turn asked again stands in for the old one; one that fails takes nothing away."""

from __future__ import annotations

from dataclasses import replace

from turn_cases import GUIDE, HANDBOOK, assistant_of, of, say, upload

from graph.conversations import thread_of
from graph.request import Request
from nodes.events import Answered, Failed, PlanMade, TurnBegun
from schema import Scope


async def test_a_turn_and_what_came_after_it_give_way_to_another(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "保存", upload(tmp_path, "员工手册.md", HANDBOOK))
        first, second = [
            of(await say(assistant, words), TurnBegun)[0].turn for words in ("年假有几天？", "试用期多久？")
        ]
        request = Request("t", "病假有几天？", replaces=first)
        events = [event async for event in assistant.run_turn(request)]
        assert of(events, Answered)
        turns = await assistant.turns("t")
        assert [turn.question for turn in turns] == ["保存", "病假有几天？"]
        assert turns[-1].id == of(events, TurnBegun)[0].turn
        assert turns[-1].reply == of(events, Answered)[0].answer.text
        assert await assistant.turn("t", second) is None
        [failed] = of([event async for event in assistant.run_turn(replace(request, replaces=second))], Failed)
        assert failed.error.kind == "not_found"
        assert [turn.question for turn in await assistant.turns("t")][:2] == ["保存", "病假有几天？"]


async def test_a_plan_that_the_person_has_changed_is_followed_to_the_letter(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "save", upload(tmp_path, "a.md", GUIDE), upload(tmp_path, "员工手册.md", HANDBOOK))
        await say(assistant, "年假有几天？")
        turn = (await assistant.turns("t"))[-1]
        changed = turn.record.plan.model_copy(
            update={"strategy": "keyword", "scope": Scope(documents=("员工手册.md",)), "origin": "controls"}
        )
        request = Request("t", turn.question, replaces=turn.id, plan=changed)
        events = [event async for event in assistant.run_turn(request)]
        assert of(events, PlanMade)[0].plan == changed
        assert {hit.document for hit in of(events, Answered)[0].answer.sources} == {"员工手册.md"}
        assert (await assistant.turns("t"))[-1].record.plan == changed


def test_no_name_leads_to_the_thread_of_another_user() -> None:
    names = ["t", "a/t", "../a/t", "/a/t", "a%2Ft"]
    of_a = {thread_of("a", name) for name in names}
    others = [thread_of(user, name) for user in ("", "b", "a/t", "A", "../a") for name in names]
    assert of_a.isdisjoint(others)
