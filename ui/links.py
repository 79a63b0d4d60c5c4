"""Links of the chat: opened.js follows those that lead to something beside an answer, asking.js "edit" and "again"."""

from __future__ import annotations

BESIDE = ("plan", "trace", "evaluation")


def link(kind: str, turn: str, number: int = 0) -> str:
    """ "#source/TURN/2": the second source of a turn's answer."""
    return f"#{kind}/{turn}/{number}" if number else f"#{kind}/{turn}"
