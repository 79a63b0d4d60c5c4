"""The benchmark of claims against sources in the other language."""

from __future__ import annotations

from tests.benchmarks.benchmark_commands import measured


def test_a_changed_fact_is_noticed_in_the_other_language() -> None:
    report = measured("crosscheck")
    assert report.ok
    assert report.metrics["zh against en: name"]["noticed"] >= 0.9
    assert report.metrics["en against zh: negation"]["n"] >= 5
