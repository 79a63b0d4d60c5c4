"""Spaces of trained models over real HTTP: made in the background, resumed, swapped, and never in the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from processing import add, rechunk

from benchmarks.model_server import STALL, ModelServer, Reply, model_server, nobody_listening, vector_of
from errors import CitewiseError
from ingestion.pipeline import Pipeline
from ingestion.signals import Signals
from ingestion.worker import WorkerPool
from providers.base import EmbeddingError, ModelChanged
from schema import Chunking, StoreOutcome
from settings import Settings
from stores.embedded import EmbeddedStore
from stores.vector_cache import VectorCache
from tests.each_row import each_row
from text import search_tokens

FIXED = Chunking(strategy="fixed", size=100)


def paragraphs(count: int) -> str:
    return "\n\n".join(
        f"Paragraph {n} is about the topic{n} and nothing else, at the length of some line." for n in range(count)
    )


FILE, LONG = paragraphs(16), paragraphs(40)  # of the long one a space learns how far it can be trusted


def chat(_: dict[str, Any]) -> Reply:
    raise AssertionError("nobody chats here")


class Switch:
    """The server's script, which a test exchanges while it serves."""

    def __init__(self, script: Callable[[dict[str, Any]], Reply] = lambda _: Reply()) -> None:
        self.script = script

    def __call__(self, request: dict[str, Any]) -> Reply:
        return self.script(request)


def sent(server: ModelServer, since: int = 0) -> Counter[str]:
    """How often each text was sent, but for the fixed sentences."""
    texts = (text for request in server.embedding_requests[since:] for text in request["input"])
    return Counter(text for text in texts if "harbour master" not in text and "港务长" not in text)


class Bench:
    """A pipeline on a folder (or a throw-away store) whose embedder is at an address."""

    def __init__(self, base_url: str | None, folder: Path | None = None, **values: str) -> None:
        remote = {"CITEWISE_EMBEDDING": "compatible", "CITEWISE_EMBEDDING_MODEL": "m"}
        address = {"CITEWISE_EMBEDDING_BASE_URL": base_url, **remote} if base_url else {}
        common = {"CITEWISE_INGEST_WORKERS": "0", "CITEWISE_EMBEDDING_QUESTION_TIMEOUT": "60"}
        self.settings = Settings.from_mapping({**common, **address, **values})
        self.store = EmbeddedStore(folder)
        self.cache = VectorCache(folder and folder / "vectors.db", 100)
        self.pool = WorkerPool(self.settings)
        self.pipeline = Pipeline(self.store, self.settings, self.pool, self.cache, Signals())
        self.spaces, self.upkeep = self.pipeline.spaces, self.pipeline.upkeep

    def add(self, name: str, text: str = FILE) -> StoreOutcome:
        return add(self.pipeline, name, text.encode(), FIXED)

    def finish(self) -> None:
        """Whatever is due, whatever had to wait."""
        while True:
            self.upkeep._retry_at = 0.0
            encoder = getattr(self.spaces.serving(), "_encoder", None)
            if encoder is not None:
                encoder.breaker._until = None
            if not self.upkeep.due(resting=True):
                return
            self.upkeep.run()

    def check(self) -> None:
        """Every chunk has the vector of its text."""
        space = self.store.space()
        texts = dict(self.store.indexed_texts())
        assert self.store.without_vectors() == []
        assert space.provider == "compatible"
        np.testing.assert_allclose(
            self.store.vectors(list(texts)), [vector_of(text) for text in texts.values()], atol=1e-3
        )

    def close(self) -> None:
        self.pool.close()
        self.spaces.close()
        self.cache.close()
        self.store.close()


@contextmanager
def bench(*arguments: Any, **values: str) -> Iterator[Bench]:
    bench = Bench(*arguments, **values)
    try:
        yield bench
    finally:
        bench.close()


# --- embedding ---------------------------------------------------------------------------------------------------


def test_nothing_is_embedded_twice() -> None:
    with model_server(chat) as server, bench(server.base_url) as library:
        stored = library.add("a.md")
        library.check()
        assert sent(server).total() == stored.document.chunks
        library.add("copy.md")
        library.store.delete("a.md")
        library.store.delete("copy.md")
        library.add("again.md")
        rechunk(library.pipeline, "again.md", Chunking(strategy="fixed", size=300))
        rechunk(library.pipeline, "again.md", FIXED)
        library.check()
        assert max(sent(server).values()) == 1


def test_auto_never_asks_an_address() -> None:
    with model_server(chat) as server, bench(None, OPENAI_API_KEY="key", OPENAI_BASE_URL=server.base_url) as library:
        library.add("a.md")
        library.finish()
        assert library.store.space().provider == "tfidf"
        assert server.embedding_requests == []


