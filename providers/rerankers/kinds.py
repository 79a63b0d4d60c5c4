"""The kinds of models that the package `rerankers` knows for text, and what each of them needs."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal, NamedTuple

from errors import CitewiseError, missing_extra
from providers.rerankers.base import RerankError
from schema import Message, RerankerType
from settings import Settings

Where = Literal["here", "model", "address"]  # on this machine; a language model of a provider; an address of its own


class Kind(NamedTuple):
    """`extra` is that of `rerankers`, `module` what it brings."""

    extra: str
    module: str
    where: Where = "here"


KINDS: dict[RerankerType, Kind] = {
    "cross-encoder": Kind("transformers", "torch"),
    "t5": Kind("transformers", "torch"),
    "colbert": Kind("transformers", "torch"),
    "mxbaiv2": Kind("transformers", "torch"),
    "llm-layerwise": Kind("transformers", "torch"),
    "upr": Kind("transformers", "torch"),
    "flashrank": Kind("flashrank", "flashrank"),
    "pylate": Kind("pylate", "pylate"),
    "rankgpt": Kind("gpt", "litellm", "model"),
    "llm-relevance-filter": Kind("gpt", "litellm", "model"),
    "rankllm": Kind("rankllm", "rank_llm", "model"),
    "cohere": Kind("api", "requests", "address"),
    "jina": Kind("api", "requests", "address"),
    "voyage": Kind("api", "requests", "address"),
    "mixedbread.ai": Kind("api", "requests", "address"),
    "pinecone": Kind("api", "requests", "address"),
    "isaacus": Kind("api", "requests", "address"),
    "text-embeddings-inference": Kind("api", "requests", "address"),
}


def missing(settings: Settings) -> CitewiseError | None:
    """What the kind that is set lacks: a package, a key, an address. None: nothing."""
    name = settings.reranker_type
    kind = KINDS[name]
    if find_spec(kind.module) is None or (kind.module == "torch" and find_spec("transformers") is None):
        return missing_extra("rerank") if kind.module == "torch" else _no_package(name, kind)
    if name == "text-embeddings-inference":
        return None if settings.reranker_base_url else _not_set(name, "CITEWISE_RERANKER_BASE_URL")
    if kind.where != "here" and settings.reranker_api_key is None and name != "llm-relevance-filter":
        return _not_set(name, "CITEWISE_RERANKER_API_KEY")
    return None


def _no_package(name: str, kind: Kind) -> CitewiseError:
    command = f'uv pip install "rerankers[{kind.extra}]"'
    return RerankError(
        Message(
            zh=f"重排模型的类型“{name}”需要软件包 {kind.module}，它还没有安装。",
            en=f"Rerankers of the type {name!r} need the package {kind.module}, which is not installed.",
        ),
        Message(zh=f"请运行：{command}，然后重新启动程序。", en=f"Run: {command}, then start the program again."),
    )


def _not_set(name: str, variable: str) -> CitewiseError:
    return RerankError(
        Message(
            zh=f"重排模型的类型“{name}”会把检索到的片段发送到一个地址，还需要设置 {variable}。",
            en=f"Rerankers of the type {name!r} send the passages found to an address; {variable} is missing.",
        ),
        Message(zh=f"请在 .env 中设置 {variable}。", en=f"Set {variable} in .env."),
    )
