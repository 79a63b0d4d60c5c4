"""The file of conversations when it cannot be read or written: said clearly, and nothing else is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from errors import StoreError
from graph.turns import Assistant, Request
from nodes.events import Event, Failed
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


async def test_a_full_disk_ends_the_turn_with_a_remedy(make_settings) -> None:
    assistant = await Assistant.open(make_settings())
    try:
        await say(assistant, "hello")
        await assistant._saver.conn.execute("PRAGMA max_page_count = 1")  # SQLite's own "disk full"
        failed = (await say(assistant, "hello " * 20_000))[-1]
        assert isinstance(failed, Failed)
        assert failed.error.kind == "store"
        assert "disk" in failed.error.suggestions[0].en
        await assistant._saver.conn.execute("PRAGMA max_page_count = 100000")
        assert not [event for event in await say(assistant, "hello") if isinstance(event, Failed)]
    finally:
        await assistant.close()
