"""Another model: its space is made ready while the old one serves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.model_server import Reply, model_server, vector_of
from errors import CitewiseError
from providers.base import EmbeddingError, ModelChanged
from tests.ingestion.space_cases import FILE, LONG, Switch, bench, chat, filled, sent


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
        from tests.ingestion.space_cases import Bench
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
