"""Which embedder serves: the one of a stored space, or the one that the settings ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple, get_args

from pydantic import SecretStr

from providers.base import Embedder, EmbeddingError
from providers.catalog import OPENAI_URL, Provider
from providers.model_files import DEFAULT, onnx_folder
from providers.neural import Encoder, Listener, NeuralEmbedder, details, open_space, same_way
from providers.prefixes import model_conventions
from schema import EmbeddingName, Message, Space
from settings import Settings

REMOTE = frozenset({"openai", "dashscope", "ollama", "compatible"})
MODELLESS = frozenset({"tfidf", "hashing"})  # made from the library or from nothing, at once
_MOST = {"dashscope": 10}  # texts that it takes in a request


class EmbedderChoice(NamedTuple):
    """What is asked for."""

    provider: str
    model: str


def chosen(settings: Settings) -> EmbedderChoice:
    """What the settings ask for. "auto" never leaves the machine: a local model that is on disk, else `offline`."""
    provider, model = settings.embedding, settings.embedding_model
    if provider == "auto":
        local = find_spec("fastembed") and onnx_folder(model or DEFAULT, settings)
        provider = "onnx" if local else offline(settings)
    if provider in MODELLESS:
        return EmbedderChoice(provider, _modelless(provider))
    usual = {
        "openai": "text-embedding-3-small",
        "dashscope": settings.dashscope_embedding_model,
        "ollama": "bge-m3",
        "compatible": "",
    }
    return EmbedderChoice(provider, model or usual.get(provider, DEFAULT))


def local_model(settings: Settings) -> str | None:
    """The ONNX model that would serve if it were on this machine; None where the settings ask for something else."""
    return (settings.embedding_model or DEFAULT) if settings.embedding in ("auto", "onnx") else None


def offline(settings: Settings) -> Literal["tfidf", "hashing"]:
    """What needs no model: as asked for, else TF-IDF where scipy is installed (it is not imported for that)."""
    if settings.embedding in ("tfidf", "hashing"):
        return settings.embedding
    return "tfidf" if find_spec("scipy") else "hashing"


def serves(space: Space, settings: Settings) -> bool:
    """Whether the stored space is what the settings ask for."""
    if (space.provider, space.model) != chosen(settings):
        return False
    return space.provider in MODELLESS or same_way(space, _way(space.provider, space.model, settings))


def open_chosen(
    settings: Settings, known: Iterable[Space], hurry: bool = False, told: Listener = lambda _: None
) -> NeuralEmbedder:
    """The space of the trained model that the settings ask for: one of the known ones where it is the same.

    Asks the model; in a hurry it has no longer than for a question. Raises EmbeddingError.
    """
    provider, model = chosen(settings)
    encoder = _encoder(
        provider, model, settings, settings.embedding_base_url, _asked_dimensions(provider, model, settings)
    )
    way, base_url = _way(provider, model, settings), settings.embedding_base_url
    return open_space(
        provider, model, encoder, model_conventions(model, settings), way, known, hurry, told, base_url=base_url
    )


def restore(space: Space, settings: Settings, told: Listener = lambda _: None) -> Embedder:
    """The embedder of a stored space. Raises EmbeddingError when nobody here can embed in it, or is meant to."""
    if space.provider not in get_args(EmbeddingName) or (
        space.provider in MODELLESS and space.model not in _known(space.provider)
    ):
        raise _unknown(space)
    if space.provider == "tfidf":
        from providers.tfidf import TfidfEmbedder

        return TfidfEmbedder.from_space(space)
    if space.provider == "hashing":
        from providers.hashing import HashingEmbedder

        return HashingEmbedder(space.dimensions, space.calibration)
    if space.provider in REMOTE and settings.embedding not in REMOTE:
        raise _not_asked(space)
    kept = details(space)
    base_url = settings.embedding_base_url if settings.embedding == space.provider else kept.get("base_url")
    encoder = _encoder(space.provider, space.model, settings, base_url, kept.get("dimensions"))
    used = model_conventions(space.model, settings)._replace(passage=kept["passage_prefix"])
    return NeuralEmbedder(space, encoder, used, told)


def _way(provider: str, model: str, settings: Settings) -> dict[str, Any]:
    """In which way the model is used, as far as it makes other vectors."""
    return {
        "passage_prefix": model_conventions(model, settings).passage,
        "dimensions": _asked_dimensions(provider, model, settings),
    }


def _asked_dimensions(provider: str, model: str, settings: Settings) -> int | None:
    """How long the vectors are wished to be, where a model can be asked: the older ones have but one length."""
    asked = provider in REMOTE and not re.search(r"ada-002$|text-embedding-v[12]$", model)
    return settings.embedding_dimensions if asked else None


def _known(provider: str) -> set[str]:
    """The models of a way without a model whose stored spaces this version reads."""
    from providers.tfidf import EARLIER_MODELS

    return {_modelless(provider), *(EARLIER_MODELS if provider == "tfidf" else [])}


@cache
def _modelless(provider: str) -> str:
    if provider == "tfidf":
        from providers.tfidf import MODEL

        return MODEL
    from providers.hashing import MODEL as HASHING

    return HASHING


def _encoder(provider: str, model: str, settings: Settings, base_url: str | None, dimensions: int | None) -> Encoder:
    if provider == "onnx":
        from providers.onnx import OnnxEncoder

        return OnnxEncoder(model, settings)
    if provider == "sentence-transformers":
        from providers.sentence_transformer import TorchEncoder

        return TorchEncoder(model, settings)
    from providers.remote import RemoteEncoder

    root = settings.ollama_base_url.rstrip("/").removesuffix("/v1")
    url, key = {
        "openai": (settings.openai_base_url or OPENAI_URL, settings.openai_api_key),
        "dashscope": (settings.dashscope_base_url, settings.dashscope_api_key),
        "ollama": (f"{root if '://' in root else f'http://{root}'}/v1", SecretStr("none")),
        "compatible": ("", SecretStr("none")),
    }[provider]
    variable = f"{provider.upper()}_API_KEY" if provider in ("openai", "dashscope") else "CITEWISE_EMBEDDING_API_KEY"
    if settings.embedding == provider and settings.embedding_api_key is not None:
        key, variable = settings.embedding_api_key, "CITEWISE_EMBEDDING_API_KEY"  # meant for this provider alone
    url = base_url or url
    if key is None or not model or not url:
        raise _incomplete(provider)
    name = "custom" if provider == "compatible" else provider
    address = Provider(name, model, url.rstrip("/"), key, settings.embedding_timeout, key_set_as=variable)
    batch = min(settings.embedding_batch_size, _MOST.get(provider, settings.embedding_batch_size))
    return RemoteEncoder(address, batch, dimensions, settings)


def _incomplete(provider: str) -> EmbeddingError:
    missing = {
        "openai": "OPENAI_API_KEY",
        "dashscope": "DASHSCOPE_API_KEY",
        "compatible": "CITEWISE_EMBEDDING_BASE_URL, CITEWISE_EMBEDDING_MODEL",
    }.get(provider, "CITEWISE_EMBEDDING_MODEL")
    return EmbeddingError(
        Message(
            zh=f"CITEWISE_EMBEDDING={provider} 还缺少设置：{missing}。",
            en=f"CITEWISE_EMBEDDING={provider} lacks a setting: {missing}.",
        ),
        Message(zh="请在 .env 中补上，然后重新启动程序。", en="Add it to .env and start the program again."),
    )


def _not_asked(space: Space) -> EmbeddingError:
    name = f"{space.provider}/{space.model}"
    return EmbeddingError(
        Message(
            zh=f"资料库的向量由 {name} 生成；当前设置不再把文字发给它。",
            en=f"The library's vectors were made by {name}; the settings no longer send texts there.",
        ),
        Message(
            zh="新的向量正在后台生成，在此之前按关键词检索。",
            en="Other vectors are being made in the background; keyword search works until then.",
        ),
    )


def _unknown(space: Space) -> EmbeddingError:
    name = f"{space.provider}/{space.model}"
    return EmbeddingError(
        Message(
            zh=f"资料库的向量由“{name}”生成，当前程序无法使用它。",
            en=f"The library's vectors were made by {name}, which this program cannot use.",
        ),
        Message(
            zh="请用生成它的版本打开，或重建向量索引；在此之前仍可用关键词检索。",
            en="Open it with the version that made it, or rebuild the vectors; keyword search works until then.",
        ),
    )
