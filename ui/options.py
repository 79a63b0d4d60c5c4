"""Lists to choose from, and what was chosen as the program understands it."""

from __future__ import annotations

from typing import Any, get_args

import gradio as gr

from schema import ChunkerName, Chunking, Language, SizeUnit, StrategyName, WebPolicy
from ui.texts import text

STRATEGIES = get_args(StrategyName)
CHUNKERS = get_args(ChunkerName)


def strategies(language: Language) -> list[tuple[str, str]]:
    return [(text("auto", language), ""), *((text(f"s_{name}", language), name) for name in STRATEGIES)]


def chunkers(language: Language, unsaid: str = "auto") -> list[tuple[str, str]]:
    """`unsaid` is the text for no choice: beside a chat the words of a message decide, else the kind of file."""
    return [(text(unsaid, language), ""), *((text(f"c_{name}", language), name) for name in CHUNKERS)]


def units(language: Language, unsaid: str = "auto") -> list[tuple[str, str]]:
    """What sizes are counted in; no choice is the unit of the settings."""
    return [(text(unsaid, language), ""), *((text(f"u_{name}", language), name) for name in get_args(SizeUnit))]


def unit_choice(label: dict[str, Any], elem_id: str, unsaid: str = "usual", **look: Any) -> gr.Dropdown:
    """Beside a size and an overlap: the unit of both."""
    return gr.Dropdown(units("en", unsaid), value="", label=label["unit"], filterable=False, elem_id=elem_id, **look)


def policies(language: Language) -> list[tuple[str, str]]:
    """Whether the web is searched for what the library does not cover."""
    return [(text(f"policy_{name}", language), name) for name in get_args(WebPolicy)]


def read_chunking(chunker: str, size: float | None, overlap: float | None, unit: str | None = None) -> Chunking:
    """Nothing chosen, and 0, mean what is usual for the file."""
    fields = {"strategy": chunker or None, "size": _number(size), "overlap": _number(overlap), "unit": unit or None}
    return Chunking.model_validate(fields)


def short_chunking(chunking: Chunking, language: Language) -> str:
    """Short enough for a table: “递归 300”."""
    name = chunking.strategy or "whole"
    unit = f" {text(f'u_{chunking.unit}', language)}" if chunking.unit and chunking.size else ""
    return f"{text(f'c_{name}', language)} {chunking.size or ''}{unit}".strip()


def _number(value: float | None) -> int | None:
    return int(value) if value else None
