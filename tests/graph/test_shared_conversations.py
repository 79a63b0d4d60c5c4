"""Conversations in PostgreSQL, which two instances share: the assistant, and the conversations of another one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from langchain_core.messages import HumanMessage
from turn_cases import assistant_of, of, say

from errors import CitewiseError
from graph import postgres
from graph.conversation_selection import open_conversations
from graph.conversations import Conversations
from graph.request import Request
from graph.turns import Assistant
from nodes.events import Failed, Unsaved
from tests.conftest import MakeSettings
from tests.stores.postgres_server import database_url, empty

GUIDE = "# Guide\n\nPrime the pump for ninety seconds.\n\n水泵启动前要先灌水九十秒。\n".encode()

FULL = """CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''no room'' USING ERRCODE = ''disk_full''; END'"""


@pytest.fixture
async def assistant(make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Assistant]:
    monkeypatch.setattr("graph.postgres._PAUSE", 0.01)  # a turn that runs elsewhere is not waited for long
    empty(database_url())
    async with assistant_of(make_settings(CITEWISE_DATABASE_URL=database_url())) as opened:
        yield opened


@pytest.fixture
async def elsewhere(assistant: Assistant) -> AsyncIterator[Conversations]:
    opened = await open_conversations(assistant.settings, None)
    yield opened
    await opened.close()


def rows(table: str, thread: str) -> int:
    with psycopg.connect(database_url()) as connection:
        query = f"SELECT count(*) FROM {table} WHERE thread_id = %s"
        return int((connection.execute(query, [thread]).fetchone() or [0])[0])


async def test_a_conversation_goes_on_at_another_instance(assistant: Assistant, elsewhere: Conversations) -> None:
    await assistant.library.add("guide.md", GUIDE)
    for question in ("How long do I prime the pump?\0", "水泵要灌水多久？\x1a"):
        turn = Request("ann/t", question, listed=True)
        assert not of([event async for event in assistant.run_turn(turn)], Failed | Unsaved)
    english, chinese = await elsewhere.turns("ann/t")
    assert (english.question, chinese.question) == ("How long do I prime the pump?\0", "水泵要灌水多久？\x1a")
    assert all(turn.record and turn.record.answer.sources for turn in (english, chinese))
    assert (rows("checkpoints", "ann/t"), rows("checkpoint_blobs", "ann/t") < 20) == (1, True)
    await elsewhere.keep("ann/t", HumanMessage("Thanks!", id="q"), "You are welcome.")
    assert [turn.question for turn in await assistant.turns("ann/t")][2:] == ["Thanks!"]
    await elsewhere.titles.rename("ann/t", "泵 Pumps")
    for find, found in (("", 1), ("PUMPS prime", 1), ("灌水 ninety", 1), ("compressor", 0)):
        assert len(await assistant.conversations("ann", find)) == found
    assert await assistant.conversations("bob") == []
    await assistant.forget("ann/t")
    assert (await elsewhere.turns("ann/t"), await elsewhere.titles.listed("ann")) == ([], [])
    assert rows("checkpoint_blobs", "ann/t") == 0


async def test_one_turn_at_a_time_over_all_instances(assistant: Assistant, elsewhere: Conversations) -> None:
    async with elsewhere.locks.of("t"):
        [failed] = of(await say(assistant, "Hello"), Failed)
        assert "另一个问题" in failed.error.message.zh
        with pytest.raises(CitewiseError, match="Another turn"):
            await assistant.forget("t")
        assert not of(await say(assistant, "Hello", thread="another"), Failed)
    assert await assistant.turns("t") == []
    async with asyncio.TaskGroup() as both:  # the turn before comes to its end meanwhile
        held = asyncio.Event()

        async def before() -> None:
            async with elsewhere.locks.of("t"):
                held.set()
                await asyncio.sleep(0.1)

        both.create_task(before())
        await held.wait()
        said = both.create_task(say(assistant, "Hello"))
    assert not of(said.result(), Failed)


