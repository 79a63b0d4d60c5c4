"""Who is in the chain, and in which order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from providers.catalog import configured
from settings import Settings
from tests.each_row import each_row

KEYS = {"OPENAI_API_KEY": "k1", "DASHSCOPE_API_KEY": "k2", "DEEPSEEK_API_KEY": "k3"}
OWN = {"CITEWISE_LLM_MODEL": "own", "CITEWISE_LLM_BASE_URL": "http://x/v1/"}


def chain(**variables: str) -> list[tuple[str, str, str]]:
    return [(one.name, one.model, one.base_url) for one in configured(Settings.from_mapping(variables))]


def names(**variables: str) -> list[str]:
    return [name for name, *_ in chain(**variables)]


def test_without_anything_there_may_be_an_ollama() -> None:
    assert chain() == [("ollama", "", "http://localhost:11434/v1")]
    assert chain(CITEWISE_OLLAMA="false") == []


def test_keys_make_the_chain_and_an_own_address_comes_first() -> None:
    assert chain(**KEYS, **OWN) == [
        ("custom", "own", "http://x/v1"),
        ("openai", "gpt-4o-mini", "https://api.openai.com/v1"),
        ("dashscope", "qwen-turbo", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
        ("deepseek", "deepseek-chat", "https://api.deepseek.com/v1"),
        ("ollama", "", "http://localhost:11434/v1"),
    ]


@each_row("given", ["http://box:1234", "box:1234", "http://box:1234/", "http://box:1234/v1"])
def test_ollamas_address_in_every_form(given: str) -> None:
    assert chain(OLLAMA_BASE_URL=given, OLLAMA_MODEL="qwen3:8b") == [("ollama", "qwen3:8b", "http://box:1234/v1")]


def test_an_own_model_without_an_address_is_openais() -> None:
    own = configured(Settings.from_mapping({"CITEWISE_LLM_MODEL": "gpt-x", "OPENAI_API_KEY": "k1"}))[0]
    assert (own.base_url, own.api_key.get_secret_value()) == ("https://api.openai.com/v1", "k1")


def test_an_address_without_a_model_is_said_to_have_no_effect(caplog: pytest.LogCaptureFixture) -> None:
    assert names(CITEWISE_LLM_BASE_URL="http://x/v1") == ["ollama"]
    assert "CITEWISE_LLM_MODEL" in caplog.text


def listed(tmp_path: Path, section: dict, **variables: str) -> list:
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({"llm_providers": section}))
    return configured(Settings.from_mapping({"CITEWISE_CONFIG": str(path), **variables}))


def test_a_list_in_the_file_is_the_chain(tmp_path: Path) -> None:
    section = {
        "primary": "deepseek",
        "fallback": ["office", "openai"],
        "office": {"model": "m", "base_url": "http://y/v1", "timeout": 7, "weight": 2},
    }
    assert [one.name for one in listed(tmp_path, section, **KEYS)] == ["deepseek", "office", "openai", "ollama"]
    assert [one.name for one in listed(tmp_path, section, **OWN)] == ["custom", "office", "ollama"]
    office = listed(tmp_path, section, CITEWISE_LLM_TEMPERATURE="0.4")[0]
    assert (office.timeout, office.weight, office.temperature, office.api_key) == (7.0, 2.0, 0.4, None)


def test_an_ollama_that_is_listed_has_its_place(tmp_path: Path) -> None:
    section = {"primary": "ollama", "fallback": "qwen", "ollama": {"model": "llama2"}, "qwen": {"model": "qwen-max"}}
    found = listed(tmp_path, section, CITEWISE_OLLAMA="false", **KEYS)
    assert [(one.name, one.model, one.timeout) for one in found] == [
        ("ollama", "llama2", 60.0),
        ("dashscope", "qwen-max", 30.0),
    ]


def test_variables_beat_the_file(tmp_path: Path) -> None:
    section = {"primary": "openai", "openai": {"model": "a", "api_key": "file", "base_url": "http://file/v1"}}
    found = listed(tmp_path, section, OPENAI_MODEL="b", OPENAI_API_KEY="env")[0]
    assert (found.model, found.api_key.get_secret_value(), found.base_url) == ("b", "env", "http://file/v1")
