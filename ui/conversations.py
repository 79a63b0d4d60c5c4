"""The list of conversations in the sidebar; conversations.js draws it."""

from __future__ import annotations

from typing import Any

import gradio as gr

from graph.turns import Assistant
from ui.events import PageEvent
from ui.scripted_html import scripted_html
from ui.texts import page_language, text
from ui.user import thread_asked, user_of

SHOWN = 200  # a longer list is searched
_WORDS = (
    "new", "find", "none", "none_found", "rename", "remove", "ask_remove", "keep", "export", "more", "list", "title",
)  # fmt: skip


def build_conversations() -> gr.HTML:
    return scripted_html("conversations", elem_id="conversations")


class ConversationHandlers:
    """What its events do, apart from those that show another conversation."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant

    async def value(self, current: str, request: gr.Request, find: str = "") -> dict[str, Any]:
        """What conversations.js draws; `find` says what the rows are those of."""
        language = page_language(request)
        listed = await self._assistant.conversations(user_of(request), find)
        return {
            "say": {word: text(f"conv_{word}", language) for word in _WORDS},
            "current": current,
            "find": find,
            "rows": [{"name": one.name, "title": one.title, "updated": one.updated} for one in listed[:SHOWN]],
            "left": max(0, len(listed) - SHOWN),
        }

    async def search(self, current: str, event: PageEvent, request: gr.Request) -> dict[str, Any]:
        return await self.value(current, request, event.words.strip()[:SHOWN])

    async def rename(self, current: str, event: PageEvent, request: gr.Request) -> dict[str, Any]:
        await self._assistant.rename(thread_asked(event.name, request), event.title)
        return await self.value(current, request, event.words.strip()[:SHOWN])
