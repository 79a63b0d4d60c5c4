"""The benchmark of hostile messages, short; and that it would notice a pattern that tries all ways."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from benchmarks import redos
from benchmarks.redos_work import SHAPES, WORK
from tests.benchmarks.benchmark_commands import measured


def test_the_smallest_size_reads_every_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redos, "ROOMS", ["text", "evaluation"])  # all of them: tests/test_expressions.py
    report = measured("redos", "--messages", "10", "--characters", "200")
    assert list(report.metrics) == ["expressions", *WORK]
    assert report.metrics["planning"]["messages"] == 10
    assert report.ok


def test_words_come_from_the_patterns_and_messages_repeat_them() -> None:
    words = redos.literals(["planning"])
    assert {"几", "保存", "recursive", "【", "x.md", "hyde"} <= set(words)
    made = list(redos.messages(words, 2 * len(words), 300))
    assert {len(message) for message in made} == {300}
    assert any("几几几几" in message for message in made)
    assert len(set(made)) > 0.99 * len(made)  # pairs are drawn: two may meet twice


def test_of_what_is_done_in_steps_the_slowest_counts() -> None:
    def steps(text: str) -> Iterator[None]:
        for length in (1, len(text), 1):
            sum(range(length))
            yield

    assert (
        0 < redos.spent([steps], "a" * 1_000_000) < redos.spent([lambda text: list(steps(text * 2))], "a" * 1_000_000)
    )


def test_what_is_slow_is_found() -> None:
    nested = re.compile("(?:a|aa)+$")
    assert redos.spent([nested.search], "a" * 31 + "x") > redos.MOST


def test_small_sentences_items_and_numbers_are_repeated_too() -> None:
    assert redos.repeated(["3. ", "5天"], 9) == ["3. 3. 3. ", "5天5天5天5天5"]
    made = redos.shapes(300)
    assert {"3. ", "- a", "- a\n", "年假有5天。"} <= set(made)
    assert len(made) == 300
    assert [one for one in made if one not in SHAPES]
    assert redos.shapes(2) == SHAPES[:2]
