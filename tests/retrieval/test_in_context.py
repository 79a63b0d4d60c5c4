"""What a search hands to be read: distinct passages, those that touch as one; the ranking stays as it was."""

from __future__ import annotations

import asyncio

import pytest
from retrieval_cases import SETTINGS, TEXTS, fill

from retrieval.search import SearchResources, search
from schema import Evidence, SearchRequest
from stores.embedded import EmbeddedStore

COPIES = {
    **TEXTS,
    "bread, old.md": TEXTS["bread.md"],
    "bread, older.md": [TEXTS["bread.md"][0], "Nothing else was written then."],
    "oven.md": ["The oven of the bakery is fired with wood on four days of the week."],
}


@pytest.fixture(scope="module")
def ask():
    store = EmbeddedStore()
    filled = fill(store, COPIES)

    def ask(question: str, **options: object) -> Evidence:
        parts = SearchResources(filled.store, filled.embedder, SETTINGS)
        return asyncio.run(search(SearchRequest(question, **options), parts))  # type: ignore[arg-type]

    yield ask
    store.close()


def test_copies_give_their_place_to_the_next_and_are_named(ask) -> None:
    question = "What does bread need, and how does the dough rise in a cool place?"
    ranked = ask(question, top_k=3)
    assert [hit.document for hit in ranked.hits].count("bread.md") == 1  # its copies take the other places
    read = ask(question, top_k=3, in_context=True)
    copies = [hit for hit in read.hits if "dough rises overnight" in hit.text]
    assert len(copies) == 1
    assert copies[0].document == "bread.md"
    assert set(copies[0].also_in) == {"odd › bread, old.md", "odd › bread, older.md"}  # they are in another set
    assert not any("oven" in hit.text for hit in ranked.hits)
    assert any("oven" in hit.text for hit in read.hits)
    assert read.hits[0].score == ranked.hits[0].score
    assert read.confidence == ranked.confidence


def test_touching_hits_are_one_with_the_best_score(ask) -> None:
    question = "Which ships steer by the lighthouse that was built in 1874?"
    ranked = ask(question, top_k=2)
    assert [hit.document for hit in ranked.hits] == ["lighthouse.md"] * 2
    [one] = ask(question, top_k=2, in_context=True).hits
    assert one.text == "\n".join(TEXTS["lighthouse.md"])
    assert (one.start, one.end, one.start_line, one.end_line) == (0, len(one.text), 1, 2)
    assert (one.chunk_id, one.score, one.scores) == (
        ranked.hits[0].chunk_id,
        ranked.hits[0].score,
        ranked.hits[0].scores,
    )


def test_nothing_changes_where_nothing_touches_or_repeats(ask) -> None:
    for question in ("灯塔建于哪一年？", "请假由谁批准？"):
        assert ask(question, top_k=1).hits == ask(question, top_k=1, in_context=True).hits
