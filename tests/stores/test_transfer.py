"""A library goes from one store into another and is the same there."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from store_cases import FORMS, alike, batch, embed, found, nearest, serve, space, task

from errors import StoreError
from schema import GlossaryPair, Origin, PairAbstract, Relation, Source
from stores import transfer as transferring
from stores.pairs import pair_key, pairs
from stores.transfer import read_rows, transfer


def nothing(stage: str, done: int, total: int) -> None:
    pass


def filled(store):
    """Two sets, a source, a document whose vectors are missing in part, odd characters, what a model has said."""
    serve(store)
    website = store.put_source(Source(0, "web", "website", "https://example.org", metadata={"team": "a"}))
    store.put_all([batch("a.md", ["# H / pump motor", "valve", "pump \0 年假"]), batch("b/b.md", ["pump"], "hr")])
    page = batch("page.md", ["lighthouse fog", "bell"], "web")
    origin = Origin(source_type="website", url="https://example.org/p", source=website.id)
    store.put(replace(page, document=replace(page.document, origin=origin)))
    late = batch("late.md", ["one two", "three four"])
    vectors = np.vstack([late.vectors[:1], np.zeros_like(late.vectors[1:])])
    store.put(replace(late, vectors=vectors, missing=frozenset({1})))
    store.add_doc_set("empty")
    store.change_glossary([GlossaryPair("年假", "annual leave")])
    pair = pairs(store.chunks("a.md"))[0]
    store.put_abstracts({pair_key(pair): PairAbstract("about pumps", (Relation("pump", "machine", "pump motor"),))})
    store.note_asked(["page"])
    store.add_tasks([task("broken.pdf", status="failed")])
    return store


@pytest.fixture(params=[("folder", "postgres"), ("postgres", "folder")], ids=" to ".join)
def both(request, tmp_path):
    one, other = request.param
    with closing(FORMS[one](tmp_path / "one")) as source, closing(FORMS[other](tmp_path / "other")) as target:
        yield filled(source), target


def test_all_of_it_is_there(both):
    source, target = both
    stages = []
    report = transfer(source, target, lambda stage, done, total: stages.append((stage, done, total)))
    assert report == (4, 8, 4)
    assert stages[-1] == ("compare", 4, 4)
    assert [(one.name, one.doc_set, one.digest, one.missing) for one in target.documents()] == [
        (one.name, one.doc_set, one.digest, one.missing) for one in source.documents()
    ]
    for info in source.documents():
        one, other = (read_rows(store, (info.name, info.doc_set)) for store in both)
        assert (one.chunks, one.terms, one.names, one.missing) == (
            other.chunks,
            other.terms,
            other.names,
            other.missing,
        )
        assert alike(other.vectors, one.vectors)
        documents = [store.document(info.name, info.doc_set) for store in both]
        assert documents[0].text == documents[1].text
        assert documents[0].metadata == documents[1].metadata
    assert target.space() == source.space()
    assert target.doc_sets() == source.doc_sets()
    assert target.glossary() == source.glossary()
    assert [one.name for one in target.connected_names(5)] == [one.name for one in source.connected_names(5)]
    assert [one.asked for one in target.connected_names(5)] == [one.asked for one in source.connected_names(5)]
    key = pair_key(pairs(target.chunks("a.md"))[0])
    assert target.abstracts([key]) == source.abstracts([key])
    (website,) = target.sources()
    assert website.metadata == {"team": "a"}
    assert target.document("page.md", "web").origin.source == website.id
    assert found(target, "年假") == {("a.md", "pump \0 年假")}
    assert nearest(target, "pump", doc_sets=("hr",)) == [("b/b.md", "pump")]


def test_it_goes_on_where_it_was_interrupted_and_writes_nothing_twice(both, monkeypatch):
    source, target = both
    monkeypatch.setattr(transferring, "_GROUP", 1)

    def stop(stage, done, total):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        transfer(source, target, stop)
    assert len(target.documents()) == 2
    assert transfer(source, target, nothing) == (4, 8, 2)
    generation = target.generation()
    assert transfer(source, target, nothing) == (4, 8, 0)
    assert target.generation() == generation
    assert [one.asked for one in target.connected_names(5)] == [one.asked for one in source.connected_names(5)]


def test_other_content_is_refused_or_given_up_on_purpose(both):
    source, target = both
    serve(target)
    target.put(batch("a.md", ["another text"]))
    target.put(batch("c.md", ["pump"]))
    with pytest.raises(StoreError, match="holds something else"):
        transfer(source, target, nothing)
    assert found(target, "another") == {("a.md", "another text")}
    assert transfer(source, target, nothing, overwrite=True).documents == 4
    assert not found(target, "another")
    assert target.document("c.md") is None


def test_a_copy_that_differs_is_told(both, monkeypatch):
    source, target = both
    put_all = target.put_all
    monkeypatch.setattr(
        target, "put_all", lambda given: put_all([replace(one, vectors=one.vectors[:, ::-1]) for one in given])
    )
    with pytest.raises(StoreError, match=r"documents differ \(a.md"):
        transfer(source, target, nothing)


def test_files_on_their_way_come_first(both):
    source, target = both
    source.add_tasks([task("new.md")])
    with pytest.raises(StoreError, match=r"new\.md"):
        transfer(source, target, nothing)
    assert target.documents() == []


def test_a_library_in_another_space_is_other_content(both):
    source, target = both
    target.swap_space(space("two"), [], iter(()))
    target.put(replace(batch("a.md", ["pump"], space_name="two"), vectors=embed(["pump"], "two")))
    with pytest.raises(StoreError, match="holds something else"):
        transfer(source, target, nothing)
