"""The list of conversations: who is in it, what they are called, how they are found."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from turn_cases import GUIDE, HANDBOOK, assistant_of, of, say, upload

from graph.conversations import thread_of
from graph.request import Request
from graph.titles import name_of, owner_of, title_of
from graph.turns import Assistant
from nodes.events import Failed, TurnBegun
from tests.each_row import each_row

NAME = "0123456789abcdef0123456789abcdef"


async def ask(assistant: Assistant, name: str, message: str, user: str = "", **how: object) -> list:
    request = Request(thread_of(user, name), message, listed=True, **how)  # type: ignore[arg-type]
    return [event async for event in assistant.run_turn(request)]


async def titles(assistant: Assistant, user: str = "", find: str = "") -> list[str]:
    return [one.title for one in await assistant.conversations(user, find)]


@each_row(
    ("question", "title"),
    [
        ("年假有几天？", "年假有几天？"),
        ("  What is\n the notice   period? ", "What is the notice period?"),
        ("年" * 30, "年" * 24 + "…"),
        ("What does the handbook say on leave that is not taken?", "What does the handbook say on leave that is not…"),
        ("x" * 60, "x" * 48 + "…"),
        ("See https://example.com/a/very/long/path/that/goes/on/and/on", "See https://example.com/a/very/long/path/that/go…"),
    ],
)  # fmt: skip
def test_a_title_is_the_question_in_a_line(question: str, title: str) -> None:
    assert title_of(question) == title


def test_a_message_without_words_is_called_by_its_files() -> None:
    assert title_of(" ", ["a.md", "b.md"]) == "a.md, b.md"


@each_row("user", ["", "ann", "a/b", "李 雷", "../x"])
def test_owner_and_name_are_read_back_from_a_thread(user: str) -> None:
    assert (owner_of(thread_of(user, NAME)), name_of(thread_of(user, NAME))) == (user, NAME)


async def test_only_what_the_page_began_is_listed_newest_first(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await say(assistant, "What is a pump?", thread="once-1")
        await ask(assistant, "a", "Hello")
        await ask(assistant, "b", "年假有几天？")
        assert await titles(assistant) == ["年假有几天？", "Hello"]
        await ask(assistant, "a", "And then?")
        listed = await assistant.conversations()
        assert [(one.name, one.title) for one in listed] == [("a", "Hello"), ("b", "年假有几天？")]
        assert listed[0].created < listed[0].updated


async def test_a_name_is_kept_until_it_is_taken_back(make_settings) -> None:
    settings = make_settings()
    async with assistant_of(settings) as assistant:
        turn = of(await ask(assistant, "a", "Hello"), TurnBegun)[0].turn
        await ask(assistant, "a", "How are you?", replaces=turn)
        assert await titles(assistant) == ["How are you?"]
        await assistant.rename("a", " 我的\n对话 <b> ")
        await ask(assistant, "a", "And then?")
    async with assistant_of(settings) as assistant:
        assert await titles(assistant) == ["我的 对话 <b>"]
        await assistant.rename("a", "  ")
        assert await titles(assistant) == ["How are you?"]
        await assistant.rename("never begun", "x")
        assert len(await titles(assistant)) == 1


async def test_words_are_found_in_titles_questions_and_replies(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        await assistant.library.add("员工手册.md", HANDBOOK.encode())
        await ask(assistant, "a", "How long do I wait before the first start of the pump?")
        await ask(assistant, "b", "年假有几天？")
        for find, found in (
            ("FIRST pump", ["a"]), ("ninety", ["a"]), ("年假", ["b"]), ("十五天", ["b"]), ("%", []), ("pump 年假", []),
            ("報銷", []), ("年假有幾天", ["b"]), ("", ["b", "a"]),
        ):  # fmt: skip
            assert [one.name for one in await assistant.conversations("", find)] == found, find
        await assistant.rename("b", "Leave")
        assert [one.name for one in await assistant.conversations("", "leave 十五")] == ["b"]


async def test_nobody_sees_the_list_of_another(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        for user in ("", "ann", "ann/x", "Ann"):
            await ask(assistant, "t", f"I am {user or 'nobody'}", user=user)
        for user in ("", "ann", "ann/x", "Ann"):
            assert await titles(assistant, user) == [f"I am {user or 'nobody'}"]
            assert await titles(assistant, user, "I am") == [f"I am {user or 'nobody'}"]
        assert await titles(assistant, "a%") == []


async def test_what_is_deleted_is_gone_from_the_list(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await ask(assistant, "a", "Hello")
        await assistant.forget("a")
        assert await titles(assistant) == []


async def test_a_conversation_is_listed_while_its_first_turn_runs_and_after_it_failed(make_settings, tmp_path) -> None:
    async with assistant_of(make_settings()) as assistant:
        events = assistant.run_turn(Request("a", "Hello", listed=True))
        assert isinstance(await anext(events), TurnBegun)
        assert await titles(assistant) == ["Hello"]
        await events.aclose()
        assert await titles(assistant) == ["Hello"]  # it holds what was asked
        [failed] = of(await ask(assistant, "b", "x", replaces="unknown"), Failed)
        assert failed.error.kind == "not_found"


async def test_the_list_is_read_while_something_else_of_the_file_is(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        for name in ("apple", "pear"):
            await ask(assistant, name, f"Hello {name}")
        connection = assistant._conversations._saver.conn
        async with connection.execute("SELECT thread_id FROM conversations") as running:
            await running.fetchone()
            assert await titles(assistant, find="hello APPLE") == ["Hello apple"]


async def test_a_list_that_cannot_be_written_ends_no_turn(make_settings) -> None:
    async with assistant_of(make_settings()) as assistant:
        await assistant._conversations._saver.conn.execute("DROP TABLE conversations")
        assert not of(await ask(assistant, "a", "Hello"), Failed)
        assert len(await assistant.turns("a")) == 1


async def test_conversations_of_earlier_versions_are_listed(make_settings, tmp_path) -> None:
    settings = make_settings()
    async with assistant_of(settings) as assistant:
        for thread in (NAME, thread_of("ann", NAME), "once-1", "damaged" + NAME[7:], "f" * 32):
            await say(assistant, "save", upload(tmp_path, "guide.md", GUIDE), thread=thread)
            await say(assistant, "Prime the pump?", thread=thread)
    path = Path(settings.data_dir) / "conversations.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DROP TABLE conversations")
        database.execute("PRAGMA user_version = 0")
        database.execute("UPDATE checkpoints SET checkpoint = x'00' WHERE thread_id = ?", ["f" * 32])
    async with assistant_of(settings) as assistant:
        [own], [anns] = await assistant.conversations(), await assistant.conversations("ann")
        assert (own.name, own.title, anns.title) == (NAME, "save", "save")
        assert own.updated > "2020"
        assert await titles(assistant, find="prime") == ["save"]


async def test_a_file_of_a_newer_version_is_refused(make_settings) -> None:
    settings = make_settings()
    async with assistant_of(settings):
        pass
    with closing(sqlite3.connect(Path(settings.data_dir) / "conversations.sqlite")) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(Exception, match=r"newer|更新"):
        await Assistant.open(settings)
