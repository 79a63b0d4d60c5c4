"""Languages and strategies go by any of their names wherever one is taken; what is none is refused with the list."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from typer.testing import CliRunner

import cli
from config_file import read_config
from doors import forms, result_forms
from doors.openai_forms import is_model
from doors.services import Services
from errors import CitewiseError
from graph.comparison import compare
from graph.request_controls import controls_for
from nodes.state import Controls
from planning.model_form import FilledPlan
from retrieval.langchain import CitewiseRetriever, CitewiseVectorStore
from schema import Plan
from schema.names import OLDER_STRATEGIES, language_code, strategy_name
from settings import Settings
from tests.graph.turn_cases import GUIDE, assistant_of

LANGUAGES = {
    "zh": ["zh", "cn", "CN", "zh-CN", "zh_CN", "zh-Hans", "zh-Hant-TW", "zh_CN.UTF-8", "中文", "Chinese"],
    "en": ["en", "EN", "en-US", "en_GB.UTF-8", "English", "英文"],
}
SPELLINGS = [(spelling, code) for code, spellings in LANGUAGES.items() for spelling in spellings]


@pytest.mark.parametrize(("spelling", "code"), SPELLINGS)
def test_a_language_in_any_spelling(spelling: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings.from_mapping({"CITEWISE_FALLBACK_LANGUAGE": spelling}).fallback_language == code
    assert Controls(language=spelling).language == code  # type: ignore[arg-type]
    assert Plan(language=spelling).language == code  # type: ignore[arg-type]
    assert FilledPlan(reason="", intent="retrieve", language=spelling).language == code  # type: ignore[arg-type]


def test_what_is_no_language_of_ours_is_left_to_be_refused(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert [language_code(one) for one in ("fr", "", None, "enormous", 5)] == ["fr", "", None, "enormous", 5]
    with pytest.raises(ValueError, match="'zh' or 'en'"):
        Settings.from_mapping({"CITEWISE_FALLBACK_LANGUAGE": "fr"})
    (tmp_path / "a.yaml").write_text("language: {default: zh-CN, supported: [zh-CN, en-US]}")
    assert Settings(config_file=tmp_path / "a.yaml").fallback_language == "zh"
    assert read_config(tmp_path / "a.yaml", {}, Settings.model_fields) == {"fallback_language": "zh-CN"}
    assert not caplog.records


def test_the_terminal_speaks_the_language_of_its_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    from commands.terminal import language

    for locale, code in (("zh_CN.UTF-8", "zh"), ("zh_TW", "zh"), ("en_GB.UTF-8", "en"), ("C", "en"), ("de_DE", "en")):
        monkeypatch.setenv("LC_ALL", locale)
        assert language() == code


@pytest.mark.parametrize(
    ("given", "strategy"),
    [*OLDER_STRATEGIES.items(), ("FAISS-BERT", "vector"), ("bm25_rerank", "hybrid"), ("Hyde", "hyde"), ("rm3", "rm3")],
)
async def test_a_strategy_by_any_of_its_names_at_every_door(
    given: str, strategy: str, make_settings: Callable[..., Settings]
) -> None:
    assert Settings.from_mapping({"CITEWISE_STRATEGY": given}).strategy == strategy
    assert forms.Ask(question="?", strategy=given).strategy == strategy  # type: ignore[arg-type]  # MCP, Gradio, /v1
    assert is_model(f"citewise/{given}")
    async with assistant_of(make_settings()) as assistant:
        assert controls_for(assistant.library, strategy=given).strategy == strategy  # the terminal and Python


async def test_the_strategy_that_is_meant_runs(make_settings: Callable[..., Settings]) -> None:
    async with assistant_of(make_settings(CITEWISE_EMBEDDING="hashing")) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        found = await Services(assistant).call("search", {"question": "rattling noise", "strategy": "faissbert"})
        assert isinstance(found, result_forms.SearchResult)
        assert found.strategy == "vector"
        assert (await assistant.library.search("noise", strategy="bm25rerank")).strategy == "hybrid"  # type: ignore[arg-type]
        pair = ["faissbert", "keyword"]
        async for compared in compare(assistant, "rattling noise", pair):  # type: ignore[arg-type]
            assert [one.strategy for one in compared.columns] == ["vector", "keyword"]
    with CitewiseVectorStore.from_texts(["a noise"], DeterministicFakeEmbedding(size=8)) as store:
        assert CitewiseRetriever(store=store.store, strategy="bm25").strategy == "keyword"  # type: ignore[arg-type]


async def test_a_strategy_that_does_not_exist_is_refused_with_those_that_do(
    make_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def lists_them(said: str) -> bool:
        """In the language of a terminal, or in both."""
        either = "没有检索策略" in said or "no strategy" in said
        return either and all(one in " ".join(said.split()) for one in ("best", "hybrid", "faissbert = vector"))

    with pytest.raises(ValueError, match="best") as plain:
        strategy_name("best")
    assert lists_them(str(plain.value))
    assert not is_model("citewise/best")
    assert not is_model("other/vector")
    async with assistant_of(make_settings()) as assistant:
        for call in (
            lambda: Services(assistant).call("ask", {"question": "?", "strategy": "best"}),
            lambda: assistant.library.search("?", strategy="best"),  # type: ignore[arg-type]
            lambda: compare(assistant, "?", ["best", "vector"]).asend(None),  # type: ignore[list-item]
        ):
            with pytest.raises(CitewiseError) as caught:
                await call()
            assert lists_them(f"{caught.value.message.zh} {caught.value.message.en}")
    monkeypatch.setenv("CITEWISE_DATA_DIR", str(tmp_path / "library"))
    monkeypatch.setenv("CITEWISE_INGEST_WORKERS", "0")
    done = await asyncio.to_thread(CliRunner().invoke, cli.cli, ["ask", "?", "--strategy", "best"])
    assert (done.exit_code, lists_them(done.output)) == (1, True)
