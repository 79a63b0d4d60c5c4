"""The side of the chat: the conversations, and at its foot the language and the look."""

from __future__ import annotations

from typing import Any

import gradio as gr

from settings import Settings
from ui.conversations import build_conversations
from ui.preferences import build_preferences
from ui.user import build_logout


def build_sidebar(label: dict[str, Any], settings: Settings) -> gr.HTML:
    """The list of conversations."""
    with gr.Sidebar(width=280, elem_id="side"):
        gr.Markdown("## Citewise")
        conversations = build_conversations()
        build_preferences()
        if settings.users:
            whose = "library_of_one" if settings.libraries == "private" else "library_of_all"
            gr.Markdown(label[whose], elem_id="whose")
            build_logout(label)
    return conversations
