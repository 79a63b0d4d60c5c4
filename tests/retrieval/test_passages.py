"""What is remembered of passages saves reading them again, and never outlives a change."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval_cases import fill

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
