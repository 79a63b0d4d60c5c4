"""Settings, health, metrics, closing."""

from __future__ import annotations

from schema import Message

TEXTS = {
    "system": Message(zh="系统", en="System"),
}
