"""What a conversation keeps when things go wrong: a damaged file, a full disk, a stop at any moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from errors import StoreError
from graph.request import Request
from graph.turn_result import TurnResult
from graph.turns import Assistant
from nodes.events import Event, Failed, Progress, Unsaved
from nodes.state import Record, Upload
from settings import Settings


async def say(assistant: Assistant, message: str) -> list[Event]:
    return [event async for event in assistant.run_turn(Request("t", message))]


async def opened_and_closed(settings: Settings) -> Path:
    assistant = await Assistant.open(settings)
    await say(assistant, "hello")
    await assistant.close()
    return Path(settings.data_dir) / "conversations.sqlite"


async def test_a_damaged_file_is_named_and_the_library_stays_free(make_settings) -> None:
    conversations = await opened_and_closed(make_settings())
    conversations.write_bytes(b"no database " * 1000)
    with pytest.raises(StoreError) as raised:
        await Assistant.open(make_settings())
    assert conversations.name in raised.value.message.zh
    assert "Move this file away" in raised.value.suggestions[0].en
    conversations.unlink()
    await opened_and_closed(make_settings())


async def test_on_a_full_disk_a_conversation_goes_on_in_memory_and_is_saved_later(make_settings) -> None:
    settings = make_settings()
    assistant = await Assistant.open(settings)
    connection = assistant._conversations._saver.conn
    try:
        await say(assistant, "hello")
        await connection.execute("PRAGMA max_page_count = 1")  # SQLite's own "disk full"
        for number in (1, 2):
            events = await say(assistant, f"hello {number} " * 2_000)
            assert not [event for event in events if isinstance(event, Failed)]
            unsaved = events[-1]
            assert isinstance(unsaved, Unsaved)
            assert "disk" in unsaved.error.suggestions[0].en
            heard = TurnResult()
            for event in events:
                heard.apply(event)
            assert any("内存" in notice.zh for notice in heard.answer().notices)  # every door says it
        assert len(await assistant.turns("t")) == 3
        once = "once-" + 32 * "0"
        events = [event async for event in assistant.run_turn(Request(once, "hello " * 3_000))]
        assert not [event for event in events if isinstance(event, Failed | Unsaved)]  # there is nothing to keep
        await assistant.forget(once)
        assert await assistant.turns(once) == []
        await connection.execute("PRAGMA max_page_count = 100000")
        assert not [event for event in await say(assistant, "hello 3") if isinstance(event, Failed | Unsaved)]
        await connection.execute("PRAGMA max_page_count = 1")
        await say(assistant, "hello 4 " * 2_000)
        await connection.execute("PRAGMA max_page_count = 100000")
    finally:
        await assistant.close()
    again = await Assistant.open(settings)
    try:  # the last one was saved when the program ended
        assert [turn.question[:7].strip() for turn in await again.turns("t")] == [
            "hello",
            *(f"hello {n}" for n in range(1, 5)),
        ]
    finally:
        await again.close()


async def test_a_stop_at_any_moment_keeps_one_question_and_one_reply(make_settings, tmp_path) -> None:
    path = tmp_path / "guide.md"
    path.write_text("# Guide\n\nPrime the pump before the first start.\n", encoding="utf-8")
    assistant = await Assistant.open(make_settings())
    try:
        await assistant.library.add("guide.md", path.read_bytes())
        for moment in range(1, 20):
            events = assistant.run_turn(Request(f"t{moment}", "When do I prime the pump?"))
            seen, stopped = 0, False
            async for _ in events:
                seen += 1
                if stopped := seen == moment:
                    break
            await events.aclose()
            question, reply = await assistant.history(f"t{moment}")
            assert (question.type, question.content) == ("human", "When do I prime the pump?")
            assert reply.type == "ai"
            if not stopped:
                assert Record.of(reply).answer.sources
                break
        assert moment > 3
    finally:
        await assistant.close()


async def test_a_file_that_is_gone_does_not_stop_the_others(make_settings, tmp_path) -> None:
    path = tmp_path / "guide.md"
    path.write_text("# Guide\n\nPrime the pump.\n", encoding="utf-8")
    uploads = Upload(name="gone.md", path=str(tmp_path / "gone.md")), Upload(name="guide.md", path=str(path))
    assistant = await Assistant.open(make_settings())
    try:
        events = [event async for event in assistant.run_turn(Request("t", "save", uploads))]
        assert [event.file for event in events if isinstance(event, Progress) and event.error] == ["gone.md"]
        assert assistant.library.names() == ["guide.md"]
    finally:
        await assistant.close()


async def test_a_message_as_long_as_a_book_is_refused_at_once(make_settings) -> None:
    assistant = await Assistant.open(make_settings())
    try:
        [failed] = await say(assistant, "How? " * 200_000)
        assert isinstance(failed, Failed)
        assert "1000000" in failed.error.message.zh
        assert await assistant.history("t") == []
    finally:
        await assistant.close()


def test_half_a_surrogate_pair_is_no_character() -> None:
    assert Request("t", "a \ud83d b 😀").message == "a ? b 😀"
