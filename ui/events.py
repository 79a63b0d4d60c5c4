"""What the page tells with an event. Anybody can make one up, so what cannot be read is refused with a word on it."""

from __future__ import annotations

import html
from typing import Any

import gradio as gr

_KINDS: dict[str, type] = {  # of what is no words
    "number": int, "at": int, "page": int, "source": int, "documents": bool, "value": object, "liked": object,
}  # fmt: skip


class PageEvent(gr.EventData):
    def __getattr__(self, name: str) -> Any:
        try:
            value = super().__getattr__(name)  # type: ignore[no-untyped-call]
        except (AttributeError, TypeError):
            raise unreadable() from None
        if not isinstance(value, _KINDS.get(name, str)):
            raise unreadable()
        return value


def unreadable(why: str = "") -> gr.Error:
    """For what no page of ours sends, or not any more; a person who has typed it reads `why`."""
    message = (
        "无法处理页面发来的内容：请改正输入，或刷新页面后重试。 / "
        "What the page has sent cannot be used: correct it, or reload the page and try again."
    )
    return gr.Error(html.escape(f"{message} ({why[:200]})" if why else message, quote=False), print_exception=False)
