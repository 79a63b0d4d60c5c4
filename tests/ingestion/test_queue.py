"""The queue over a real store, with the real pipeline in its own threads."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from queue_house import LONG, files, spooled, text

from errors import CitewiseError, FileError
from ingestion import backlog
from ingestion.outcomes import SkippedFile
from schema import Chunking, Document, IncomingFile, Origin, Scope, StoreOutcome


def test_what_is_submitted_is_in_the_store_before_anything_is_done(house):
    tasks = house.queue.submit(files("apple", "pear"))
    assert [(task.name, task.status) for task in house.store.tasks()] == [
        ("apple.md", "pending"),
        ("pear.md", "pending"),
    ]
    assert (
        [task.id for task in tasks] == [task.id for task in house.store.tasks()] == [t.id for t in house.queue.tasks()]
    )
    assert {Path(task.path).read_bytes() for task in tasks} == {text("apple"), text("pear")}
    assert not any("apple" in path for path in spooled(house))
    assert house.queue.waiting() == ["apple.md", "pear.md"]
    assert house.queue.busy()


def test_a_file_becomes_a_document_and_its_task_is_gone(house):
    house.queue.start()
    tasks = house.queue.submit(files("apple", "pear", doc_set="fruit"))
    outcomes = house.outcomes(tasks)
    assert [outcome.outcome for outcome in outcomes] == ["added", "added"]
    assert house.text_of("pear.md", "fruit") == text("pear").decode()
    assert house.queue.tasks() == house.store.tasks() == []
    assert spooled(house) == set()
    assert house.queue.progress() == (2, 2)
    assert not house.queue.busy()
    house.queue.submit(files("plum"))
    assert house.queue.progress()[1] == 1  # it was empty before


def test_a_bad_file_fails_alone_with_its_remedy_and_can_be_retried(house, tmp_path):
    bad = tmp_path / "bad.md"
    house.queue.start()
    tasks = house.queue.submit([*files("apple"), IncomingFile("bad.md", path=str(bad)), IncomingFile("empty.md", b"")])
    good, missing, empty = house.outcomes(tasks)
    assert good.outcome == "added"
    assert isinstance(missing, CitewiseError)
    assert isinstance(empty, FileError)
    shown = {task.name: task for task in house.queue.tasks()}
    assert {task.status for task in shown.values()} == {"failed"}
    assert shown["empty.md"].problem == empty.in_full
    stored = {task.name: replace(task, updated=shown[task.name].updated) for task in house.store.tasks()}
    assert stored == shown  # each was told of it in its own second
    bad.write_bytes(text("good"))
    house.queue.retry([task.id for task in tasks])
    _, found, still_empty = house.outcomes(tasks)
    assert found.outcome == "added"
    assert isinstance(still_empty, CitewiseError)
    assert bad.exists()  # it is not ours
    house.queue.cancel([tasks[2].id])
    assert house.queue.tasks() == house.store.tasks() == []
    assert spooled(house) == set()


def test_a_defect_over_one_file_harms_no_other(house):
    house.pipeline.defect = "pear.md"
    tasks = house.queue.submit(files("apple", "pear", "plum"))
    house.queue.start()
    apple, pear, plum = house.outcomes(tasks)
    assert (apple.outcome, plum.outcome) == ("added", "added")
    assert "RuntimeError" in pear.message.en
    assert [task.name for task in house.queue.tasks()] == ["pear.md"]


def test_text_that_was_read_already(house):
    house.queue.start()
    origin = Origin("html", "website", url="https://example.org/a", timestamp="2026-01-02T03:04:05+00:00")
    page = Document("example.org/a", "# A page\n\nIt says apple.\n", "web", "markdown", "en", 9, {"title": "A"}, origin)
    house.outcomes(house.queue.submit_documents([page], Chunking(), 0))
    stored = house.store.document("example.org/a", "web")
    assert (stored.text, stored.origin, stored.metadata["title"]) == (page.text, origin, "A")
    assert spooled(house) == set()


# --- order ---------------------------------------------------------------------------------------------------------


def test_what_is_hurried_goes_first_and_alone(house):
    tasks = house.queue.submit(files(*(f"w{n}" for n in range(120))))
    last = tasks[-1]
    house.queue.prioritise([last.id])
    assert house.queue.tasks()[0].name == last.name
    urgent = house.queue.submit(files("urgent"), priority=10)
    house.queue.start()
    house.outcomes([*tasks, *urgent])
    assert sorted(house.pipeline.batches[:2]) == [["urgent.md"], [last.name]]
    assert [name for batch in house.pipeline.batches for name in batch].count(last.name) == 1
    assert max(map(len, house.pipeline.batches)) <= 48
    assert not any(house.pipeline.later[:2])  # who is waited for has vectors
    assert house.pipeline.later[2]  # many are waiting


def test_large_files_do_not_share_a_batch(house, monkeypatch):
    monkeypatch.setattr(backlog, "_BYTES", 1_000)
    large = [IncomingFile(f"{n}.md", text("large") * 10) for n in range(3)]
    house.queue.start()
    house.pipeline.gate.clear()
    tasks = house.queue.submit(large)
    house.pipeline.gate.set()
    house.outcomes(tasks)
    assert [len(batch) for batch in house.pipeline.batches] == [1, 1, 1]


def test_thousands_at_once_are_one_transaction_and_cheap_to_look_at(house):
    many = [IncomingFile(f"{n}.md", path="/nowhere") for n in range(2_000)]
    generation = house.store.generation()
    tasks = house.queue.submit(many)
    assert len(house.store.tasks()) == len(house.queue.tasks()) == 2_000
    assert house.store.generation() == generation
    assert house.queue._backlog.listed() is house.queue._backlog.listed()  # not made anew while nothing changes
    house.queue.cancel([task.id for task in tasks])
    assert house.queue.tasks() == house.store.tasks() == []
    assert house.queue.progress() == (2_000, 2_000)


# --- newer ones, cancelled ones --------------------------------------------------------------------------------------


def test_the_newer_file_of_a_name_takes_the_place_of_the_older(house):
    [older] = house.queue.submit([IncomingFile("a.md", text("old"))])
    [newer] = house.queue.submit([IncomingFile("a.md", text("new"))])
    assert [task.id for task in house.queue.tasks()] == [newer.id]
    assert spooled(house) == {newer.path}
    assert house.queue.outcome(older.id).result(0) == newer.id
    house.queue.start()
    house.outcomes([newer])
    assert house.text_of("a.md") == text("new").decode()


def test_a_newer_file_comes_while_the_older_is_being_processed(house):
    house.pipeline.gate.clear()
    house.queue.start()
    [older] = house.queue.submit([IncomingFile("a.md", text("old"))])
    assert house.pipeline.reached.wait(LONG)
    waiting = house.queue.outcome(older.id)
    [newer] = house.queue.submit([IncomingFile("a.md", text("new"))])
    house.pipeline.gate.set()
    assert waiting.result(LONG) == newer.id
    assert house.outcomes([newer])[0].outcome in ("added", "replaced")
    assert house.text_of("a.md") == text("new").decode()
    assert spooled(house) == set()


def test_the_same_name_twice_in_one_call_is_the_last_one(house):
    first, second = house.queue.submit([IncomingFile("a.md", text("old")), IncomingFile("a.md", text("new"))])
    assert first.id == second.id
    assert spooled(house) == {second.path}


def test_a_cut_of_a_file_on_its_way_loses_no_bytes(house):
    [older] = house.queue.submit([IncomingFile("a.md", text("new") * 5)])
    [cut] = house.queue.rechunk([("a.md", "", Chunking(strategy="fixed", size=60))], 0)
    assert (cut.job, cut.path) == ("add", older.path)
    assert spooled(house) == {older.path}
    house.queue.start()
    [outcome] = house.outcomes([cut])
    assert (outcome.document.chunking.strategy, outcome.document.chunking.size) == ("fixed", 60)
    assert spooled(house) == set()


def test_a_stored_document_is_cut_again(house):
    house.queue.start()
    house.outcomes(house.queue.submit([IncomingFile("a.md", text("apple") * 5)]))
    [outcome] = house.outcomes(house.queue.rechunk([("a.md", "", Chunking(strategy="fixed", size=60))], 0))
    assert outcome.document.chunks > 1
    [missing] = house.outcomes(house.queue.rechunk([("none.md", "", Chunking())], 0))
    assert missing.kind == "not_found"


def test_cancelled_files_are_forgotten_with_their_bytes(house):
    keep, drop = house.queue.submit(files("keep", "drop"))
    waiting = house.queue.outcome(drop.id)
    house.queue.cancel([drop.id, 999_999])
    assert "cancelled" in waiting.result(0).message.en
    assert spooled(house) == {keep.path}
    house.queue.start()
    house.outcomes([keep])
    assert house.names() == {"keep.md"}
    assert house.queue.outcome(999_999).result(0).kind == "not_found"


def test_one_that_is_being_processed_stops_and_the_others_of_its_batch_go_on(house):
    house.pipeline.gate.clear()
    keep, drop = house.queue.submit(files("keep", "drop"))
    house.queue._backlog._hands = 1  # both in one batch
    house.queue.start()
    assert house.pipeline.reached.wait(LONG)
    assert {task.status for task in house.queue.tasks()} == {"processing"}
    waiting = house.queue.outcome(drop.id)
    house.queue.cancel([drop.id])
    assert not waiting.done()
    house.pipeline.gate.set()
    assert isinstance(waiting.result(LONG), CitewiseError)
    assert house.outcomes([keep])[0].outcome == "added"
    assert house.names() == {"keep.md"}
    assert spooled(house) == set()


def test_what_is_stored_when_it_is_cancelled_is_told_as_stored(house, monkeypatch):
    put_all = house.store.put_all

    def then_cancelled(batches):
        stored = put_all(batches)
        house.queue.cancel([batch.task for batch in batches])  # before the queue has heard of it
        return stored

    monkeypatch.setattr(house.store, "put_all", then_cancelled)
    tasks = house.queue.submit(files("one", "two"))
    house.queue.start()
    assert [outcome.outcome for outcome in house.outcomes(tasks)] == ["added", "added"]
    assert house.names() == {"one.md", "two.md"}
    assert house.queue.tasks() == []


def test_sets_take_their_files_along(house):
    a, b = house.queue.submit(
        [IncomingFile("a.md", text("a"), doc_set="old"), IncomingFile("b.md", text("b"), doc_set="gone")]
    )
    house.store.add_doc_set("old")
    house.store.add_doc_set("gone")
    assert house.queue.rename_doc_set("old", "new")
    assert house.queue.waiting(Scope(doc_sets=("new",))) == ["a.md"]
    assert house.queue.delete_doc_set("gone")
    assert house.queue.tasks() == house.store.tasks()
    assert spooled(house) == {a.path}
    house.queue.start()
    house.outcomes([a])
    assert house.text_of("a.md", "new") == text("a").decode()
    assert isinstance(house.outcomes([b])[0], CitewiseError)


# --- archives --------------------------------------------------------------------------------------------------------


def zipped(members: dict[str, bytes]) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


def test_an_archive_gives_way_to_its_files(house):
    data = zipped(
        {
            "a.md": text("apple"),
            "in/b.txt": text("pear"),
            "../../c.md": text("plum"),
            "x.exe": b"MZ\x90\0" * 9,
            "e.py": b"",
        }
    )
    house.queue.start()
    how = Chunking(strategy="fixed", size=50)
    [archive] = house.queue.submit([IncomingFile("my notes.zip", data, doc_set="s", chunking=how)])
    [members] = house.outcomes([archive])
    outcomes = [house.queue.outcome(member).result(LONG) for member in members]
    assert [type(outcome) for outcome in outcomes] == [
        StoreOutcome,
        StoreOutcome,
        StoreOutcome,
        SkippedFile,
        SkippedFile,
    ]
    stored = {info.name: info for info in house.store.documents(Scope(doc_sets=("s",)))}
    assert stored.keys() == {"my notes/a.md", "my notes/in/b.txt", "my notes/c.md"}
    assert stored["my notes/in/b.txt"].origin.file_path == "in/b.txt"
    assert stored["my notes/a.md"].chunking.size == 50
    skipped = {task.name: task for task in house.queue.tasks()}
    assert skipped.keys() == {"my notes/x.exe", "my notes/e.py"}
    assert all(task.status == "skipped" and task.problem for task in skipped.values())
    assert spooled(house) == set()


def test_a_damaged_archive_fails_and_says_why(house):
    house.queue.start()
    [outcome] = house.outcomes(house.queue.submit([IncomingFile("a.zip", zipped({"a.md": text("a")})[:60])]))
    assert isinstance(outcome, FileError)
    assert [task.status for task in house.queue.tasks()] == ["failed"]
