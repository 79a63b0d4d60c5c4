"""The chat."""

from __future__ import annotations

from schema import Message

TEXTS: dict[str, Message] = {}
