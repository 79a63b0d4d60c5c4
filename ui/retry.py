"""A question that is edited, and an answer that is made again; asking.js asks with which strategy."""

from __future__ import annotations

from typing import Any, get_args

from graph.conversations import Turn
from graph.request import Request
from nodes.state import Controls
from schema import Language, StrategyName
from ui.options import strategies
from ui.texts import text


def again_request(thread: str, turn: Turn, strategy: str, own: Controls) -> Request:
    """An answer is made anew by its own plan with another strategy; anything else is simply asked again."""
    named = strategy if strategy in get_args(StrategyName) else own.strategy
    record = turn.record
    if record is not None and record.answer is not None and record.plan.actions == ("retrieve",):
        plan = record.plan.model_copy(update={"strategy": named, "anew": True})
        return Request(thread, turn.question, controls=own, replaces=turn.id, plan=plan, listed=True)
    own = own.model_copy(update={"strategy": named})
    return Request(thread, turn.question, controls=own, replaces=turn.id, files=turn.files, listed=True)


def asking_value(language: Language, edited: Turn | None = None) -> dict[str, Any]:
    """What asking.js needs: words, strategies to choose from, the turn that is edited."""
    keys = ("editing", "edit_cancel", "again_how", "copied")
    return {
        "turn": edited.id if edited else "",
        "say": {key: text(key, language) for key in keys},
        "strategies": [[value, label] for label, value in strategies(language)],
    }
