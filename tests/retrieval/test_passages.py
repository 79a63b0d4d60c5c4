"""What is remembered of passages saves reading them again, and never outlives a change."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import pytest
from retrieval_cases import fill

from retrieval import passages as module
from retrieval.passages import passages
from schema import Hit
from stores.embedded import EmbeddedStore


class Counting(EmbeddedStore):
    """Notes what is read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[int] = []

    def hits(self, chunk_ids: Sequence[int]) -> list[Hit]:
        self.read += chunk_ids
        return super().hits(chunk_ids)


def test_passages_are_read_once_until_something_changes() -> None:
    store = Counting()
    fill(store, {"bread.md": ["Dough rises overnight.", "The oven is hot."], "ships.md": ["Ships need light."]})
    [bread, *_], [ships] = store.chunks("bread.md", "even"), store.chunks("ships.md", "even")
    first, second = bread.chunk_id, ships.chunk_id
    assert passages(store, [first]) == {first: bread}
    store.read.clear()
    assert passages(store, [second, first, -1]) == {second: ships, first: bread}
    assert store.read == [second, -1]
    store.move("bread.md", "even", "kitchen")
    assert passages(store, [first])[first].doc_set == "kitchen"
    store.delete("bread.md", "kitchen")
    assert passages(store, [first]) == {}
    store.close()


def test_both_memories_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT", 2)
    monkeypatch.setattr(module, "_REMEMBERED", 3)
    monkeypatch.setattr(module, "_tokens", OrderedDict())
    store = Counting()
    fill(store, {f"{number}.md": [f"Passage number {number} stands alone."] for number in range(5)})
    ids = [store.chunks(f"{number}.md", "even")[0].chunk_id for number in range(5)]
    for chunk in ids[:3]:
        passages(store, [chunk])
    store.read.clear()
    passages(store, [ids[0]])  # three were kept, which is one too many: they are read anew
    assert store.read == [ids[0]]
    passages(store, [ids[0]])
    assert store.read == [ids[0]]
    passages(store, ids)
    assert len(module._tokens) == 3  # the last ones
    store.close()
