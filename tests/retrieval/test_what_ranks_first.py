"""The order of what was found: languages, names that lead on, words of a translation that stand together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from retrieval_cases import Filled, fill

from entities import ChunkNames
from question_words import question_terms
from retrieval.calibration import Calibration
from retrieval.confidence import own_language_first
from retrieval.lexical import WeightedTerms
from retrieval.name_graph import NameGraph
from retrieval.name_rank import ranked_by_names
from retrieval.strategies import Candidate, Query
from retrieval.translated_terms import TranslatedTerms
from schema import Alternative, Scope, TermGroup
from stores.embedded import EmbeddedStore
from text import search_tokens


@pytest.fixture(scope="module")
def library() -> Iterator[Filled]:
    store = EmbeddedStore()
    yield fill(store)
    store.close()


def query_of(library: Filled, question: str) -> Query:
    terms = WeightedTerms.of(question_terms(question), library.store)
    return Query(question, terms, library.store, library.embedder, Calibration(), 50)


def chunks_of(library: Filled, document: str) -> list[int]:
    return library.store.opening(Scope(documents=(document,)), 2)


def test_passages_of_one_language_stay_in_their_order(library: Filled) -> None:
    found = [*chunks_of(library, "lighthouse.md"), *chunks_of(library, "bread.md")]
    given = [Candidate(chunk, 1 - place / 10) for place, chunk in enumerate(sorted(found, reverse=True))]
    assert own_language_first(query_of(library, "Who wrote of ovens?"), given) == given


def test_a_passage_of_the_other_language_falls_behind_one_that_is_nearly_as_good(library: Filled) -> None:
    [zh, _], [en, _] = chunks_of(library, "灯塔.md"), chunks_of(library, "lighthouse.md")
    query = query_of(library, "When was the lighthouse built?")
    found = own_language_first(query, [Candidate(zh, 1.0), Candidate(en, 0.9)])
    assert [(one.chunk_id, one.score) for one in found] == [(en, 0.9), (zh, 0.8)]
    kept = own_language_first(query, [Candidate(zh, 1.0), Candidate(en, 0.7)])
    assert [one.chunk_id for one in kept] == [zh, en]
    behind = [Candidate(-place, 0.5) for place in range(1, 31)]  # what is further behind is not looked at
    far = own_language_first(query, [*behind, Candidate(zh, 0.4), Candidate(en, 0.39)])
    assert [one.chunk_id for one in far[-2:]] == [zh, en]


def test_where_only_names_lead_counts_half_at_most() -> None:
    graph = NameGraph(frozenset(), {1: ChunkNames((), ("ada",)), 2: ChunkNames()}, {"ada": [3]})
    best, other, led = ranked_by_names(graph, [Candidate(1, 2.0), Candidate(2, 1.5)])
    assert [one.chunk_id for one in (best, other, led)] == [1, 2, 3]
    assert best.score == 2.0
    assert 0 < led.score <= best.score / 2
    assert 0 < led.names < best.names == 1.0  # the walk is there less often
    assert led.way == (1, "ada")
    assert best.way is other.way is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Annual and sick leave are paid.", True),
        ("We leave after the annual meeting.", True),
        ("The annual report names everybody who helped with all those boxes; then you may leave.", False),
        ("The annual report is long.", False),
    ],
)
def test_the_words_of_a_translation_stand_together(text: str, said: bool) -> None:
    with closing(EmbeddedStore()) as store:
        fill(store, {"a.md": [text], "b.md": ["Annual leave lasts for ten days."]})
        group = TermGroup((Alternative(tuple(search_tokens("annual leave")), 1.0),), 1.0, "年假")
        terms = TranslatedTerms.of_groups([group], store)
        assert terms.says(text, terms.terms) is said
