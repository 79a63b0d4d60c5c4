"""A reranker's order: nothing is lost but what it finds irrelevant, and whatever fails, the order before it stands."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from retrieval_cases import TEXTS, fill

from benchmarks.model_server import Reply, model_server
from errors import missing_extra
from providers.llm import Chain
from providers.rerankers import RerankError
from retrieval.rerank import MOST, hits_in_order, rerank
from retrieval.search import SearchResources, search
from schema import Hit, Message, SearchRequest
from settings import Settings
from stores.embedded import EmbeddedStore

SETTINGS = Settings.from_mapping({})
MANY = {f"{number}.md": [f"The lighthouse keeper's log, entry {number}: the lamp burned oil."] for number in range(60)}


class Scripted:
    """A reranker that says what it is told to, and remembers what it was asked."""

    def __init__(self, *scores: float | None, calibrated: bool = True, raises: Exception | None = None) -> None:
        self.name, self.calibrated = "scripted", calibrated
        self.scores, self.raises, self.asked = scores, raises, list[Sequence[Hit]]()

    async def rerank(self, question: str, hits: Sequence[Hit]) -> list[float | None]:
        self.asked.append(hits)
        if self.raises:
            raise self.raises
        return list(self.scores) if self.scores else [0.9 - place / 100 for place in reversed(range(len(hits)))]


class Silent(Scripted):
    async def rerank(self, question: str, hits: Sequence[Hit]) -> list[float | None]:
        await asyncio.Event().wait()
        raise AssertionError


def hits(*scores: float) -> list[Hit]:
    return [Hit(number, "a.md", "", f"text {number}", 0, 6, 1, 1, (), score) for number, score in enumerate(scores)]


# --- the order ---------------------------------------------------------------------------------------------------

scored = st.lists(st.tuples(st.floats(0, 1), st.none() | st.floats(0, 1)), max_size=40)


@given(scored, st.floats(0, 1), st.floats(0, 1))
def test_nothing_is_lost_but_what_is_below_the_floor(pairs, floor, confidence):
    before = hits(*sorted((score for score, _ in pairs), reverse=True))
    said = [score for _, score in pairs][:MOST]
    after = hits_in_order(before, said, floor, confidence)
    dropped = {hit.chunk_id for hit, score in zip(before, said, strict=False) if score is not None and score < floor}
    assert sorted(hit.chunk_id for hit in after) == sorted({hit.chunk_id for hit in before} - dropped)
    assert [hit.score for hit in after] == sorted((hit.score for hit in after), reverse=True)
    assert all(0 <= hit.score <= confidence for hit in after)
    ranked = [hit.scores["rerank"] for hit in after if "rerank" in hit.scores]
    assert ranked == sorted(ranked, reverse=True)
    unjudged = [hit.chunk_id for hit in after if "rerank" not in hit.scores]
    assert unjudged == sorted(unjudged)
    assert [hit.chunk_id for hit in after][len(ranked) :] == unjudged


def test_ties_keep_the_order_they_came_in():
    assert [hit.chunk_id for hit in hits_in_order(hits(0.9, 0.8, 0.7), [0.5, 0.6, 0.5], 0, 1)] == [1, 0, 2]


async def test_a_calibrated_score_says_how_sure_the_evidence_is():
    for calibrated, expected in ((True, 0.6), (False, 0.4)):
        reranker = Scripted(0.8, 0.3, calibrated=calibrated)
        found = await rerank("q", hits(0.4, 0.2), 0.4, reranker, SETTINGS)
        assert found.confidence == pytest.approx(expected)
        assert found.hits[0].score == pytest.approx(expected)


async def test_the_floor_is_for_scores_that_mean_something():
    settings = SETTINGS.model_copy(update={"rerank_floor": 0.9})
    for calibrated, kept in ((True, [0]), (False, [0, 1])):
        reranker = Scripted(0.95, 0.5, 0.0, calibrated=calibrated)
        found = await rerank("q", hits(0.4, 0.3, 0.2), 0.4, reranker, settings)
        assert [hit.chunk_id for hit in found.hits] == kept


async def test_if_nothing_is_relevant_that_is_said():
    found = await rerank("q", hits(0.9, 0.8), 0.9, Scripted(0.001, 0.0), SETTINGS)
    assert (found.hits, found.confidence, found.done) == ((), 0.0, True)
    [notice] = found.notices
    assert "无关" in notice.zh


@pytest.mark.parametrize("scores", [(0.9, 0.8, 0.7, 0.6, 0.3, 0.2), (0.9, 0.2, 0.1, 0.6, 0.3, 0.05)])
async def test_what_names_led_to_is_not_judged_and_stays_behind_the_first(scores: tuple[float, ...]) -> None:
    reranker = Scripted(0.1, 0.2, 0.3, 0.4)
    found = await rerank("q", hits(*scores), 0.9, reranker, SETTINGS, led={3, 4})
    assert [hit.chunk_id for hit in reranker.asked[0]] == [0, 1, 2, 5]
    assert [hit.chunk_id for hit in found.hits] == [5, 2, 1, 3, 4, 0]
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    assert found.hits[3].score == min(0.6, found.hits[2].score)
    assert (await rerank("q", hits(0.9, 0.8), 0.9, Scripted(0.0), SETTINGS, led={1})).hits == ()


@pytest.mark.parametrize(
    "reranker",
    [
        Scripted(raises=RerankError(Message(zh="坏了。", en="It is broken."))),
        Scripted(raises=missing_extra("local")),
        Silent(),
    ],
)
async def test_a_failure_keeps_the_order_and_says_why(reranker):
    settings = SETTINGS.model_copy(update={"rerank_timeout": 0.05})
    before = hits(0.9, 0.8)
    found = await rerank("q", before, 0.9, reranker, settings)
    assert (found.hits, found.confidence, found.done) == (tuple(before), 0.9, False)
    [notice] = found.notices
    assert found.step.note == notice
    assert any(word in notice.en for word in ("broken", "uv sync --extra local", "CITEWISE_RERANK_TIMEOUT"))


# --- in a search -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def library():
    store = EmbeddedStore()
    yield fill(store, MANY)
    store.close()


def parts(library, reranker, **variables):
    return SearchResources(library.store, library.embedder, Settings.from_mapping(variables), None, reranker)


async def test_twice_as_many_are_shown_as_wanted_and_three_are_kept(library):
    reranker = Scripted()
    found = await search(SearchRequest("lighthouse lamp"), parts(library, reranker))
    [shown] = reranker.asked
    assert len(shown) == 10
    assert [hit.chunk_id for hit in found.hits] == [hit.chunk_id for hit in reversed(shown)][:3]
    assert [step.name for step in found.steps] == ["search", "rerank"]
    assert all("rerank" in hit.scores for hit in found.hits)


@pytest.mark.parametrize(
    ("top_k", "variables", "shown", "kept"),
    [
        (1, {}, 2, 1),
        (None, {"DEFAULT_TOP_K": "7"}, 14, 3),
        (None, {"RERANK_TOP_K": "4", "CITEWISE_TOP_K": "2"}, 4, 4),
        (20, {"RERANK_TOP_K": "4"}, 30, 20),
        (40, {}, 30, 40),
    ],
)
async def test_an_explicit_number_wins(library, top_k, variables, shown, kept):
    reranker = Scripted()
    found = await search(SearchRequest("lighthouse lamp", top_k=top_k), parts(library, reranker, **variables))
    assert len(reranker.asked[0]) == shown
    assert len(found.hits) == kept
    assert len({hit.chunk_id for hit in found.hits}) == kept


async def test_without_its_say_as_many_are_kept_as_ever(library):
    broken = Scripted(raises=RerankError(Message(zh="坏了。", en="It is broken.")))
    plain = await search(SearchRequest("lighthouse lamp"), parts(library, None))
    found = await search(SearchRequest("lighthouse lamp"), parts(library, broken))
    assert found.hits == plain.hits
    assert len(found.hits) == 5
    assert len(found.notices) == 1


async def test_nobody_is_asked_about_nothing(library):
    reranker = Scripted()
    assert not (await search(SearchRequest(""), parts(library, reranker))).hits
    assert not reranker.asked


async def test_the_language_model_reranks_where_it_is_asked_to():
    store = EmbeddedStore()
    filled = fill(store, TEXTS)
    with model_server(lambda _: Reply(json.dumps({"ranking": [2, 1], "irrelevant": []}))) as server:
        settings = Settings.from_mapping(
            {
                "CITEWISE_OLLAMA": "false",
                "CITEWISE_LLM_MODEL": "m",
                "CITEWISE_LLM_BASE_URL": server.base_url,
                "RAG_USE_RERANK": "true",
            }
        )
        chain = Chain(settings)
        model = chain.model()
        before = await search(SearchRequest("the lighthouse bay"), SearchResources(store, filled.embedder, settings))
        found = await search(
            SearchRequest("the lighthouse bay"), SearchResources(store, filled.embedder, settings, model)
        )
        await chain.close()
    store.close()
    assert [hit.chunk_id for hit in found.hits[:2]] == [hit.chunk_id for hit in before.hits[1::-1]]
    assert found.confidence == before.confidence
    assert before.steps[-1].note in before.notices  # programs see no steps
    assert before.notices[0].en.startswith("Not reranked")
    assert "language model" in before.notices[0].en
    assert [*found.notices] == [found.found_by]
    assert [call.purpose for call in model.calls] == ["rerank"]
