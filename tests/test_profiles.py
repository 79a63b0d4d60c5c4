"""The values of the older documents as sets of defaults, which anything that is set by itself beats."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from profiles import PROFILES
from setting_names import names_of
from settings import Settings
from tests.each_row import each_row

DOCS = (Path(__file__).parent.parent / "docs" / "profiles.md").read_text(encoding="utf-8")
FIELDS = Settings.model_fields
DOCUMENTS: dict[str, dict[str, Any]] = {  # as they write it, by the names of ours
    "000": {
        "top_k": 3, "min_score_threshold": 0.30, "strategy": "vector", "web": "always", "web_search": ("ddgs",),
        "ddgs_engines": ("duckduckgo",), "web_results": 3, "tfidf_dimensions": 100, "hashing_dimensions": 128,
    },
    "001": {"top_k": 3, "min_similarity": 0.6, "max_context_length": (16385 - 500) // 2},
    "002": {
        "chunker": "recursive", "text_chunk_size": 500, "text_chunk_overlap": 100, "chinese_chunk_size": 500,
        "chinese_chunk_overlap": 100, "code_chunk_size": 300, "code_chunk_overlap": 50, "strategy": "vector",
        "top_k": 5, "reranker": "llm", "rerank_top_k": 3, "rerank_temperature": 0, "openai_model": "gpt-3.5-turbo",
    },
    "003": {
        "data_dir": Path("saved_files"), "chunker": "semantic", "strategy": "default", "hyde_below": 1,
        "reranker": "cross-encoder", "reranker_model": "BAAI/bge-reranker-large", "reranker_type": "cross-encoder",
        "dashscope_model": "qwen-turbo", "dashscope_embedding_model": "text-embedding-v3", "close_with_browser": True,
    },
    "004": {
        "strategy": "vector", "embedding": "tfidf", "top_k": 5, "min_similarity": 0.3, "min_confidence": 0.3,
        "max_context_length": 2000, "openai_model": "gpt-3.5-turbo", "deepseek_model": "deepseek-chat",
        "ollama_model": "llama2", "ollama_base_url": "http://localhost:11434", "llm_timeout": 30,
        "fallback_language": "zh",
    },
}  # fmt: skip
VALUES = [(name, field, value) for name, values in DOCUMENTS.items() for field, value in values.items()]


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    return ",".join(value) if isinstance(value, tuple) else "" if value is None else str(value)


@each_row(("name", "field", "value"), VALUES)
def test_a_profile_sets_the_documents_value_unless_it_is_set_by_itself(name: str, field: str, value: Any) -> None:
    assert getattr(Settings.from_mapping({"CITEWISE_PROFILE": name}), field) == value
    own = shown(FIELDS[field].default) or "0.5"
    for variable in names_of(field):
        by_itself = Settings.from_mapping({"CITEWISE_PROFILE": name, variable: own})
        assert getattr(by_itself, field) == getattr(Settings.from_mapping({variable: own}), field)


@each_row("name", PROFILES)
def test_a_profile_sets_nothing_else(name: str) -> None:
    plain = Settings.from_mapping({}).model_dump()
    changed = {field for field, value in Settings.from_mapping({"profile": name}) if value != plain[field]}
    assert changed <= {"profile", *DOCUMENTS[name]}
    assert PROFILES[name].keys() == DOCUMENTS[name].keys()
    assert not {"embedding_base_url", "llm_base_url"} & PROFILES[name].keys()
    assert PROFILES[name].get("embedding", "auto") in ("auto", "tfidf", "hashing"), "texts are sent to nobody"


def test_every_source_beats_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text("retrieval: {profile: 002, text_chunk_size: 510}", encoding="utf-8")
    Path(".env").write_text("TEXT_CHUNK_OVERLAP=110\n", encoding="utf-8")
    monkeypatch.setenv("CODE_CHUNK_SIZE", "310")
    found = Settings(code_chunk_overlap=60)
    assert (found.profile, found.chinese_chunk_size, found.rerank_top_k) == ("002", 500, 3)
    assert (found.text_chunk_size, found.text_chunk_overlap) == (510, 110)
    assert (found.code_chunk_size, found.code_chunk_overlap) == (310, 60)


@each_row("given", ["4", "04", "004", 4])
def test_a_number_is_a_profile(given: Any) -> None:
    assert Settings(profile=given).max_context_length == 2000


def test_a_profile_that_does_not_exist_is_refused() -> None:
    for name in ("005", "ours"):
        with pytest.raises(ValidationError, match="'003' or '004'"):
            Settings.from_mapping({"CITEWISE_PROFILE": name})


def test_the_documentation_has_every_value_in_both_languages() -> None:
    for field in {field for values in PROFILES.values() for field in values}:
        cells = [f"`{names_of(field)[0]}`", shown(FIELDS[field].default)]
        cells += [shown(values.get(field)) for values in PROFILES.values()]
        assert DOCS.count(f"| {' | '.join(cells)} |") == 2, cells
