"""A second look at a weak search: another order, and nothing else."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from retrieval_cases import SETTINGS, fill

from retrieval.by_meaning import by_meaning
from retrieval.search import SearchResources, search
from schema import Evidence, Hit, SearchRequest, StrategyName
from stores.embedded import EmbeddedStore
from tests.each_row import each_row

SAID = ["The pool is closed in winter.", "Dogs and cats are not allowed.", "早餐七点开始。", "退房须在中午之前。", ""]
LIBRARY = {
    "house.md": ["The pool is closed in winter. May is the month in which it opens.", "Animals are not allowed."],
    "住宿.md": ["早餐七点开始供应，我们可以送到房间。", "猫和狗不得入内。"],
}


def hits(*texts: str) -> list[Hit]:
    count = len(texts)
    return [
        Hit(number, "a.md", "", text, 0, len(text), 1, 1, (), 0.4 - 0.3 * number / count, {"bm25": 1.0})
        for number, text in enumerate(texts)
    ]


@given(st.lists(st.sampled_from(SAID), max_size=30), st.sets(st.integers(0, 29)))
@settings(max_examples=50, deadline=None)
def test_nothing_is_lost_and_each_place_keeps_its_score(texts: list[str], led: set[int]) -> None:
    before = hits(*texts)
    after = by_meaning("May I bring my puppy?", before, led)
    assert sorted(hit.chunk_id for hit in after) == [hit.chunk_id for hit in before]
    assert [hit.score for hit in after] == [hit.score for hit in before]
    assert after[12:] == tuple(before[12:])
    assert all(one.chunk_id == place for place, one in enumerate(after) if place in led)
    assert {hit.text for hit in after} == {*texts}


@each_row(
    ("question", "texts", "first"),
    [
        ("May I bring my puppy?", SAID, 1),
        ("几点要离开房间？", SAID, 3),
        (
            "Can I bring a pet?",
            ["The pool is closed. No animals are allowed in the rooms. It opens in May.", SAID[0]],
            0,
        ),
    ],
)
def test_the_nearest_sentence_speaks_for_its_passage(question: str, texts: list[str], first: int) -> None:
    after = by_meaning(question, hits(*texts))
    assert after[0].chunk_id == first
    assert after[0].scores["meaning"] == max(hit.scores["meaning"] for hit in after)
    assert after[0].scores["bm25"] == 1


async def found(question: str, strategy: StrategyName, **given: Any) -> Evidence:
    with_library = fill(given.pop("store"), LIBRARY)
    resources = SearchResources(with_library.store, with_library.embedder, SETTINGS)
    return await search(SearchRequest(question, strategy, **given), resources)


@pytest.fixture
def store(tmp_path):
    with contextlib.closing(EmbeddedStore(tmp_path)) as opened:
        yield opened


@pytest.mark.parametrize("strategy", ["default", "hybrid", "vector", "rm3"])
@pytest.mark.parametrize("question", ["Dare I take my puppy?", "宠物能不能带进来？"])
async def test_a_weak_search_is_looked_at_again(store, strategy: StrategyName, question: str) -> None:
    evidence = await found(question, strategy, store=store)
    if strategy == "default":
        assert evidence.hits[0].text in {LIBRARY["house.md"][1], LIBRARY["住宿.md"][1]}
    if evidence.hits:
        assert "meaning" in {step.name for step in evidence.steps}


@pytest.mark.parametrize(("question", "strategy"), [("pool closed winter", "default"), ("puppy pool", "keyword")])
async def test_words_that_are_said_or_asked_for_decide(store, question: str, strategy: StrategyName) -> None:
    evidence = await found(question, strategy, store=store)
    assert evidence.hits
    assert "meaning" not in {step.name for step in evidence.steps}


SCHOOL = [
    "The child can sing.", "Lessons can be long.", "A child can stay for lunch.", "Away games can be cancelled.",
    "When can the child swim?", "Can lids stay on the pots.", "Stay with the child in the yard.",
    "From noon a child can play.", "A sick pupil remains at home until the fever is gone.",
]  # fmt: skip


async def test_more_is_looked_at_than_is_read(store) -> None:
    with_library = fill(store, {f"{number}.md": [text] for number, text in enumerate(SCHOOL)})
    resources = SearchResources(with_library.store, with_library.embedder, SETTINGS)
    request = SearchRequest("Can the child stay away from lessons when ill?", "default", in_context=True, top_k=3)
    evidence = await search(request, resources)
    assert len(evidence.hits) == 3
    assert SCHOOL[-1] in [hit.text for hit in evidence.hits]
    [answer] = [one for one in evidence.considered if SCHOOL[-1].startswith(one.begins.removesuffix(" …"))]
    assert answer.rank > 3
