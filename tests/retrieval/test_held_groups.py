"""Which translations a library has is remembered by the word, and is told of each library as it is."""

from __future__ import annotations

import pytest

from providers.hashing import HashingEmbedder
from retrieval import held_groups as module
from retrieval.held_groups import held_groups
from schema import Alternative, Chunk, Chunking, Document, TermGroup
from stores.base import DocumentBatch
from stores.embedded import EmbeddedStore
from stores.indexes import term_counts
from text import search_tokens

LEAVE, ANNUAL = Alternative(("leav",), 1.0, "leave"), Alternative(("annual", "leav"), 0.5, "annual leave")
GROUP = TermGroup((LEAVE, ANNUAL, Alternative(("go",), 0.1)), term="假")
EMBEDDER = HashingEmbedder(128)


def _put(store: EmbeddedStore, *texts: str) -> None:
    """Each as a document of one chunk."""
    if store.space() is None:
        store.swap_space(EMBEDDER.space, [], EMBEDDER.embed([]))
    for text in texts:
        chunks, vectors = [Chunk(text, 0, len(text), 1, 1)], EMBEDDER.embed([text])
        document = Document(f"{text}.md", text)
        store.put(
            DocumentBatch(document, Chunking(), chunks, [" ".join(search_tokens(text))], vectors, EMBEDDER.space.key)
        )


def _texts(store: EmbeddedStore) -> list[tuple[str, ...]]:
    [held] = held_groups([GROUP], store)
    return [each.tokens for each in held.group.alternatives]


def test_each_library_is_told_of_by_its_own_words_also_after_a_change() -> None:
    one, other = EmbeddedStore(), EmbeddedStore()
    _put(one, "Leave is granted.")
    _put(other, "Ships need light.")
    assert (_texts(one), _texts(other), _texts(one)) == ([("leav",)], [], [("leav",)])
    assert [held.frequency for held in held_groups([GROUP, GROUP], one)] == [1, 1]
    _put(one, "Annual leave ends in March.", "We go.")
    [held] = held_groups([GROUP], one)
    assert [each.tokens for each in held.group.alternatives] == [("leav",), ("annual", "leav"), ("go",)]
    assert [each.tokens for each in held.likely] == [("leav",), ("annual", "leav")]
    assert held.frequency == pytest.approx((2 + 0.5 + 0.1) / 1.6)
    one.close()
    other.close()


def test_a_group_finds_what_has_come_in_since_it_was_asked() -> None:
    store = EmbeddedStore()
    _put(store, "Leave is granted.")
    assert len(store.search_groups([GROUP], 9)) == len(store.search_groups([GROUP], 9)) == 1
    _put(store, "Leave ends in March.")
    assert len(store.search_groups([GROUP], 9)) == 2
    store.close()


def test_both_memories_of_groups_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 2)
    monkeypatch.setattr(term_counts, "_GROUPS", 2)
    monkeypatch.setattr(module, "_remembered", type(module._remembered)())
    store = EmbeddedStore()
    _put(store, "Leave is granted.")
    groups = [TermGroup((Alternative(("leav",), 1.0),), term=str(number)) for number in range(5)]
    assert all(held.frequency == 1 for held in held_groups(groups, store))
    assert len(store.search_groups(groups, 9)) == 1
    assert [known.asked.term for known in module._remembered.values()] == ["3", "4"]
    assert len(store._terms.index._counted._queries) == 2
    store.close()
