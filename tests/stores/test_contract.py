"""What every store must do; each form of each store passes all of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from store_cases import batch, embed, found, nearest, serve, space

from errors import StoreError
from schema import EVERYWHERE, Chunking, Scope
from stores.base import SpaceChanged, Store, VectorsMissing
from stores.embedded import EmbeddedStore

FORMS: dict[str, Callable[[Path], Store]] = {
    "folder": lambda path: EmbeddedStore(path / "library"),
    "throw-away": lambda path: EmbeddedStore(),
}


@pytest.fixture(params=FORMS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = FORMS[request.param](tmp_path)
    serve(store)
    yield store
    store.close()


def test_a_new_library_is_empty_and_serves_no_space(tmp_path):
    for form in FORMS.values():
        store = form(tmp_path)
        assert store.space() is None
        assert store.space_key() is None
        assert store.documents() == []
        assert store.search_terms(["x"], 5) == []
        assert store.search_vector(embed(["x"])[0], 5) == []
        assert store.stats()[:2] == (0, 0)
        with pytest.raises(SpaceChanged):
            store.put(batch("a.md", ["text"]))
        assert store.documents() == []
        store.close()


def test_a_document_comes_back_as_it_went_in(store):
    given = batch("手册.md", ["第一段 内容", "# 新生儿科 / 第二段 \x00 𠀀𠀁"], "医院")
    stored = store.put(given)
    assert stored.outcome == "added"
    assert store.document("手册.md", "医院") == given.document
    assert store.document("手册.md") is None
    [info] = store.documents()
    assert stored.document == info
    assert (info.name, info.doc_set, info.chunks, info.chunking) == ("手册.md", "医院", 2, given.chunking)
    assert (info.digest, info.size) == (given.document.digest, given.document.size)
    assert [text for _, text in store.indexed_texts()] == [chunk.indexed_text for chunk in given.chunks]


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


def test_a_large_document_is_cut_at_the_right_places(store):
    paragraphs = [f"{n} " + "字𠀀" * 997 + f" mark{n}" for n in range(40)]
    store.put(batch("large.md", paragraphs))
    assert store.document("large.md").text == "\n".join(paragraphs)
    for n in (0, 7, 8, 16, 39):
        assert found(store, f"mark{n}") == {("large.md", paragraphs[n])}


@pytest.mark.parametrize(
    "term", ["C++", "北京", "Running", "running", "ﬁ", "\x00", "x" * 60, "y" * 70_000, "(", '"', "AND", "*", "𠀀"]
)
def test_any_term_is_found_as_it_was_given(store, term):
    given = batch("a.md", ["one", "two"])
    store.put(replace(given, terms=[["other", term], ["common"]]))
    chunk_ids = store.opening(EVERYWHERE, 2)
    assert [ranked.chunk_id for ranked in store.search_terms([term], 5)] == chunk_ids[:1]
    assert store.search_terms([term + "z"], 5) == []


def test_terms_with_white_space_are_refused(store):
    given = batch("a.md", ["one"])
    for bad in (" ", "", "a b", "a\u3000b"):
        with pytest.raises(ValueError, match="white space"):
            store.put(replace(given, terms=[[bad]]))
    assert store.documents() == []


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


def test_terms_come_back_as_they_went_in(store):
    store.put(batch("a.md", ["one two one", "三 two", "# H / x"]))
    ranked = store.search_terms(["two"], 5) + store.search_terms(["x"], 5)
    terms = store.terms([one.chunk_id for one in ranked] + [12345])
    assert sorted(terms.values()) == sorted([["one", "two", "one"], ["三", "two"], ["H", "#", "H", "/", "x"]])
    assert set(terms) == {one.chunk_id for one in ranked}
    assert store.terms([]) == {}


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


def test_the_same_again_is_a_no_op(store):
    first = store.put(batch("a.md", ["one", "two"]))
    ids = store.opening(EVERYWHERE, 9)
    again = store.put(batch("a.md", ["one", "two"]))
    assert again.outcome == "unchanged"
    assert again.document == first.document
    assert store.opening(EVERYWHERE, 9) == ids
    other = store.put(batch("a.md", ["one", "two"], chunking=Chunking(strategy="fixed", size=50)))
    assert (other.outcome, other.kept_vectors) == ("replaced", 2)
    assert store.documents()[0].chunking.size == 50


def test_replacing_keeps_what_did_not_change(store):
    store.put(batch("a.md", ["one", "two", "two", "three"]))
    before = dict(zip(["one", "two", "two2", "three"], store.opening(EVERYWHERE, 9), strict=True))
    changed = batch("a.md", ["zero", "one", "two", "three more", "# H / two"])
    stored = store.put(replace(changed, vectors=-changed.vectors))
    assert (stored.outcome, stored.kept_vectors) == ("replaced", 2)
    after = store.opening(EVERYWHERE, 9)
    assert after[1:3] == [before["one"], before["two"]]
    assert not {after[0], *after[3:]} & set(before.values())
    assert np.allclose(store.vectors(after[1:3]), embed(["one", "two"]))  # the vectors it had
    assert np.allclose(store.vectors(after[:1]), -embed(["zero"]))
    assert [hit.start_line for hit in store.hits(after)] == [1, 2, 3, 4, 5]
    assert found(store, "three") == {("a.md", "three more")}
    assert store.hits([before["three"]]) == []
    assert nearest(store, "one") == [("a.md", "one")]
    assert len(nearest(store, "one", k=99)) == 5


def test_known_vectors_need_not_be_embedded_again(store):
    store.put(batch("a.md", ["one", "# H / two"]))
    known = store.known_vectors(["one", "H\n# H / two", "new", "one"])
    assert set(known) == {"one", "H\n# H / two"}
    assert np.allclose(known["one"], embed(["one"])[0])
    assert store.known_vectors([]) == {}


def test_deleting(store):
    store.put(batch("a.md", ["one shared"]))
    store.put(batch("a.md", ["two shared"], "set"))
    assert store.delete("a.md")
    assert not store.delete("a.md")
    assert not store.delete("a.md", "other")
    assert store.document("a.md") is None
    assert found(store, "shared") == {("a.md", "two shared")}
    assert nearest(store, "one", k=9) == [("a.md", "two shared")]
    assert store.known_vectors(["one shared"]) == {}
    assert store.stats()[:2] == (1, 1)
    assert store.delete("a.md", "set")
    assert store.stats()[:2] == (0, 0)
    assert store.space_key() == space().key  # an empty library keeps its space


def test_newest_first(store):
    for name in "abc":
        store.put(batch(name, [name]))
    store.put(batch("a", ["changed"]))
    assert [info.name for info in store.documents()] == ["a", "c", "b"]


def test_a_chunk_that_is_not_at_its_place_is_refused(store):
    given = batch("a.md", ["one", "two"])
    with pytest.raises(ValueError, match="at its place"):
        store.put(replace(given, chunks=[given.chunks[0], replace(given.chunks[1], start=0)]))
    assert store.documents() == []


def test_chunks_may_get_their_vectors_later(store):
    store.put(replace(batch("a.md", ["alpha", "beta", "gamma"]), missing=frozenset({0, 2})))
    alpha, beta, gamma = [i for i, _ in store.indexed_texts()]
    assert store.without_vectors() == [alpha, gamma]
    assert found(store, "alpha") == {("a.md", "alpha")}
    assert np.linalg.norm(store.vectors([alpha, beta, gamma]), axis=1) == pytest.approx([0, 1, 0])
    assert set(store.known_vectors(["alpha", "beta"])) == {"beta"}
    with pytest.raises(SpaceChanged):
        store.add_vectors(space("two").key, [alpha], embed(["alpha"], "two"))
    store.delete("b.md")
    store.add_vectors(space().key, [alpha, gamma, 10**6], embed(["alpha", "gamma", "gone"]))
    assert store.without_vectors() == []
    assert nearest(store, "alpha") == [("a.md", "alpha")]
    assert nearest(store, "gamma") == [("a.md", "gamma")]
    assert np.linalg.norm(store.vectors([alpha, beta, gamma, 10**6]), axis=1) == pytest.approx([1, 1, 1, 0])


def test_another_space_needs_the_missing_vectors_too(store):
    store.put(replace(batch("a.md", ["alpha", "beta"]), missing=frozenset({0})))
    stored = list(store.indexed_texts())
    with pytest.raises(VectorsMissing):
        store.swap_space(space("two"), [stored[1][0]], embed(["beta"], "two"))
    assert store.space_key() == space().key
    store.swap_space(space("two"), [stored[1][0]], embed(["beta"], "two"), partial=True)
    assert store.space_key() == space("two").key
    assert store.without_vectors() == [stored[0][0]]
    serve(store, "two")
    assert store.without_vectors() == []


def test_what_is_learned_of_the_space_later_is_kept(store):
    store.put(batch("a.md", ["alpha"]))
    store.note_learned(replace(space(), calibration={"en": {"vector_weight": 0.4}}, fitted_on=9))
    assert store.space() == replace(space(), calibration={"en": {"vector_weight": 0.4}}, fitted_on=9)
    assert nearest(store, "alpha") == [("a.md", "alpha")]
    with pytest.raises(SpaceChanged):
        store.note_learned(space("two"))


def test_swapping_the_space(store):
    store.put(batch("a.md", ["red", "blue"]))
    assert store.space() == space("one")
    assert store.space_key() == space("one").key
    stored = list(store.indexed_texts())
    store.put(batch("b.md", ["late"]))
    ids, texts = [i for i, _ in stored], [text for _, text in stored]
    with pytest.raises(VectorsMissing) as missing:
        store.swap_space(space("two"), ids, embed(texts, "two"))
    assert store.space_key() == space("one").key  # nothing happened
    assert nearest(store, "red") == [("a.md", "red")]
    late = list(store.indexed_texts(missing.value.chunk_ids))
    assert [text for _, text in late] == ["late"]
    store.delete("a.md")  # ids that are gone by now do no harm
    store.swap_space(space("two"), [*ids, late[0][0]], embed([*texts, "late"], "two"))
    assert store.space() == space("two")
    assert store.space_key() == space("two").key
    assert nearest(store, "late", "two", k=9) == [("b.md", "late")]
    with pytest.raises(SpaceChanged):
        store.put(batch("c.md", ["x"]))
    store.put(batch("c.md", ["x"], space_name="two"))
    assert nearest(store, "x", "two") == [("c.md", "x")]
    serve(store, "two")  # the same one again


def test_every_change_raises_the_generation(store):
    def change_nothing() -> None:
        store.put(batch("a.md", ["one"]))
        store.delete("b.md")
        store.search_terms(["one"], 5)

    seen = [store.generation()]
    for change in (
        lambda: store.put(batch("a.md", ["one"])),
        lambda: store.put(batch("a.md", ["one", "two"])),
        lambda: store.put(batch("a.md", ["one"])),  # as it was before, and yet another generation
        lambda: serve(store, "two"),
        lambda: store.delete("a.md"),
    ):
        change()
        seen.append(store.generation())
        assert store.generation() == seen[-1]
    assert seen == sorted(set(seen))
    serve(store)
    store.put(batch("a.md", ["one"]))
    last = store.generation()
    change_nothing()
    assert store.generation() == last


def test_vectors_in_the_order_asked_for(store):
    store.put(batch("a.md", ["one", "two"]))
    one, two = store.opening(EVERYWHERE, 9)
    assert np.allclose(store.vectors([two, 5, one]), np.vstack([embed(["two"]), np.zeros((1, 16)), embed(["one"])]))
    assert store.vectors([]).shape == (0, 16)


def test_many_readers_beside_a_writer_see_whole_documents(store):
    """Every version of the document has as many chunks as its words say; no reader ever sees a mixture."""
    done, wrong = threading.Event(), []

    def read() -> None:
        while not done.is_set():
            ids = [ranked.chunk_id for ranked in store.search_terms(["all"], 50)]
            texts = {hit.text.split()[1] for hit in store.hits(ids)}
            document = store.document("a.md")
            versions = {line.split()[1] for line in document.text.split("\n")} if document else set()
            if len(texts) > 1 or len(versions) > 1:
                wrong.append((texts, versions))
            store.search_vector(embed(["all"])[0], 5)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    try:
        for version in range(15):
            store.put(batch("a.md", [f"all v{version} n{n}" for n in range(version % 4 + 1)]))
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert wrong == []
    assert len(found(store, "all")) == 3


def test_concurrent_writers_take_turns(store):
    threads = [
        threading.Thread(target=lambda n=n: [store.put(batch(f"{n}-{m}", [f"all t{n}x{m}"])) for m in range(4)])
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.documents()) == len(found(store, "all")) == 16


WORDS = ["alpha", "beta", "北京", "C++", "γάμμα", "x_y"]
paragraphs = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), max_size=4)
names = st.sampled_from(["a", "b", "c"])
sets = st.sampled_from(["", "s"])


class AgainstADict(RuleBasedStateMachine):
    """Any sequence of additions, replacements, deletions, swaps and reopenings, beside a plain dict."""

    form: Callable[[Path], Store]
    folder: Path
    run = 0

    @initialize()
    def begin(self):
        type(self).run += 1
        self.path = self.folder / str(self.run)
        self.store = type(self).form(self.path)
        self.salt = "one"
        serve(self.store)
        self.model: dict[tuple[str, str], list[str]] = {}

    @rule(name=names, doc_set=sets, given=paragraphs)
    def put(self, name, doc_set, given):
        known = self.model.get((name, doc_set))
        stored = self.store.put(batch(name, given, doc_set, space_name=self.salt))
        expected = "added" if known is None else "unchanged" if known == given else "replaced"
        assert stored.outcome == expected
        self.model[name, doc_set] = given

    @rule(name=names, doc_set=sets)
    def delete(self, name, doc_set):
        assert self.store.delete(name, doc_set) == (self.model.pop((name, doc_set), None) is not None)

    @rule(salt=st.sampled_from(["one", "two"]))
    def swap(self, salt):
        self.salt = salt
        serve(self.store, salt)

    @rule()
    def reopen(self):
        if self.form is FORMS["folder"]:
            self.store.close()
            self.store = self.form(self.path)

    @invariant()
    def same(self):
        assert {(d.name, d.doc_set): d.chunks for d in self.store.documents()} == {
            key: len(given) for key, given in self.model.items()
        }
        everything = [(name, text) for (name, _), given in self.model.items() for text in given]
        for word in WORDS:
            assert found(self.store, word) == {(name, text) for name, text in everything if word in text.split()}
        for name, doc_set in self.model:
            wanted = {(name, text) for text in self.model[name, doc_set] if "alpha" in text.split()}
            assert found(self.store, "alpha", documents=(name,), doc_sets=(doc_set,)) == wanted
        assert sorted(nearest(self.store, "alpha", self.salt, k=99)) == sorted(everything)
        if "alpha" in {text for _, text in everything}:
            assert set(nearest(self.store, "alpha", self.salt)[0][1].split()) == {"alpha"}

    def teardown(self):
        if hasattr(self, "store"):
            self.store.close()


@pytest.mark.parametrize("form", FORMS)
def test_any_sequence_of_changes_matches_a_dict(form, tmp_path):
    machine = type("Machine", (AgainstADict,), {"form": staticmethod(FORMS[form]), "folder": tmp_path})
    quick = settings(
        max_examples=8, stateful_step_count=8, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    run_state_machine_as_test(machine, settings=quick)


def test_a_cut_of_a_text_that_is_gone_is_refused(store: Store) -> None:
    store.put(batch("a.md", ["alpha", "beta"]))
    again = replace(batch("a.md", ["alpha", "beta"], chunking=Chunking(strategy="fixed", size=200)), replaces="")
    current = replace(again, replaces=again.document.digest)
    with pytest.raises(StoreError):
        store.put(again)  # made from another text
    assert store.put(current).outcome == "replaced"
    store.delete("a.md")
    with pytest.raises(StoreError):
        store.put(current)  # a document that was deleted meanwhile does not come back
    assert store.documents() == []
