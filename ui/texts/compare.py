"""Strategies side by side."""

from __future__ import annotations

from schema import Message

TEXTS = {
    "strategies": Message(zh="对比策略", en="Compare"),
}
