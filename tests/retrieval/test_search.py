import asyncio
import logging
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from retrieval_cases import SETTINGS, TEXTS, fill

from providers.base import EmbeddingError
from providers.tfidf import TfidfEmbedder, fit
from retrieval.lexical import chunks_in
from retrieval.search import SearchResources
from retrieval.search import search as run_search
from retrieval.strategies import STRATEGIES
from schema import Message, Scope, SearchRequest
from stores.embedded import EmbeddedStore
from stores.problems import SpaceChanged


def search(question, *, store, embedder, settings, model=None, reranker=None, **options):
    """Waits for it, in a loop of its own: hypothesis knows no coroutines."""
    parts = SearchResources(store, embedder, settings, model, reranker)
    return asyncio.run(run_search(SearchRequest(question, **options), parts))


QUESTIONS = [
    ("When was the lighthouse built?", "built in 1874."),
    ("What does the dough do overnight?", "The dough rises overnight"),
    ("北面的灯塔是哪一年建的？", "灯塔建于1874年"),
    ("新生兒的體溫多久量一次？", "每四小时测量一次"),
    ("谁来批准请假？", "部门经理批准"),
]
WITHOUT_MODEL = [name for name in STRATEGIES if name != "hyde"]


@pytest.fixture(scope="module")
def library():
    store = EmbeddedStore()
    yield fill(store)
    store.close()


@pytest.fixture(scope="module")
def ask(library):
    def ask(question, **options):
        given = {"store": library.store, "embedder": library.embedder, "settings": SETTINGS, **options}
        return search(question, **given)

    return ask


@pytest.mark.parametrize("strategy", WITHOUT_MODEL)
@pytest.mark.parametrize(("question", "words"), QUESTIONS)
def test_the_right_chunk_is_first(ask, strategy, question, words):
    evidence = ask(question, strategy=strategy)
    assert words in evidence.hits[0].text
    assert evidence.strategy == strategy
    assert not evidence.notices


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_scores_are_shares_and_fall(ask, strategy):
    evidence = ask("Which ships steer by the lighthouse and bread?", strategy=strategy)
    scores = [hit.score for hit in evidence.hits]
    assert len(scores) > 1
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(evidence.confidence)
    assert all(0 <= score <= 1 for score in scores)


def test_raw_scores_stand_beside(ask):
    scores = ask("lighthouse built 1874", strategy="hybrid").hits[0].scores
    assert scores.keys() == {"bm25", "keyword", "cosine", "fused"}
    assert scores["keyword"] > scores["bm25"] > 0
    assert 0 < scores["cosine"] <= 1


def test_confidence_tells_present_from_absent(ask):
    for question, _ in QUESTIONS:
        assert ask(question).confidence > SETTINGS.min_confidence
    for question in ("How do volcanoes erupt in Iceland?", "量子计算机的纠错码有哪些？", "Who won the cup in 1998?"):
        assert ask(question).confidence < SETTINGS.min_confidence


