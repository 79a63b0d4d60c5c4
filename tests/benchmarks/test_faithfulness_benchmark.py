"""The faithfulness benchmark on a few answers, with the scripted model as judge."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from benchmarks import script
from benchmarks.faithfulness import run
from benchmarks.judged import Item, ask
from benchmarks.model_server import Reply, model_server
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.usefixtures("ingested_here")

CONTEXT = ["The lighthouse of Brandon was built in 1874. Thomas Kell was its keeper for 31 years."]
TRUE = ["The lighthouse of Brandon was built in 1874.", "Thomas Kell was the keeper of the lighthouse for 31 years."]
FALSE = ["Submarines surface there on every second Sunday.", "Its lamp burns whale oil from Nantucket."]


@pytest.fixture
def options(tmp_path: Path) -> argparse.Namespace:
    rows = [(text, "faithful") for text in TRUE] + [(text, "hallucinated") for text in FALSE]
    common = {"question": "What of Brandon?", "context": CONTEXT, "lang": "en"}
    lines = [json.dumps({**common, "answer": text, "label": label}) for text, label in rows]
    (tmp_path / "begin.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return argparse.Namespace(data=tmp_path, changes=20, seed=7, rows=50, scripted=False, fit=False)


@pytest.fixture
def environment(monkeypatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """No .env, no key, no Ollama."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEWISE_OLLAMA", "false")
    for name in ("CITEWISE_LLM_MODEL", "OPENAI_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_the_scripted_judge_says_what_it_is(options, environment) -> None:
    options.scripted = True
    report = run(options)
    assert report.metrics["judge"] == {"model": "scripted", "not judged": 0}
    assert report.metrics["judge begin"] == {"auroc": 1.0, "rows": 4}
    assert {name for name in report.metrics if name.startswith("judge en")} >= {"judge en number", "judge en negation"}
    assert report.metrics["judge en number"]["n"] >= 1
    assert any("plumbing" in note for note in report.notes)
    assert report.metrics["begin"]["support"] == 1.0  # the same rows without a model


def test_what_each_part_counts_is_fitted_to_answers_from_other_contexts(options) -> None:
    lines = (options.data / "begin.jsonl").read_text(encoding="utf-8")
    many = "".join(lines.replace("Thomas", name) for name in ("Ada", "Berta", "Clara", "Dora", "Emma"))
    (options.data / "begin.jsonl").write_text(many, encoding="utf-8")
    (options.data / "other.jsonl").write_text(many, encoding="utf-8")
    options.fit = True
    report = run(options)
    assert report.metrics.keys() == {"fit begin", "fit other"}
    for figures in report.metrics.values():
        aurocs = {"as it is": 1.0, "other folds": 1.0, "other files": 1.0}
        assert figures == {**aurocs, "right as it is": 1.0, "right by other folds": 1.0}
    assert "1716 combinations" in report.notes[-1]


def test_a_scripted_server_in_the_environment_is_known_for_one(options, environment) -> None:
    with model_server(script.reply) as server:
        environment.setenv("CITEWISE_LLM_MODEL", "m")
        environment.setenv("CITEWISE_LLM_BASE_URL", server.base_url)
        report = run(options)
    assert report.metrics["judge"]["model"] == "m"
    assert any("plumbing" in note for note in report.notes)


def test_without_a_model_nothing_is_judged(options, environment) -> None:
    report = run(options)
    assert not any(name.startswith("judge") for name in report.metrics)
    assert any("no model" in note for note in report.notes)


def test_ours_without_a_judge(environment) -> None:
    report = measured("faithfulness", "--rows", "0", "--changes", "20")
    assert report.ok, report
    assert {"own_en", "own_zh"} < set(report.metrics)
    assert not report.notes


def test_what_is_not_judged_is_not_a_score(environment) -> None:
    def judge(request: dict) -> Reply:
        return script.reply(request) if "Brandon" in str(request["messages"][-1]) else Reply("no", status=400)

    with model_server(judge) as server:
        environment.setenv("CITEWISE_LLM_MODEL", "m")
        environment.setenv("CITEWISE_LLM_BASE_URL", server.base_url)
        items = [Item("", text, CONTEXT, "en") for text in (TRUE[0], FALSE[0])] + [Item("", "Else.", ["Other."], "en")]
        judged = ask(items)
    assert judged.opinions[2] is None
    assert judged.opinions[0] is not None
    assert judged.opinions[1] is not None
    assert judged.opinions[0].score == 6.0 > judged.opinions[1].score
