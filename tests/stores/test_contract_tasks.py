"""What every store must do: files on their way are kept, in their order, until their documents are there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from store_cases import FORMS_BY_WORDS, batch, found, task

from schema import Chunking, Message, Origin
from stores.problems import TaskGone

pytestmark = pytest.mark.parametrize("store", FORMS_BY_WORDS, indirect=True)


def test_tasks_come_back_as_they_went_in(store):
    given = task(
        "目录/手册.pdf", "医院", chunking=Chunking(strategy="semantic", size=400),
        origin=Origin("pdf", "github", "", "目录/手册.pdf", "https://x", "o/r", "abc", "2026-01-01T00:00:00Z", "1-2"),
        path="/spool/1", size=77, priority=3, problem=Message(zh="坏", en="bad"), status="failed",
        metadata={"负责人": ["李", "Wu"], "year": 2026, "open": True},
    )  # fmt: skip
    generation = store.generation()
    store.add_doc_set("医院")
    [stored] = store.add_tasks([given])
    assert stored == replace(given, id=stored.id, updated=stored.updated)
    assert stored.updated
    assert store.tasks() == [stored]
    assert store.add_tasks([]) == []
    assert [name for name, *_ in store.doc_sets()] == ["医院"]
    generation = store.generation()
    store.add_tasks([task("b.md", "医院")])
    store.note_tasks([stored.id], "pending")
    store.drop_tasks([stored.id])
    assert store.generation() == generation  # nothing that an answer could stand on has changed


def test_the_set_of_a_task_is_there_at_once(store):
    store.add_tasks([task("a.md", "new"), task("b.md", "new"), task("c.md")])
    assert [(info.name, info.documents) for info in store.doc_sets()] == [("new", 0)]


def test_by_priority_and_then_as_they_came_in(store):
    a, b, c, _ = store.add_tasks([task("a"), task("b", priority=1), task("c"), task("d", priority=1)])
    assert [one.name for one in store.tasks()] == ["b", "d", "a", "c"]
    store.prioritise_tasks([c.id, a.id, 10**9], 2)
    assert [one.name for one in store.tasks()] == ["a", "c", "b", "d"]
    store.prioritise_tasks([b.id], -1)
    assert [one.name for one in store.tasks()] == ["a", "c", "d", "b"]


def test_what_becomes_of_them_is_noted(store):
    a, b, _ = store.add_tasks([task("a"), task("b"), task("c")])
    store.note_tasks([a.id, b.id, 10**9], "processing")
    assert [one.status for one in store.tasks()] == ["processing", "processing", "pending"]
    store.note_tasks([b.id], "failed", Message(zh="没有文字", en="no text"))
    assert [(one.status, one.problem) for one in store.tasks()][1] == ("failed", Message(zh="没有文字", en="no text"))
    store.note_tasks([b.id], "pending")
    assert store.tasks()[1].problem is None
    assert store.drop_tasks([a.id, 10**9]) == [a.id]
    assert store.drop_tasks([]) == []
    assert [one.name for one in store.tasks()] == ["b", "c"]


def test_a_newer_one_of_the_same_file_takes_the_place(store):
    first = store.add_tasks([task("a", "s", path="1"), task("a", "t", path="2"), task("a", "s", job="rechunk")])
    store.note_tasks([first[0].id], "failed", Message(zh="坏", en="bad"))
    [newer] = store.add_tasks([task("a", "s", path="3")])
    assert newer.id not in [one.id for one in first]
    assert sorted((one.job, one.doc_set, one.path) for one in store.tasks()) == [
        ("add", "s", "3"),
        ("add", "t", "2"),
        ("rechunk", "s", ""),
    ]
    twice = store.add_tasks([task("b", path="1"), task("b", path="2")])
    assert [one.path for one in store.tasks() if one.name == "b"] == ["2"]
    assert len({one.id for one in twice}) == 2


def test_ids_never_come_back(store):
    [first] = store.add_tasks([task("a")])
    store.drop_tasks([first.id])
    [second] = store.add_tasks([task("a")])
    assert second.id > first.id


def test_a_task_goes_when_its_document_is_there(store):
    a, b, c = store.add_tasks([task("a.md"), task("b.md"), task("c.md")])
    store.put_all([replace(batch("a.md", ["one"]), task=a.id), replace(batch("b.md", ["two"]), task=b.id)])
    assert store.tasks() == [c]
    store.put(batch("c.md", ["three"]))
    assert store.put(replace(batch("c.md", ["three"]), task=c.id)).outcome == "unchanged"
    assert store.tasks() == []


def test_what_was_made_for_a_task_that_is_gone_is_refused(store):
    """Cancelled, or an older upload that is ready later than a newer one."""
    older, other = store.add_tasks([task("a.md", "s"), task("b.md", "s")])
    [newer] = store.add_tasks([task("a.md", "s")])
    store.put(replace(batch("a.md", ["new"], "s"), task=newer.id))
    batches = [
        replace(batch("b.md", ["other"], "s"), task=other.id),
        replace(batch("a.md", ["old"], "s"), task=older.id),
    ]
    with pytest.raises(TaskGone) as gone:
        store.put_all(batches)
    assert gone.value.task_ids == (older.id,)
    assert gone.value.suggestions
    assert found(store, "old") == found(store, "other") == set()  # all or none
    assert store.tasks() == [other]
    store.put_all(batches[:1])
    assert found(store, "new") == {("a.md", "new")}
    assert found(store, "other") == {("b.md", "other")}


def test_nothing_comes_back_into_a_set_that_was_deleted(store):
    [one] = store.add_tasks([task("a.md", "s")])
    store.delete_doc_set("s")
    with pytest.raises(TaskGone):
        store.put(replace(batch("a.md", ["one"], "s"), task=one.id))
    assert store.documents() == []
    assert store.doc_sets() == []


def test_a_file_arrives_in_the_set_as_it_is_called_by_then(store):
    [one] = store.add_tasks([task("a.md", "old")])
    store.rename_doc_set("old", "new")
    stored = store.put(replace(batch("a.md", ["one"], "old"), task=one.id))
    assert stored.document.doc_set == "new"
    assert found(store, "one", doc_sets=("new",)) == {("a.md", "one")}
    assert [info.name for info in store.doc_sets()] == ["new"]


def test_claims_are_freed_at_the_next_opening(store):
    a, b, c = store.add_tasks([task("a.md"), task("b.md"), task("c.md")])
    assert sorted(store.claim_tasks([a.id, b.id])) == [a.id, b.id]
    assert [one.status for one in store.tasks()] == ["processing", "processing", "pending"]
    assert store.keep_tasks([a.id, b.id], {a.id: ("chunk", 0.25)}) == {a.id, b.id}
    store.put(replace(batch("a.md", ["one"]), task=a.id))
    store.note_tasks([b.id], "failed", Message(zh="坏", en="bad"))
    store.note_tasks([c.id], "processing")  # as a killed program leaves it
    store.free_tasks()
    assert [(one.name, one.status) for one in store.tasks()] == [("b.md", "failed"), ("c.md", "pending")]
    assert store.claim_tasks([c.id]) == [c.id]
    store.give_back_tasks([c.id])
    assert store.claim_tasks([c.id]) == [c.id]
    store.drop_tasks([c.id], {c.id: None})
    with pytest.raises(TaskGone):
        store.put(replace(batch("c.md", ["one"]), task=c.id))
    assert store.hold("cleaning")
    assert store.hold("cleaning")
    store.let_go("cleaning")


def test_thousands_of_them(store):
    many = store.add_tasks([task(f"{n}.md", "s", origin=Origin(stamp=str(n))) for n in range(5_000)])
    ids = [one.id for one in many]
    assert store.tasks() == many
    store.note_tasks(ids, "processing")
    store.prioritise_tasks(ids[:2_500], 1)
    assert {one.status for one in store.tasks()} == {"processing"}
    store.drop_tasks(ids[2_500:])
    assert [one.id for one in store.tasks()] == ids[:2_500]
