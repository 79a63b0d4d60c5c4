"""The chat's events: one turn at a time of each conversation, and what is typed meanwhile is not lost."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from benchmarks.model_server import Reply, model_server
from graph.request import Request
from tests.graph.turn_cases import GUIDE, Script, assistant_of
from ui.chat_events import AS_IT_IS, ChatHandlers
from ui.events import PageEvent
from ui.texts import text
from ui.turn_display import TurnDisplay

AUTO: list[Any] = ["", None, "", 0, 0, [], [], ""]  # the values of `Sidebar.controls`
LATER = "How long is the wait?"


def page(name: str) -> Any:
    return SimpleNamespace(session_hash=name, headers={}, request=None)


def event(**what: Any) -> PageEvent:
    return PageEvent(None, what)


async def test_what_is_sent_while_an_answer_streams_stays_in_the_box(
    make_settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    asked, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def answer(_: Any) -> Reply:
        loop.call_soon_threadsafe(asked.set)
        go_on.wait(60)
        return Reply("Prime the pump [1].")

    with model_server(Script(answer=answer)) as server:
        async with assistant_of(make_settings(llm_model="m", llm_base_url=server.base_url)) as assistant:
            await assistant.library.add("guide.md", GUIDE.encode())
            handlers = ChatHandlers(assistant)

            async def sent(words: str, window: Any, seen: asyncio.Event) -> list[list[Any]]:
                updates = []
                async for update in handlers.sent({"text": words, "files": []}, None, "t", window, *AUTO):
                    updates.append(update)
                    seen.set()
                return updates

            first = asyncio.create_task(sent("What is primed before the first start?", page("one"), asyncio.Event()))
            await asked.wait()
            ignored = await sent(LATER, page("one"), asyncio.Event())  # the page already looks at the turn that runs
            assert [part for update in ignored for part in update[:2] if "value" in part] == []
            assert text("p_busy", "en") in capsys.readouterr().out
            other = asyncio.create_task(sent(LATER, page("two"), looks := asyncio.Event()))  # it has not seen it yet
            await looks.wait()
            go_on.set()
            assert "Prime the pump" in str((await first)[-2][0])
            seen = await other
            assert "Prime the pump" in str(seen[-2][0])
            assert not any("value" in update[1] for update in seen)
            assert [turn.question for turn in await assistant.turns("t")] == ["What is primed before the first start?"]


@pytest.mark.parametrize(("typed", "shown"), [("half a thought", "half a thought"), (" ", None), ("", None)])
async def test_a_draft_comes_back_and_nothing_else(make_settings: Any, typed: str, shown: str | None) -> None:
    async with assistant_of(make_settings()) as assistant:
        box = (await ChatHandlers(assistant).load("t", typed, page("one")))[5]
        assert (box["value"]["text"] if "value" in box else None) == shown


async def test_what_is_sent_before_the_page_has_loaded_is_in_the_conversation_that_it_loads(make_settings: Any) -> None:
    async with assistant_of(make_settings()) as assistant:
        handlers, window = ChatHandlers(assistant), page("one")
        updates = [one async for one in handlers.sent({"text": "hello", "files": []}, None, "", window, *AUTO)]
        name = updates[0][2]
        assert [turn.question for turn in await assistant.turns(name)] == ["hello"]
        assert len(updates) > 3
        boxes = [update[1] for update in updates if set(update[1]) - {"__type__"}]
        assert [box["stop_btn"] for box in boxes] == [True, False]  # told that it changes, and not at each word
        assert (await handlers.load("", "", window))[0] == name
        assert (await handlers.load("", "", page("two")))[0] != name


async def test_a_turn_that_ends_while_a_page_opens_it_is_shown_once(make_settings: Any) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.begin(Request("t", "hello", listed=True)).task
        going = assistant.begin(Request("t", "你好", listed=True))
        await going.task  # it is stored by now
        updates = [one async for one in TurnDisplay(assistant).turn(going, "zh", page("one"))]
        for update in (updates[0], updates[-1]):
            asked = [said["content"] for said in update.chat if said["role"] == "user"]
            assert [words.partition("\n")[0] for words in asked] == ["hello", "你好"]


async def test_what_a_page_opens_stands_over_what_it_was_loaded_with(
    make_settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.begin(Request("t", "hello", listed=True)).task
        handlers, asked, go_on, turns = ChatHandlers(assistant), asyncio.Event(), asyncio.Event(), assistant.turns

        async def slow(thread: str) -> Any:
            if thread == "t":
                asked.set()
                await go_on.wait()
            return await turns(thread)

        monkeypatch.setattr(assistant, "turns", slow)
        order: list[str] = []
        loaded = asyncio.create_task(anext(handlers.resume("t", page("one"))))
        loaded.add_done_callback(lambda _: order.append("loaded"))
        await asked.wait()
        begun = asyncio.create_task(anext(handlers.open(event(name="u"), page("one"))))
        begun.add_done_callback(lambda _: order.append("begun"))
        await asyncio.wait([begun], timeout=0.2)  # it has to wait, however long that takes
        go_on.set()
        assert (await loaded)[0]["value"][0]["content"].startswith("hello")
        assert (await begun)[0]["value"] == []
        assert order == ["loaded", "begun"]


async def test_a_question_that_is_begun_after_the_page_has_gone_elsewhere_is_answered_and_not_shown(
    make_settings: Any,
) -> None:
    async with assistant_of(make_settings()) as assistant:
        handlers, window = ChatHandlers(assistant), page("one")
        await assistant.begin(Request("old", "hello", listed=True)).task
        opened = [one async for one in handlers.open(event(name="new"), window)]
        assert opened[0][2] == "new"
        sent = handlers.sent({"text": "你好", "files": []}, None, "old", window, *AUTO)
        [first, second, *last] = [update async for update in sent]
        assert first[0] == second[0] == gr.skip()
        assert first[1]["value"] == {"text": "", "files": []}  # out of the box of the conversation that is shown
        assert (first[2], second[3]["current"]) == ("new", "new")
        assert last == [AS_IT_IS]
        if running := assistant.live_turn("old"):
            await running.task
        assert [turn.question for turn in await assistant.turns("old")] == ["hello", "你好"]
        assert await assistant.turns("new") == []
        shown = [update async for update in handlers.sent({"text": "hello", "files": []}, None, "new", window, *AUTO)]
        assert "hello" in str(shown[0][0])  # and here it is at home
        shown = [
            update async for update in handlers.sent({"text": "hello", "files": []}, None, "x", page("two"), *AUTO)
        ]
        assert "hello" in str(shown[0][0])


async def test_the_last_word_of_what_shows_a_turn_changes_nothing(make_settings: Any) -> None:
    """Gradio sends it twice, the second time when something else may be shown."""
    async with assistant_of(make_settings()) as assistant:
        handlers, window = ChatHandlers(assistant), page("one")
        await assistant.begin(Request("t", "hello", listed=True)).task
        [turn] = await assistant.turns("t")

        for updates in (
            handlers.sent({"text": "hello", "files": []}, None, "t", window, *AUTO),
            handlers.example("t", event(value={"text": "hello"}), window, *AUTO),
            handlers.choose("t", event(value="hello"), window, *AUTO),
            handlers.asked_again("t", event(turn=turn.id, strategy=""), window, *AUTO),
            handlers.open(event(name="t"), window),
            handlers.resume("t", window),
        ):
            seen = [update async for update in updates]
            assert seen[-1] == AS_IT_IS