def test_progress_of_a_file_rises_with_its_batches() -> None:
    many = "\n\n".join(f"Another paragraph {n} with words{n} that are all its own, at some length." for n in range(400))
    seen: list[tuple[str, float]] = []
    with model_server(chat) as server, bench(server.base_url) as library:
        add(library.pipeline, "a.md", many.encode(), FIXED, report=lambda *stage: seen.append(stage))
    shares = [share for stage, share in seen if stage == "embed"]
    assert len(set(shares)) > 3
    assert [share for _, share in seen] == sorted(share for _, share in seen)


# --- the embedder is away ----------------------------------------------------------------------------------------


@each_row(
    "fault",
    [
        Reply(status=401),
        Reply(status=404),
        Reply(first_delay=STALL),
        Reply(raw="<html>"),
        Reply(vectors=[[float("nan")] * 64] * 2),
        Reply(vectors=[[1.0] * 64]),
    ],
)
def test_the_first_file_waits_for_no_model(fault: Reply) -> None:
    switch = Switch(lambda _: fault)
    patience = {"CITEWISE_EMBEDDING_QUESTION_TIMEOUT": "0.5"} if fault.first_delay else {}
    with model_server(chat, embed=switch) as server, bench(server.base_url, **patience) as library:
        assert library.add("a.md").outcome == "added"
        assert library.store.space().provider == "tfidf"
        assert library.store.search_terms(search_tokens("topic7"), 5)
        assert library.spaces.problem is not None
        switch.script = lambda _: Reply()
        library.finish()
        library.check()
        assert library.spaces.problem is None
        assert library.upkeep.problem is None


def test_nobody_there_then_somebody() -> None:
    with nobody_listening() as address, bench(address) as library:
        library.add("a.md")
        with pytest.raises(CitewiseError):
            library.upkeep.run()
        assert not library.upkeep.due(resting=True)  # later
        assert 0 < library.upkeep.wait() < 10
        assert address.split("/")[2] in library.upkeep.problem.zh
        assert library.store.space().provider == "tfidf"


@each_row(
    "fault",
    [
        Reply(status=500),
        Reply(status=401),
        Reply(vectors=[[1.0] * 63] * 32),
        Reply(vectors=[[0.0] * 64] * 32),
        Reply(drop_after=0),
    ],
)
def test_a_file_is_stored_while_the_embedder_is_away_and_gets_its_vectors_later(fault: Reply) -> None:
    switch = Switch()
    with model_server(chat, embed=switch) as server, bench(server.base_url) as library:
        library.add("a.md")
        library.finish()
        switch.script = lambda _: fault
        stored = library.add("b.md", FILE.replace("Paragraph", "Section"))
        assert stored.outcome == "added"
        assert stored.missing_vectors == stored.document.chunks > 0
        assert library.store.search_terms(search_tokens("section"), 5)
        assert len(library.store.without_vectors()) == stored.document.chunks
        assert library.spaces.problem is not None
        switch.script = lambda _: Reply()
        library.finish()
        library.check()
        assert library.spaces.problem is None


def test_vectors_that_are_missing_are_known_after_a_restart(tmp_path: Path) -> None:
    switch = Switch()
    with model_server(chat, embed=switch) as server:
        with bench(server.base_url, tmp_path) as library:
            library.add("a.md")
            switch.script = lambda _: Reply(status=401)
            library.add("b.md", FILE.replace("Paragraph", "Section"))
        switch.script = lambda _: Reply()
        with bench(server.base_url, tmp_path) as library:
            assert library.store.without_vectors()
            library.finish()
            library.check()


def test_what_fails_is_tried_again_later_and_later() -> None:
    with nobody_listening() as address, bench(address) as library:
        library.add("a.md")
        waits = []
        for _ in range(3):
            library.upkeep._retry_at = 0.0
            with pytest.raises(CitewiseError):
                library.upkeep.run()
            waits.append(library.upkeep.wait())
        assert waits == sorted(waits)


def refusing(word: str, reply: Callable[[list[str]], Reply]) -> Callable[[dict[str, Any]], Reply]:
    """A provider that does not take texts with this word."""
    return lambda request: reply(request["input"]) if any(word in text for text in request["input"]) else Reply()


