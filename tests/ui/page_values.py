"""The values of a page whose responses may overtake each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from ui.texts import TEXTS

LABEL: dict[str, Any] = {key: message.en for key, message in TEXTS.items()}


class PageValues:
    """`gr.State` lies on the server: it is set when an answer is made. Anything else is set when the answer arrives."""

    def __init__(self, *parts: Any) -> None:
        self.values: dict[Any, Any] = {part: getattr(part, "value", None) for part in parts}
        self.choices: dict[Any, Any] = {}

    def made(self, outputs: Sequence[Any], answer: Sequence[Any]) -> list[tuple[Any, Any]]:
        """What is on its way to the page."""
        response = list(zip(outputs, answer, strict=True))
        self.values |= {part: value for part, value in response if isinstance(part, gr.State) and not _update(value)}
        return response

    def arrives(self, response: list[tuple[Any, Any]]) -> None:
        for part, value in response:
            if isinstance(part, gr.State):
                continue
            if not _update(value):
                self.values[part] = value
                continue
            self.values |= {part: value["value"]} if "value" in value else {}
            self.choices |= {part: value["choices"]} if "choices" in value else {}


def _update(value: Any) -> bool:
    return isinstance(value, dict) and value.get("__type__") == "update"
