"""What a library holds is told from memory as the store would tell it, also after a change."""

from __future__ import annotations

import pytest
from retrieval_cases import fill

from retrieval.catalogue import Catalogue
from schema import EVERYWHERE, Scope
from stores.embedded import EmbeddedStore


@pytest.fixture(scope="module")
def store():
    store = EmbeddedStore()
    fill(store)
    yield store
    store.close()


@pytest.mark.parametrize(
    "scope",
    [
        EVERYWHERE,
        Scope(documents=("bread.md",)),
        Scope(doc_sets=("odd",)),
        Scope(documents=("bread.md", "灯塔.md"), doc_sets=("even",)),
        Scope(kinds=("code",)),
        Scope(doc_sets=("even",), kinds=("text",)),
        Scope(metadata=(("author", "nobody"),)),
    ],
)
def test_a_scope_means_what_it_means_to_the_store(store: EmbeddedStore, scope: Scope) -> None:
    catalogue = Catalogue(store)
    assert list(catalogue.within(scope)) == store.documents(scope)
    assert catalogue.languages(scope) == store.languages(scope)


def test_a_generation_is_read_once() -> None:
    class Counting(EmbeddedStore):
        reads = 0

        def documents(self, scope=EVERYWHERE):
            self.reads += 1
            return super().documents(scope)

    store = Counting()
    fill(store)
    store.reads = 0
    catalogue = Catalogue(store)
    assert set(catalogue.names) == {info.name for info in catalogue.documents}
    assert catalogue.languages(EVERYWHERE).total() == len(catalogue.names)
    assert store.reads == 1
    store.add_doc_set("new")
    assert store.generation() > catalogue.generation
    assert "new" in {info.name for info in Catalogue(store).doc_sets}
    store.close()
