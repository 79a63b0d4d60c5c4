"""The load benchmark: a short run of the real thing, and that answers which are mixed up are seen to be."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import load, load_script
from benchmarks.load import Reply, Shelf, _arrivals, judged
from benchmarks.load_bare import PASSAGES, passages
from benchmarks.manuals import Fact, manuals
from benchmarks.report import Report
from tests.benchmarks.benchmark_commands import measured
from tests.forked import forked

pytestmark = pytest.mark.usefixtures("ingested_here")

FEW = [*"--conversations 5 --seconds 0.1 --rounds 1 --latency 0.02 --documents 6 --case".split(), "one language"]
MANUALS = manuals(4, ("en",))
FACTS = [manual.facts[number] for number, manual in enumerate(MANUALS)]


def test_answers_are_judged_by_what_they_tell() -> None:
    right = [Reply(fact, f"{fact.sentence.rstrip('.')} [1]. And more.", 0.1, 0.2) for fact in FACTS]
    assert judged(right) == (0, 0)
    empty = [right[0]._replace(text="Nothing was found.")]
    assert judged([*empty, *right[1:]]) == (1, 0)
    exchanged = [right[0]._replace(text=right[1].text), right[1]._replace(text=right[0].text)]
    assert judged([*exchanged, *right[2:]]) == (2, 2)
    both = [right[0]._replace(text=right[0].text + right[3].text)]
    assert judged([*both, *right[1:]]) == (0, 1)


def test_everybody_comes_at_the_same_moments_always() -> None:
    moments = _arrivals(50, 5.0)
    assert moments == _arrivals(50, 5.0) == sorted(moments)
    assert 0 <= moments[0] <= moments[-1] <= 5


def test_the_bare_graph_reads_the_whole_manual() -> None:
    pieces = passages(MANUALS[0])
    assert len(pieces) <= PASSAGES
    assert "\n\n".join(pieces) == MANUALS[0].text


def test_the_model_speaks_of_one_source() -> None:
    fenced = "\n\n".join(f'<x number="{n}">\n{fact.sentence}\n</x>' for n, fact in enumerate(FACTS, 1))
    asked = f"{fenced}\n\nQuestion: {FACTS[2].question.en}"
    reply = load_script.reply({"messages": [{"role": "user", "content": asked}], "model": "m"})
    assert reply.text == f"{FACTS[2].sentence.rstrip('.')} [3]."


def test_answers_that_are_mixed_up_are_seen() -> None:
    replies = []
    for fact in FACTS:
        replies.append(Reply(fact, load_script.mixed(_asked(fact)).text, 0.1, 0.2))
    assert replies[-1].text == load_script.reply(_asked(FACTS[-2])).text
    assert judged(replies)[1] == len(FACTS) - 1  # the first has nobody before it


def test_calls_for_a_plan_are_told_from_others() -> None:
    forms = [{"response_format": {"json_schema": {"name": name}}} for name in ("FilledPlan", "Judgement", "FilledPlan")]
    assert load._plans([*forms, {"messages": [{"role": "user", "content": "a FilledPlan?"}]}]) == 2


def test_a_short_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "started", forked)  # that the command starts programs: `test_startup_benchmark.py`
    report = measured("load", *FEW, "--turns", "0")
    ours, bare = report.metrics["one language, ours"], report.metrics["one language, bare"]
    assert min(ours["p50"], bare["p50"]) >= 0.02  # the server lets everybody wait
    assert (ours["errors"], ours["wrong"], ours["crossed"], bare["errors"]) == (0, 0, 0, 0)
    assert ours["one round trip"] == 1.0  # the rules are certain
    assert set(report.bars) == {
        "one language, ours: errors", "one language, bare: errors", "one language: wrong", "one language: crossed",
        "one language: first token p95 / bare",
    }  # fmt: skip


def test_memory_is_looked_at_between_turns(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(load, "_ours", load._bare)  # which has the same door, and starts at less cost
    monkeypatch.setattr(load, "started", forked)
    report = Report({})
    load._memory(Shelf(tmp_path, ("en",), MANUALS), Namespace(script=load.SCRIPT, turns=24, warm_up=4), report)
    assert report.metrics["memory, MB"]["warmed up"] > 10
    assert report.bars["memory: errors"].ok
    assert set(report.bars) == {"memory: errors", "memory: MB more"}


def _asked(fact: Fact) -> dict[str, Any]:
    content = f'<x number="1">\n{fact.sentence}\n</x>\n\nQuestion: {fact.question.en}'
    return {"messages": [{"role": "user", "content": content}], "model": "m"}
