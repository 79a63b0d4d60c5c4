"""Which embedder is asked for, where, and with whose key."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.model_server import Reply, model_server, vector_of
from providers.base import EmbeddingError
from providers.embeddings import chosen, open_chosen, restore, serves
from settings import Settings
from tests.each_row import each_row


def chat(_: dict[str, Any]) -> Reply:
    raise AssertionError("nobody chats here")


def config(**values: str) -> Settings:
    return Settings.from_mapping({"CITEWISE_DATA_DIR": "/nonexistent", **values})


@each_row(
    ("variables", "choice"),
    [
        ({"CITEWISE_EMBEDDING": "openai"}, ("openai", "text-embedding-3-small")),
        ({"RAG_EMBEDDING_MODEL": "qwen"}, ("dashscope", "text-embedding-v3")),
        ({"CITEWISE_EMBEDDING": "dashscope", "DASHSCOPE_EMBEDDING_MODEL": "x"}, ("dashscope", "x")),
        ({"CITEWISE_EMBEDDING": "ollama"}, ("ollama", "bge-m3")),
        ({"CITEWISE_EMBEDDING": "ollama", "CITEWISE_EMBEDDING_MODEL": "y"}, ("ollama", "y")),
        ({"CITEWISE_EMBEDDING": "sentence-transformers"}, ("sentence-transformers", "intfloat/multilingual-e5-small")),
        ({"CITEWISE_EMBEDDING": "hashing", "CITEWISE_EMBEDDING_MODEL": "y"}, ("hashing", "words+grams-1")),
    ],
)
def test_what_the_settings_ask_for(variables: dict[str, str], choice: tuple[str, str]) -> None:
    assert chosen(config(**variables)) == choice


@each_row("provider", ["openai", "dashscope", "ollama", "compatible"])
def test_each_provider_at_its_own_address(provider: str) -> None:
    many = [f"text {n}" for n in range(30)]
    with model_server(chat) as server:
        own = {
            "openai": {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "key"},
            "dashscope": {"DASHSCOPE_BASE_URL": server.base_url, "DASHSCOPE_API_KEY": "key"},
            "ollama": {"OLLAMA_BASE_URL": server.root},
            "compatible": {"CITEWISE_EMBEDDING_BASE_URL": server.base_url, "CITEWISE_EMBEDDING_MODEL": "m"},
        }[provider]
        settings = config(CITEWISE_EMBEDDING=provider, EMBEDDING_DIMENSIONS="16", **own)
        embedder = open_chosen(settings, [])
        assert embedder.embed(many)[3] == pytest.approx(vector_of("text 3", 16), abs=1e-5)
        sizes = [len(request["input"]) for request in server.embedding_requests]
        assert max(sizes) == (10 if provider == "dashscope" else 32)
        assert {request["dimensions"] for request in server.embedding_requests} == {16}
    assert serves(embedder.space, settings)
    assert not serves(embedder.space, config(CITEWISE_EMBEDDING=provider, **own))  # of another length


def test_older_models_have_but_one_length() -> None:
    with model_server(chat) as server:
        settings = config(
            CITEWISE_EMBEDDING="dashscope", CITEWISE_EMBEDDING_MODEL="text-embedding-v1", EMBEDDING_DIMENSIONS="1536",
            DASHSCOPE_API_KEY="key", DASHSCOPE_BASE_URL=server.base_url,
        )  # fmt: skip
        assert serves(open_chosen(settings, []).space, settings)
        assert all("dimensions" not in request for request in server.embedding_requests)


@each_row(
    ("provider", "missing"),
    [("openai", "OPENAI_API_KEY"), ("dashscope", "DASHSCOPE_API_KEY"), ("compatible", "CITEWISE_EMBEDDING_BASE_URL")],
)
def test_what_is_missing_is_named(provider: str, missing: str) -> None:
    with pytest.raises(EmbeddingError, match=missing) as error:
        open_chosen(config(CITEWISE_EMBEDDING=provider), [])
    assert missing in error.value.message.zh


def test_a_stored_space_is_asked_only_while_texts_may_leave_the_machine() -> None:
    with model_server(chat) as server:
        address = {"CITEWISE_EMBEDDING_BASE_URL": server.base_url, "CITEWISE_EMBEDDING_MODEL": "m"}
        space = open_chosen(config(CITEWISE_EMBEDDING="compatible", **address), []).space
        asked = len(server.embedding_requests)
        for embedding in ("auto", "tfidf", "hashing", "onnx"):
            with pytest.raises(EmbeddingError, match="no longer send"):
                restore(space, config(CITEWISE_EMBEDDING=embedding, **address))
        assert len(server.embedding_requests) == asked
        # another address was chosen: the old one answers at its own until the library is embedded again
        other = config(CITEWISE_EMBEDDING="openai", OPENAI_API_KEY="key", CITEWISE_EMBEDDING_API_KEY="not for this one")
        assert restore(space, other).embed_question("q").shape == (64,)


def test_the_key_of_one_provider_goes_to_no_other() -> None:
    with model_server(chat) as server:
        address = {"CITEWISE_EMBEDDING_BASE_URL": server.base_url, "CITEWISE_EMBEDDING_MODEL": "m"}
        space = open_chosen(
            config(CITEWISE_EMBEDDING="compatible", CITEWISE_EMBEDDING_API_KEY="old", **address), []
        ).space
        other = config(CITEWISE_EMBEDDING="openai", OPENAI_API_KEY="key", CITEWISE_EMBEDDING_API_KEY="new")
        embedder = restore(space, other)
        assert embedder._encoder._provider.api_key.get_secret_value() not in {"key", "new"}
