"""Who asks: conversations are known to the browser by a bare name, and on the server they are of a user."""

from __future__ import annotations

import gradio as gr

from graph.conversations import thread_of


def user_of(request: gr.Request | None) -> str:
    """The name that the login has let in; "" without a login."""
    return (getattr(request, "username", None) or "") if request is not None else ""


def thread_asked(name: str, request: gr.Request | None) -> str:
    """The thread of the conversation that the browser names: never another user's."""
    return thread_of(user_of(request), name)
