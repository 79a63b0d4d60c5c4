"""The pipeline over a throw-away store: what is embedded, what is kept, and what happens when things go wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from processing import add, rechunk

from errors import CitewiseError, FileError
from ingestion.space_maintenance import SMALL
from schema import EVERYWHERE, Chunking, Space, StoreOutcome
from stores.base import DocumentBatch
from stores.embedded import EmbeddedStore
from tests.ingestion.pipeline_cases import FIXED, Bench, config, text
from text import search_tokens


def test_a_file_becomes_searchable_chunks_with_vectors(bench):
    stored = bench.add("a.md", text("river", "bridge", "harbour"))
    assert stored.outcome == "added"
    assert stored.document.chunking.strategy == "fixed"
    chunk_ids = bench.store.opening(EVERYWHERE, 99)
    assert len(chunk_ids) == stored.document.chunks >= 3
    assert np.allclose(np.linalg.norm(bench.store.vectors(chunk_ids), axis=1), 1, atol=1e-3)
    [ranked, *_] = bench.store.search_terms(search_tokens("bridges"), 5)
    assert "bridge" in bench.store.hits([ranked.chunk_id])[0].text
    assert list(dict.fromkeys(stage for stage, _ in bench.stages)) == ["read", "chunk", "embed", "store"]
    assert [share for _, share in bench.stages] == sorted(share for _, share in bench.stages)
    assert bench.store.space().fitted_on == stored.document.chunks


def test_the_same_file_again_costs_no_embedding(bench):
    bench.add("a.md", text("river", "bridge"))
    bench.workshop.embedded.clear()
    assert bench.add("a.md", text("river", "bridge")).outcome == "unchanged"
    assert bench.workshop.embedded == []


def test_only_what_is_new_is_embedded(bench):
    topics = ["river", "bridge", "harbour", "garden"]
    first = bench.add("a.md", text(*topics), Chunking(strategy="markdown", size=100))
    bench.workshop.embedded.clear()
    second = bench.add("a.md", text(*topics, "winter"), Chunking(strategy="markdown", size=100))
    assert second.outcome == "replaced"
    assert second.kept_vectors > 0
    assert len(bench.workshop.embedded) == second.document.chunks - second.kept_vectors
    bench.workshop.embedded.clear()
    copy = bench.add("copy.md", text(*topics, "winter"), Chunking(strategy="markdown", size=100))
    assert copy.outcome == "added"
    assert bench.workshop.embedded == []  # known from the other document
    assert first.document.id == second.document.id != copy.document.id


def test_rechunking_reads_the_stored_text(bench):
    bench.add("a.md", text("river", "bridge", "harbour"), Chunking(strategy="fixed", size=200), "set")
    done = rechunk(bench.pipeline, "a.md", Chunking(size=80), "set")
    assert done.outcome == "replaced"
    assert (done.document.chunking.strategy, done.document.chunking.size) == ("fixed", 80)
    again = rechunk(bench.pipeline, "a.md", Chunking(strategy="fixed", size=80), "set")
    assert again.outcome == "unchanged"
    other = rechunk(bench.pipeline, "a.md", Chunking(strategy="recursive"), "set")
    assert other.document.chunking.strategy == "recursive"
    with pytest.raises(CitewiseError) as error:
        rechunk(bench.pipeline, "a.md", Chunking(size=80))
    assert error.value.kind == "not_found"


@pytest.mark.parametrize("data", [b"", b"  \n ", bytes(range(256)) * 20])
def test_unreadable_files_store_nothing(bench, data):
    with pytest.raises(FileError) as error:
        bench.add("bad.md", data)
    assert "bad.md" in error.value.message.zh
    assert "bad.md" in error.value.message.en
    assert error.value.suggestions
    assert bench.store.documents() == []


def test_a_space_swapped_meanwhile_is_noticed():
    class SwappingStore(EmbeddedStore):
        swaps = 1

        def put_all(self, batches: Sequence[DocumentBatch]) -> list[StoreOutcome]:
            if self.swaps:
                self.swaps -= 1
                Bench(config(), self).pipeline.upkeep.refit()
            return super().put_all(batches)

    bench = Bench(config(), SwappingStore())
    bench.store.swaps = 0
    bench.add("a.md", text("river", "bridge"))
    old = bench.store.space_key()
    bench.add("b.md", text("harbour"))
    bench.store.swaps = 1
    assert bench.add("c.md", text("garden", "winter")).outcome == "added"
    assert bench.store.space_key() != old
    assert len(bench.store.documents()) == 3
    bench.close()


def test_chunks_that_come_in_during_a_refit_get_their_vectors(bench, job):
    bench.add("a.md", text("river", "bridge"))

    def meanwhile() -> None:
        bench.workshop.before_fit_returns = lambda: None
        late_file = job("late.md", text("harbour", "garden"))
        document = bench.workshop.read(late_file, lambda *stage: None)
        vectors = np.ones((len(document.chunks), bench.store.space().dimensions), np.float32)
        late = DocumentBatch(document.document, document.chunking, document.chunks, document.joined_terms, vectors, old)
        assert bench.store.put(late).outcome == "added"
        bench.store.delete("gone.md")

    bench.add("gone.md", text("silver"))
    old = bench.store.space_key()
    bench.workshop.before_fit_returns = meanwhile
    bench.pipeline.upkeep.refit()
    assert bench.store.space_key() != old
    assert {info.name for info in bench.store.documents()} == {"a.md", "late.md"}
    chunk_ids = bench.store.opening(EVERYWHERE, 99)
    texts = dict(bench.store.indexed_texts())
    expected = bench.workshop.embed(bench.store.space_key(), [texts[i] for i in chunk_ids], lambda *stage: None)
    assert np.allclose(bench.store.vectors(chunk_ids), expected, atol=1e-3)


def test_when_a_refit_is_due(bench):
    assert not bench.pipeline.upkeep.due(resting=True)
    bench.add("a.md", text("river", "bridge", "harbour", "garden"))
    fitted = bench.store.space().fitted_on
    assert not bench.pipeline.upkeep.due(resting=True)
    bench.add("b.md", text("winter"))
    assert bench.store.stats().chunks < 2 * fitted
    assert not bench.pipeline.upkeep.due(resting=False)
    assert bench.pipeline.upkeep.due(resting=True)
    bench.add("c.md", text(*(f"topic{n}" for n in range(9))))
    assert bench.pipeline.upkeep.due(resting=False)
    bench.pipeline.upkeep.refit()
    assert bench.store.space().fitted_on == bench.store.stats().chunks
    assert not bench.pipeline.upkeep.due(resting=True)
    assert bench.store.stats().chunks < SMALL


def test_a_restarted_pipeline_goes_on_with_the_stored_space(bench):
    bench.add("a.md", text("river", "bridge", "harbour"))
    key = bench.store.space_key()
    later = Bench(config(), bench.store)
    assert later.add("b.md", text("harbour")).outcome == "added"
    assert bench.store.space_key() == key
    assert not later.pipeline.upkeep.due(resting=False)


def test_other_settings_ask_for_another_space(bench):
    bench.add("a.md", text("river", "bridge"))
    other = Bench(config(CITEWISE_EMBEDDING="hashing"), bench.store)
    assert other.pipeline.upkeep.due(resting=False)
    other.pipeline.upkeep.run()
    assert bench.store.space().provider == "hashing"
    assert not other.pipeline.upkeep.due(resting=False)
    other.pipeline.upkeep.run()  # how far to trust it here
    assert bench.store.space().calibration is not None
    assert not other.pipeline.upkeep.due(resting=True)
    assert other.add("b.md", text("harbour")).outcome == "added"


def test_a_space_that_only_another_version_knows_is_replaced(bench):
    bench.add("a.md", text("river", "bridge"))
    stored = list(bench.store.indexed_texts())
    foreign = Space("foreign", "model", "1", 3)
    bench.store.swap_space(foreign, [i for i, _ in stored], np.ones((len(stored), 3), np.float32))
    later = Bench(config(), bench.store)
    assert later.pipeline.upkeep.due(resting=False)
    later.pipeline.upkeep.refit()
    assert bench.store.space().provider == "tfidf"
    assert not later.pipeline.upkeep.due(resting=False)


def test_whoever_gives_up_finds_nothing_stored(bench):
    class GaveUp(Exception):
        pass

    def report(stage: str, fraction: float) -> None:
        if stage == "store":
            raise GaveUp

    with pytest.raises(GaveUp):
        add(bench.pipeline, "a.md", text("river"), FIXED, report=report)
    assert bench.store.documents() == []
    assert bench.add("a.md", text("river")).outcome == "added"
