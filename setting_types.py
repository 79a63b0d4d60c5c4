"""Types of settings whose values may be written in more than one way."""

from __future__ import annotations

import re
from ipaddress import ip_network
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from schema import EmbeddingName, Message, RerankerName
from schema.names import UnfitValue


def _listed(value: Any) -> Any:
    return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value


def _hosts_and_networks(value: tuple[str, ...]) -> tuple[str, ...]:
    for entry in value:
        try:
            ip_network(entry.strip("[]"), strict=False)
        except ValueError:
            if not re.fullmatch(r"[\w-]+(?:\.[\w-]+)*\.?", entry):
                raise UnfitValue(
                    Message(
                        zh=f"“{entry}”不是主机名、地址或网段（如 10.0.0.0/8）",
                        en=f'"{entry}" is no host, address or network (10.0.0.0/8)',
                    )
                ) from None
    return value


def _networks(value: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_network(entry) for entry in value)


def _network(entry: str) -> str:
    try:
        return str(ip_network(entry.strip("[]"), strict=False))
    except ValueError:
        raise UnfitValue(
            Message(
                zh=f"“{entry}”不是地址或网段（如 10.0.0.0/8）", en=f'"{entry}" is no address or network (10.0.0.0/8)'
            )
        ) from None


def _older_embedder(value: Any) -> Any:
    return {"simple": "tfidf", "qwen": "dashscope"}.get(value, value) if isinstance(value, str) else value


def _use_rerank(value: Any) -> Any:
    """RAG_USE_RERANK=true means the reranker of the older documents, which is a language model."""
    word = str(value).lower()
    return "llm" if word in {"true", "1", "yes", "on"} else "none" if word in {"false", "0", "no", "off"} else value


def _off(value: Any) -> Any:
    """In YAML `off` is false."""
    return "off" if value is False else value


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]  # "a, b" in a variable, a list in config.yaml
Secrets = Annotated[tuple[SecretStr, ...], BeforeValidator(_listed)]
Hosts = Annotated[Names, AfterValidator(_hosts_and_networks)]
Networks = Annotated[Names, AfterValidator(_networks)]
WebAddress = Annotated[str, Field(pattern=r"^https?://"), AfterValidator(lambda value: value.rstrip("/"))]
EmbedderChoice = Annotated[EmbeddingName, BeforeValidator(_older_embedder)]
RerankerChoice = Annotated[RerankerName, BeforeValidator(_use_rerank)]
OcrChoice = Annotated[Literal["rapidocr", "model", "off"], BeforeValidator(_off)]
