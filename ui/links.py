"""Links of the chat: opened.js follows those that lead to something beside an answer, asking.js the others.

"source" is a marker within an answer, "cited" a chip below it; both open the source. "plan", "trace" and "evaluation"
open these tabs; "edit", "again", "copy" and "keep" act on a question or an answer.
"""

from __future__ import annotations


def link(kind: str, turn: str, number: int = 0) -> str:
    """ "#source/TURN/2": the second source of a turn's answer."""
    return f"#{kind}/{turn}/{number}" if number else f"#{kind}/{turn}"
