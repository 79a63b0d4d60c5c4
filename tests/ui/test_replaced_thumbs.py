"""A thumb belongs to its answer: what stands in for that answer has none, and a page that is loaded shows what was
given."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from graph.request import Request
from stores.feedback import Feedback
from tests.graph.turn_cases import HANDBOOK, assistant_of, say
from ui.turn_display import TurnDisplay

WINDOW: Any = SimpleNamespace(session_hash="page", headers={}, request=None)


async def updates_of(assistant: Any, request: Request) -> list[Any]:
    return [update.chat async for update in TurnDisplay(assistant).turn(assistant.begin(request), "zh", WINDOW)]


@pytest.mark.parametrize(("replaced", "left"), [(0, []), (1, ["Like"])], ids=["first", "second"])
async def test_a_new_answer_has_no_thumb_of_the_old_one(make_settings: Any, replaced: int, left: list[str]) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("员工手册.md", HANDBOOK.encode())
        for question in ("年假有几天？", "报销上限是多少？"):
            await say(assistant, question)
        old = await assistant.turns("t")
        assistant.feedback.put("t", Feedback(old[0].id, 1))
        assistant.feedback.put("t", Feedback(old[1].id, -1))
        assert (await TurnDisplay(assistant).shown("t", "zh"))["feedback_value"] == ["Like", "Dislike"]

        chats = await updates_of(assistant, Request("t", old[replaced].question, replaces=old[replaced].id))
        assert chats[0]["feedback_value"] == left
        shown = await TurnDisplay(assistant).shown("t", "zh")
        assert shown["feedback_value"] == [*left, None]
        assert len([one for one in shown["value"] if one["role"] == "user"]) == len(left) + 1
        assert assistant.feedback.counts() == (1, 1)  # what was said was said of an answer that there was


async def test_other_turns_do_not_look_for_thumbs(make_settings: Any) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("员工手册.md", HANDBOOK.encode())
        chats = await updates_of(assistant, Request("t", "年假有几天？"))
        assert all(isinstance(chat, list) for chat in chats)


async def test_where_nothing_was_replaced_the_thumb_is_back(make_settings: Any) -> None:
    """A turn that fails takes nothing away."""
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("员工手册.md", HANDBOOK.encode())
        await say(assistant, "年假有几天？")
        [old] = await assistant.turns("t")
        assistant.feedback.put("t", Feedback(old.id, 1))
        chats = await updates_of(assistant, Request("t", old.question, replaces="not-there"))
        assert chats[-1]["feedback_value"][0] == "Like"
