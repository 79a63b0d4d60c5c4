"""What scopes come to is found once a generation, and kept within bounds."""

from __future__ import annotations

import pytest
from store_cases import batch, serve

from schema import Scope
from stores.embedded import EmbeddedStore
from stores.sql import scopes


@pytest.fixture
def store():
    store = EmbeddedStore()
    serve(store)
    store.put_all([batch(f"{n}", ["one", "two"]) for n in range(30)])
    yield store
    store.close()


def test_a_scope_is_found_once_until_something_changes(store):
    scope = Scope(documents=("3",))
    first = store._scopes.within(scope)
    assert store._scopes.within(Scope(documents=("3",))) is first
    assert len(first.chunks) == 2
    store.delete("3")
    assert not len(store._scopes.within(scope).chunks)


def test_few_of_them_are_kept(store, monkeypatch):
    for n in range(30):
        store._scopes.within(Scope(documents=(f"{n}",)))
    assert len(store._scopes._kept) == scopes._KEPT
    monkeypatch.setattr(scopes, "_KEPT_IDS", 10)
    store._scopes.within(Scope(documents=("0",)))
    assert len(store._scopes._kept) == 5
    many = Scope(kinds=("markdown",))
    assert len(store._scopes.within(many).chunks) == 60  # too many to be kept at all
    assert len(store._scopes._kept) == 0


def test_one_that_was_read_before_a_change_is_not_kept_after_it(store):
    scope = Scope(documents=("3",))
    old = store._scopes.within(scope)
    generation = store.generation()
    store.delete("3")
    store._scopes.within(scope)
    store._scopes._keep(generation, repr(scope), old, forgotten=0)
    assert not len(store._scopes.within(scope).chunks)
