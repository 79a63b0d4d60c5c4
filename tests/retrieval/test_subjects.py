"""Questions that describe a subject: what the best passages have in common, and those around them, count too."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from retrieval_cases import Filled, fill

from question_words import question_terms
from retrieval.calibration import Calibration, described
from retrieval.feedback import towards
from retrieval.fusion import fuse
from retrieval.lexical import WeightedTerms
from retrieval.neighbours import with_neighbours
from retrieval.strategies import Query
from retrieval.strategies.hybrid import hybrid
from schema import Scope
from stores.embedded import EmbeddedStore

TEXTS = {
    "smelting.md": [
        "Copper smelting needs charcoal, a furnace of clay and bellows that two people work by turns all day.",
        "The slag runs off through a hole in the wall upon a heap behind the houses.",
        "Ingots weigh about thirty kilograms; each bears the stamp of the master who has cast it.",
        "Merchants come for them in spring, when the passes are free of snow and the mules find grass.",
        "They pay in salt, in cloth and in amber from the coast, which is worth more here than silver or corn.",
    ],
    "bread.md": ["Bread needs flour, water, salt and time. The dough rises overnight in a cool place in the cellar."],
    "carriers.md": ["Two people find thirty kilograms heavy by turns, day by day, in spring, where grass and corn is."],
}
SUBJECT = (
    "How did early smelters organise copper smelting with charcoal, furnace, clay, bellows, slag heaps, ingots, "
    "stamps, merchants, mules, salt, cloth, amber, silver, coast, passes, houses, walls and masters?"
)
FACT = "Which stamp do the ingots of copper bear?"


@pytest.fixture
def library() -> Iterator[Filled]:
    store = EmbeddedStore()
    yield fill(store, TEXTS)
    store.close()


def query_of(library: Filled, question: str, k: int = 50) -> Query:
    terms = WeightedTerms.of(question_terms(question), library.store)
    return Query(question, terms, library.store, library.embedder, Calibration(subject_weight=0.5), k)


def chunks_of(library: Filled, document: str) -> list[int]:
    return sorted(library.store.opening(Scope(documents=(document,)), 9))


def test_few_words_ask_and_many_describe() -> None:
    assert [described(words) for words in (0.0, 10.0, 15.0, 20.0, 90.0)] == [0.0, 0.0, 0.5, 1.0, 1.0]


def test_passages_of_a_subject_count_with_those_next_to_them(library: Filled) -> None:
    first, second, third, fourth, fifth = chunks_of(library, "smelting.md")
    [bread] = chunks_of(library, "bread.md")
    scores = {first: 0.5, third: 0.4, fifth: 0.2, bread: 0.45}
    hits = query_of(library, SUBJECT).hits
    found = with_neighbours(scores, hits, 1.0)
    # the next but one speaks for it, what is further off does not, nor does another document
    assert found == pytest.approx({first: 0.54, third: 0.47, fifth: 0.24, bread: 0.45})
    assert with_neighbours({first: 0.5, fourth: 0.4}, hits, 1.0) == {first: 0.5, fourth: 0.4}
    assert with_neighbours({second: 0.5}, hits, 1.0) == {second: 0.5}
    assert with_neighbours(scores, hits, 0.5) == pytest.approx({first: 0.52, third: 0.435, fifth: 0.22, bread: 0.45})


def test_only_the_best_thirty_are_looked_at(library: Filled) -> None:
    first, second, *_ = chunks_of(library, "smelting.md")
    scores = {first: 0.9, second: 0.1} | {-number: 0.5 for number in range(1, 30)}
    assert with_neighbours(scores, query_of(library, SUBJECT).hits, 1.0) == scores


def test_a_question_moves_towards_passages_as_far_as_their_scores_say() -> None:
    question, passages = np.array([1, 0, 0], np.float32), np.array([[0, 1, 0], [0, 0, 1]], np.float32)
    moved = towards(question, passages, [3.0, 1.0], 1.0)
    assert moved == pytest.approx(np.array([1, 0.75, 0.25]) / np.linalg.norm([1, 0.75, 0.25]), abs=1e-6)
    assert towards(question, passages, [3.0, 1.0], 0.0) == pytest.approx(question)
    for nothing in ([0.0, 0.0], [-1.0, 0.0]):
        assert towards(question, passages, nothing, 1.0) is question
    assert not towards(question, -question[None], [1.0], 1.0).any()  # opposite: it says nothing any more


def by_fusion_alone(query: Query) -> dict[int, float]:
    keyed = {one.chunk_id: one.keyword for one in hybrid(query) if one.keyword is not None}
    cosines = {one.chunk_id: one.cosine for one in hybrid(query) if one.cosine is not None}
    return fuse(keyed, cosines, query.calibration, query.coverage([*keyed]), query.terms.words)


def test_a_fact_is_ranked_by_the_fused_scores_alone(library: Filled) -> None:
    query = query_of(library, FACT)
    assert {one.chunk_id: one.score for one in hybrid(query)} == pytest.approx(by_fusion_alone(query))


def test_a_subject_is_ranked_by_what_its_passages_have_in_common_too(library: Filled) -> None:
    smelting, [carriers] = chunks_of(library, "smelting.md"), chunks_of(library, "carriers.md")
    query = query_of(library, SUBJECT)
    found, alone = {one.chunk_id: one for one in hybrid(query)}, by_fusion_alone(query)
    gains = {chunk: found[chunk].score - alone[chunk] for chunk in (*smelting, carriers)}
    # it has no word of the question, but words of its passages; and they stand together
    assert gains[carriers] > 0.02
    assert min(gains[chunk] for chunk in smelting) > 0.05
    vectors = library.store.vectors(smelting)
    for chunk, vector in zip(smelting, vectors, strict=True):
        # how near it is to the question itself is what the raw cosine says
        assert found[chunk].cosine == pytest.approx(float(vector @ query.vector), abs=2e-3)
    assert len(hybrid(query_of(library, SUBJECT, k=3))) == 3
