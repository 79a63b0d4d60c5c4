import pytest
from retrieval_cases import SETTINGS, fill
from test_search import search

from question_words import question_terms
from retrieval.calibration import Calibration
from retrieval.complement import complementary
from retrieval.lexical import WeightedTerms
from retrieval.strategies import Candidate, Query
from stores.embedded import EmbeddedStore

TEXTS = {
    "mill.md": [
        "The mill at Arden was built by Otto Brandt, and the mill at Arden ground rye for forty years.",
        "The mill at Arden was built of oak; the mill at Arden has four sails.",
        "Every spring the mill at Arden was built up with new sails and a new roof.",
    ],
    "brandt.md": ["Otto Brandt grew up in Lund, where his grandmother kept bees."],
    "磨坊.md": [
        "青石磨坊由方立冬一手修建，当年青石磨坊由谁来磨麦子，也由他定。",
        "青石磨坊由橡木修建，青石磨坊有四片风叶。",
        "方立冬的祖母在柳溪镇上养蜂。",
    ],
}
QUESTIONS = [
    ("Who built the mill at Arden, and where were the bees of his grandmother?", "mill.md", "brandt.md"),
    ("青石磨坊由橡木修建时有几片风叶，由谁修建，他的祖母在哪座镇上养蜂？", "磨坊.md", "祖母"),
]


@pytest.fixture(scope="module")
def library():
    store = EmbeddedStore()
    yield fill(store, TEXTS)
    store.close()


def _query(library, question):
    terms = WeightedTerms.of(question_terms(question), library.store)
    return Query(question, terms, library.store, library.embedder, Calibration(), 50)


def _candidates(library, scores):
    return [Candidate(chunk, score, bm25=score) for chunk, score in zip(_chunks(library), scores, strict=True)]


def _chunks(library):
    return sorted(chunk for chunk, _ in library.store.indexed_texts())


@pytest.mark.parametrize(("question", "first", "second"), QUESTIONS)
def test_what_adds_to_the_first_passage_comes_before_what_repeats_it(library, question, first, second):
    def ask(strategy):
        evidence = search(
            question, store=library.store, embedder=library.embedder, settings=SETTINGS, strategy=strategy, top_k=5
        )
        return [f"{hit.document} {hit.text}" for hit in evidence.hits]

    by_score, ordered = ask("hybrid"), ask("default")
    assert first in ordered[0]
    assert ordered[0] == by_score[0]
    assert second in ordered[1]
    assert second not in by_score[1]
    assert sorted(ordered) == sorted(by_score)


def test_nothing_changes_where_the_first_says_all(library):
    query = _query(library, "mill Arden")
    given = _candidates(library, [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0])
    assert complementary(query, given) == given
    assert complementary(query, []) == []


def test_each_has_the_score_of_its_place_and_its_own_raw_ones(library):
    scores = [8.0, 7.9, 7.8, 7.7, 0.3, 0.2, 0.1]
    given = _candidates(library, scores)
    ordered = complementary(_query(library, QUESTIONS[0][0]), given)
    assert [one.chunk_id for one in ordered] != [one.chunk_id for one in given]
    assert ordered[0] == given[0]
    assert [one.score for one in ordered] == scores
    assert {one.chunk_id: one.bm25 for one in ordered} == {one.chunk_id: one.bm25 for one in given}


def test_a_much_better_score_is_worth_more_than_what_another_adds(library):
    given = _candidates(library, [8.0, 7.9, 7.8, 0.7, 0.3, 0.2, 0.1])
    ordered = complementary(_query(library, QUESTIONS[0][0]), given)
    assert [one.chunk_id for one in ordered] == [one.chunk_id for one in given]


def test_a_passage_that_is_gone_adds_nothing(library):
    given = [*_candidates(library, [8.0, 7.9, 7.8, 7.7, 0.3, 0.2, 0.1]), Candidate(2**40, 0.05)]
    assert complementary(_query(library, QUESTIONS[0][0]), given)[-1].chunk_id == 2**40
