"""What every store must do: documents in sets, which are made, renamed, emptied and deleted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from store_cases import FORMS_BY_WORDS, batch, found, nearest, task

from errors import StoreError
from schema import EVERYWHERE, Chunking, DocSetInfo, Scope

pytestmark = pytest.mark.parametrize("store", FORMS_BY_WORDS, indirect=True)


def sets(store) -> dict[str, tuple[int, int]]:
    return {name: (documents, chunks) for name, documents, chunks in store.doc_sets()}


def test_sets_are_listed_with_what_is_in_them(store):
    assert store.doc_sets() == []
    store.put(batch("a.md", ["one", "two"], "手册"))
    store.put(batch("b.md", ["three"], "手册"))
    assert store.add_doc_set("empty")
    assert not store.add_doc_set("empty")
    assert not store.add_doc_set("手册")
    assert not store.add_doc_set("")
    assert store.doc_sets() == [DocSetInfo("empty", 0, 0), DocSetInfo("手册", 2, 3)]
    store.put(batch("a.md", ["four"]))
    assert store.doc_sets() == [DocSetInfo("", 1, 1), DocSetInfo("empty", 0, 0), DocSetInfo("手册", 2, 3)]
    store.delete("a.md")
    store.delete("a.md", "手册")
    store.delete("b.md", "手册")
    assert sets(store) == {"empty": (0, 0), "手册": (0, 0)}  # a set stays until it is deleted


def test_a_moved_document_is_found_in_its_new_set_only(store):
    store.put(batch("a.md", ["one", "# H / two"], "from"))
    store.put(batch("b.md", ["one"], "from"))
    ids = store.opening(Scope(documents=("a.md",)), 9)
    vectors = store.vectors(ids)
    before = store.generation()
    assert store.move("a.md", "from", "to")
    assert store.generation() > before
    assert found(store, "one", doc_sets=("to",)) == {("a.md", "one")}
    assert found(store, "one", doc_sets=("from",)) == {("b.md", "one")}
    assert nearest(store, "one", doc_sets=("to",)) == [("a.md", "one")]
    assert nearest(store, "one", k=9, doc_sets=("from",)) == [("b.md", "one")]
    assert store.document("a.md", "from") is None
    assert store.document("a.md", "to").text == "one\n# H / two"
    assert store.opening(Scope(doc_sets=("to",)), 9) == ids
    assert (store.vectors(ids) == vectors).all()
    assert sets(store) == {"from": (1, 1), "to": (1, 2)}
    assert store.move("a.md", "to", "")
    assert found(store, "one", doc_sets=("",)) == {("a.md", "one")}
    assert sets(store) == {"": (1, 2), "from": (1, 1), "to": (0, 0)}


def test_a_move_into_nowhere_or_onto_another(store):
    store.put(batch("a.md", ["one"], "s"))
    store.put(batch("a.md", ["two"], "t"))
    assert not store.move("b.md", "s", "t")
    assert not store.move("a.md", "u", "t")
    generation = store.generation()
    with pytest.raises(StoreError) as error:
        store.move("a.md", "s", "t")
    assert error.value.suggestions
    assert store.move("a.md", "s", "s")
    assert store.generation() == generation
    assert found(store, "one", doc_sets=("s",)) == {("a.md", "one")}
    assert found(store, "two", doc_sets=("t",)) == {("a.md", "two")}


def test_a_moved_document_is_still_replaced_and_deleted(store):
    store.put(batch("a.md", ["one", "two"], "s"))
    ids = store.opening(EVERYWHERE, 9)
    store.move("a.md", "s", "t")
    assert store.put(batch("a.md", ["one", "new"], "t")).outcome == "replaced"
    assert store.opening(EVERYWHERE, 9)[0] == ids[0]
    assert found(store, "one", doc_sets=("t",)) == {("a.md", "one")}
    assert store.put(batch("a.md", ["one"], "s")).outcome == "added"
    assert store.delete("a.md", "t")
    assert found(store, "one") == {("a.md", "one")}


def test_renaming_takes_everything_along(store):
    store.put(batch("a.md", ["one", "two"], "old"))
    store.add_tasks([task("b.md", "old")])
    store.add_doc_set("taken")
    ids, before = store.opening(EVERYWHERE, 9), store.generation()
    assert store.rename_doc_set("old", "new")
    assert store.generation() > before
    assert found(store, "one", doc_sets=("new",)) == {("a.md", "one")}
    assert found(store, "one", doc_sets=("old",)) == set()
    assert nearest(store, "one", doc_sets=("new",)) == [("a.md", "one")]
    assert [one.doc_set for one in store.tasks()] == ["new"]
    assert store.opening(Scope(doc_sets=("new",)), 9) == ids
    assert sets(store) == {"new": (1, 2), "taken": (0, 0)}
    for to in ("taken", ""):
        with pytest.raises(StoreError):
            store.rename_doc_set("new", to)
    assert not store.rename_doc_set("old", "x")
    assert not store.rename_doc_set("", "x")
    assert store.rename_doc_set("new", "new")
    store.put(batch("c.md", ["three"], "old"))  # the old name is free for another set
    assert found(store, "three", doc_sets=("old",)) == {("c.md", "three")}
    assert found(store, "one", doc_sets=("old",)) == set()


def test_deleting_a_set_deletes_its_documents_and_tasks_and_no_others(store):
    store.put(batch("a.md", ["one"], "s"))
    store.put(batch("b.md", ["one"], "s"))
    store.put(batch("a.md", ["one"], "t"))
    store.put(batch("a.md", ["one"]))
    store.add_tasks([task("x.md", "s"), task("x.md", "t")])
    assert store.delete_doc_set("s")
    assert not store.delete_doc_set("s")
    assert not store.delete_doc_set("")
    assert {(info.name, info.doc_set) for info in store.documents()} == {("a.md", "t"), ("a.md", "")}
    assert len(nearest(store, "one", k=9)) == 2
    assert [one.doc_set for one in store.tasks()] == ["t"]
    assert sets(store) == {"": (1, 1), "t": (1, 1)}
    store.put(batch("a.md", ["two"], "s"))  # of the same name, and yet another set
    assert found(store, "one", doc_sets=("s",)) == set()
    assert found(store, "two", doc_sets=("s",)) == {("a.md", "two")}


def test_what_is_cut_again_follows_a_move(store):
    store.put(batch("a.md", ["one two"], "s"))
    [cut] = store.add_tasks([task("a.md", "s", job="rechunk")])
    store.move("a.md", "s", "t")
    assert [(one.id, one.doc_set) for one in store.tasks()] == [(cut.id, "t")]
    again = batch("a.md", ["one two"], "s", chunking=Chunking(strategy="fixed", size=5))
    again = replace(again, replaces=again.document.digest, task=cut.id)
    assert store.put(again).outcome == "replaced"  # in the set where the document is by now
    assert [(info.doc_set, info.chunking.size) for info in store.documents()] == [("t", 5)]
