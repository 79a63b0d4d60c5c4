"""Pseudo-relevance feedback: what the best passages say often is asked for as well."""

from __future__ import annotations

from collections import Counter

from retrieval_cases import fill

from retrieval.feedback import expansion
from stores.embedded import EmbeddedStore
from text import search_tokens

TEXTS = {
    "a.md": [f"Copper smelting needs charcoal and a furnace, batch {number}." for number in range(4)],
    "b.md": ["A furnace burns charcoal for days.", "The market sells apples."],
    "c.md": [f"The market report of week {number} lists prices of the market." for number in range(20)],
}


def expanded(*passages: tuple[str, float]) -> Counter[str]:
    store = EmbeddedStore()
    fill(store, TEXTS)
    found = Counter(expansion(passages, store).terms)
    store.close()
    return found


def test_terms_count_by_how_often_the_best_passages_say_them():
    found = expanded((TEXTS["a.md"][0], 1.0), (TEXTS["b.md"][0], 0.2))
    charcoal, copper, days = (search_tokens(word)[0] for word in ("charcoal", "copper", "days"))
    assert found[charcoal] >= found[copper] > found[days] >= 1


def test_what_is_said_everywhere_expands_nothing():
    found = expanded((TEXTS["c.md"][0], 1.0), (TEXTS["c.md"][1], 1.0))
    assert search_tokens("market")[0] not in found


def test_nothing_found_gives_nothing():
    assert not expanded()
    assert not expanded(("", 1.0), ("the of and", 0.0))


def test_the_same_passages_give_the_same_terms():
    passages = [(text, 1.0) for text in TEXTS["a.md"]]
    assert expanded(*passages) == expanded(*passages)
