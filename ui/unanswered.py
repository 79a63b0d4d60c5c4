"""The questions that the library could not answer, as the System tab lists them."""

from __future__ import annotations

from typing import Any

from schema import Language
from stores.unanswered import REASONS, UnansweredQuestion, UnansweredStore
from ui.texts import text

SHOWN = 20  # the newest; a download holds all

_HEAD = ("u_asked", "u_question", "u_score", "u_why", "language", "u_scope")


def unanswered_table(store: UnansweredStore, user: str | None, language: Language) -> dict[str, Any]:
    """What system.js draws. Reads a file."""
    count = store.count(user)
    return {
        "title": text("unanswered", language),
        "about": text("u_about", language),
        "none": text("u_none", language),
        "head": [text(key, language) for key in _HEAD],
        "rows": [_row(one, language) for one in store.last(user, SHOWN)] if count else [],
        "count": text("u_count", language).format(min(count, SHOWN), count),
        "links": [{"href": f"unanswered.{kind}", "words": f"{text('u_export', language)} {kind.upper()}"}
                  for kind in ("csv", "jsonl")],
        "clear": text("u_clear", language),
        "sure": text("u_sure", language).format(count),
    }  # fmt: skip


def _row(one: UnansweredQuestion, language: Language) -> dict[str, Any]:
    names = [*one.doc_sets, *one.documents]
    scope = ("、" if language == "zh" else ", ").join(name or text("no_set", language) for name in names)
    return {
        "asked": one.asked,
        "question": one.question,
        "cells": [
            f"{one.score:.2f}",
            REASONS[one.reason].to(language),
            "中文" if one.language == "zh" else "English",
            scope or text("every", language),
        ],
    }
