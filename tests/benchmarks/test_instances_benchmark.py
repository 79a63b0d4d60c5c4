"""Two instances over one PostgreSQL: a short run of the real thing, and that what is lost or there twice is seen."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.instances import conversations
from benchmarks.instances.browser import Talk, problems
from benchmarks.manuals import manuals
from tests.benchmarks.benchmark_commands import measured
from tests.forked import forked_at

pytestmark = pytest.mark.usefixtures("ingested_here")

FEW = "--part conversations --conversations 2 --kills 0 --ends 0 --trials 1 --latency 0.02".split()


def test_a_short_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversations, "started_at", forked_at)  # programs begin at less cost so
    report = measured("instances", *FEW)
    assert {name for name, bar in report.bars.items() if not bar.ok} == set()
    assert report.metrics["at once"]["turns"] == 6


def test_turns_that_are_lost_or_there_twice_are_seen() -> None:
    nobody: Any = SimpleNamespace()
    first, second, third = manuals(1, ("en",))[0].facts[:3]
    talk = Talk("t", nobody, [(one, "answer") for one in (first, second, third)])
    asked = [f"> {one.question.en}" for one in (first, second, third)]
    assert problems(talk, "\n\n".join(asked)) == {}
    assert problems(talk, "\n\n".join([*asked, asked[0]])) == {"twice": 1}
    assert problems(talk, asked[1]) == {"lost": 2}
