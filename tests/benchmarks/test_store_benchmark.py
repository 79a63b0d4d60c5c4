"""The benchmark of the store, on libraries that are made in a moment: what it is made of, and that it measures both."""

from __future__ import annotations

import sys
from itertools import chain

import numpy as np
import pytest

from benchmarks import store, store_backends
from benchmarks.store_corpus import RARE, SCOPES, Corpus, exact
from benchmarks.store_work import WAYS
from tests.benchmarks.benchmark_commands import measured
from tests.stores.postgres_server import database_url

CORPUS = Corpus(2_000, 32)
BATCHES = list(chain.from_iterable(CORPUS.blocks()))


def chunks_of(wanted) -> int:
    return sum(len(batch.chunks) for batch in BATCHES if wanted(batch.document))


def test_a_made_library_is_always_the_same_and_has_one_percent_to_filter_for() -> None:
    assert chunks_of(lambda _: True) == 2_000
    assert chunks_of(lambda document: document.doc_set == RARE) == 20
    assert chunks_of(lambda document: document.metadata["author"] == RARE) == 20
    assert len({batch.document.name for batch in BATCHES}) == len(BATCHES)
    again = Corpus(2_000, 32).block(1)
    assert [batch.document for batch in again] == [batch.document for batch in BATCHES[-len(again) :]]
    assert np.array_equal(again[0].vectors, BATCHES[-len(again)].vectors)
    with pytest.raises(ValueError, match="multiple"):
        Corpus(1_500, 32)


def test_words_follow_zipf_and_vectors_lie_in_clusters() -> None:
    words = [word for batch in BATCHES for terms in batch.terms for word in terms.split()]
    assert len(words) == 2_000 * 120
    assert words.count("w0") == pytest.approx(10 * words.count("w9"), rel=0.2)
    vectors = np.concatenate([batch.vectors for batch in BATCHES])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    near = np.sort(vectors @ vectors.T, axis=1)[:, -10]
    chance = np.random.default_rng(0).standard_normal((2_000, 32))
    chance /= np.linalg.norm(chance, axis=1, keepdims=True)
    assert near.mean() > 1.1 * np.sort(chance @ chance.T, axis=1)[:, -10].mean()


def test_questions_are_about_a_chunk_and_no_stored_vector() -> None:
    questions = list(CORPUS.questions(10))
    truth = exact(CORPUS, questions, 10)
    documents = {batch.document.name: batch for batch in BATCHES}
    for question, nearest in zip(questions, truth["one document"], strict=True):
        about = documents[question.document]
        cosines = about.vectors @ question.vector
        assert nearest[0] == f"{question.document}#{cosines.argmax()}"
        assert cosines.max() < 0.95
        assert any(set(question.terms) <= set(terms.split()) for terms in about.terms)
    for number, among in enumerate(SCOPES):
        scope = questions[0].scope(among)
        names = [name.partition("#")[0] for name in truth[among][number]]
        assert len(names) == 10
        if scope.doc_sets:
            assert all(documents[name].document.doc_set == RARE for name in names)
        if scope.metadata:
            assert all(documents[name].document.metadata["author"] == RARE for name in names)


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of processes is read from /proc")
def test_both_sides_are_measured_at_every_size(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, few in {"_OPENINGS": 1, "_WARM": 10, "_ROUNDS": 2, "_QUESTIONS": 20, "_BY_HAND_CHANGES": 1}.items():
        monkeypatch.setattr(store, name, few)
    report = measured("store", "--chunks", "2000", "--dim", "32", "--beside", "5")
    sides = {"1,000", "2,000", "by hand 1,000", "by hand 2,000"}
    for way in WAYS:
        middle, slow = report.metrics[f"{way}, p50 ms"], report.metrics[f"{way}, p95 ms"]
        assert middle.keys() == sides
        assert all(0 < middle[side] <= slow[side] for side in sides)
    for name in ("build, s", "disk, MB", "memory, MB", "add a document, ms", "delete a document, ms"):
        assert report.metrics[name].keys() == sides
        assert all(value > 0 for value in report.metrics[name].values())
    assert all(bar.value > 0 for bar in report.bars.values())
    assert {name for name in report.bars if "recall" in name} == {
        f"recall@10, {among}, at {size}" for among in SCOPES for size in ("1,000", "2,000")
    }
    assert all(bar.ok for name, bar in report.bars.items() if "recall" in name)
    assert report.metrics["searching while documents are added"]["searches"] > 0


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of processes is read from /proc")
@pytest.mark.parametrize(("backend", "sides"), [("postgres", ["PostgreSQL", "embedded"]), ("embedded", ["embedded"])])
def test_without_work_by_hand_the_stores_alone_are_measured(
    backend: str, sides: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, few in {"_WARM": 10, "_ROUNDS": 1, "_QUESTIONS": 20}.items():
        monkeypatch.setattr(store_backends, name, few)
    if backend == "postgres":
        monkeypatch.setenv("CITEWISE_DATABASE_URL", database_url())
    report = measured("store", "--backend", backend, "--sizes", "1000", "--dim", "32")
    names = [f"{side} 1,000" for side in sides]
    for name in ("build, s", "disk, MB", "memory, MB", *(f"{way}, p50 ms" for way in WAYS), "add a document, ms"):
        assert [*report.metrics[name]] == names
        assert all(value > 0 for value in report.metrics[name].values())
    assert {name for name in report.bars if "recall" in name} == {f"recall@10, {among}, at 1,000" for among in SCOPES}
    assert all(bar.ok for name, bar in report.bars.items() if "recall" in name)
    assert ("hybrid query, p50 ms" in report.bars) == (backend == "postgres")
    if backend == "postgres":
        disk = report.metrics["disk, MB"]["PostgreSQL 1,000"]
        parts = [report.metrics[f"of it {part}, MB"] for part in ("vectors and their index", "postings")]
        assert 0 < sum(part["PostgreSQL 1,000"] for part in parts) < disk
