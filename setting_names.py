"""The names by which variables set the settings, and the values that variables hold of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from schema import EmbeddingName

Variables = Mapping[str, str | None]

EMBEDDERS = {"openai", "qwen", "simple", *get_args(EmbeddingName)}  # what EMBEDDING_MODEL says in the older documents


PREFIX = "CITEWISE_"
_PROVIDERS = ("OPENAI_", "DASHSCOPE_", "DEEPSEEK_", "OLLAMA_")  # their settings go by the names that they gave them
_OWN = {"config_file": "CITEWISE_CONFIG", "ollama_auto": "CITEWISE_OLLAMA"}
_OLDER = {  # what the older documents and other programs use, where it cannot mean anything else
    "dashscope_model": ("DASH_MODEL_NAME",),
    "text_chunk_size": ("TEXT_CHUNK_SIZE",),
    "text_chunk_overlap": ("TEXT_CHUNK_OVERLAP",),
    "code_chunk_size": ("CODE_CHUNK_SIZE",),
    "code_chunk_overlap": ("CODE_CHUNK_OVERLAP",),
    "embedding": ("RAG_EMBEDDING_MODEL",),
    "embedding_dimensions": ("EMBEDDING_DIMENSIONS",),
    "fastembed_cache": ("FASTEMBED_CACHE_PATH",),
    "model_hub": ("HF_ENDPOINT",),
    "top_k": ("RAG_DEFAULT_TOP_K", "DEFAULT_TOP_K"),
    "reranker": ("RAG_USE_RERANK", "USE_RERANK"),
    "reranker_model": ("RERANKER_NAME_OR_PATH",),
    "reranker_type": ("RERANKER_TYPE",),
    "rerank_top_k": ("RERANK_TOP_K",),
    "rerank_model": ("RERANK_MODEL",),
    "rerank_temperature": ("RERANK_TEMPERATURE",),
    "min_score_threshold": ("MIN_SCORE_THRESHOLD",),
    "searxng_url": ("SEARXNG_URL",),
    "tavily_api_key": ("TAVILY_API_KEY",),
    "github_token": ("GITHUB_TOKEN",),
}


class Value(NamedTuple):
    """What a variable says of a setting."""

    name: str  # of the variable
    text: str


def names_of(field_name: str) -> tuple[str, ...]:
    """The variables that set a field, its own name first. None for what config.yaml alone can say."""
    if field_name == "llm_providers":
        return ()
    plain = field_name.upper()
    own = _OWN.get(field_name, plain if plain.startswith(_PROVIDERS) else PREFIX + plain)
    return tuple(dict.fromkeys((own, PREFIX + plain, *_OLDER.get(field_name, ()))))


def values_of(variables: Variables, fields: Iterable[str]) -> dict[str, Value]:
    """What the variables say, by field; a variable with nothing but spaces in it says nothing.

    A name may be written in small letters. `EMBEDDING_MODEL` is a variable of many programs, and meets the name of
    another setting: it counts only where it holds a word of the older documents, which is an embedder and no model.
    """
    values = {name.upper(): value for name, value in variables.items() if value and value.strip()}
    values |= {name: value for name, value in variables.items() if value and value.strip()}
    found: dict[str, Value] = {}
    for field_name in fields:
        if name := next((name for name in names_of(field_name) if name in values), None):
            found[field_name] = Value(name, values[name])
    if values.get("EMBEDDING_MODEL") in EMBEDDERS:
        found.setdefault("embedding", Value("EMBEDDING_MODEL", values["EMBEDDING_MODEL"]))
    return found


def older_names(sources: Sequence[Variables], fields: Iterable[str]) -> dict[str, str]:
    """The fields that a name sets which is not their own, with that name; the first of the sources comes first."""
    used: dict[str, str] = {}
    for variables in reversed(sources):
        used |= {field_name: value.name for field_name, value in values_of(variables, fields).items()}
    return {name: by for name, by in used.items() if by not in (names_of(name)[0], PREFIX + name.upper())}


class VariableSource(PydanticBaseSettingsSource):
    """Settings out of variables, by the names of their fields."""

    def __init__(self, settings_cls: type[BaseSettings], variables: Variables) -> None:
        super().__init__(settings_cls)
        self._variables = variables

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False  # all at once, below

    def __call__(self) -> dict[str, Any]:
        values = values_of(self._variables, self.settings_cls.model_fields)
        return {field_name: value.text for field_name, value in values.items()}
