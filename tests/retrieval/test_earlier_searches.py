"""What one search of a turn has found, the next one does not look for again; and nothing of it is told otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from retrieval_cases import TEXTS, fill

from retrieval.blocking_search import STRATEGIES, SearchResources
from retrieval.calibration import Calibration
from retrieval.candidates import Query
from retrieval.confidence import QuestionForm
from retrieval.earlier_searches import EarlierSearches
from retrieval.lexical import WeightedTerms
from retrieval.search import search
from schema import Chunk, Chunking, Document, Evidence, Scope, SearchRequest
from settings import Settings
from stores.base import DocumentBatch
from stores.embedded import EmbeddedStore
from text import search_tokens

QUESTION, TRANSLATED = "When was the lighthouse built?", "灯塔是哪一年建的？"
TYPED = SearchRequest(QUESTION, in_context=True)
PLANNED = SearchRequest(QUESTION, translated=TRANSLATED, in_context=True)


@pytest.fixture
def resources():
    store = EmbeddedStore()
    yield SearchResources(store, fill(store, TEXTS).embedder, Settings.from_mapping({}), earlier=EarlierSearches())
    store.close()


@contextmanager
def looks() -> Iterator[list[str]]:
    """The questions that are looked for meanwhile."""
    asked: list[str] = []

    def counted(strategy):
        return lambda query: asked.append(query.question) or strategy(query)

    with patch.dict(STRATEGIES, {name: counted(strategy) for name, strategy in STRATEGIES.items()}):
        yield asked


def told(evidence: Evidence) -> tuple[object, ...]:
    """All of it but how long it took."""
    return (
        evidence.hits, evidence.confidence, evidence.strategy, evidence.notices, evidence.translated,
        evidence.considered, evidence.parts, evidence.contexts, evidence.found_by,
    )  # fmt: skip


async def alone(request: SearchRequest, resources: SearchResources) -> Evidence:
    return await search(request, SearchResources(resources.store, resources.embedder, resources.settings))


@pytest.mark.parametrize("strategy", ["default", "hybrid", "keyword", "vector", "abstract"])
async def test_with_a_translation_only_that_is_looked_for(resources, strategy) -> None:
    typed, planned = (SearchRequest(one.question, strategy, translated=one.translated) for one in (TYPED, PLANNED))
    with looks() as asked:
        first = await search(typed, resources)
        assert asked == [QUESTION]
        second = await search(planned, resources)
        assert asked == [QUESTION, TRANSLATED]
    assert told(first) == told(await alone(typed, resources))
    assert told(second) == told(await alone(planned, resources))


async def test_the_same_words_again_are_not_looked_for_at_all(resources) -> None:
    first = await search(TYPED, resources)
    with looks() as asked, patch("retrieval.blocking_search.translated_form") as by_dictionary:
        assert told(await search(TYPED, resources)) == told(first)
    assert asked == []
    assert not by_dictionary.called


@pytest.mark.parametrize(
    "other",
    [
        SearchRequest("When was the lighthouse built there?", in_context=True),
        SearchRequest(QUESTION, "keyword", in_context=True),
        SearchRequest(QUESTION, scope=Scope(documents=("bread.md",)), in_context=True),
        SearchRequest(QUESTION, terms=("ship",), in_context=True),
        SearchRequest(QUESTION, top_k=3, in_context=True),
    ],
)
async def test_what_is_asked_otherwise_is_looked_for(resources, other) -> None:
    await search(TYPED, resources)
    with looks() as asked:
        found = await search(other, resources)
    assert asked == [other.question]
    assert told(found) == told(await alone(other, resources))


async def test_a_changed_library_is_searched_anew(resources) -> None:
    await search(TYPED, resources)
    text, embedder = "The lighthouse was built in 1902 and then built again.", resources.embedder
    terms, vectors = [" ".join(search_tokens(text))], embedder.embed([text])
    chunks = [Chunk(text, 0, len(text), 1, 1)]
    document = Document("new.md", text, language="en")
    resources.store.put(DocumentBatch(document, Chunking(), chunks, terms, vectors, embedder.space.key))
    found = await search(PLANNED, resources)
    assert "new.md" in [hit.document for hit in found.hits]
    assert told(found) == told(await alone(PLANNED, resources))


async def test_what_a_later_search_fetches_is_not_told_of_an_earlier_one(resources) -> None:
    """The trace tells of a passage that was left out where its text is known."""
    short = SearchRequest(QUESTION, top_k=1, in_context=True)
    await search(short, resources)
    await search(SearchRequest(QUESTION, translated=TRANSLATED, top_k=1, in_context=True), resources)
    assert told(await search(short, resources)) == told(await alone(short, resources))


async def test_nothing_that_one_search_notes_is_seen_by_another(resources) -> None:
    """Each mapping of the query, and the candidates, are its own."""
    query = Query(QUESTION, WeightedTerms.of(["built"], resources.store), resources.store, None, Calibration(), 5)
    form, earlier = QuestionForm(query, []), EarlierSearches()
    earlier.keep_form("form", form)
    earlier.keep_outcome("outcome", (), form)
    for _ in range(2):
        for kept in (earlier.form("form"), earlier.outcome("outcome")[1]):
            noted = kept.query.below, kept.query.other_words, kept.query.texts, kept.query.done
            assert noted == ({}, {}, {}, {})
            assert kept.candidates == []
            kept.candidates.append(None)
            for mapping in noted:
                mapping[1] = "noted"
    assert (query.below, query.other_words, query.texts, query.done, form.candidates) == ({}, {}, {}, {}, [])
