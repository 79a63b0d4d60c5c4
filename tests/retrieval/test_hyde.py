"""What a model imagines is searched beside the question: over real HTTP, with everything that can go wrong."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from retrieval_cases import fill

from benchmarks.model_server import Reply
from retrieval.candidates import Candidate, weighted_sum
from retrieval.hyde import HypotheticalRequest
from retrieval.search import SearchResources, search
from schema import Evidence, SearchRequest
from settings import Settings
from stores.embedded import EmbeddedStore
from tests.retrieval.hyde_cases import ENGLISH, PASSAGE, QUESTION, asking

WEAK = "Which instrument saves mariners from running aground?"  # no word of it is in the library
Ask = Callable[..., "asyncio.Future[Evidence]"]


async def plain(question: str, texts: dict[str, list[str]] = ENGLISH) -> Evidence:
    store = EmbeddedStore()
    filled = fill(store, texts)
    found = await search(SearchRequest(question), SearchResources(store, filled.embedder, Settings.from_mapping({})))
    store.close()
    return found


def texts_of(evidence: Evidence) -> list[str]:
    return [hit.text for hit in evidence.hits]


# --- both are searched -------------------------------------------------------------------------------------------


async def test_the_passage_is_searched_beside_the_question():
    async with asking(lambda _: Reply(PASSAGE)) as (ask, server, model):
        evidence = await ask(QUESTION, strategy="hyde")
    assert "built in 1874" in evidence.hits[0].text
    assert evidence.strategy == "hyde"
    assert evidence.hypothetical == PASSAGE
    assert [step.name for step in evidence.steps] == ["search", "hyde"]
    assert all(0 < step.seconds <= evidence.seconds for step in evidence.steps)
    assert not evidence.notices
    assert any("expanded" in hit.scores for hit in evidence.hits)
    assert [call.purpose for call in model.calls] == ["hyde"]
    assert len(server.requests) == 1


async def test_a_passage_finds_what_the_question_has_no_word_for():
    assert (await plain(WEAK)).confidence == 0
    async with asking(lambda _: Reply(PASSAGE)) as (ask, _, _):
        evidence = await ask(WEAK)
    assert evidence.strategy == "default"
    assert "steer by the lighthouse" in evidence.hits[0].text
    assert 0 < evidence.confidence <= 0.3  # only a model's word speaks for it


async def test_the_default_asks_the_model_only_where_the_first_search_is_weak():
    async with asking(lambda _: Reply(PASSAGE)) as (ask, server, _):
        strong = await ask(QUESTION)
        assert not server.requests
        assert not strong.hypothetical
        await ask(WEAK)
        assert len(server.requests) == 1
        for strategy in ("keyword", "vector", "hybrid", "rm3"):
            await ask(WEAK, strategy=strategy)
        assert len(server.requests) == 1
    async with asking(lambda _: Reply(PASSAGE), CITEWISE_HYDE_BELOW="0") as (ask, server, _):
        await ask(WEAK)
        assert not server.requests


async def test_an_empty_library_asks_nobody():
    async with asking(lambda _: Reply(PASSAGE), {}) as (ask, server, _):
        for strategy in ("default", "hyde"):
            assert not (await ask(QUESTION, strategy=strategy)).hits
        assert not server.requests


# --- a misleading passage ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (QUESTION, "built in 1874"),
        ("What does the dough do overnight?", "The dough rises overnight"),
        ("What do ships in the bay steer by?", "steer by the lighthouse"),
    ],
)
@pytest.mark.parametrize("misleading", [text for texts in ENGLISH.values() for text in texts])
async def test_a_misleading_passage_cannot_win_alone(question, words, misleading):
    async with asking(lambda _: Reply(misleading)) as (ask, _, _):
        evidence = await ask(question, strategy="hyde")
    assert words in evidence.hits[0].text


candidates = st.dictionaries(st.integers(0, 30), st.floats(0, 1e3), max_size=12).map(
    lambda scores: sorted((Candidate(key, score) for key, score in scores.items()), key=lambda one: -one.score)
)


@given(candidates, candidates, st.floats(0, 0.49))
def test_the_best_of_the_question_stays_above_what_only_the_other_holds(asked, beside, weight):
    found = weighted_sum(asked, beside, weight)
    assert {one.chunk_id for one in found} >= {one.chunk_id for one in asked}
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all(0 <= one.score <= 1 + 1e-9 for one in found)
    if asked and asked[0].score > 0:
        places = {one.chunk_id: place for place, one in enumerate(found)}
        foreign = [places[one.chunk_id] for one in found if one.chunk_id not in {each.chunk_id for each in asked}]
        assert all(places[asked[0].chunk_id] < place for place in foreign)


# --- a model that fails ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reply", [Reply(status=500), Reply(status=401), Reply(""), Reply("  \n")])
@pytest.mark.parametrize(("question", "strategy"), [(QUESTION, "hyde"), (WEAK, "default")])
async def test_without_a_passage_the_question_is_searched_alone(reply, question, strategy):
    async with asking(lambda _: reply) as (ask, _, _):
        evidence = await ask(question, strategy=strategy)
    expected = await plain(question)
    assert texts_of(evidence) == texts_of(expected)
    assert evidence.strategy == "default"
    [notice] = evidence.notices
    assert "假设文档" in notice.zh
    assert "hypothetical" in notice.en


# --- one call a turn ---------------------------------------------------------------------------------------------


async def test_a_second_search_takes_what_a_cancelled_first_has_asked_for():
    arrived, go = threading.Event(), threading.Event()

    def script(_: object) -> Reply:
        arrived.set()
        go.wait(5)
        return Reply(PASSAGE)

    async with asking(script) as (ask, server, _):
        shared = HypotheticalRequest()
        early = asyncio.create_task(ask(QUESTION, strategy="hyde", hypothetical=shared))
        await asyncio.to_thread(arrived.wait, 5)
        early.cancel()
        second = asyncio.create_task(
            ask("when was the lighthouse built", strategy="hyde", hypothetical=shared, translated="灯塔何时建成？")
        )
        go.set()
        evidence = await second
        assert evidence.hypothetical == PASSAGE
        assert len(server.requests) == 1
        await ask("Who bakes bread?", strategy="hyde", hypothetical=shared)
        assert len(server.requests) == 2


async def test_what_nobody_waits_for_any_more_is_given_up():
    arrived, go = threading.Event(), threading.Event()

    def script(_: object) -> Reply:
        arrived.set()
        go.wait(5)
        return Reply(PASSAGE)

    async with asking(script) as (ask, _, _):
        shared = HypotheticalRequest()
        searching = asyncio.create_task(ask(QUESTION, strategy="hyde", hypothetical=shared))
        await asyncio.to_thread(arrived.wait, 5)
        shared.cancel()
        with pytest.raises(asyncio.CancelledError):
            await searching
        go.set()
