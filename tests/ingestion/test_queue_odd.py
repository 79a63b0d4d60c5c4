"""What seldom happens to a queue: its folder moves, its bytes go, names are no text, sets move at the wrong moment."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import pytest
from queue_house import LONG, House, files, spooled, text

from errors import StoreError
from ingestion.worker import Worker, WorkerPool
from schema import Chunking, IncomingFile, Message, Origin, StoreOutcome
from stores.problems import UnusableStoreError

FULL = UnusableStoreError(Message(zh="磁盘已满。", en="The disk is full."))
CUT = Chunking(strategy="fixed", size=60)


def outcomes_of(house: House, tasks: Any) -> list[Any]:
    return [getattr(outcome, "outcome", outcome) for outcome in house.outcomes(tasks)]


@pytest.mark.parametrize("by", ["moved", "linked"])
def test_a_library_that_is_found_elsewhere_has_its_files_on_their_way_with_it(tmp_path, by):
    first = House(tmp_path / "library")
    tasks = first.queue.submit([*files("apple", "pear"), IncomingFile("empty.md", b"")])
    first.close()
    if by == "moved":
        shutil.move(tmp_path / "library", tmp_path / "elsewhere")
    else:
        (tmp_path / "elsewhere").symlink_to(tmp_path / "library")
    second = House(tmp_path / "elsewhere")
    assert len(spooled(second)) == 3
    second.queue.start()
    assert outcomes_of(second, tasks)[:2] == ["added", "added"]
    second.queue.cancel([task.id for task in second.queue.tasks()])
    assert spooled(second) == set()
    second.close()


def test_a_file_of_somebody_else_stays_where_it_is(tmp_path):
    path = tmp_path / "incoming" / ("a" * 32)
    path.parent.mkdir()
    path.write_bytes(text("apple"))
    house = House(tmp_path / "library")
    house.queue.submit([IncomingFile("apple.md", path=str(path))])
    house.close()
    again = House(tmp_path / "library")
    assert [task.path for task in again.queue.tasks()] == [str(path)]
    again.queue.start()
    assert outcomes_of(again, again.queue.tasks()) == ["added"]
    again.close()
    assert path.exists()


@pytest.mark.skipif(os.name != "posix", reason="names are text there")
def test_a_file_whose_name_on_the_disk_is_no_text(house, again, tmp_path):
    name = os.fsdecode(b"\xff\xfe.md")
    path = tmp_path / name
    try:
        path.write_bytes(text("apple"))
    except OSError:
        pytest.skip("this disk has no such names")
    [task] = house.queue.submit([IncomingFile(name, path=str(path), origin=Origin(file_path=f"in/{name}"))])
    assert house.store.tasks()[0].path == str(path)
    opened = again(house)
    opened.queue.start()
    assert outcomes_of(opened, [task]) == ["added"]
    assert opened.names() == {"??.md"}
    assert opened.store.documents()[0].origin.file_path == "in/??.md"


def test_a_set_whose_name_is_no_text_is_refused(house):
    with pytest.raises(StoreError, match="no character"):
        house.queue.submit(files("apple", doc_set="\ud800"))
    assert spooled(house) == set()
    assert house.queue.tasks() == []


def test_a_spool_that_was_tidied_away_is_made_again(house):
    tasks = house.queue.submit(files("apple"))
    shutil.rmtree(house.folder / "incoming")
    house.queue.start()
    assert "cannot be read" in house.outcomes(tasks)[0].message.en
    assert outcomes_of(house, house.queue.submit(files("apple", "pear"))) == ["added", "added"]


def test_a_cut_that_closing_interrupts_goes_on_afterwards(house, again, monkeypatch):
    house.queue.start()
    house.outcomes(house.queue.submit(files("apple")))
    reached, closing = threading.Event(), threading.Event()

    def closed_meanwhile(over: str, work: Callable[..., Any]) -> None:
        reached.set()
        assert closing.wait(LONG)
        raise StoreError(Message(zh="知识库正在关闭。", en="The library is being closed."))

    monkeypatch.setattr(house.pool, "run", closed_meanwhile)
    house.queue.rechunk([("apple.md", "", CUT)], 0)
    assert reached.wait(LONG)
    house.queue.stop()
    closing.set()
    opened = again(house)
    [task] = opened.queue.tasks()
    assert task.status == "pending"
    opened.queue.start()
    assert outcomes_of(opened, [task]) == ["replaced"]


@pytest.mark.parametrize("by", ["rename", "move"])
def test_a_document_goes_elsewhere_just_before_it_is_cut(house, by):
    house.queue.start()
    house.outcomes(house.queue.submit(files("apple", doc_set="here")))
    house.pipeline.reached.clear()
    house.pipeline.gate.clear()
    tasks = house.queue.rechunk([("apple.md", "here", CUT)], 0)
    assert house.pipeline.reached.wait(LONG)
    if by == "rename":
        assert house.queue.rename_doc_set("here", "there")
    else:
        assert house.queue.move("apple.md", "here", "there")
    house.pipeline.gate.set()
    assert outcomes_of(house, tasks) == ["replaced"]
    assert [(info.doc_set, info.chunking.size) for info in house.store.documents()] == [("there", 60)]


def test_a_cut_that_moves_takes_the_place_of_one_that_failed_there(house):
    house.queue.start()
    house.outcomes(house.queue.submit(files("apple", doc_set="here")))
    failed = house.queue.rechunk([("apple.md", "there", CUT)], 0)
    assert "not in the library" in house.outcomes(failed)[0].message.en
    house.pipeline.gate.clear()
    tasks = house.queue.rechunk([("apple.md", "here", CUT)], 0)
    assert house.queue.move("apple.md", "here", "there")
    assert [task.id for task in house.queue.tasks()] == [task.id for task in house.store.tasks()] == [tasks[0].id]
    house.pipeline.gate.set()
    assert outcomes_of(house, tasks) == ["replaced"]
    assert house.queue.tasks() == []


def test_what_cannot_be_cancelled_on_the_disk_is_still_there(house, again, monkeypatch):
    house.queue.submit(files("apple"))

    def drop(task_ids: list[int]) -> None:
        raise FULL

    with monkeypatch.context() as full:
        full.setattr(house.store, "drop_tasks", drop)
        with pytest.raises(UnusableStoreError):
            house.queue.cancel([task.id for task in house.queue.tasks()])
    assert house.queue.tasks() == house.store.tasks()
    assert len(spooled(house)) == 1
    opened = again(house)
    opened.queue.start()
    assert outcomes_of(opened, opened.queue.tasks()) == ["added"]


def lending(
    monkeypatch: pytest.MonkeyPatch, house: House, after: threading.Event | None = None
) -> tuple[threading.Event, threading.Event]:
    """Set when a worker is asked for from now on, and when one is lent; none is before an event."""
    waiting, lent, borrow = threading.Event(), threading.Event(), house.pool.borrow

    @contextmanager
    def borrow_late() -> Iterator[Worker]:
        waiting.set()
        assert after is None or after.wait(LONG)
        with borrow() as worker:
            lent.set()
            yield worker

    monkeypatch.setattr(house.pool, "borrow", borrow_late)
    return waiting, lent


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="a process cannot be held there")
@pytest.mark.parametrize("by", ["cancelled", "set deleted", "newer"])
def test_a_file_that_never_ends_can_be_taken_back(tmp_path, monkeypatch, by):
    monkeypatch.setattr("ingestion.queue_work._POLITE", 0.1)
    house = House(tmp_path / "library", workers=1)
    house.pipeline.warm()
    _, lent = lending(monkeypatch, house)
    os.kill(house.pool._workers[0]._process.pid, signal.SIGSTOP)  # it works on and on, and says nothing
    house.queue.start()
    endless = house.queue.submit(files("apple", doc_set="s"))
    assert lent.wait(LONG)  # else another file may have the worker
    others = house.queue.submit(files("pear", "plum"))
    if by == "cancelled":
        house.queue.cancel([endless[0].id])
    elif by == "set deleted":
        house.queue.delete_doc_set("s")
    else:
        others += house.queue.submit(files("apple", doc_set="s"))
    assert outcomes_of(house, others) == ["added"] * len(others)
    assert not isinstance(house.outcomes(endless)[0], StoreOutcome)
    assert spooled(house) == set()
    house.close()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="a process cannot be held there")
def test_a_file_that_never_ends_can_be_taken_back_before_a_worker_has_it(tmp_path, monkeypatch):
    monkeypatch.setattr("ingestion.queue_work._POLITE", 0.01)
    house, pressed, interrupt = House(tmp_path / "library", workers=1), threading.Event(), WorkerPool.interrupt
    house.pipeline.warm()
    waiting, lent = lending(monkeypatch, house, after=pressed)

    def interrupt_early(thread: int) -> bool:
        found = interrupt(house.pool, thread)
        pressed.set()
        return found

    monkeypatch.setattr(house.pool, "interrupt", interrupt_early)
    os.kill(house.pool._workers[0]._process.pid, signal.SIGSTOP)
    house.queue.start()
    [endless] = house.queue.submit(files("apple"))
    assert waiting.wait(LONG)
    house.queue.cancel([endless.id])
    assert lent.wait(LONG)  # else the next file may have the worker that says nothing
    assert outcomes_of(house, house.queue.submit(files("pear"))) == ["added"]
    house.close()


def test_the_set_of_an_archive_is_not_renamed_between_the_archive_and_its_files(house, monkeypatch):
    packed, add, renamers = BytesIO(), house.queue._add, []
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("apple.md", text("apple"))
    [task] = house.queue.submit([IncomingFile("box.zip", packed.getvalue(), doc_set="here")])

    def rename_meanwhile(tasks: Any, *rest: Any) -> Any:
        renamers.append(threading.Thread(target=house.queue.rename_doc_set, args=("here", "there")))
        renamers[-1].start()
        renamers[-1].join(0.2)  # long enough for a renaming that nothing holds back
        return add(tasks, *rest)

    monkeypatch.setattr(house.queue, "_add", rename_meanwhile)
    house.queue.start()
    [outcome] = house.outcomes([task])
    assert isinstance(house.queue.outcome(outcome[0]).result(LONG), StoreOutcome)
    renamers[0].join(LONG)
    assert [(info.doc_set, info.name) for info in house.store.documents()] == [("there", "box/apple.md")]
    assert [info.name for info in house.store.doc_sets()] == ["there"]
