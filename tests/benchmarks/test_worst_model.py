"""The benchmark of the worst model, small; and that it would notice a sentence that goes out unmarked."""

from __future__ import annotations

import pytest

from benchmarks.worst_model import DoorAnswer, _answered, _unmarked
from tests.benchmarks.benchmark_commands import measured

SAID = {"supported": False, "markers": []}


def test_the_smallest_size_goes_through_every_door(capfd: pytest.CaptureFixture[str]) -> None:
    report = measured("worst_model", "--questions", "1")
    assert [*report.metrics] == ["page", "/v1", "Gradio's API", "MCP"]
    assert {one["questions"] for one in report.metrics.values()} == {1}
    assert report.ok
    assert "Traceback" not in capfd.readouterr().err


def test_a_sentence_without_a_mark_and_a_greeting_are_noticed() -> None:
    asked = DoorAnswer("/v1", 0.1, "A car ⚠. A house.\n\nSources:\n⚠", [SAID, SAID], True, True)
    assert _unmarked(asked) == 1
    assert _unmarked(asked._replace(text="A car ⚠. A house ⚠.")) == 0
    assert not _answered(asked)
    held = asked._replace(statements=[SAID, {"supported": True, "markers": [1]}])
    assert _answered(held)
    assert not _answered(held._replace(covered=None))
