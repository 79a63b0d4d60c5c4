import asyncio
import logging

import numpy as np
import pytest
from retrieval_cases import SETTINGS, fill

from question_words import question_terms
from retrieval.blocking_search import SearchResources
from retrieval.calibration import Calibration
from retrieval.lexical import WeightedTerms
from retrieval.search import search
from retrieval.strategies import Query
from retrieval.two_views import (
    THRESHOLD,
    TwoViews,
    by_two_views,
    cosine,
    filter_contexts_by_dual_threshold,
    rank_contexts,
)
from schema import Hit, SearchRequest
from stores.embedded import EmbeddedStore
from stores.pairs import pair_of

QUESTION = np.array([1.0, 0.0])


def at(similarity, length=1.0):
    """A vector whose cosine to the question is this."""
    return length * np.array([similarity, np.sqrt(1 - similarity**2)])


def views(*pairs):
    return [TwoViews(n, at(chunk), at(summary)) for n, (chunk, summary) in enumerate(pairs)]


def kept(results, *thresholds):
    return [one.chunk_id for one in filter_contexts_by_dual_threshold(results, QUESTION, *thresholds)]


def test_both_views_have_to_be_near():
    results = views((0.8, 0.7), (0.8, 0.5), (0.5, 0.9), (0.61, 0.61), (0.2, 0.1))
    assert kept(results) == [0, 3]
    assert kept(results, 0.7, 0.7) == [0]
    assert kept(results, 0.5, 0.5) == [0, 1, 2, 3]
    assert kept(results, 0.95) == []
    assert kept([]) == []


def test_the_length_of_a_vector_says_nothing():
    assert kept([TwoViews(0, at(0.8, 7.0), at(0.7, 0.01))]) == [0]
    assert filter_contexts_by_dual_threshold(views((0.8, 0.7)), 5 * QUESTION)


def test_every_similarity_is_logged(caplog):
    with caplog.at_level(logging.DEBUG, "retrieval.two_views"):
        kept(views((0.8, 0.5)))
    assert "chunk 0: 0.8000, its pair 0.5000, dropped" in caplog.text


def test_cosine_of_a_vector_and_of_rows():
    rows = np.array([[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0], [0.0, 0.0]])
    assert cosine(QUESTION, rows).tolist() == pytest.approx([1, 0, -1, 0])
    assert float(cosine(QUESTION, at(0.6))) == pytest.approx(0.6)
    unit = rows[0] / 2
    assert float(cosine(QUESTION, unit)) == pytest.approx(float(QUESTION @ unit))
    for other in (np.ones(3), np.ones((2, 3)), np.ones((1, 1, 2))):
        with pytest.raises(ValueError, match="cannot be compared"):
            cosine(QUESTION, other)


def test_the_nearest_come_first_and_what_is_nearly_the_same_once():
    contexts = np.array([at(0.5), at(0.9), at(0.89), -at(0.2)])
    assert rank_contexts(QUESTION, contexts, 5) == [1, 0, 3]
    assert rank_contexts(QUESTION, contexts, 1) == [1]
    assert rank_contexts(QUESTION, contexts[:0], 3) == []


def test_pairs_are_within_a_document_and_a_section():
    def hits(*headings):
        return [Hit(n, "a.md", "", "x", n, n + 1, 1, 1, (head, "below"), position=n) for n, head in enumerate(headings)]

    def members(chunk_id, around):
        return [hit.chunk_id for hit in pair_of(chunk_id, around)]

    assert members(1, hits("A", "A", "A")) == [0, 1]
    assert members(2, hits("A", "A", "A")) == [2]
    assert members(0, hits("A", "B")) == [0]


@pytest.fixture(scope="module")
def library():
    store = EmbeddedStore()
    yield fill(store)
    store.close()


def found(library, question, match, k=10):
    """The passages, and what was too far."""
    terms = WeightedTerms.of(question_terms(question), library.store)
    calibration = Calibration(match=match)
    query = Query(question, terms, library.store, library.embedder, calibration, 50, min_similarity=THRESHOLD)
    chosen = by_two_views(query, k)
    return [hit.text for hit in library.store.hits([one.chunk_id for one in chosen])], query.below


@pytest.mark.parametrize(("question", "text"), [("lighthouse lamp", "The lighthouse"), ("灯塔 鲸油", "北面悬崖")])
def test_where_nothing_is_near_by_both_views_the_nearest_are_kept(library, question, text, caplog):
    loose, far = found(library, question, 0.3)
    assert loose[0].startswith(text)
    assert far
    assert all({"cosine", "pair"} <= scores.keys() for scores in far.values())
    with caplog.at_level(logging.DEBUG, "retrieval.two_views"):
        strict, none = found(library, question, 50.0)
    assert strict[0].startswith(text)
    assert len(loose) < len(strict)
    assert not none
    assert "none is near by both views: the 10 nearest are taken" in caplog.text


def test_three_times_as_many_are_looked_at_as_are_wanted(library):
    kept, far = found(library, "lighthouse lamp oil", 0.1, k=1)
    assert len(kept) == 1
    assert len(far) <= 2
    assert found(library, "lighthouse lamp oil", 50.0, k=2)[0] == found(library, "lighthouse lamp oil", 50.0)[0][:2]


def test_without_an_embedder_there_is_no_view(library):
    terms = WeightedTerms.of(["lamp"], library.store)
    assert by_two_views(Query("lamp", terms, library.store, None, Calibration(), 50), 3) == []


def searched(library, method, embedder=True, **settings):
    parts = SearchResources(library.store, library.embedder if embedder else None, SETTINGS.model_copy(update=settings))
    request = SearchRequest("lighthouse lamp oil", in_context=True, search_method=method)
    return asyncio.run(search(request, parts))


def test_the_baseline_takes_the_nearest_and_the_other_path_filters_them(library):
    preset = {"top_k": 3, "min_similarity": THRESHOLD}
    baseline, filtered = searched(library, 0, **preset), searched(library, 7, **preset)
    assert (baseline.strategy, filtered.strategy) == ("vector", "abstract")
    assert {one.fate for one in baseline.considered} <= {"kept", "joined"}
    assert len(baseline.considered) == 3
    told = {one.chunk_id: one for one in filtered.considered}
    assert all("pair" in one.scores for one in told.values())  # every similarity, of what was dropped as well
    assert any(one.fate == "below" for one in told.values())
    assert filtered.considered[0].chunk_id == baseline.considered[0].chunk_id
    for embedded in (True, False):  # in another order than a strategy has; without vectors by keywords
        assert searched(library, 3, embedded, **preset).hits[0].document == "lighthouse.md"
    assert searched(library, 1, embedder=False, **preset).strategy == "keyword"
