"""What every store must do: abstracts of pairs, by a key of their texts."""

from __future__ import annotations

from schema import Hit, PairAbstract, Relation
from stores.base import Store
from stores.pairs import pair_key, pairs

GEAR = PairAbstract("The gear is of oak.", (Relation("gear", "windmill", "The gear of the windmill"),))
OAK = PairAbstract("齿轮是橡木的。")


def test_abstracts_are_kept_by_key(store: Store) -> None:
    generation = store.generation()
    store.put_abstracts({"a": GEAR, "b": PairAbstract("old")})
    store.put_abstracts({"b": OAK})
    assert store.abstracts(["b", "a", "c", "a"]) == {"a": GEAR, "b": OAK}
    assert store.abstracts([]) == {}
    assert store.keep_abstracts({"b", "d"}) == 1
    assert store.abstracts(["a", "b"]) == {"b": OAK}
    assert store.keep_abstracts([]) == 1
    assert store.generation() == generation


def hit(position: int, text: str, *headings: str) -> Hit:
    return Hit(position, "a.md", "", text, 0, len(text), 1, 1, headings, position=position)


def test_pairs_and_their_keys() -> None:
    hits = [hit(0, "x", "A"), hit(1, "y", "A", "B"), hit(2, "z", "A"), hit(3, "w", "C"), hit(4, "v", "C")]
    assert [[one.chunk_id for one in pair] for pair in pairs(hits)] == [[0, 1], [2], [3], [4]]
    assert pair_key([hit(0, "x"), hit(1, "y")]) == pair_key([hit(8, "x"), hit(9, "y")])
    assert len({pair_key(pair) for pair in ([hit(0, "xy")], [hit(0, "x"), hit(1, "y")], [hit(0, "xy", "A")])}) == 3
