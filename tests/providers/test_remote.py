"""Embeddings over real HTTP: what is asked for, what comes back, and everything that can go wrong on the way."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from benchmarks.model_server import STALL, Reply, model_server, nobody_listening, vector_of
from providers.base import EmbeddingError, ModelChanged
from providers.catalog import Provider
from providers.neural import NeuralEmbedder, open_space
from providers.prefixes import model_conventions
from providers.remote import RemoteEncoder
from settings import Settings
from tests.each_row import each_row

TEXTS = [f"text number {n} 第{n}段" for n in range(25)]


def encoder(base_url: str, batch: int = 10, provider: str = "compatible", dimensions: int | None = None, **values: str):
    settings = Settings.from_mapping({"CITEWISE_EMBEDDING_QUESTION_TIMEOUT": "600", **values})
    address = Provider(provider, "m", base_url, SecretStr("secret-key"), settings.embedding_timeout)
    return RemoteEncoder(address, batch, dimensions, settings)


def opened(base_url: str, name: str = "m", known: tuple[Any, ...] = (), **values: str) -> NeuralEmbedder:
    settings = Settings.from_mapping(values)
    used = model_conventions(name, settings)
    way = {"passage_prefix": used.passage}
    return open_space("compatible", name, encoder(base_url, **values), used, way, known)


def chat(_: dict[str, Any]) -> Reply:
    raise AssertionError("nobody chats here")


class Fails:
    """Fails so many times, then answers."""

    def __init__(self, times: float, reply: Reply) -> None:
        self.left, self.reply = times, reply

    def __call__(self, _: dict[str, Any]) -> Reply:
        self.left -= 1
        return self.reply if self.left >= 0 else Reply()


def test_texts_go_in_batches_and_come_back_in_order() -> None:
    with model_server(chat) as server:
        rows = encoder(server.base_url).encode(TEXTS)
        assert sorted(len(request["input"]) for request in server.embedding_requests) == [5, 10, 10]
    np.testing.assert_allclose(rows, [vector_of(text) for text in TEXTS], atol=1e-6)


@each_row("provider", ["openai", "dashscope", "ollama", "compatible"])
def test_both_formats_of_vectors_are_read(provider: str) -> None:
    with model_server(chat) as server:
        rows = encoder(server.base_url, provider=provider, dimensions=16).encode(TEXTS[:2])
        [request] = server.embedding_requests
    assert request["dimensions"] == 16
    assert request["encoding_format"] == ("base64" if provider == "openai" else "float")
    np.testing.assert_allclose(rows, [vector_of(text, 16) for text in TEXTS[:2]], atol=1e-6)


def test_no_more_requests_at_a_time_than_allowed() -> None:
    running, most, lock, enough = 0, 0, threading.Lock(), threading.Event()

    def embed(_: dict[str, Any]) -> Reply:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            if running == 2:
                enough.set()
        enough.wait(10)
        with lock:
            running -= 1
        return Reply()

    with model_server(chat, embed=embed) as server:
        encoder(server.base_url, batch=1, CITEWISE_EMBEDDING_CONCURRENCY="2").encode(TEXTS)
    assert most == 2


@each_row(
    "reply",
    [
        Reply(status=500),
        Reply(status=429, retry_after=0.1),
        Reply(drop_after=0),
        Reply(raw="<html>"),
        Reply(raw='{"data": null}'),
    ],
)
def test_what_can_pass_is_tried_again(reply: Reply) -> None:
    with model_server(chat, embed=Fails(2, reply)) as server:
        assert len(encoder(server.base_url).encode(TEXTS[:3])) == 3
        assert len(server.embedding_requests) == 3


@each_row(
    ("reply", "said"),
    [
        (Reply(status=401), "key"),
        (Reply(status=400), "400"),
        (Reply(status=404), "has no such model"),
        (Reply(status=429, raw='{"error": {"message": "pay first", "code": "insufficient_quota"}}'), "quota"),
        (Reply(status=429, retry_after=3600), "too many requests"),
    ],
)
def test_what_cannot_pass_is_not_tried_again(reply: Reply, said: str) -> None:
    with model_server(chat, embed=lambda _: reply) as server:
        with pytest.raises(EmbeddingError) as failed:
            encoder(server.base_url).encode(TEXTS[:3])
        assert len(server.embedding_requests) == 1
    assert said in failed.value.message.en
    assert failed.value.message.zh
    assert failed.value.suggestions
    assert "secret-key" not in repr(failed.value.__dict__)


@each_row(
    "vectors",
    [
        [[1.0] * 64] * 2,  # of three texts
        [[1.0] * 64] * 4,
        [[1.0] * 63] * 3,
        [[1.0] * 64, [1.0] * 63, [1.0] * 64],
        [[1.0] * 64, [math.nan] * 64, [1.0] * 64],
        [[1.0] * 64, [math.inf] * 64, [1.0] * 64],
        [[1.0] * 64, [0.0] * 64, [1.0] * 64],
        [[1.0] * 64, [None] * 64, [1.0] * 64],
        [["a"] * 64] * 3,
        [[]] * 3,
    ],
)
def test_vectors_that_are_none_are_refused(vectors: Any) -> None:
    with model_server(
        chat, embed=lambda request: Reply(vectors=vectors if TEXTS[0] in request["input"] else None)
    ) as server:
        embedder = opened(server.base_url)
        embedder.embed(TEXTS[3:4])  # the fixed sentences are gone through
        with pytest.raises(EmbeddingError, match="no usable vectors"):
            embedder.embed(TEXTS[:3])
        assert embedder.embed(TEXTS[3:4]).shape == (1, 64)


def test_rows_have_length_one() -> None:
    with model_server(chat, embed=lambda request: Reply(vectors=[[3.0, 4.0]] * len(request["input"]))) as server:
        np.testing.assert_allclose(opened(server.base_url).embed(["x"]), [[0.6, 0.8]])


def test_nobody_there() -> None:
    with nobody_listening() as address, pytest.raises(EmbeddingError, match="cannot be reached") as failed:
        encoder(address).encode(TEXTS[:1])
    assert address.split("/")[2] in failed.value.message.en


def test_a_question_does_not_wait_longer_than_its_time_out_and_the_next_not_at_all() -> None:
    with model_server(chat, embed=Fails(1, Reply(first_delay=STALL))) as server:
        asked = encoder(server.base_url, CITEWISE_EMBEDDING_QUESTION_TIMEOUT="1")
        for _ in range(3):
            with pytest.raises(EmbeddingError, match="within 1 seconds"):
                asked.encode(["q"], question=True)
        assert len(server.embedding_requests) == 1
        assert asked.breaker.state == "open"
        asked.breaker._until, asked._question_patience = 0.0, 600  # the rest is over
        assert asked.encode(["q"], question=True)
        assert asked.breaker.state == "closed"


def test_a_question_goes_before_what_is_embedded_in_the_background() -> None:
    release = threading.Event()

    def embed(request: dict[str, Any]) -> Reply:
        if request["input"] != ["q"]:
            release.wait(10)
        return Reply()

    with model_server(chat, embed=embed) as server:
        asked = encoder(server.base_url, batch=1, CITEWISE_EMBEDDING_CONCURRENCY="1")
        background = threading.Thread(target=asked.encode, args=(TEXTS,))
        background.start()
        assert len(asked.encode(["q"], question=True)) == 1
        release.set()
        background.join()


def test_texts_that_are_too_long_are_cut_until_they_are_taken() -> None:
    def embed(request: dict[str, Any]) -> Reply:
        longest = max(map(len, request["input"]))
        return Reply() if longest <= 700 else Reply(status=400, text="maximum context length is 512 tokens")

    with model_server(chat, embed=embed) as server:
        asked = encoder(server.base_url)
        assert len(asked.encode(["x" * 5000, "short"])) == 2
        before = len(server.embedding_requests)
        assert len(asked.encode(["y" * 5000])) == 1
        assert len(server.embedding_requests) == before + 1  # the length is known by now
    with model_server(chat, embed=lambda _: Reply(status=400, text="too many tokens")) as server:
        with pytest.raises(EmbeddingError):
            encoder(server.base_url).encode(["x" * 5000])
        assert len(server.embedding_requests) < 10


# --- spaces ------------------------------------------------------------------------------------------------------


def turned(by: int) -> Callable[[dict[str, Any]], Reply]:
    """Another model of the same size."""
    return lambda request: Reply(vectors=[np.roll(vector_of(text), by).tolist() for text in request["input"]])


def test_the_same_model_is_the_same_space_wherever_it_answers() -> None:
    with model_server(chat) as one, model_server(chat) as other, model_server(chat, embed=turned(1)) as third:
        space = opened(one.base_url).space
        assert opened(other.base_url, known=(space,)).space == space
        assert opened(other.base_url, known=(replace(space, payload=b"damaged"),)).space == space
        assert opened(third.base_url, known=(space,)).space.key != space.key
        assert opened(one.base_url, name="n", known=(space,)).space.key != space.key
        assert opened(one.base_url, known=(space,), CITEWISE_EMBEDDING_PASSAGE_PREFIX="p: ").space.key != space.key
    assert (space.provider, space.dimensions) == ("compatible", 64)


def test_a_model_exchanged_behind_the_name_is_noticed_at_the_first_question() -> None:
    with model_server(chat) as server:
        space = opened(server.base_url).space
    with model_server(chat, embed=turned(1)) as server:
        stored = NeuralEmbedder(space, encoder(server.base_url), model_conventions("m", Settings.from_mapping({})))
        for _ in range(2):
            with pytest.raises(ModelChanged):
                stored.embed_question("q")


def test_a_model_exchanged_while_its_server_was_away_is_noticed() -> None:
    script = Fails(0, Reply())
    with model_server(chat, embed=lambda request: script(request)) as server:
        embedder = opened(server.base_url)
        embedder.embed_question("one")
        script = Fails(1, Reply(status=401))
        with pytest.raises(EmbeddingError):
            embedder.embed_question("two")
        embedder._encoder.breaker._until = 0.0
        script = turned(1)
        with pytest.raises(ModelChanged):
            embedder.embed_question("two")


def test_a_question_is_embedded_once() -> None:
    with model_server(chat) as server:
        embedder = opened(server.base_url)
        before = len(server.embedding_requests)
        first = embedder.embed_question("q")
        assert (embedder.embed_question("q") == first).all()
        assert len(server.embedding_requests) == before + 1


@each_row(
    ("model", "question", "passage"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("BAAI/bge-small-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("BAAI/bge-large-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("bge-m3", "", ""),
        ("text-embedding-3-small", "", ""),
        ("text-embedding-v4", "", ""),
    ],
)
def test_models_get_the_words_that_they_were_trained_with(model: str, question: str, passage: str) -> None:
    with model_server(chat) as server:
        embedder = opened(server.base_url, name=model)
        embedder.embed(["t"])
        embedder.embed_question("q")
        sent = [request["input"][-1] for request in server.embedding_requests]
    assert sent[1:] == [f"{passage}t", f"{question}q"]


def test_the_words_can_be_set() -> None:
    with model_server(chat) as server:
        words = {"CITEWISE_EMBEDDING_QUERY_PREFIX": "Q: ", "CITEWISE_EMBEDDING_PASSAGE_PREFIX": "none"}
        embedder = opened(server.base_url, name="e5-small", **words)
        embedder.embed(["t"])
        embedder.embed_question("q")
        assert [request["input"][-1] for request in server.embedding_requests][1:] == ["t", "Q: q"]


def test_a_text_is_cut_to_what_its_model_reads() -> None:
    with model_server(chat) as server:
        embedder = opened(server.base_url, name="text-embedding-v2")
        embedder.embed(["字" * 9000])
        assert len(server.embedding_requests[-1]["input"][-1]) == 2048
