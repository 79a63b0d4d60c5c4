"""Spaces of trained models over real HTTP: made in the background, resumed, swapped, and never in the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from processing import add, rechunk

from benchmarks.model_server import STALL, Reply, model_server, nobody_listening, vector_of
from errors import CitewiseError
from providers.base import EmbeddingError
from schema import Chunking
from tests.each_row import each_row
from tests.ingestion.space_cases import FILE, FIXED, LONG, Switch, bench, chat, filled, sent
from text import search_tokens


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
