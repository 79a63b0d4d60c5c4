"""What a link of the chat opens, and a word where it leads nowhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from graph.live_turn import TurnFollower
from graph.request import Request
from nodes.events import TurnBegun
from schema import Language
from tests.graph.turn_cases import assistant_of
from tests.ui.page_values import LABEL
from ui.details import build_details, connect_details
from ui.reader import Reader
from ui.texts import text


async def test_a_link_without_an_answer_says_why(
    make_settings: Any, language: Language, capsys: pytest.CaptureFixture[str]
) -> None:
    page = SimpleNamespace(session_hash="one", headers={"accept-language": language}, request=None)
    async with assistant_of(make_settings()) as assistant:
        with gr.Blocks() as blocks:
            details = build_details(LABEL, {"source": lambda label: Reader(label, assistant)})
            connect_details(details, assistant, gr.BrowserState(""))
        followed = next(one.fn for one in blocks.fns.values() if one.name == "followed")

        async def said(turn: str) -> str:
            shown = await followed("t", SimpleNamespace(kind="source", turn=turn, number=1), page)
            assert all("visible" not in part for part in shown)
            return capsys.readouterr().out

        going = assistant.begin(Request("t", "Hello"))
        async for events in going.follow(0, TurnFollower()):
            begun = next(event for event in events if isinstance(event, TurnBegun))
            break
        assert text("d_later", language) in await said(begun.turn)
        await going.task
        assert text("d_gone", language) in await said("another")