@pytest.mark.parametrize(
    "reply",
    [
        lambda texts: Reply(status=400, text="inappropriate content"),
        lambda texts: Reply(vectors=[[float("nan")] * 64 if "topic7 " in text else vector_of(text) for text in texts]),
    ],
)
def test_one_text_that_is_refused_keeps_no_other_from_its_vector(
    tmp_path: Path, reply: Callable[[list[str]], Reply]
) -> None:
    filled(tmp_path, "a.md")
    with model_server(chat, embed=refusing("topic7 ", reply)) as server, bench(server.base_url, tmp_path) as library:
        library.finish()
        assert library.store.space().provider == "compatible"
        without = {chunk_id for chunk_id, text in library.store.indexed_texts() if "topic7 " in text}
        assert 0 < len(without) < 5
        assert set(library.store.without_vectors()) == without
        assert library.upkeep.missing == len(without)
        assert not library.upkeep.due(resting=True)  # not over and over
        asked = len(server.embedding_requests)
        stored = library.add("b.md", LONG)
        assert stored.missing_vectors > 0
        assert len(server.embedding_requests) - asked < 40
        library.finish()
        without = {chunk_id for chunk_id, text in library.store.indexed_texts() if "topic7 " in text}
        assert set(library.store.without_vectors()) == without
        assert library.upkeep.missing == len(without)


def test_who_refuses_everything_is_not_asked_for_every_text(tmp_path: Path) -> None:
    before = filled(tmp_path, "a.md", "b.md")
    switch = Switch(lambda request: Reply() if len(request["input"]) == 2 else Reply(status=400))
    with model_server(chat, embed=switch) as server, bench(server.base_url, tmp_path) as library:
        with pytest.raises(EmbeddingError):
            library.upkeep.run()
        assert len(server.embedding_requests) < 20
        assert library.store.space_key() == before


# --- another model -----------------------------------------------------------------------------------------------


def filled(folder: Path, *names: str) -> str:
    """A library with vectors that need no model; their space's key."""
    with bench(None, folder) as library:
        for name in names:
            library.add(name, FILE.replace("Paragraph", f"Paragraph of {name}"))
        library.finish()
        return library.store.space_key()


def test_another_model_is_made_ready_while_the_old_one_serves(tmp_path: Path) -> None:
    before = filled(tmp_path, "a.md")
    switch, seen = Switch(), []
    with (
        model_server(chat, embed=switch) as server,
        bench(
            server.base_url, tmp_path, CITEWISE_EMBEDDING_BATCH_SIZE="8", CITEWISE_EMBEDDING_CONCURRENCY="1"
        ) as library,
    ):

        def script(_: dict[str, Any]) -> Reply:
            found = library.store.search_vector(library.spaces.serving().embed_question("topic7"), 1)
            seen.append(
                (
                    library.store.space_key(),
                    library.upkeep.progress,
                    "topic7" in library.store.hits([found[0].chunk_id])[0].text,
                )
            )
            if len(seen) == 4:
                library.add("late.md", "Something that comes in late.\n\nAnother late thing.")
                library.store.delete("gone.md")
            return Reply()

        library.add("gone.md", "What goes meanwhile.")
        switch.script = script
        library.upkeep.run()
        switch.script = lambda _: Reply()
        assert {(key, found) for key, _, found in seen} == {(before, True)}
        assert any(progress for _, progress, _ in seen)
        assert {info.name for info in library.store.documents()} == {"a.md", "late.md"}
        library.check()
        assert library.upkeep.progress is None
        library.add("b.md")
        library.check()


def test_what_was_embedded_before_a_kill_is_not_embedded_again(tmp_path: Path) -> None:
    filled(tmp_path, *(f"{n}.md" for n in range(7)))
    code = """if True:
        import sys
        from pathlib import Path
        sys.path[:0] = [sys.argv[3]]
        from test_spaces import Bench
        Bench(sys.argv[1], Path(sys.argv[2])).upkeep.run()
    """
    processes: list[subprocess.Popen[bytes]] = []

    def script(_: dict[str, Any]) -> Reply:
        if len(server.embedding_requests) == 7:
            processes[0].kill()
            processes[0].wait()
        return Reply()

    with model_server(chat, embed=script) as server:
        command = [sys.executable, "-c", code, server.base_url, str(tmp_path), str(Path(__file__).parent)]
        processes.append(subprocess.Popen(command, env={**os.environ, "PYTHONPATH": os.getcwd()}))
        assert processes[0].wait() == -signal.SIGKILL
        with bench(server.base_url, tmp_path) as library:
            texts = [text for _, text in library.store.indexed_texts()]
            cached = set(library.cache.get(library.cache.spaces()[0], texts))
            since = len(server.embedding_requests)
            library.upkeep.renew()
            library.check()
        assert 0 < len(cached) < len(texts)
        again = set(sent(server, since))
        assert again & set(texts) == set(texts) - cached


def test_settings_that_change_back_leave_nothing_behind(tmp_path: Path) -> None:
    with model_server(chat) as server:
        with bench(server.base_url, tmp_path) as library:
            library.add("a.md")
            library.finish()
        with bench(None, tmp_path) as library:
            library.finish()
            assert library.store.space().provider == "tfidf"
            assert library.cache.spaces() == []
            asked = len(server.embedding_requests)
            library.add("b.md", "Nothing of this leaves the machine.")
            assert len(server.embedding_requests) == asked


