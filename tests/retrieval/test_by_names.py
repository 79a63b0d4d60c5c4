"""What the strategy `abstract` adds: passages that names lead to."""

import pytest
from retrieval_cases import SETTINGS, fill
from test_search import search

from entities import ChunkNames
from question_words import question_terms
from retrieval.bridges import bridged
from retrieval.calibration import Calibration
from retrieval.lexical import WeightedTerms
from retrieval.name_graph import NameGraph, name_graph
from retrieval.name_rank import ranked_by_names
from retrieval.strategies import Candidate, Query
from retrieval.strategies.abstract import connected
from schema import Scope
from stores.embedded import EmbeddedStore

FILLER = {f"log {n}.md": [f"Entry {n}: the mill at Arden stood still for {n} hours."] for n in range(8)}
TEXTS = {
    "mill.md": ["The mill at Arden was built by Otto Brandt, who never saw it turn."],
    "Otto Brandt.md": ["He grew up near the sea and made barrels as a cooper."],
    "磨坊.md": ["青石磨坊是方立冬修建的，他没有看到磨坊转动。"],
    "方立冬.md": ["他在海边长大，靠箍桶为生。"],
    **FILLER,
    **{f"日志 {n}.md": [f"第{n}条：青石磨坊停了{n}个小时。"] for n in range(8)},
}
QUESTIONS = [
    ("Which craft did the builder of the mill at Arden know?", "Otto Brandt.md", "otto brandt"),
    ("青石磨坊的修建者会哪门手艺？", "方立冬.md", "方立冬"),
]


@pytest.fixture(scope="module")
def library():
    store = EmbeddedStore()
    yield fill(store, TEXTS)
    store.close()


@pytest.fixture(scope="module")
def ask(library):
    def ask(question, **options):
        given = {"strategy": "abstract", "top_k": 5, **options}
        return search(question, store=library.store, embedder=library.embedder, settings=SETTINGS, **given)

    return ask


def query_of(library, question, **options):
    terms = WeightedTerms.of(question_terms(question), library.store)
    return Query(question, terms, library.store, library.embedder, Calibration(), 50, **options)


def chunk_of(library, document):
    [chunk] = library.store.opening(Scope(documents=(document,)), 1)
    return chunk


@pytest.mark.parametrize(("question", "home", "name"), QUESTIONS)
def test_the_passage_about_what_a_hit_names_is_found(ask, question, home, name):
    evidence = ask(question)
    assert evidence.strategy == "abstract"
    assert not evidence.notices
    assert home in [hit.document for hit in evidence.hits]
    [led] = [one for one in evidence.considered if one.name]
    assert (led.document, led.name, led.fate) == (home, name, "kept")
    [said] = [one for one in evidence.considered if one.rank == led.of]
    assert said.document in ("mill.md", "磨坊.md")
    assert [hit.score for hit in evidence.hits] == sorted((hit.score for hit in evidence.hits), reverse=True)


@pytest.mark.parametrize(("question", "home", "name"), QUESTIONS)
def test_the_first_place_is_never_taken(ask, question, home, name):
    assert ask(question).hits[0].document == ask(question, strategy="default").hits[0].document


@pytest.mark.parametrize(("question", "home", "name"), QUESTIONS)
def test_nothing_outside_of_the_scope_is_found(ask, question, home, name):
    within = Scope(documents=tuple(name for name in TEXTS if name != home))
    assert home not in [hit.document for hit in ask(question, scope=within, top_k=50).hits]


def test_a_name_that_the_question_says_leads_nowhere(library):
    mill, brandt = chunk_of(library, "mill.md"), chunk_of(library, "Otto Brandt.md")
    asked = query_of(library, "Which trade did Otto Brandt learn?")
    graph = name_graph(asked, [Candidate(mill, 1.0)])
    assert graph.homes["otto brandt"] == [brandt]
    assert "otto brandt" in graph.asked
    assert bridged(asked, graph, [Candidate(mill, 1.0)]) == [Candidate(mill, 1.0)]


def test_what_is_about_a_name_stands_behind_the_first_three_whether_it_was_found_or_not(library):
    mill, brandt = chunk_of(library, "mill.md"), chunk_of(library, "Otto Brandt.md")
    logs = [Candidate(chunk_of(library, f"log {n}.md"), 0.9 - n / 10) for n in range(4)]
    asked = query_of(library, "Which craft did the builder of the mill at Arden know?")
    for more in ([], [Candidate(brandt, 0.1, cosine=0.3)]):
        given = [Candidate(mill, 1.0), *logs, *more]
        found = bridged(asked, name_graph(asked, given), given)
        assert [one.chunk_id for one in found] == [
            mill,
            *(one.chunk_id for one in logs[:2]),
            brandt,
            *(one.chunk_id for one in logs[2:]),
        ]
        led = found[3]
        assert (led.score, led.way) == (0.5, (mill, "otto brandt"))
        assert led.cosine == (0.3 if more else None)
        assert [one.score for one in found] == pytest.approx([1.0, 0.9, 0.8, 0.5, 0.5, 0.5])


def test_of_two_equal_passages_that_lead_to_the_same_the_first_is_its_way(library):
    brandt = chunk_of(library, "Otto Brandt.md")
    equal = [Candidate(chunk_of(library, name), 0.8) for name in ("mill.md", "log 0.md")]
    asked = query_of(library, "Which craft did the builder of the mill at Arden know?")
    says = ChunkNames((), ("otto brandt",))
    graph = NameGraph(frozenset(), dict.fromkeys((one.chunk_id for one in equal), says), {"otto brandt": [brandt]})
    [led] = [one for one in bridged(asked, graph, equal) if one.way]
    assert (led.chunk_id, led.way) == (brandt, (equal[0].chunk_id, "otto brandt"))


def test_what_many_passages_are_called_is_no_name():
    store = EmbeddedStore()
    texts = {f"part {n}.md": [f"## Overview\n\nPart {n} is in Lund."] for n in range(6)}
    library = fill(store, {**texts, "Lund.md": ["It lies by the sea."], "a.md": ["See the Overview and what Lund is."]})
    query = query_of(library, "sea")
    graph = name_graph(query, [Candidate(chunk_of(library, "a.md"), 1.0)])
    assert "lund" in graph.homes
    assert "overview" not in graph.homes
    store.close()


def test_without_homes_the_complementary_order_is_all():
    store = EmbeddedStore()
    library = fill(store, {f"{n}.md": [f"Otto Brandt wrote letter {n} to Lund about bread."] for n in range(5)})
    given = [Candidate(chunk, 1 - place / 10) for place, (chunk, _) in enumerate(library.store.indexed_texts())]
    query = query_of(library, "Who wrote about bread?")
    assert name_graph(query, given).homes == {}
    assert ranked_by_names(name_graph(query, given), given) == given
    assert connected(query, given) == given
    assert connected(query, []) == []
    store.close()


def test_the_walk_prefers_the_home_of_a_name_that_the_best_say(library):
    query = query_of(library, "trade of the builder of the mill at Arden")
    given = [Candidate(chunk_of(library, "mill.md"), 1.0), Candidate(chunk_of(library, "log 1.md"), 0.9)]
    found = ranked_by_names(name_graph(query, given), given)
    [led] = [one for one in found if one.way]
    assert (led.chunk_id, led.way) == (chunk_of(library, "Otto Brandt.md"), (given[0].chunk_id, "otto brandt"))
    assert all(0 <= (one.names or 0) <= 1 for one in found)
    assert max(one.score for one in found) == 1.0
