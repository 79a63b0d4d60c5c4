"""A library in a folder, how it is damaged, and what is in it."""

from __future__ import annotations

from pathlib import Path

from schema import Message, Source
from stores.safety.health import check_library

TEXTS = [f"common number{n}" for n in range(5)]
ROOT = Path(__file__).parent.parent.parent


def source(name: str) -> Source:
    return Source(0, "set", "website", f"https://{name}.example/", pages=3, problem=Message(zh="坏", en="bad"))


def kinds(folder: Path) -> set[str]:
    return {one.kind for one in check_library(folder)}