def test_documents_leave_the_machine_no_longer_than_is_asked(tmp_path: Path) -> None:
    with model_server(chat) as server:
        with bench(server.base_url, tmp_path) as library:
            library.add("a.md")
        asked = len(server.embedding_requests)
        with bench(None, tmp_path) as library:  # before the upkeep has made another space
            assert library.spaces.serving() is None
            assert library.spaces.outdated()
            assert library.add("b.md", "Nothing of this leaves the machine.").missing_vectors == 1
            library.finish()
            assert library.store.without_vectors() == []
        assert len(server.embedding_requests) == asked


def test_a_model_exchanged_behind_its_name_makes_another_space() -> None:
    switch = Switch()
    with model_server(chat, embed=switch) as server, bench(server.base_url) as library:
        library.add("a.md")
        library.finish()
        before = library.store.space_key()
        switch.script = lambda _: Reply(status=503)
        with pytest.raises(EmbeddingError):
            library.spaces.serving().embed_question("topic7")
        switch.script = lambda request: Reply(
            vectors=[np.roll(vector_of(text), 1).tolist() for text in request["input"]]
        )
        library.spaces.serving()._encoder.breaker._until = None
        with pytest.raises(ModelChanged):
            library.spaces.serving().embed_question("topic7")
        library.finish()
        assert library.store.space_key() != before
        vector = library.spaces.serving().embed_question("topic7")
        [found] = library.store.search_vector(vector, 1)
        assert "topic7" in library.store.hits([found.chunk_id])[0].text


def test_a_model_that_moved_to_another_address_is_the_same_space(tmp_path: Path) -> None:
    with model_server(chat) as server, bench(server.base_url, tmp_path) as library:
        library.add("a.md")
        library.finish()
        before = library.store.space_key()
    with model_server(chat) as server, bench(server.base_url, tmp_path) as library:
        library.finish()
        library.spaces.serving().embed_question("a question")
        assert library.store.space_key() == before
        assert set(sent(server)) == {"a question"}


@pytest.mark.parametrize(
    "fault",
    [
        Reply(status=401),
        Reply(status=500),
        Reply(drop_after=0),
        Reply(vectors=[[1.0] * 63] * 8),
        Reply(vectors=[[1.0] * 64] * 7),
    ],
)
def test_the_old_space_serves_as_long_as_the_new_model_fails(tmp_path: Path, fault: Reply) -> None:
    before = filled(tmp_path, "a.md")
    switch = Switch()
    switch.script = lambda _: Reply() if len(server.embedding_requests) <= 2 else fault
    values = {"CITEWISE_EMBEDDING_BATCH_SIZE": "8", "CITEWISE_EMBEDDING_CONCURRENCY": "1"}
    with model_server(chat, embed=switch) as server, bench(server.base_url, tmp_path, **values) as library:
        with pytest.raises(CitewiseError):
            library.upkeep.run()
        assert library.store.space_key() == before
        assert library.upkeep.problem is not None
        assert library.add("b.md").outcome == "added"
        assert library.spaces.serving().embed_question("topic7").any()
        switch.script = lambda _: Reply()
        library.spaces._embedders.clear()
        library.finish()
        library.check()


def test_what_is_learned_grows_with_the_library() -> None:
    with model_server(chat) as server, bench(server.base_url) as library:
        library.add("a.md", LONG)
        assert library.store.space().calibration is None
        library.finish()
        space = library.store.space()
        assert space.fitted_on == library.store.stats().chunks
        assert 0 <= space.calibration["en"]["vector_weight"] <= 1
        assert space.calibration["reading"]["en"] == {"unknown": None, "cut": None}
        assert library.spaces.serving().space.calibration == space.calibration
        for n in range(3):
            library.add(f"{n}.md", LONG.replace("topic", f"theme{n}x"))
        library.finish()
        assert library.store.space().fitted_on == library.store.stats().chunks
        library.check()


def test_a_swap_between_two_looks_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a terminal says that the embedding model has just changed, and a page looks after its library no more."""
    with bench(None) as library:
        library.add("a.md")
        old = library.store.space_key()
        library.add("b.md", FILE.replace("topic", "other"))
        library.finish()
        new = library.store.space_key()
        assert new != old
        library.upkeep._to_fill = True
        looks: list[Callable[[], object]] = [
            lambda: library.upkeep.due(resting=True), library.upkeep.run, library.spaces.serving,
            library.spaces.current, library.spaces.outdated,
        ]  # fmt: skip
        for look in looks:
            keys = iter([old])
            monkeypatch.setattr(library.store, "space_key", lambda keys=keys: next(keys, new))
            look()
            assert next(keys, None) is None
            assert library.upkeep.problem is None