@pytest.mark.parametrize("question", ["", "  \n", "the of and", "？！…", "\x00", "🙂", "什么呢"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_questions_without_content_have_no_confidence(ask, strategy, question):
    assert ask(question, strategy=strategy).confidence == 0


def test_a_pasted_page_finds_its_chunk(ask):
    page = " ".join(f"filler{n} 段落{n}" for n in range(20_000))
    assert ask("The dough rises overnight in a cool place. " + page).hits[0].document == "bread.md"


@settings(max_examples=60)
@given(question=st.text(), strategy=st.sampled_from(list(STRATEGIES)), terms=st.lists(st.text()))
def test_wild_questions(ask, question, strategy, terms):
    evidence = ask(question, strategy=strategy, terms=tuple(term for term in terms if term.strip() == term and term))
    assert 0 <= evidence.confidence <= 1


def test_top_k_and_scope(ask):
    assert len(ask("lighthouse 灯塔 bread", top_k=1).hits) == 1
    assert len(ask("lighthouse 灯塔 bread").hits) <= SETTINGS.top_k
    for strategy in STRATEGIES:
        scoped = ask("lighthouse", strategy=strategy, scope=Scope(documents=("bread.md",)))
        assert {hit.document for hit in scoped.hits} <= {"bread.md"}


def test_what_stands_in_says_so(ask):
    evidence = ask("lighthouse", strategy="hyde")
    assert evidence.strategy == "rm3"
    assert evidence.hits == ask("lighthouse", strategy="rm3").hits
    [notice] = evidence.notices
    assert "RM3" in notice.zh
    assert "RM3" in notice.en


@pytest.mark.parametrize("strategy", ["vector", "hybrid", "default"])
def test_vectors_of_another_space_are_never_compared(ask, strategy):
    other = fit(TEXTS["bread.md"], 64)
    for embedder in (None, other, TfidfEmbedder.from_space(replace(other.space, revision="r"))):
        evidence = ask("lighthouse", strategy=strategy, embedder=embedder)
        assert evidence.strategy == "keyword"
        assert len(evidence.notices) == 1
        assert all("cosine" not in hit.scores for hit in evidence.hits)
        assert evidence.hits[0].document == "lighthouse.md"


def test_a_swap_in_the_middle_is_noticed(library):
    class Swapping:
        space = library.embedder.space

        def embed_question(self, question):
            other = fit([text for chunks in TEXTS.values() for text in chunks], 16)
            ids = [chunk for chunk, _ in store.indexed_texts()]
            store.swap_space(other.space, ids, np.zeros((len(ids), other.space.dimensions), np.float32))
            return library.embedder.embed_question(question)

    store = EmbeddedStore()
    fill(store)
    with pytest.raises(SpaceChanged):
        search("lighthouse", store=store, embedder=Swapping(), settings=SETTINGS, strategy="hybrid")
    store.close()


def test_an_empty_library_has_nothing_and_nothing_to_complain_about():
    store = EmbeddedStore()
    evidence = search("lighthouse", store=store, embedder=None, settings=SETTINGS)
    assert (evidence.hits, evidence.confidence, evidence.notices) == ((), 0.0, ())
    store.close()


def test_terms_of_the_conversation_help_but_weigh_less(ask):
    assert not ask("and the second one?", strategy="keyword").hits
    followed = ask("and the second one?", strategy="keyword", terms=("lighthous", "bay"))
    assert followed.hits[0].document == "lighthouse.md"
    assert followed.confidence > SETTINGS.min_confidence
    assert ask("bread dough", terms=("lighthous",)).hits[0].document == "bread.md"


def test_min_similarity_drops_only_what_vectors_alone_found(ask):
    strict, lax = (SETTINGS.model_copy(update={"min_similarity": value}) for value in (1.0, 0.0))
    question = "lighthuose oil"  # "oil" is a word of one chunk
    assert len(ask(question, settings=lax).hits) > len(ask(question, settings=strict).hits) >= 1
    assert "oil" in ask(question, settings=strict).hits[0].text


def test_debug_logging_shows_every_score(ask, caplog):
    with caplog.at_level(logging.DEBUG, "retrieval.search"):
        evidence = ask("lighthouse", strategy="hybrid")
    for hit in evidence.hits:
        assert f"chunk_id={hit.chunk_id}, score={hit.score:.4f}, {hit.scores}" in caplog.text


def test_a_name_of_both_languages_is_looked_up_in_that_of_the_question() -> None:
    pages = {
        "en.md": ["An upstream in APISIX is a virtual host that balances load over several nodes."],
        "zh.md": ["APISIX upstream：APISIX 的 upstream 是对多个节点做负载均衡的虚拟主机。upstream 见 APISIX 文档。"],
        "other.md": ["Bread needs flour, water, salt and time."],
    }
    filled = fill(EmbeddedStore(None), pages)
    for question, page in (("What is an upstream in APISIX?", "en.md"), ("APISIX 的 upstream 是什么？", "zh.md")):
        found = search(question, store=filled.store, embedder=filled.embedder, settings=SETTINGS)
        assert found.hits[0].document == page
    filled.store.close()


def test_chunks_are_counted_anew_after_a_change():
    store = EmbeddedStore()
    fill(store, {"a.md": ["one", "two"]})
    assert chunks_in(store) == chunks_in(store) == 2
    store.delete("a.md", "odd") or store.delete("a.md", "even")
    assert chunks_in(store) == 0
    store.close()


@pytest.mark.parametrize("strategy", ["vector", "hybrid", "default", "rm3"])
def test_an_embedder_that_is_away_leaves_the_keywords(ask, library, strategy):
    class Away:
        space = library.embedder.space

        def embed_question(self, question):
            raise EmbeddingError(Message(zh="嵌入服务没有响应。", en="The embedder is away."), passing=True)

    evidence = ask("lighthouse", strategy=strategy, embedder=Away())
    assert evidence.hits[0].document == "lighthouse.md"
    assert all("cosine" not in hit.scores for hit in evidence.hits)
    assert [notice.en.startswith("The embedder is away") for notice in evidence.notices] == [True, False]
