"""Who asks: conversations are known to the browser by a bare name, and on the server they are of a user."""

from __future__ import annotations

from typing import Any

import gradio as gr

from doors import login
from graph.conversations import thread_of
from ui.events import unreadable

# With what the browser has kept: a draft is not for whoever logs in next.
_LOG_OUT = """() => fetch('logout', {method: 'POST'}).finally(() => {
    localStorage.clear();
    location.reload();
})"""


def user_of(request: gr.Request | None) -> str:
    """The name that the login has let in; "" without a login."""
    asked = getattr(request, "request", None)  # gr.Request stands around the one that came in
    return login.user_of(asked.scope) if asked is not None else ""


def thread_asked(name: str, request: gr.Request | None) -> str:
    """The thread of the conversation that the browser names: never another user's."""
    if not isinstance(name, str):
        raise unreadable()
    return thread_of(user_of(request), name)


def build_logout(label: dict[str, Any]) -> None:
    gr.Button(label["log_out"], size="sm", elem_id="log-out").click(None, js=_LOG_OUT)
