"""How an answer came about."""

from __future__ import annotations

from typing import Any

import gradio as gr

from graph.conversations import Turn
from graph.turns import Assistant
from schema import Language


class TracePanel:
    def __init__(self, label: dict[str, Any], assistant: Assistant) -> None:
        self._assistant = assistant
        self.parts = [gr.Markdown()]

    async def show(self, turn: Turn | None, number: int, language: Language) -> list[Any]:
        return [f"{turn} {number}"]
