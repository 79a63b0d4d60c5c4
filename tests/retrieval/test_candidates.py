"""What a search says of every passage that it considered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from retrieval_cases import SETTINGS, TEXTS, Filled, fill

from nodes.state import Record
from providers.rerankers import Reranker
from retrieval.passage_fates import MOST
from retrieval.search import SearchResources, search
from schema import ConsideredPassage, Evidence, Hit, Plan, SearchRequest, Trace
from stores.embedded import EmbeddedStore

FILLER = [f"Report {n}: the harbour office counted {n + 3} ships and wrote nothing else down." for n in range(60)]


@pytest.fixture
def filled() -> Iterator[Callable[..., Filled]]:
    stores: list[EmbeddedStore] = []

    def make(texts: dict[str, list[str]] | None = None) -> Filled:
        stores.append(EmbeddedStore())
        return fill(stores[-1], texts)

    yield make
    for store in stores:
        store.close()


def ask(library: Filled, question: str, reranker: Reranker | None = None, **options: Any) -> Evidence:
    variables = {name: options.pop(name) for name in list(options) if name in type(SETTINGS).model_fields}
    settings = SETTINGS.model_copy(update=variables)
    parts = SearchResources(library.store, library.embedder, settings, reranker=reranker)
    return asyncio.run(search(SearchRequest(question, **options), parts))


def fates(evidence: Evidence) -> dict[str, str]:
    return {one.begins: one.fate for one in evidence.considered}


@pytest.mark.parametrize("strategy", ["keyword", "vector", "hybrid", "default", "rm3"])
def test_each_hit_is_considered_and_stands_where_it_is_read(filled: Callable[..., Filled], strategy: str) -> None:
    evidence = ask(filled(), "When was the lighthouse built?", strategy=strategy, top_k=2)
    kept = {one.place: one for one in evidence.considered if one.fate == "kept"}
    assert [kept[place].chunk_id for place in sorted(kept)] == [hit.chunk_id for hit in evidence.hits]
    ranks = [one.rank for one in evidence.considered if one.rank]
    assert ranks == sorted(set(ranks))
    for hit in evidence.hits:
        [one] = [one for one in evidence.considered if one.chunk_id == hit.chunk_id]
        assert (one.document, one.start_line) == (hit.document, hit.start_line)
        assert one.scores == pytest.approx(hit.scores, abs=1e-4)
        assert hit.text.startswith(one.begins.removesuffix(" …"))


def test_what_is_over_the_limit_says_so_with_its_scores(filled: Callable[..., Filled]) -> None:
    evidence = ask(filled(), "lighthouse bread stone", strategy="keyword", top_k=1)
    [kept] = [one for one in evidence.considered if one.fate == "kept"]
    rest = [one for one in evidence.considered if one is not kept]
    assert rest
    assert {one.fate for one in rest} == {"limit"}
    assert all(one.scores["bm25"] > 0 and one.place == 0 for one in rest)
    assert kept.scores["fused"] >= max(one.scores["fused"] for one in rest)


def test_what_is_too_far_from_the_question_says_so(filled: Callable[..., Filled]) -> None:
    evidence = ask(filled(), "When was the lighthouse built?", strategy="vector", min_similarity=1.0)
    below = [one for one in evidence.considered if one.fate == "below"]
    assert below
    assert all(one.rank == 0 and set(one.scores) == {"cosine"} for one in below)
    assert not {one.chunk_id for one in below} & {hit.chunk_id for hit in evidence.hits}
    cosines = [one.scores["cosine"] for one in below]
    assert cosines == sorted(cosines, reverse=True)


def test_a_copy_names_what_it_repeats(filled: Callable[..., Filled]) -> None:
    text = TEXTS["lighthouse.md"][0]
    evidence = ask(filled({**TEXTS, "copy.md": [text]}), "When was the lighthouse built?", in_context=True)
    [copy] = [one for one in evidence.considered if one.fate == "duplicate"]
    [kept] = [one for one in evidence.considered if one.rank == copy.of]
    assert (kept.fate, kept.begins) == ("kept", copy.begins)
    assert {kept.document, copy.document} == {"lighthouse.md", "copy.md"}


def test_neighbours_that_are_read_as_one_say_so(filled: Callable[..., Filled]) -> None:
    evidence = ask(filled(), "The dough rises; an oven of stone keeps its heat", in_context=True, top_k=3)
    [joined] = [one for one in evidence.considered if one.fate == "joined"]
    [whole] = [one for one in evidence.considered if one.rank == joined.of]
    assert (whole.fate, whole.document, joined.document) == ("kept", "bread.md", "bread.md")


class Backwards:
    """Takes the last for the best and the first for irrelevant."""

    name, calibrated = "backwards", True

    async def rerank(self, question: str, hits: Sequence[Hit]) -> list[float | None]:
        return [place / len(hits) for place in range(len(hits))]


def test_a_reranker_changes_places_and_drops(filled: Callable[..., Filled]) -> None:
    evidence = ask(filled(), "lighthouse bread stone buoys", Backwards(), strategy="keyword", top_k=4)
    first = evidence.considered[0]
    assert (first.rank, first.fate) == (1, "irrelevant")
    kept = sorted((one for one in evidence.considered if one.fate == "kept"), key=lambda one: one.place)
    assert [one.chunk_id for one in kept] == [hit.chunk_id for hit in evidence.hits]
    assert [one.rank for one in kept] == sorted((one.rank for one in kept), reverse=True)
    assert all("rerank" in one.scores for one in kept)


def test_a_large_library_costs_no_more_and_the_record_stays_small(filled: Callable[..., Filled]) -> None:
    evidence = ask(filled({"port.md": FILLER}), "how many ships did the harbour office count?", in_context=True)
    assert 20 <= len(evidence.considered) <= MOST + 5
    record = Record(plan=Plan(), trace=Trace(considered=evidence.considered))
    stored = record.model_dump_json()
    assert len(stored.encode()) < 10_000
    again = Record.model_validate_json(stored)
    assert again.trace is not None
    assert [one.chunk_id for one in again.trace.considered] == [one.chunk_id for one in evidence.considered]
    assert again.model_dump_json() == stored
    assert isinstance(again.trace.considered[0], ConsideredPassage)


def test_a_record_of_an_earlier_version_is_read() -> None:
    record = Record.model_validate({"plan": {}, "trace": {"calls": [], "steps": []}})
    assert record.trace == Trace()
