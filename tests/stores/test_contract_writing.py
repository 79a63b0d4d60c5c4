"""What every store must do: documents go in and out, whole or not at all."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from store_cases import FORMS, alike, batch, by_words, embed, found, nearest, serve, space

from errors import StoreError
from schema import EVERYWHERE, Chunking, Origin, Place, Scope
from stores.base import Store
from stores.problems import SpaceChanged


def test_a_new_library_is_empty_and_serves_no_space(tmp_path):
    for form in FORMS.values():
        store = form(tmp_path)
        assert store.space() is None
        assert store.space_key() is None
        assert store.documents() == []
        assert store.search_terms(["x"], 5) == []
        assert store.search_vector(embed(["x"])[0], 5) == []
        assert store.stats()[:2] == (0, 0)
        with pytest.raises(SpaceChanged):
            store.put(batch("a.md", ["text"]))
        assert store.documents() == []
        store.close()


@by_words
def test_a_document_comes_back_as_it_went_in(store):
    given = batch("手册.md", ["第一段 内容", "# 新生儿科 / 第二段 \x00 𠀀𠀁"], "医院")
    stored = store.put(given)
    assert stored.outcome == "added"
    assert store.document("手册.md", "医院") == given.document
    assert store.document("手册.md") is None
    [info] = store.documents()
    assert stored.document == info
    assert (info.name, info.doc_set, info.chunks, info.chunking) == ("手册.md", "医院", 2, given.chunking)
    assert (info.digest, info.size) == (given.document.digest, given.document.size)
    assert [text for _, text in store.indexed_texts()] == [chunk.indexed_text for chunk in given.chunks]


def test_another_reader_of_the_same_text_has_its_places_stored(store):
    """As they would be missed by whoever compares texts; the chunks keep their vectors."""
    given = batch("a.pdf", ["one two", "three"])
    store.put(given)
    serve(store)
    places = (Place(0, "page", 1, "", (1, 2, 3, 4), ("two 0.50",)), Place(8, "page", 2))
    read = replace(given.document, places=places, origin=Origin("pdf", reader="v2 ocr"))
    again = store.put(replace(given, document=read))
    assert (again.outcome, again.document.origin.reader) == ("replaced", "v2 ocr")
    assert store.document("a.pdf").places == places
    [first, second] = store.chunks("a.pdf", "", 0, 2)
    assert (first.places, second.places) == (places[:1], places[1:])
    assert store.put(replace(given, document=read)).outcome == "unchanged"


@by_words
def test_a_large_document_is_cut_at_the_right_places(store):
    paragraphs = [f"{n} " + "字𠀀" * 997 + f" mark{n}" for n in range(40)]
    paragraphs[2] = "2 a\0b mark2"  # no text ends there, nor what stands behind it
    store.put(batch("large.md", paragraphs))
    assert store.document("large.md").text == "\n".join(paragraphs)
    for n in (0, 2, 3, 7, 8, 9, 16, 39):
        assert found(store, f"mark{n}") == {("large.md", paragraphs[n])}


def test_the_same_again_is_a_no_op(store):
    first = store.put(batch("a.md", ["one", "two"]))
    ids = store.opening(EVERYWHERE, 9)
    again = store.put(batch("a.md", ["one", "two"]))
    assert again.outcome == "unchanged"
    assert again.document == first.document
    assert store.opening(EVERYWHERE, 9) == ids
    other = store.put(batch("a.md", ["one", "two"], chunking=Chunking(strategy="fixed", size=50)))
    assert (other.outcome, other.kept_vectors) == ("replaced", 2)
    assert store.documents()[0].chunking.size == 50


@by_words
def test_the_same_from_elsewhere_is_unchanged_but_for_its_origin(store):
    given = batch("a.md", ["one", "two"])
    store.put(given)
    ids, before = store.opening(EVERYWHERE, 9), store.generation()
    origin = Origin("markdown", "github", commit_id="2", stamp="2")
    again = store.put(replace(given, document=replace(given.document, origin=origin)))
    assert again.outcome == "unchanged"
    assert again.document.origin == origin == store.documents()[0].origin == store.chunks("a.md")[0].origin
    assert store.opening(EVERYWHERE, 9) == ids
    assert store.generation() > before


def test_many_documents_in_one_transaction(store):
    store.put(batch("old.md", ["was here", "stays"]))
    [_, stays] = store.opening(EVERYWHERE, 9)
    before = store.generation()
    stored = store.put_all(
        [
            batch("a.md", ["one shared"]),
            batch("old.md", ["stays", "is new"]),
            batch("a.md", ["one shared"], "s"),
            batch("empty.md", []),
            batch("a.md", ["two shared", "one shared"]),  # the same once more: the last one counts
            batch("a.md", ["two shared", "one shared"]),
        ]
    )
    assert [one.outcome for one in stored] == ["added", "replaced", "added", "added", "replaced", "unchanged"]
    assert [one.kept_vectors for one in stored] == [0, 1, 0, 0, 1, 0]
    assert store.generation() > before
    assert found(store, "shared") == {("a.md", "one shared"), ("a.md", "two shared")}
    assert len(nearest(store, "one shared", k=99)) == 5
    assert stays in store.opening(Scope(documents=("old.md",)), 9)
    assert [info.name for info in store.documents()] == ["a.md", "empty.md", "a.md", "old.md"]
    assert store.stats()[:2] == (4, 5)
    assert store.put_all([]) == []


def test_all_or_none(store):
    store.put(batch("a.md", ["one"]))
    before = store.generation()
    with pytest.raises(SpaceChanged):
        store.put_all([batch("a.md", ["two"]), batch("b.md", ["three"]), batch("c.md", ["x"], space_name="other")])
    other = replace(batch("c.md", ["x"]).document, text="y")
    with pytest.raises(ValueError, match="text at its place"):
        store.put_all([batch("b.md", ["three"]), replace(batch("c.md", ["x"]), document=other)])
    assert store.generation() == before
    assert found(store, "one") == {("a.md", "one")}
    assert found(store, "two") == found(store, "three") == set()
    assert [info.name for info in store.documents()] == ["a.md"]


def test_replacing_keeps_what_did_not_change(store):
    store.put(batch("a.md", ["one", "two", "two", "three"]))
    before = dict(zip(["one", "two", "two2", "three"], store.opening(EVERYWHERE, 9), strict=True))
    changed = batch("a.md", ["zero", "one", "two", "three more", "# H / two"])
    stored = store.put(replace(changed, vectors=-changed.vectors))
    assert (stored.outcome, stored.kept_vectors) == ("replaced", 2)
    after = store.opening(EVERYWHERE, 9)
    assert after[1:3] == [before["one"], before["two"]]
    assert not {after[0], *after[3:]} & set(before.values())
    assert alike(store.vectors(after[1:3]), embed(["one", "two"]))  # the vectors it had
    assert alike(store.vectors(after[:1]), -embed(["zero"]))
    assert [hit.start_line for hit in store.hits(after)] == [1, 2, 3, 4, 5]
    assert found(store, "three") == {("a.md", "three more")}
    assert store.hits([before["three"]]) == []
    assert nearest(store, "one") == [("a.md", "one")]
    assert len(nearest(store, "one", k=99)) == 5


def test_deleting(store):
    store.put(batch("a.md", ["one shared"]))
    store.put(batch("a.md", ["two shared"], "set"))
    assert store.delete("a.md")
    assert not store.delete("a.md")
    assert not store.delete("a.md", "other")
    assert store.document("a.md") is None
    assert found(store, "shared") == {("a.md", "two shared")}
    assert nearest(store, "one", k=9) == [("a.md", "two shared")]
    assert store.known_vectors(["one shared"]) == {}
    assert store.stats()[:2] == (1, 1)
    assert store.delete("a.md", "set")
    assert store.stats()[:2] == (0, 0)
    assert store.space_key() == space().key  # an empty library keeps its space


def test_deleting_many_in_one_go(store):
    for name, doc_set in (("a", ""), ("b", ""), ("b", "s"), ("c", "s")):
        store.put(batch(name, [f"all {name}{doc_set}"], doc_set))
    before = store.generation()
    assert store.delete_all([]) == store.delete_all([("x", ""), ("a", "s")]) == 0
    assert store.generation() == before
    assert store.delete_all(iter([("a", ""), ("a", ""), ("b", "s"), ("x", "s")])) == 2
    assert found(store, "all") == {("b", "all b"), ("c", "all cs")}
    assert sorted(nearest(store, "all", k=9)) == [("b", "all b"), ("c", "all cs")]
    assert store.generation() > before


@by_words
def test_what_is_said_of_a_document_changes_without_its_chunks(store):
    given = batch("a.md", ["one", "two"])
    store.put(given)
    ids, before = store.opening(EVERYWHERE, 9), store.generation()
    again = store.put(replace(given, document=replace(given.document, metadata={"rating": 5})))
    assert again.outcome == "unchanged"
    assert store.document("a.md").metadata == {"rating": 5}
    assert store.opening(EVERYWHERE, 9) == ids
    assert store.generation() > before
    assert [info.name for info in store.documents(Scope(metadata={"rating": 5}))] == ["a.md"]
    assert store.documents(Scope(metadata={"title": "a.md"})) == []


@by_words
def test_newest_first(store):
    for name in "abc":
        store.put(batch(name, [name]))
    store.put(batch("a", ["changed"]))
    assert [info.name for info in store.documents()] == ["a", "c", "b"]


@by_words
def test_a_chunk_that_is_not_at_its_place_is_refused(store):
    given = batch("a.md", ["one", "two"])
    with pytest.raises(ValueError, match="at its place"):
        store.put(replace(given, chunks=[given.chunks[0], replace(given.chunks[1], start=0)]))
    assert store.documents() == []


@by_words
def test_a_cut_of_a_text_that_is_gone_is_refused(store: Store) -> None:
    store.put(batch("a.md", ["alpha", "beta"]))
    again = replace(batch("a.md", ["alpha", "beta"], chunking=Chunking(strategy="fixed", size=200)), replaces="")
    current = replace(again, replaces=again.document.digest)
    with pytest.raises(StoreError):
        store.put(again)  # made from another text
    assert store.put(current).outcome == "replaced"
    store.delete("a.md")
    with pytest.raises(StoreError):
        store.put(current)  # a document that was deleted meanwhile does not come back
    assert store.documents() == []


def test_every_change_raises_the_generation(store):
    def change_nothing() -> None:
        store.put(batch("a.md", ["one"]))
        store.delete("b.md")
        store.search_terms(["one"], 5)

    seen = [store.generation()]
    for change in (
        lambda: store.put(batch("a.md", ["one"])),
        lambda: store.put(batch("a.md", ["one", "two"])),
        lambda: store.put(batch("a.md", ["one"])),  # as it was before, and yet another generation
        lambda: serve(store, "two"),
        lambda: store.put(replace(batch("late.md", ["late"], space_name="two"), missing=frozenset({0}))),
        lambda: store.add_vectors(space("two").key, store.without_vectors(), embed(["late"], "two")),
        lambda: store.move("a.md", "", "s"),
        lambda: store.rename_doc_set("s", "t"),
        lambda: store.add_doc_set("empty"),
        lambda: store.delete_doc_set("empty"),
        lambda: store.delete("a.md", "t"),
    ):
        change()
        seen.append(store.generation())
        assert store.generation() == seen[-1]
    assert seen == sorted(set(seen))
    serve(store)
    store.put(batch("a.md", ["one"]))
    last = store.generation()
    change_nothing()
    assert store.generation() == last


def test_concurrent_writers_take_turns(store):
    threads = [
        threading.Thread(target=lambda n=n: [store.put(batch(f"{n}-{m}", [f"all t{n}x{m}"])) for m in range(4)])
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.documents()) == len(found(store, "all")) == 16
