"""The terminal lists every stage that is registered, and says what the others lack."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from typer.testing import CliRunner

import cli
from commands.stages import registered_stages
from ingestion.chunking import CHUNKERS
from ingestion.readers import READERS
from providers.rerankers.kinds import KINDS
from retrieval.strategies import STRATEGIES
from schema import EmbeddingName
from settings import Settings
from web.extracting import EXTRACTORS
from web.search import SOURCES
from web.search.ddgs import Ddgs

OFFLINE = {"CITEWISE_OLLAMA": "false"}


def listed(kind: str, **variables: str) -> dict[str, tuple[bool, str]]:
    found = registered_stages(Settings.from_mapping({**OFFLINE, **variables}))
    return {one.name: (one.available, one.note.en) for one in found if one.kind == kind}


def said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, language: str) -> str:
    monkeypatch.chdir(tmp_path)
    for name, value in {**OFFLINE, "LC_ALL": language, "COLUMNS": "200"}.items():
        monkeypatch.setenv(name, value)
    done = CliRunner().invoke(cli.cli, ["stages"])
    assert done.exit_code == 0, done.output
    return done.output


def test_everything_that_is_registered_is_listed() -> None:
    assert list(listed("search")) == list(SOURCES)
    assert list(listed("extract")) == list(EXTRACTORS)
    assert list(listed("chunk")) == list(CHUNKERS)
    assert list(listed("retrieve")) == list(STRATEGIES)
    assert listed("clean")["html"] == (True, ".html .htm .xhtml .shtml")
    assert len(listed("clean")) == len({*READERS.values()})
    assert list(listed("embed")) == [name for name in get_args(EmbeddingName) if name != "auto"]
    assert list(listed("rerank")) == ["onnx", "llm", *KINDS]
    assert list(listed("fetch")) == ["page", "github", "website", "repository"]


def test_what_is_lacking_is_said() -> None:
    assert listed("search")["ddgs"] == (True, "")
    assert listed("search")["tavily"] == (False, "its key is missing (TAVILY_API_KEY)")
    assert listed("search", TAVILY_API_KEY="k")["tavily"] == (True, "")
    assert "CITEWISE_WEB_SEARCH" in listed("search", CITEWISE_WEB_SEARCH="tavily")["ddgs"][1]
    assert listed("extract")["statistics"][0]
    assert not listed("extract")["model"][0]
    assert listed("extract", OPENAI_API_KEY="k")["model"] == (True, "OpenAI")
    assert listed("extract", CITEWISE_OLLAMA="true")["model"] == (True, "while Ollama answers")
    assert not listed("retrieve")["hyde"][0]
    assert listed("embed", CITEWISE_EMBEDDING="hashing")["hashing"] == (True, "the default")
    assert listed("embed")["openai"] == (False, "OPENAI_API_KEY is not set")
    assert listed("embed", OPENAI_API_KEY="k")["openai"] == (True, "")
    assert not listed("rerank")["llm"][0]
    assert listed("rerank", OPENAI_API_KEY="k", USE_RERANK="true")["llm"] == (True, "the default")
    assert "CITEWISE_RERANKER_API_KEY" in listed("rerank")["cohere"][1]
    keyed = listed("rerank", RERANKER_TYPE="cohere", CITEWISE_RERANKER_API_KEY="k")
    assert keyed["cohere"] == (True, "the default")


def test_a_new_one_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOURCES, "own", Ddgs)
    assert listed("search", CITEWISE_WEB_SEARCH="own")["own"] == (True, "")


@pytest.mark.parametrize(
    ("language", "words"),
    [("en_GB.UTF-8", ("Search sources", "✓ ddgs", "TAVILY_API_KEY", "statistics", "recursive")),
     ("zh_CN.UTF-8", ("搜索来源", "缺少密钥", "要点提取", "切片方式", "缺少语言模型"))],
)  # fmt: skip
def test_the_terminal_lists_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, language: str, words: tuple) -> None:
    shown = " ".join(said(monkeypatch, tmp_path, language).split())
    for word in words:
        assert word in shown
