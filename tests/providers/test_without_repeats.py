"""What fails in several steps of a turn for one reason is told once, wherever the turn is told."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import citewise
from graph.problems import LONGEST_MESSAGE
from nodes.events import Answered, Event, Traced
from nodes.state import Record
from providers.notices import without_repeats
from schema import Call, Message, Plan
from tests.each_row import each_row
from tests.graph.turn_cases import HANDBOOK
from ui.render import TurnView
from ui.trace_panel import _calls, _notices, _steps

BROKE, REST = (
    Message(zh="甲断开。", en="A broke."),
    Message(zh="甲断开，15 秒后再问。", en="A broke; it is asked again in 15 s."),
)
OTHER, REMEDY = Message(zh="乙超时。", en="B timed out."), Message(zh="请检查网络。", en="Check the network.")
CALLS = [Call("plan", "a", "m", error=BROKE), Call("hyde", "a", "m", error=REST), Call("answer", "b", "m", error=OTHER)]


def joined(*parts: Message) -> Message:
    return Message(zh="".join(one.zh for one in parts), en=" ".join(one.en for one in parts))


ALONE = Message(zh="只按问题检索。", en="It went by the question.")


@each_row(
    ("notices", "said"),
    [
        ([BROKE, BROKE], [BROKE]),
        ([BROKE, REST, REMEDY], [BROKE, REMEDY]),
        ([joined(ALONE, REST), BROKE], [joined(ALONE, REST)]),
        ([BROKE, joined(ALONE, REST), joined(REST, OTHER)], [BROKE, ALONE, OTHER]),
        ([joined(ALONE, BROKE, REMEDY), joined(BROKE, OTHER), REMEDY], [joined(ALONE, BROKE, REMEDY), OTHER]),
        ([REMEDY, joined(ALONE, REMEDY)], [REMEDY, ALONE]),
        ([ALONE, REMEDY], [ALONE, REMEDY]),
    ],
)
def test_each_reason_is_said_where_it_comes_first(notices: list[Message], said: list[Message]) -> None:
    assert list(without_repeats(notices, CALLS)) == said
    assert list(without_repeats(said, CALLS)) == said
    assert list(without_repeats(notices, CALLS, said)) == []


@pytest.fixture
def nobody() -> str:
    """An address where nobody listens."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    return f"http://127.0.0.1:{port}/v1"


@pytest.fixture
def library(tmp_path: Path, nobody: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[citewise.Citewise]:
    monkeypatch.setenv("CITEWISE_OLLAMA", "false")
    monkeypatch.setenv("CITEWISE_INGEST_WORKERS", "0")
    handbook = tmp_path / "员工手册.md"
    handbook.write_text(HANDBOOK, encoding="utf-8")
    known: dict[str, Any] = {"openai_api_key": "k", "openai_base_url": nobody}
    with citewise.open(tmp_path / "data", reranker="llm", embedding="hashing", **known) as opened:
        opened.add(handbook)
        yield opened


def count(told: str) -> int:
    return told.count("127.0.0.1")


@pytest.mark.parametrize("question", ["年假有几天？", "How many days of annual leave are there?"])
@pytest.mark.parametrize("strategy", ["hyde", "hybrid"])
def test_a_turn_says_once_who_cannot_be_reached(
    library: citewise.Citewise, caplog: pytest.LogCaptureFixture, question: str, strategy: str
) -> None:
    caplog.set_level(logging.INFO)
    events: list[Event] = list(library.stream(question, strategy=strategy))
    zh, en = (TurnView("zh"), TurnView("en"))
    for event in events:
        zh.apply(event)
        en.apply(event)
    for view in (zh, en):
        page = "\n".join(one["content"] for key, one in view.parts.items() if key != "trace")
        assert count(page) == 1, page
    answer = library.ask(question, strategy=strategy)
    for told in (" ".join(n.zh for n in answer.notices), " ".join(n.en for n in answer.notices)):
        assert count(told) == 1, told
    assert [record.levelname for record in caplog.records if record.name == "providers.attempt"].count("WARNING") == 1
    found = next(event.answer for event in events if isinstance(event, Answered))
    trace = next(event.trace for event in events if isinstance(event, Traced))
    panel = [_calls(trace, "zh"), _notices(Record(plan=Plan(), answer=found, trace=trace), "zh"), _steps(trace, "zh")]
    assert str(panel).count("连接被拒绝）。") + str(panel).count("秒后再问") <= len({c.error for c in trace.calls})


def test_what_is_searched_or_handed_to_a_program_says_it_once(library: citewise.Citewise) -> None:
    searched = library.search("年假有几天？", strategy="hyde")
    assert count(" ".join(one.zh for one in searched.notices)) == 1
    handled = library.handle_query("年假有几天？")
    assert count(str([handled["agent_result"]["error"], *handled["notices"]])) == 1


def test_a_question_that_is_too_long_is_no_error_of_a_file(library: citewise.Citewise) -> None:
    with pytest.raises(citewise.CitewiseError) as caught:
        library.ask("年" * (LONGEST_MESSAGE + 1))
    assert caught.value.kind == "settings"
    assert "文件" not in caught.value.message.zh
    assert caught.value.still_works
