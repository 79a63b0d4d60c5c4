"""The kill benchmark itself: a short run holds, and it would see what it is there to see."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from benchmarks import kill
from library import Library
from settings import Settings
from stores.embedded import EmbeddedStore
from tests.benchmarks.benchmark_commands import measured


def test_two_kills_lose_nothing():
    report = measured("kill", "--times", "2", "--seed", "3")
    assert report.ok, report
    assert report.metrics["kills"] == 2
    assert report.metrics["reported"] >= 2


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A library of two of the benchmark's documents."""
    settings = Settings.from_mapping({"CITEWISE_DATA_DIR": str(tmp_path / "library"), "CITEWISE_INGEST_WORKERS": "0"})
    async with await Library.open(settings) as library:
        for version, name in enumerate(("zh-1.md", "en-2.md"), 1):
            await library.add(name, kill._text(name, version).encode())
    return tmp_path / "library"


def problems(folder: Path, ledger: kill.Ledger) -> list[str]:
    store = EmbeddedStore(folder)
    try:
        return list(kill.problems(store, ledger))
    finally:
        store.close()


def ledger(*lines: tuple[str, str, int | None]) -> kill.Ledger:
    ledger = kill.Ledger()
    for line in lines:
        ledger.read(json.dumps(line))
    return ledger


BOTH = [("begin", "zh-1.md", 1), ("reported", "zh-1.md", 1), ("begin", "en-2.md", 2), ("reported", "en-2.md", 2)]


async def test_what_is_there_is_no_problem(folder):
    assert problems(folder, ledger(*BOTH)) == []
    assert problems(folder, ledger(*BOTH[:3])) == []  # the second was stored, not yet reported
    assert problems(folder, ledger(*BOTH, ("begin", "en-2.md", 9))) == []  # a replacement that did not happen


async def test_losses_are_seen(folder):
    assert problems(folder, ledger(*BOTH, ("begin", "zh-3.md", 3), ("reported", "zh-3.md", 3))) == ["lost"]
    assert "lost" in problems(folder, ledger(*BOTH, ("begin", "en-2.md", None), ("deleted", "en-2.md", None)))
    assert "lost" in problems(folder, ledger(*BOTH, ("begin", "en-2.md", 9), ("reported", "en-2.md", 9)))


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM chunks WHERE id = (SELECT max(id) FROM chunks)",
        "DELETE FROM vectors WHERE chunk_id = (SELECT max(id) FROM chunks)",
        "UPDATE texts SET text = substr(text, 1, 20)",
    ],
)
async def test_halves_are_seen(folder, damage):
    with sqlite3.connect(folder / "library.db") as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(damage)
    connection.close()
    (folder / "vectors.faiss").unlink()
    assert "half" in problems(folder, ledger(*BOTH))
