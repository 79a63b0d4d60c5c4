"""What every store must do: one embedding space serves, and another one takes its place."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from store_cases import alike, batch, embed, found, nearest, serve, space

from schema import EVERYWHERE
from stores.problems import SpaceChanged, VectorsMissing
from stores.sql import rows


def test_known_vectors_need_not_be_embedded_again(store):
    store.put(batch("a.md", ["one", "# H / two"]))
    known = store.known_vectors(["one", "H\n# H / two", "new", "one"])
    assert set(known) == {"one", "H\n# H / two"}
    assert alike(known["one"], embed(["one"])[0])
    assert store.known_vectors([]) == {}


def test_chunks_may_get_their_vectors_later(store):
    store.put(replace(batch("a.md", ["alpha", "beta", "gamma"]), missing=frozenset({0, 2})))
    alpha, beta, gamma = [i for i, _ in store.indexed_texts()]
    assert store.without_vectors() == [alpha, gamma]
    assert found(store, "alpha") == {("a.md", "alpha")}
    assert np.linalg.norm(store.vectors([alpha, beta, gamma]), axis=1) == pytest.approx([0, 1, 0], abs=1e-3)
    assert set(store.known_vectors(["alpha", "beta"])) == {"beta"}
    with pytest.raises(SpaceChanged):
        store.add_vectors(space("two").key, [alpha], embed(["alpha"], "two"))
    store.delete("b.md")
    store.add_vectors(space().key, [alpha, gamma, 10**6], embed(["alpha", "gamma", "gone"]))
    assert store.without_vectors() == []
    assert nearest(store, "alpha") == [("a.md", "alpha")]
    assert nearest(store, "gamma") == [("a.md", "gamma")]
    assert np.linalg.norm(store.vectors([alpha, beta, gamma, 10**6]), axis=1) == pytest.approx([1, 1, 1, 0], abs=1e-3)


def test_a_document_tells_how_many_of_its_vectors_are_missing(store):
    def missing():
        return {info.name: (info.missing, info.status) for info in store.documents()}

    stored = store.put(replace(batch("a.md", ["alpha", "beta", "gamma"]), missing=frozenset({0, 2})))
    store.put(batch("b.md", ["delta"]))
    assert stored.document.missing == 2
    assert missing() == {"a.md": (2, "pending"), "b.md": (0, "completed")}
    again = store.put(replace(batch("a.md", ["alpha", "beta", "new"]), missing=frozenset({0, 2})))  # beta keeps its own
    assert again.document.missing == 2
    first = store.without_vectors()[:1]
    store.add_vectors(space().key, first, embed(["alpha"]))
    store.add_vectors(space().key, first, embed(["alpha"]))  # it has one by now
    assert missing()["a.md"] == (1, "pending")
    rest = store.without_vectors()
    store.swap_space(space("two"), [i for i, _ in store.indexed_texts() if i not in rest],
                     embed(["alpha", "beta", "delta"], "two"), partial=True)  # fmt: skip
    assert missing()["a.md"] == (1, "pending")
    serve(store, "two")
    assert missing() == {"a.md": (0, "completed"), "b.md": (0, "completed")}


def test_a_document_is_updated_when_its_vectors_come_and_when_another_model_embeds_it(store, monkeypatch):
    def updated():
        return {info.name: info.updated for info in store.documents()}

    monkeypatch.setattr(rows, "datetime", Clock)
    Clock.second = 1
    store.put(replace(batch("a.md", ["alpha"]), missing=frozenset({0})))
    store.put(batch("b.md", ["beta"]))
    before = updated()
    Clock.second = 2
    store.add_vectors(space().key, store.without_vectors(), embed(["alpha"]))
    assert updated()["a.md"] > before["a.md"]
    assert updated()["b.md"] == before["b.md"]
    Clock.second = 3
    known = updated()
    stored = list(store.indexed_texts())
    store.swap_space(replace(space(), revision="2"), [i for i, _ in stored], embed([text for _, text in stored]))
    assert updated() == known  # the same model, fitted anew
    serve(store, "two")
    assert all(updated()[name] > known[name] for name in known)


class Clock(datetime):
    second = 0

    @classmethod
    def now(cls, tz=None):
        return cls(2026, 1, 1, 0, 0, cls.second, tzinfo=tz)


def test_another_space_needs_the_missing_vectors_too(store):
    store.put(replace(batch("a.md", ["alpha", "beta"]), missing=frozenset({0})))
    stored = list(store.indexed_texts())
    with pytest.raises(VectorsMissing):
        store.swap_space(space("two"), [stored[1][0]], embed(["beta"], "two"))
    assert store.space_key() == space().key
    store.swap_space(space("two"), [stored[1][0]], embed(["beta"], "two"), partial=True)
    assert store.space_key() == space("two").key
    assert store.without_vectors() == [stored[0][0]]
    serve(store, "two")
    assert store.without_vectors() == []


def test_what_is_learned_of_the_space_later_is_kept(store):
    store.put(batch("a.md", ["alpha"]))
    store.note_learned(replace(space(), calibration={"en": {"vector_weight": 0.4}}, fitted_on=9))
    assert store.space() == replace(space(), calibration={"en": {"vector_weight": 0.4}}, fitted_on=9)
    assert nearest(store, "alpha") == [("a.md", "alpha")]
    with pytest.raises(SpaceChanged):
        store.note_learned(space("two"))


def test_swapping_the_space(store):
    store.put(batch("a.md", ["red", "blue"]))
    assert store.space() == space("one")
    assert store.space_key() == space("one").key
    stored = list(store.indexed_texts())
    store.put(batch("b.md", ["late"]))
    ids, texts = [i for i, _ in stored], [text for _, text in stored]
    with pytest.raises(VectorsMissing) as missing:
        store.swap_space(space("two"), ids, embed(texts, "two"))
    assert store.space_key() == space("one").key  # nothing happened
    assert nearest(store, "red") == [("a.md", "red")]
    late = list(store.indexed_texts(missing.value.chunk_ids))
    assert [text for _, text in late] == ["late"]
    store.delete("a.md")  # ids that are gone by now do no harm
    store.swap_space(space("two"), [*ids, late[0][0]], embed([*texts, "late"], "two"))
    assert store.space() == space("two")
    assert store.space_key() == space("two").key
    assert nearest(store, "late", "two", k=9) == [("b.md", "late")]
    with pytest.raises(SpaceChanged):
        store.put(batch("c.md", ["x"]))
    store.put(batch("c.md", ["x"], space_name="two"))
    assert nearest(store, "x", "two") == [("c.md", "x")]
    serve(store, "two")  # the same one again


def test_vectors_may_come_one_by_one(store):
    """They may be more than should be in memory."""
    store.put(batch("a.md", ["red", "blue"]))
    stored = list(store.indexed_texts())
    store.swap_space(space("two"), [i for i, _ in stored], (embed([text], "two")[0] for _, text in stored))
    assert nearest(store, "red", "two") == [("a.md", "red")]
    with pytest.raises(ValueError, match="shorter"):
        store.swap_space(space("three"), [i for i, _ in stored], iter(embed(["red"], "three")))
    assert store.space_key() == space("two").key
    assert nearest(store, "blue", "two") == [("a.md", "blue")]


def test_writers_go_on_while_a_space_comes(store):
    """Between two vectors of it, a document comes, another goes, and the old space serves."""
    store.put(batch("a.md", [f"red n{n}" for n in range(3_000)]))
    store.put(batch("gone.md", ["blue"]))
    stored = list(store.indexed_texts())

    def rows():
        for number, (_, text) in enumerate(stored):
            if number == 2_500:
                store.delete("gone.md")
                store.put(batch("late.md", ["sea"]))
                assert nearest(store, "sea") == [("late.md", "sea")]
                assert store.space_key() == space("one").key
            yield embed([text], "two")[0]

    ids = [chunk_id for chunk_id, _ in stored]
    with pytest.raises(VectorsMissing) as missing:
        store.swap_space(space("two"), ids, rows())
    assert [hit.text for hit in store.hits(missing.value.chunk_ids)] == ["sea"]
    assert nearest(store, "sea") == [("late.md", "sea")]
    store.swap_space(space("two"), ids, (embed([text], "two")[0] for _, text in stored), partial=True)
    assert store.without_vectors() == list(missing.value.chunk_ids)
    assert nearest(store, "red n7", "two") == [("a.md", "red n7")]
    assert found(store, "blue") == set()


def test_a_chunk_that_had_no_vector_gets_one_with_the_next_version(store):
    store.put(replace(batch("a.md", ["red", "blue", "sea"]), missing=frozenset({0, 1})))
    red, *_ = store.opening(EVERYWHERE, 9)
    again = store.put(replace(batch("a.md", ["sky", "red", "blue"]), missing=frozenset({2})))
    assert again.kept_vectors == 2
    assert store.opening(EVERYWHERE, 9)[1] == red
    assert nearest(store, "red") == [("a.md", "red")]
    assert store.without_vectors() == store.opening(EVERYWHERE, 9)[2:]


def test_a_vector_that_is_there_is_not_replaced(store):
    store.put(replace(batch("a.md", ["red", "blue"]), missing=frozenset({1})))
    red, blue = store.opening(EVERYWHERE, 9)
    store.add_vectors(space().key, [red, blue], embed(["sea", "blue"]))
    assert alike(store.vectors([red, blue]), embed(["red", "blue"]))
    assert nearest(store, "red", k=9)[0] == ("a.md", "red")
    assert len(nearest(store, "red", k=9)) == 2
