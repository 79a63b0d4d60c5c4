"""What every store must do: what is stored is found, ranked and shown at its place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from store_cases import alike, batch, by_words, embed, found, nearest

from schema import EVERYWHERE, UNTOLD, Alternative, Origin, Place, Scope, TermGroup
from stores.base import DocumentBatch
from stores.problems import SpaceChanged


@by_words
def test_hits_say_where_they_stand(store):
    given = batch("a.md", ["one two", "# Part / three four"])
    store.put(given)
    [ranked] = store.search_terms(["four"], 5)
    [hit] = store.hits([ranked.chunk_id])
    chunk = given.chunks[1]
    assert (hit.text, hit.start, hit.end) == (chunk.text, chunk.start, chunk.end)
    assert (hit.start_line, hit.end_line, hit.headings) == (2, 2, ("Part",))
    assert (hit.document, hit.doc_set) == ("a.md", "")
    first, second = store.opening(Scope(documents=("a.md",)), 5)
    assert second == ranked.chunk_id
    assert [h.chunk_id for h in store.hits([second, 999, first, second])] == [second, first, second]


@by_words
@pytest.mark.parametrize(
    "term", ["C++", "北京", "Running", "running", "ﬁ", "\x00", "x" * 60, "y" * 70_000, "(", '"', "AND", "*", "𠀀"]
)
def test_any_term_is_found_as_it_was_given(store, term):
    given = batch("a.md", ["one", "two"])
    store.put(replace(given, terms=[f"other {term}", "common"]))
    chunk_ids = store.opening(EVERYWHERE, 2)
    assert [ranked.chunk_id for ranked in store.search_terms([term], 5)] == chunk_ids[:1]
    assert store.search_terms([term + "z"], 5) == []


@by_words
def test_bm25_ranks_rare_and_frequent_terms(store):
    store.put(batch("a.md", ["common common rare", "common filler filler", "common", "filler x y"]))
    ids = store.opening(EVERYWHERE, 9)
    assert store.search_terms(["rare", "common"], 9)[0].chunk_id == ids[0]
    scores = [ranked.score for ranked in store.search_terms(["common", "rare", "filler"], 9)]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0
    assert len(store.search_terms(["common"], 2)) == 2
    assert store.search_terms([], 5) == []
    assert store.search_terms(["common"], 0) == []


def group(*ways: str, weight: float = 1.0) -> TermGroup:
    """Of alternatives that are less and less likely."""
    return TermGroup(tuple(Alternative(tuple(way.split()), 1 / n) for n, way in enumerate(ways, 1)), weight)


@by_words
def test_alternatives_count_as_one_term(store):
    store.put(batch("a.md", ["leave days", "holiday days", "leave holiday vacation", "days off", "other things here"]))
    ids = store.opening(EVERYWHERE, 9)

    def ranked(*groups: TermGroup) -> list[int]:
        return [one.chunk_id for one in store.search_groups(groups, 9)]

    both = ranked(group("leave", "holiday", "vacation"), group("days"))
    assert both[:2] == [ids[0], ids[1]]  # of both terms, not of three ways to say one; the likelier way first
    assert set(both) == set(ids[:4])
    assert ranked(group("days off", "nothing")) == [ids[3]]  # all tokens of an alternative
    heavy, light = group("vacation", weight=9.0), group("days", weight=0.1)
    assert ranked(heavy, light)[0] == ids[2]
    assert ranked(group("nothing"), group()) == [] == ranked()
    assert store.search_groups([group("days")], 0) == []


@by_words
def test_one_alternative_is_a_term(store):
    store.put(batch("a.md", ["common common rare", "common filler filler", "common", "filler x y"]))
    groups = [group("rare"), group("filler")]
    as_terms, as_groups = store.search_terms(["rare", "filler"], 9), store.search_groups(groups, 9)
    assert [one.chunk_id for one in as_terms] == [one.chunk_id for one in as_groups]
    assert [one.score for one in as_groups] == pytest.approx([one.score for one in as_terms], rel=1e-5)


@by_words
def test_groups_are_searched_within_a_scope(store):
    for name in ("a.md", "b.md"):
        store.put(batch(name, ["leave days", "holiday"], doc_set=name[0]))
    for scope in (Scope(documents=("b.md",)), Scope(doc_sets=("b",)), Scope(metadata=(("title", "b.md"),))):
        hits = store.hits([one.chunk_id for one in store.search_groups([group("leave", "holiday")], 9, scope)])
        assert [hit.document for hit in hits] == ["b.md", "b.md"]


@by_words
def test_bm25_is_what_lucene_computes(store):
    """With lengths below 40, which a byte holds exactly."""
    texts = ["one two two", "one", "two three four five", "six " * 20]
    store.put(batch("a.md", texts))
    words = [text.split() for text in texts]
    mean = sum(map(len, words)) / len(words)

    def bm25(term: str, of: list[str]) -> float:
        n, tf = sum(term in one for one in words), of.count(term)
        idf = np.log(1 + (len(words) - n + 0.5) / (n + 0.5))
        return idf * tf * 2.2 / (tf + 1.2 * (1 - 0.75 + 0.75 * len(of) / mean))

    for question in (["one"], ["two", "one"], ["two", "two"], ["six", "four", "none"]):
        ranked = store.search_terms(question, 9)
        scores = {
            hit.text: one.score for hit, one in zip(store.hits([r.chunk_id for r in ranked]), ranked, strict=True)
        }
        wanted = {text: sum(bm25(term, of) for term in question) for text, of in zip(texts, words, strict=True)}
        assert scores == pytest.approx({text: score for text, score in wanted.items() if score}, rel=1e-3)


def test_a_scope_leaves_the_scores_alone(store):
    store.put(batch("a.md", ["one two", "one"], "s"))
    store.put(batch("b.md", ["one two three", "three"], "t"))
    for search, question in ((store.search_terms, ["one", "two"]), (store.search_vector, embed(["one"])[0])):
        everywhere = dict(search(question, 9))
        for scope in (Scope(doc_sets=("s",)), Scope(documents=("b.md",)), Scope(kinds=("markdown",))):
            found = dict(search(question, 9, scope))
            assert found
            assert found == pytest.approx({chunk_id: everywhere[chunk_id] for chunk_id in found}, abs=1e-3)


def test_the_same_question_has_the_same_answer(store):
    """Also among equals, of which k may leave some out."""
    for n in range(30):
        store.put(batch(f"{n}", ["same words"]))
    store.settle()  # where an index takes another's place meanwhile, other equals may be found first
    for k in (1, 7, 30):
        by_terms, by_vector = (
            {tuple(search(question, k)) for _ in range(5)}
            for search, question in ((store.search_terms, ["same"]), (store.search_vector, embed(["same words"])[0]))
        )
        assert len(by_terms) == len(by_vector) == 1


def test_ids_that_were_never_given_are_left_out(store):
    store.put(batch("a.md", ["one"]))
    [one] = store.opening(EVERYWHERE, 9)
    for unknown in (0, -1, 10**6, 2**63 - 1):
        assert store.hits([unknown]) == []
        assert store.terms([unknown]) == store.around([unknown], 1) == {}
        assert list(store.indexed_texts([unknown])) == []
        assert not store.vectors([unknown]).any()
        assert store.vectors([unknown, one, one]).any(axis=1).tolist() == [False, True, True]
    assert store.hits([]) == []
    assert list(store.indexed_texts([one, 5])) == [(one, "one")]
    assert store.search_vector(embed(["one"])[0], 0) == store.search_vector(embed(["one"])[0], -1) == []
    assert store.search_terms(["one"], -1) == []


@by_words
def test_openings_stand_in_the_order_of_names(store):
    for name, doc_set in (("b", ""), ("a", "t"), ("c", ""), ("a", "s")):
        store.put(batch(name, ["one", "two"], doc_set))
    shown = [(hit.document, hit.doc_set, hit.text) for hit in store.hits(store.opening(EVERYWHERE, 1))]
    assert shown == [("a", "s", "one"), ("a", "t", "one"), ("b", "", "one"), ("c", "", "one")]
    assert store.opening(EVERYWHERE, 0) == []


@by_words
def test_terms_come_back_as_they_went_in(store):
    store.put(batch("a.md", ["one two one", "三 two", "# H / x"]))
    ranked = store.search_terms(["two"], 5) + store.search_terms(["x"], 5)
    terms = store.terms([one.chunk_id for one in ranked] + [12345])
    assert sorted(terms.values()) == sorted(["one two one", "三 two", "H # H / x"])
    assert set(terms) == {one.chunk_id for one in ranked}
    assert store.terms([]) == {}


@by_words
def test_document_frequencies(store):
    store.put(batch("a.md", ["apple pear", "apple plum", "fig"]))
    store.put(batch("b.md", ["apple"], "set"))
    assert store.document_frequencies(["apple", "fig", "none"]) == [3, 1, 0]
    assert store.document_frequencies([]) == []


def test_cosine_ranks_and_stays_within_one(store):
    store.put(batch("a.md", ["red green", "blue", "red", "sky sea"]))
    best, *_ = ranked = store.search_vector(embed(["red"])[0], 3)
    assert nearest(store, "red") == [("a.md", "red")]
    assert best.score == pytest.approx(1.0, abs=1e-3)
    assert [r.score for r in ranked] == sorted((r.score for r in ranked), reverse=True)
    assert len(ranked) == 3
    assert store.search_vector(np.zeros(16, np.float32), 3) == []
    with pytest.raises(SpaceChanged):
        store.search_vector(np.ones(7, np.float32), 3)


def test_scope_selects_before_ranking(store):
    for n in range(30):
        store.put(batch(f"{n}.md", ["word " * 5]))
    store.put(batch("weak.md", ["word and much more text beside it"], "set"))
    store.put(batch("0.md", ["word there too"], "set"))
    weak = ("weak.md", "word and much more text beside it")
    assert found(store, "word", 1, documents=("weak.md",)) == {weak}
    assert nearest(store, "word", documents=("weak.md",)) == [weak]
    assert found(store, "word", doc_sets=("set",)) == {weak, ("0.md", "word there too")}
    assert found(store, "word", documents=("0.md",), doc_sets=("set",)) == {("0.md", "word there too")}
    assert found(store, "word", doc_sets=("",), documents=("0.md",)) == {("0.md", "word " * 5)}
    assert len(found(store, "word", doc_sets=("",))) == 30
    assert len(nearest(store, "word", k=99, doc_sets=("", "set"))) == 32
    assert found(store, "word", documents=("none.md",)) == set()
    assert nearest(store, "word", documents=("none.md",)) == []
    assert {d.name for d in store.documents(Scope(documents=("0.md", "1.md")))} == {"0.md", "1.md"}
    assert len(store.documents(Scope(documents=("0.md", "1.md")))) == 3
    unscoped, scoped = (store.search_terms(["much"], 1, s)[0] for s in (EVERYWHERE, Scope(doc_sets=("set",))))
    assert scoped.score == pytest.approx(unscoped.score)  # the filter leaves the score alone


def test_vectors_in_the_order_asked_for(store):
    store.put(batch("a.md", ["one", "two"]))
    one, two = store.opening(EVERYWHERE, 9)
    assert alike(store.vectors([two, 5, one]), np.vstack([embed(["two"]), np.zeros((1, 16)), embed(["one"])]))
    assert store.vectors([]).shape == (0, 16)


# --- around what was found ---------------------------------------------------------------------------------------


def told(origin: Origin = UNTOLD, doc_set: str = "") -> DocumentBatch:
    """Six one-line chunks on three pages, the last of which begins within a line."""
    given = batch("book.pdf", [f"line {n} word{n}" for n in range(6)], doc_set)
    starts = [chunk.start for chunk in given.chunks]
    places = (Place(0, "page", 1), Place(starts[2], "page", 2), Place(starts[4] + 3, "page", 3, "Anhang 附"))
    return replace(given, document=replace(given.document, origin=origin, places=places), tokens=42)


@by_words
def test_a_document_is_read_chunk_by_chunk(store):
    given = told(doc_set="s")
    store.put(given)
    store.put(batch("book.pdf", ["another"]))
    shown = store.chunks("book.pdf", "s")
    assert [hit.text for hit in shown] == [chunk.text for chunk in given.chunks]
    assert [hit.position for hit in shown] == list(range(6))
    assert shown == store.hits(store.opening(Scope(doc_sets=("s",)), 9))
    assert store.chunks("book.pdf", "s", first=2, k=3) == shown[2:5]
    assert store.chunks("book.pdf", "s", first=5, k=3) == shown[5:]
    assert store.chunks("book.pdf", "s", first=6) == store.chunks("book.pdf", "s", k=0) == store.chunks("x") == []


@by_words
def test_a_chunk_says_where_it_comes_from(store):
    origin = Origin("pdf", "website", "", "a/book.pdf", "https://x", "o/r", "abc", "2026-01-01T00:00:00Z", "12-34")
    given = told(origin)
    store.put(given)
    assert store.document("book.pdf") == given.document
    [info] = store.documents()
    assert (info.origin, info.tokens, store.stats().tokens) == (origin, 42, 42)
    shown = store.chunks("book.pdf")
    assert {hit.origin for hit in shown} == {origin}
    one, two, three = given.document.places
    assert [hit.places for hit in shown] == [(one,), (one,), (two,), (two,), (two, three), (three,)]
    store.move("book.pdf", "", "t")
    assert [hit.places for hit in store.chunks("book.pdf", "t")] == [hit.places for hit in shown]
    assert store.document("book.pdf", "t") == replace(given.document, doc_set="t")


@by_words
def test_neighbours_in_reading_order(store):
    store.put(told())
    store.put(batch("b.md", ["other"]))
    shown = store.chunks("book.pdf")
    first, middle, last = (shown[place].chunk_id for place in (0, 3, 5))
    [other] = store.chunks("b.md")
    near = store.around([last, middle, other.chunk_id, 10**6, first, middle], 2)
    assert list(near) == [last, middle, other.chunk_id, first]
    assert near == {last: shown[3:], middle: shown[1:], other.chunk_id: [other], first: shown[:3]}
    assert store.around([middle], 0) == {middle: [shown[3]]}
    assert store.around([middle], 99) == {middle: shown}
    assert store.around([], 3) == {}


@by_words
def test_a_passage_of_a_document(store):
    paragraphs = ["字𠀀" * 9_000, "x" * 20_000, "the end"]
    store.put(batch("a.md", paragraphs, "s"))
    text = "\n".join(paragraphs)
    for start, end in ((0, 5), (16_380, 16_390), (10, 40_000), (len(text) - 3, len(text)), (0, len(text) + 99)):
        assert store.passage("a.md", "s", start, end) == text[start:end]
    assert store.passage("a.md", "s", 7, 7) == store.passage("a.md", "s", 9, 3) == ""
    assert store.passage("a.md", "", 0, 9) == ""


def test_a_document_has_the_mean_of_its_vectors(store):
    store.put(replace(batch("a.md", ["red", "blue", "late"], "s"), missing=frozenset({2})))
    mean = embed(["red", "blue"]).mean(axis=0)
    assert alike(store.document_vector("a.md", "s"), mean / np.linalg.norm(mean))
    assert not store.document_vector("a.md").any()
    store.put(batch("empty.md", []))
    assert store.document_vector("empty.md").shape == (16,)
    assert not store.document_vector("empty.md").any()
