"""A queue in trouble: full disks, stores that fail, programs that are closed or killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from queue_house import LONG, files, spooled, text

from errors import CitewiseError
from library import Library
from schema import IncomingFile, Message, Scope
from settings import Settings
from stores.problems import UnusableStoreError

ROOT = Path(__file__).parent.parent.parent


def test_a_full_disk_stops_the_queue_and_loses_nothing(house):
    house.store.full = True
    house.queue.start()
    tasks = house.queue.submit(files("apple", "pear"))
    assert {type(outcome) for outcome in house.outcomes(tasks)} == {UnusableStoreError}
    assert "disk is full" in house.queue.problem.en
    assert {task.status for task in house.queue.tasks()} <= {"pending", "processing"}
    assert house.names() == set()
    house.store.full = False
    house.queue.retry([])
    assert {outcome.outcome for outcome in house.outcomes(tasks)} == {"added"}
    assert house.queue.problem is None


def test_who_asks_while_nothing_can_be_stored_is_told_at_once(house):
    house.store.full = True
    house.queue.start()
    tasks = house.queue.submit(files("apple"))
    house.outcomes(tasks)
    assert isinstance(house.queue.outcome(tasks[0].id).result(0), UnusableStoreError)


def test_a_store_that_cannot_be_read_either_ends_no_thread(house, monkeypatch):
    def refuse() -> None:
        raise UnusableStoreError(Message(zh="读不了。", en="It cannot be read."))

    house.store.full = True
    with monkeypatch.context() as broken:
        broken.setattr(house.store, "tasks", refuse)
        house.queue.start()
        tasks = house.queue.submit(files("apple", "pear", "plum"))
        assert {type(outcome) for outcome in house.outcomes(tasks)} == {UnusableStoreError}
    house.store.full = False
    house.queue.retry([])
    assert {outcome.outcome for outcome in house.outcomes(tasks)} == {"added"}
    assert all(thread.is_alive() for thread in house.queue._threads)


def test_what_cannot_be_spooled_is_refused_as_a_whole(house, monkeypatch):
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnusableStoreError, match="No space left"):
        house.queue.submit(files("apple", "pear"))
    assert spooled(house) == set()
    assert house.queue.tasks() == house.store.tasks() == []


def test_closing_tells_who_waits_and_another_opening_goes_on(house, again):
    house.pipeline.gate.clear()
    house.queue.start()
    tasks = house.queue.submit(files("apple", "pear", "plum"))
    assert house.pipeline.reached.wait(LONG)
    waiting = house.queue.outcome(tasks[0].id)
    house.queue.stop()
    assert "being closed" in waiting.result(0).message.en
    assert "being closed" in house.queue.outcome(tasks[1].id).result(0).message.en  # who asks now is not kept waiting
    stray = house.folder / "incoming" / "stray"
    stray.write_bytes(b"of nobody")
    opened = again(house)
    assert not stray.exists()
    assert {task.status for task in opened.queue.tasks()} == {"pending"}
    assert opened.queue.progress() == (0, 3)
    opened.queue.start()
    assert {outcome.outcome for outcome in opened.outcomes(tasks)} == {"added"}


def test_what_files_were_added_with_is_known_after_a_restart(house, again):
    given = {"author": "Li", "year": 2026, "tags": ["灯", "sea"]}
    with zipfile.ZipFile(archive := BytesIO(), "w") as packed:
        packed.writestr("pear.md", text("pear"))
    tasks = house.queue.submit(
        [*files("apple", metadata=given), IncomingFile("a.zip", archive.getvalue(), metadata=given)]
    )
    opened = again(house)
    opened.queue.start()
    _, members = opened.outcomes(tasks)
    assert [opened.queue.outcome(task_id).result(LONG).outcome for task_id in members] == ["added"]
    found = opened.store.documents(Scope(metadata={"author": "Li", "year": 2026, "tags": "sea"}))
    assert {info.name for info in found} == {"apple.md", "a/pear.md"}
    assert opened.store.document("apple.md").metadata.items() >= given.items()
    with pytest.raises(CitewiseError, match="fills in"):
        opened.queue.submit(files("plum", metadata={"kind": "x"}))
    assert spooled(opened) == set()


def test_failed_files_are_still_there_after_a_restart(house, again):
    house.queue.start()
    tasks = house.queue.submit([IncomingFile("empty.md", b"")])
    [outcome] = house.outcomes(tasks)
    opened = again(house)
    [task] = opened.queue.tasks()
    assert (task.status, task.problem) == ("failed", outcome.in_full)
    assert opened.queue.outcome(task.id).result(0).in_full == outcome.in_full
    Path(task.path).unlink()
    opened.queue.start()
    opened.queue.retry([task.id])
    assert isinstance(opened.outcomes([task])[0], CitewiseError)


CHILD = """
import asyncio, json, sys
from library import Library
from schema import IncomingFile
from settings import Settings

async def main():
    library = await Library.open(Settings.from_mapping({"CITEWISE_DATA_DIR": sys.argv[1]}))
    texts = [f"# Number {n}\\n\\n" + f"The word of {n} is secret{n}. " * 50 for n in range(60)]
    tasks = await library.submit([IncomingFile(f"{n}.md", text.encode()) for n, text in enumerate(texts)])
    print(json.dumps(len(tasks)), flush=True)
    while True:
        done, total = library.progress()
        print(json.dumps(done), flush=True)
        await asyncio.sleep(0.01)

asyncio.run(main())
"""


def kill_one(folder: Path, after: int) -> None:
    """A process that was given 60 files, killed when so many of them are done."""
    command = [sys.executable, "-c", CHILD, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as child:
        assert child.stdout
        assert json.loads(child.stdout.readline()) == 60
        while json.loads(child.stdout.readline()) < after:
            pass
        child.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("after", [0, 20])
async def test_a_killed_process_loses_nothing_and_stores_nothing_twice(tmp_path: Path, after: int) -> None:
    await asyncio.to_thread(kill_one, tmp_path, after)
    (tmp_path / "incoming" / "half-written").write_bytes(b"of a file that was never accepted")
    async with await Library.open(Settings.from_mapping({"CITEWISE_DATA_DIR": str(tmp_path)})) as library:
        await library.process()
        assert sorted(library.names()) == sorted(f"{n}.md" for n in range(60))
        assert len(library.documents()) == 60
        assert library.tasks() == []
        evidence = await library.search("secret17", strategy="keyword")
        assert evidence.hits[0].document == "17.md"
    assert list((tmp_path / "incoming").iterdir()) == []
