"""Names of chunks: what they are about, what they say, and where each name stands."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from store_cases import FORMS, FORMS_BY_WORDS, batch, serve

from entities import ChunkNames, ConnectedName, NamePlace
from schema import Scope
from stores.base import Store
from stores.embedded import EmbeddedStore

in_each = pytest.mark.parametrize("store", FORMS_BY_WORDS, indirect=True)


def named(name: str, doc_set: str = "", **names: str) -> object:
    """A document with a chunk for each keyword: `text="about; says"`, names parted by commas."""
    given = [
        ChunkNames(*(tuple(one for one in half.strip().split(",") if one) for half in both.split(";")))
        for both in names.values()
    ]
    return replace(batch(name, list(names), doc_set), names=given)


def ids(store: Store, name: str, doc_set: str = "") -> list[int]:
    return [hit.chunk_id for hit in store.chunks(name, doc_set)]


@in_each
def test_names_come_back_with_their_chunks_and_places(store: Store) -> None:
    store.put(named("a.md", one="mill;otto brandt,lund", two=";lund"))
    store.put(named("b.md", three="lund;mill"))
    (one, two), [three] = ids(store, "a.md"), ids(store, "b.md")
    assert store.names([two, one, 2**40]) == {
        one: ChunkNames(("mill",), ("otto brandt", "lund")),
        two: ChunkNames((), ("lund",)),
    }
    places = store.name_places(["lund", "mill", "arden", "lund"], 10)
    assert places.keys() == {"lund", "mill"}
    assert places["lund"][0] == NamePlace(three, True)
    assert sorted(places["lund"][1:]) == sorted([NamePlace(one, False), NamePlace(two, False)])
    assert sorted(places["mill"]) == sorted([NamePlace(one, True), NamePlace(three, False)])
    assert store.name_places(["lund"], 1) == {"lund": [NamePlace(three, True)]}
    assert store.name_places(["lund"], 0) == store.name_places([], 5) == {}


@in_each
def test_places_within_a_scope(store: Store) -> None:
    store.put(named("a.md", "north", one="lund;mill"))
    store.put(named("b.md", "south", two=";lund"))
    [one], [two] = ids(store, "a.md", "north"), ids(store, "b.md", "south")
    assert store.name_places(["lund"], 5, Scope(doc_sets=("south",))) == {"lund": [NamePlace(two, False)]}
    assert store.name_places(["lund"], 1, Scope(documents=("a.md",))) == {"lund": [NamePlace(one, True)]}
    assert store.name_places(["mill"], 5, Scope(doc_sets=("south",))) == {}


@in_each
def test_a_chunk_that_stays_may_be_about_something_else(store: Store) -> None:
    store.put(named("a.md", one="mill;lund", two=";otto"))
    [one, two] = ids(store, "a.md")
    store.put(named("a.md", two="otto;", one=";lund"))
    assert ids(store, "a.md") == [two, one]
    assert store.names([one, two]) == {one: ChunkNames((), ("lund",)), two: ChunkNames(("otto",), ())}
    assert store.name_places(["mill", "otto", "lund"], 5) == {
        "otto": [NamePlace(two, True)],
        "lund": [NamePlace(one, False)],
    }


@in_each
def test_without_names_the_store_looks_for_them(store: Store) -> None:
    store.put(batch("notes.md", ["Otto Brandt lives in Lund.", "方立冬住在南京。"]))
    first, second = ids(store, "notes.md")
    found = store.names([first, second])
    assert found[first] == ChunkNames(("notes",), ("otto brandt", "lund"))
    assert "南京" in found[second].says


@in_each
def test_the_names_that_connect_most(store: Store) -> None:
    store.put(named("a.md", one="mill;otto,lund", two=";mill,lund", three=";mill,otto"))
    store.put(named("b.md", four="otto;lund"))
    overview = {f"text{n}": "overview;" for n in range(6)}
    store.put(named("c.md", **overview))
    (mill, *_), [otto] = ids(store, "a.md"), ids(store, "b.md")
    expected = [ConnectedName("mill", 3, mill), ConnectedName("otto", 3, otto)]
    assert sorted(store.connected_names(5)) == expected  # nothing is about Lund, too much is an overview
    assert len(store.connected_names(1)) == 1
    assert store.connected_names(0) == []
    store.delete("b.md")
    assert store.connected_names(5) == expected[:1]


@in_each
def test_the_names_that_are_asked_about_most(store: Store) -> None:
    store.put(named("a.md", one="mill;otto,lund", two=";mill,lund"))
    store.put(named("b.md", three="otto;"))
    generation = store.generation()
    store.note_asked(["otto", "otto", "lund", "nobody"])
    store.note_asked(["otto"])
    store.note_asked([])
    found = store.connected_names(5)
    assert [(one.name, one.asked) for one in found] == [("otto", 2), ("mill", 0)]
    assert store.generation() == generation
    store.delete("b.md")
    assert [one.name for one in store.connected_names(5)] == ["mill"]
    store.put(named("c.md", three="otto;"))
    assert store.connected_names(1)[0].asked == 2


@pytest.mark.parametrize("form", ["throw-away", "folder"])
@pytest.mark.parametrize("seed", range(3))
def test_after_any_changes_they_are_as_if_made_from_scratch(form: str, seed: int, tmp_path: Path) -> None:
    chance, store = random.Random(seed), FORMS[form](tmp_path)
    serve(store)
    known: dict[tuple[str, str], dict[str, str]] = {}
    words = [f"name {letter}" for letter in "abcdefgh"]
    for _ in range(60):
        key = chance.choice(["a.md", "b.md", "c.md"]), chance.choice(["", "north"])
        if chance.random() < 0.25:
            assert store.delete(*key) == (known.pop(key, None) is not None)
        elif chance.random() < 0.1:
            store.delete_doc_set("north")
            known = {one: names for one, names in known.items() if one[1] != "north"}
        else:
            texts = [f"text{n}" for n in chance.sample(range(6), chance.randint(1, 3))]
            known[key] = {text: names_for(text, first=text == texts[0]) for text in texts}
            store.put(named(key[0], key[1], **known[key]))
    fresh = EmbeddedStore()
    serve(fresh)
    for (name, doc_set), names in known.items():
        fresh.put(named(name, doc_set, **names))
    try:
        assert everything(store, words) == everything(fresh, words)
        assert known
    finally:
        fresh.close()
        store.close()


def names_for(text: str, first: bool) -> str:
    """Of the same text always the same, but for what the first chunk of a document is about."""
    some = random.Random(text).sample([f"name {letter}" for letter in "abcdefgh"], 4)
    return f"{some[0] if first else ''};{','.join(some[1:])}"


def everything(store: Store, words: list[str]) -> tuple[object, object]:
    """Names and their places, by the texts of chunks in place of ids."""
    texts = dict(store.indexed_texts())
    of = {hit.chunk_id: (hit.document, hit.doc_set, hit.position) for hit in store.hits(list(texts))}
    names = {of[chunk]: found for chunk, found in store.names(list(texts)).items()}
    places = {
        word: sorted((of[place.chunk_id], place.home) for place in found)
        for word, found in store.name_places(words, 1_000).items()
    }
    return names, places