async def test_who_is_stopped_while_it_takes_the_lock_keeps_none(
    assistant: Assistant, elsewhere: Conversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, own = asyncio.Event(), postgres._is_locked

    async def answer_on_its_way(*given: Any) -> bool:
        taken = await own(*given)
        locked.set()
        await asyncio.Event().wait()
        return taken

    async def take() -> None:
        async with assistant._conversations.locks.of("t"):
            pass

    with monkeypatch.context() as patched:
        patched.setattr(postgres, "_is_locked", answer_on_its_way)
        taking = asyncio.create_task(take())
        await locked.wait()
        taking.cancel()
        await asyncio.wait([taking])
    async with elsewhere.locks.of("t"):
        pass


async def test_a_lost_connection_is_made_anew_and_what_runs_is_locked_again(
    assistant: Assistant, elsewhere: Conversations
) -> None:
    locks = assistant._conversations.locks
    async with locks.of("running"):
        with psycopg.connect(database_url(), autocommit=True) as connection:  # as a restart of the server does
            connection.execute(
                "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE pid != pg_backend_pid()"
            )
        assert not of(await say(assistant, "Hello"), Failed | Unsaved)
        with pytest.raises(CitewiseError, match="Another turn"):
            async with elsewhere.locks.of("running"):
                pass
    assert len(await elsewhere.turns("t")) == 1


async def test_what_cannot_be_written_goes_on_in_memory_and_is_saved_later(
    assistant: Assistant, elsewhere: Conversations
) -> None:
    await say(assistant, "Hello 1")
    with psycopg.connect(database_url(), autocommit=True) as connection:
        connection.execute(FULL)
        connection.execute("CREATE TRIGGER full_disk BEFORE INSERT ON checkpoints EXECUTE FUNCTION full_disk()")
        try:
            for number in (2, 3):
                [unsaved] = of(await say(assistant, f"Hello {number}"), Unsaved)
                assert "数据库" in unsaved.error.suggestions[0].zh
        finally:
            connection.execute("DROP FUNCTION full_disk CASCADE")
    assert (len(await assistant.turns("t")), len(await elsewhere.turns("t"))) == (3, 1)
    await assistant._conversations._saver.write_again()
    assert [turn.question for turn in await elsewhere.turns("t")] == ["Hello 1", "Hello 2", "Hello 3"]


async def test_of_a_question_that_is_not_kept_nothing_is_stored(assistant: Assistant) -> None:
    once = "once-" + 32 * "0"
    assert not of(await say(assistant, "Hello", thread=once), Failed)
    assert (rows("checkpoints", once), len(await assistant.turns(once))) == (0, 1)


async def test_a_program_that_drains_ends_its_turns_and_begins_none(assistant: Assistant) -> None:
    running = assistant.begin(Request("t", "Hello"))
    await assistant.drain(60)
    assert running.state == "done"
    [failed] = of(await say(assistant, "Hello again"), Failed)
    assert failed.error.kind == "store"
    assert len(await assistant.turns("t")) == 1
    assistant.check()
    with psycopg.connect(database_url(), autocommit=True) as connection:
        version = connection.execute("SELECT version FROM schema_version").fetchone()
        connection.execute("UPDATE schema_version SET version = 1")
        with pytest.raises(CitewiseError, match="has format 1"):
            assistant.check()
        connection.execute("UPDATE schema_version SET version = %s", version)


async def test_of_instances_that_start_together_one_makes_the_tables(make_settings: MakeSettings) -> None:
    with psycopg.connect(database_url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE fresh")
        settings = make_settings(CITEWISE_DATABASE_URL=database_url().replace("/postgres?", "/fresh?"))
        opened = await asyncio.gather(*(open_conversations(settings, None) for _ in range(4)))
        assert await opened[0].turns("t") == []
        for one in opened:
            await one.close()
        connection.execute("DROP DATABASE fresh WITH (FORCE)")
