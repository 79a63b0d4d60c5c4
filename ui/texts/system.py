"""Settings, health, metrics, closing."""

from __future__ import annotations

from schema import Message

TEXTS = {
    "system": Message(zh="系统", en="System"),
    "language": Message(zh="语言", en="Language"),
    "look": Message(zh="外观", en="Look"),
    "look_light": Message(zh="浅色", en="Light"),
    "look_dark": Message(zh="深色", en="Dark"),
    "look_system": Message(zh="自动", en="Auto"),
}
