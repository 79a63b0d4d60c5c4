"""Source code: its lines as units, its classes and functions as headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ingestion.chunking.boundaries import BLOCK, KEEP, LINE, Unit
from ingestion.chunking.outline import Outline, Section
from schema import Document

_definition = re.compile(
    r"[ \t]*(?P<signature>(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub"
    r"(?:\([a-z]+\))?|unsafe|sealed|partial|open|data|inline|virtual|override)\s+)*"
    r"(?:class|interface|struct|enum|trait|impl|module|namespace|def|func|function\*?|fn|object|protocol)\b[^({:;=]*)"
)
_attached = re.compile(r"[ \t]*(?:@|#|//|/\*|\*|--|\"\"\"$)")  # decorators and comments stand with what follows them
_LONGEST = 1000  # characters of a line that is looked at


def source_lines(text: str, offset: int = 0, language: str = "") -> Iterator[Unit]:
    """A unit for each line that is not blank; the strongest boundaries stand before classes, then functions.

    `language` is a name of langchain's `Language`; for another one definitions are told by common keywords.
    """
    lines = text.split("\n")
    strengths = _strengths(lines, _separators(language))
    for line, strength in zip(lines, strengths, strict=True):
        if line.strip():
            yield Unit(offset, offset + len(line), strength)
        offset += len(line) + 1


def _strengths(lines: list[str], separators: tuple[re.Pattern[str], ...]) -> list[float]:
    """The strength of the boundary before each line."""
    strengths = [LINE] * len(lines)
    blank, defined = True, False
    for number, line in enumerate(lines):
        if not line.strip():
            blank = True
            continue
        indent = len(line) - len(line.lstrip())
        rank = next((n for n, pattern in enumerate(separators) if pattern.match(line)), None)
        definition = bool(_definition.match(line[:_LONGEST]))
        if definition or rank is not None:
            first = number
            while first and _attached.match(lines[first - 1]) and not _definition.match(lines[first - 1][:_LONGEST]):
                first -= 1
            top = 2.0 - min(rank or 0, 9) / 10 if definition else 0.0
            strengths[first] = BLOCK + top - min(indent, 16) / 4
            strengths[first + 1 : number + 1] = [KEEP] * (number - first)
        elif defined and not blank:
            strengths[number] = KEEP
        else:
            strengths[number] = LINE + (2 if blank else 0) + (1 - min(indent, 16) / 16)
        blank, defined = False, definition
    return strengths


@cache
def _separators(language: str) -> tuple[re.Pattern[str], ...]:
    """langchain's keywords that begin a part at the left margin, the strongest first."""
    if not language:
        return ()
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    if language not in {known.value for known in Language}:
        return ()
    words = RecursiveCharacterTextSplitter.get_separators_for_language(Language(language))
    return tuple(re.compile(re.escape(word[1:])) for word in words if word.strip() and word.startswith("\n"))


def source_outline(document: Document) -> Outline:
    """Class and function lines as headings, nested by indentation; a definition ends where the indent falls back."""
    stack: list[tuple[int, str]] = []
    sections = [Section(0, 0, (), True)]
    offset = 0
    for line in document.text.split("\n"):
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        found = _definition.match(line[:_LONGEST])
        kept = stack
        if bare and (found or bare[0] not in "})]#@"):
            kept = [(depth, name) for depth, name in stack if depth < indent]
        if found:
            kept = [*kept, (indent, " ".join(found["signature"].split()))]
        if kept != stack:
            stack = kept
            path = tuple(name for _, name in stack)
            sections.append(Section(offset, offset + (len(line) if found else 0), path, True))
        offset += len(line) + 1
    return Outline(sections)
