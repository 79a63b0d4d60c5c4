"""What documents are about is found out when it is asked for, and of the others while nobody wants anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from library import Library
from schema import StructuredSummary
from settings import Settings
from stores.base import Store
from web.extracting import background
from web.extracting.background import BackgroundExtraction

GUIDE = "# Pump guide\n\n## Start\n\nPrime the pump. The pump of Acme Industries waits for ninety seconds.\n"
TEA = "# 龙井茶\n\n龙井茶用八十度的水冲泡。龙井茶产于西湖。\n"


@pytest.fixture
async def library(make_settings: Callable[..., Settings]):
    async with await Library.open(make_settings()) as opened:
        await opened.add("guide.md", GUIDE.encode(), doc_set="pumps")
        await opened.add("茶.md", TEA.encode())
        yield opened


async def described(store: Store) -> dict[tuple[str, str], StructuredSummary]:
    """As soon as nothing is left to be described."""
    while store.without_structured(1):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    return store.structured()


async def test_one_that_is_asked_for_gets_it_at_once_and_keeps_it(library: Library) -> None:
    assert library.store.structured() == {}  # storing did not wait for it
    found = await library.structured("guide.md", "pumps")
    assert found
    assert (found.title, found.topics, found.made_by) == ("Pump guide", ["Start"], "statistics")
    assert "Acme Industries" in found.entities
    assert library.store.structured() == {("guide.md", "pumps"): found}
    assert await library.structured("guide.md", "pumps") == found
    assert await library.structured("guide.md") is None


async def test_the_others_follow_while_nobody_wants_anything(library: Library) -> None:
    busy = True
    work = BackgroundExtraction(library.store, lambda: busy, pause=0.0)
    work.start()
    try:
        for _ in range(5):
            await asyncio.sleep(0)
        assert library.store.structured() == {}
        busy = False
        found = await described(library.store)
        assert found["茶.md", ""].keywords[0] == "龙井茶"
        await library.add("b.md", b"# Later\n\nA document that came later.\n")
        assert ("b.md", "") in await described(library.store)
    finally:
        await work.close()


async def test_a_defect_with_one_keeps_no_other_waiting(
    library: Library, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    own = background.StatisticsExtractor.extracted

    def broken(self: background.StatisticsExtractor, title: str, text: str) -> StructuredSummary:
        if "龙井" in text:
            raise RuntimeError("a defect")
        return own(self, title, text)

    monkeypatch.setattr(background.StatisticsExtractor, "extracted", broken)
    work = BackgroundExtraction(library.store, lambda: False, pause=0.0)
    work.start()
    try:
        while library.store.without_structured(2) != [("茶.md", "")]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert "could not be found out" in caplog.text
    finally:
        await work.close()
