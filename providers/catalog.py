"""Which providers are configured, in the order in which they are asked."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from config_file import KNOWN, ProviderEntry
from settings import Settings

log = logging.getLogger(__name__)

OPENAI_URL = "https://api.openai.com/v1"
OLLAMA_TIMEOUT = 60.0  # seconds: it loads a model when it is first asked
_LABELS = {"openai": "OpenAI", "dashscope": "DashScope", "deepseek": "DeepSeek", "ollama": "Ollama"}


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a model is asked, and as whom."""

    name: str  # "custom" (CITEWISE_LLM_*), a known one, or as config.yaml names it
    model: str  # "": whatever the address has (Ollama)
    base_url: str
    api_key: SecretStr | None = None
    timeout: float = 30.0  # seconds without a sign of life
    temperature: float = 0.0
    weight: float = 0.0
    key_set_as: str = ""  # the variable of its key; "": the usual one
    prices: tuple[float, float] | None = None  # of a million tokens in and out
    currency: str = ""

    @property
    def label(self) -> str:
        """Its name for a person."""
        return _LABELS.get(self.name) or (self.host if self.name == "custom" else self.name)

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def address(self) -> str:
        """Its address for a person: what stands before an @ or behind a ? may be a secret."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{self.host}{parts.path}"

    @property
    def local(self) -> bool:
        """On this machine: no proxy stands between."""
        return (urlsplit(self.base_url).hostname or "") in ("localhost", "127.0.0.1", "::1")

    def cost(self, model: str, tokens: tuple[int | None, int | None]) -> float | None:
        """Of a request, by the prices of its model; None where these or the tokens are not known."""
        read, written = tokens
        if self.prices is None or model != self.model or read is None or written is None:
            return None
        return (read * self.prices[0] + written * self.prices[1]) / 1_000_000

    @property
    def key_variable(self) -> str:
        """Where its key is set."""
        if self.key_set_as:
            return self.key_set_as
        if self.name in _LABELS:
            return f"{self.name.upper()}_API_KEY"
        return "CITEWISE_LLM_API_KEY" if self.name == "custom" else f"llm_providers.{self.name}.api_key"


def configured(settings: Settings) -> list[Provider]:
    """The chain in its order; whoever lacks a key is not in it. Ollama is, whether it answers or not."""
    listed = settings.llm_providers or tuple(ProviderEntry(name=name) for name in KNOWN)
    found = [_custom(settings), *(_listed(settings, entry) for entry in listed)]
    if settings.ollama_auto and "ollama" not in {entry.name for entry in listed}:
        found.append(_listed(settings, ProviderEntry(name="ollama")))
    return [provider for provider in found if provider is not None]


def _custom(settings: Settings) -> Provider | None:
    if settings.llm_model is None:
        if settings.llm_base_url:
            log.warning("CITEWISE_LLM_BASE_URL has no effect without CITEWISE_LLM_MODEL / 缺少 CITEWISE_LLM_MODEL")
        return None
    key = settings.llm_api_key
    if settings.llm_base_url is None:
        key = key or settings.openai_api_key
    return Provider(
        "custom",
        settings.llm_model,
        (settings.llm_base_url or settings.openai_base_url or OPENAI_URL).rstrip("/"),
        key,
        settings.llm_timeout,
        settings.llm_temperature,
        **_priced(settings.llm_input_price, settings.llm_output_price, settings.llm_currency),
    )


def _listed(settings: Settings, entry: ProviderEntry) -> Provider | None:
    name, key = entry.name, entry.api_key
    model, base_url, timeout = entry.model, entry.base_url, entry.timeout or settings.llm_timeout
    if name == "ollama":
        if not settings.ollama_auto and not settings.llm_providers:
            return None
        root = settings.ollama_base_url.rstrip("/").removesuffix("/v1")
        base_url = f"{root if '://' in root else f'http://{root}'}/v1"
        model, timeout = settings.ollama_model, entry.timeout or max(OLLAMA_TIMEOUT, settings.llm_timeout)
    elif name in KNOWN:
        key = getattr(settings, f"{name}_api_key")
        if key is None:
            return None
        model = getattr(settings, f"{name}_model")
        base_url = getattr(settings, f"{name}_base_url") or OPENAI_URL
    return Provider(
        name,
        model or "",
        (base_url or "").rstrip("/"),
        key,
        timeout,
        settings.llm_temperature,
        entry.weight,
        **_priced(entry.input_price, entry.output_price, entry.currency),
    )


def _priced(read: float | None, written: float | None, currency: str) -> dict[str, Any]:
    """Fields of `Provider`."""
    return {} if read is None or written is None else {"prices": (read, written), "currency": currency}
