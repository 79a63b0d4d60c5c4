"""Models that say nothing, or do not come to an end."""

from __future__ import annotations

import pytest

from benchmarks.model_server import Reply, model_server, wanted_form
from evaluation.unsourced import without_marks
from graph.request import Request
from graph.turns import Assistant
from nodes import answer as node
from nodes.events import Answered, Reset, Token


async def ask(make_settings, text: str) -> list:
    with model_server(lambda request: Reply(status=400) if wanted_form(request) else Reply(text)) as server:
        settings = make_settings(CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url)
        assistant = await Assistant.open(settings)
        try:
            await assistant.library.add("guide.md", b"# Guide\n\nPrime the pump before the first start.\n")
            return [event async for event in assistant.run_turn(Request("t", "When do I prime the pump?"))]
        finally:
            await assistant.close()


@pytest.mark.parametrize("silence", ["", " \n "])
async def test_silence_is_not_signed_by_the_model(make_settings, silence: str) -> None:
    events = await ask(make_settings, silence)
    answer = next(event.answer for event in events if isinstance(event, Answered))
    assert (answer.answered_by, answer.fallback_used) == ("extractive", True)
    assert "before the first start" in answer.text
    assert any("said nothing" in notice.en for notice in answer.notices)
    after_reset = events[[isinstance(event, Reset) for event in events].index(True) :]
    assert "".join(event.text for event in after_reset if isinstance(event, Token)) == answer.text


async def test_an_answer_without_end_is_cut_and_says_so(make_settings, monkeypatch) -> None:
    monkeypatch.setattr(node, "LONGEST", 100)
    events = await ask(make_settings, "Prime the pump before the first start [1]. " * 50)
    answer = next(event.answer for event in events if isinstance(event, Answered))
    assert 80 < len(without_marks(answer.text)) <= 100  # the mark of what was cut is ours
    assert node.TOO_LONG in answer.notices
    assert answer.answered_by == "m"
