"""Markdown and plain text: what people write themselves. Line n of the text is line n of the file."""

from __future__ import annotations

import math
import re
from typing import Any

from ingestion.readers.base import ReaderResult, decode_text
from ingestion.readers.embedded_tables import with_markdown_tables

PLAIN = frozenset("log rst adoc asciidoc tex sty bib srt vtt org ics vcf".split())  # extensions of `read_plain`
_front_matter = re.compile(r"---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LONGEST_FRONT_MATTER = 65_536  # characters
_NODES, _DEPTH = 2_000, 10  # values in a front matter: one that says more is no front matter
_heading = re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)


def read_markdown(name: str, data: bytes) -> ReaderResult:
    """Markdown; a YAML front matter becomes metadata and stays in the text. HTML tables become pipe tables."""
    text, metadata = decode_text(name, data)
    found = _front_matter.match(text[:_LONGEST_FRONT_MATTER])
    front = _parsed(found["yaml"]) if found else None
    if found and front is not None and text[found.end() :].strip():
        metadata = {**front, **metadata, "body_start": found.end()}
    body = int(metadata.get("body_start", 0))
    text = text[:body] + with_markdown_tables(text[body:])
    return ReaderResult(text, "markdown", "markdown", metadata)


def read_text(name: str, data: bytes) -> ReaderResult:
    """Plain text, or Markdown by content: with at least two headings of its kind, or a first line that is one."""
    text, metadata = decode_text(name, data)
    headings = [found.start() for found in _heading.finditer(text)]
    if headings and (not text[: headings[0]].strip() or len(headings) > 1):
        return read_markdown(name, data)
    return ReaderResult(text, "text", "text", metadata)


def read_plain(name: str, data: bytes) -> ReaderResult:
    """Text that is written in no way of ours: logs, subtitles, TeX. reStructuredText has headings like Markdown's,
    but for lines of "~", which would open a fence."""
    text, metadata = decode_text(name, data)
    marked = name.lower().endswith(".rst") and "\n~~~" not in text
    return ReaderResult(text, "markdown" if marked else "text", "text", metadata)


def _parsed(source: str) -> dict[str, Any] | None:
    """The front matter as JSON values; None when it is not a mapping, not YAML, or larger than any honest one."""
    import yaml

    try:
        values = yaml.safe_load(source)
        return _Plain().mapping(values, 0) if isinstance(values, dict) else None
    except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a date such as 2024-13-45, or our own limit
        return None


class _Plain:
    """YAML values to JSON ones. Counts them: aliases can make a small file say more than memory holds."""

    def __init__(self) -> None:
        self.left = _NODES

    def mapping(self, values: dict[Any, Any], depth: int) -> dict[str, Any]:
        return {str(key): self.value(value, depth + 1) for key, value in values.items()}

    def value(self, value: Any, depth: int) -> Any:
        self.left -= 1
        if self.left < 0 or depth > _DEPTH:
            raise ValueError("front matter too large")
        if isinstance(value, dict):
            return self.mapping(value, depth)
        if isinstance(value, list | tuple | set):
            return [self.value(item, depth + 1) for item in value]
        plain = (
            value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))
        )
        return value if plain else str(value)
