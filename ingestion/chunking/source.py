"""Source code: its lines as units, its classes and functions as headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ingestion.chunking.boundaries import BLOCK, KEEP, LINE, Unit
from ingestion.chunking.definitions import definition
from ingestion.chunking.outline import Outline, Section
from schema import Document

_attached = re.compile(r"[ \t]*(?:@|#|//|/\*|\*|--|\"\"\"$)")  # decorators and comments stand with what follows them
_closing = re.compile(r"[ \t]*+(?:[})\]]++[;,)]*+|end)[ \t]*+$")  # stands with what it closes
_inside = re.compile(  # ends no definition, wherever it stands
    r"(?:public|private|protected|signals|slots)\b[\w \t]*:|[})\]{#@]|end\b|//|/?\*|\"{3}"
)
_FLAT = frozenset(("toml", "ini", "vue", "svelte", "docker"))  # whose sections are not indented
_LANGCHAIN = {"vue": "js", "svelte": "js"}  # the language whose separators serve


def source_lines(text: str, offset: int = 0, language: str = "") -> Iterator[Unit]:
    """A unit for each line that is not blank; the strongest boundaries stand before classes, then functions.

    `language` is a name of langchain's `Language`; for another one definitions are told by common keywords.
    """
    lines = text.split("\n")
    strengths = _strengths(lines, language)
    for line, strength in zip(lines, strengths, strict=True):
        if line.strip():
            yield Unit(offset, offset + len(line), strength)
        offset += len(line) + 1


def _strengths(lines: list[str], language: str) -> list[float]:
    """The strength of the boundary before each line."""
    separators = _separators(_LANGCHAIN.get(language, language))
    strengths = [LINE] * len(lines)
    blank, defined = True, False
    for number, line in enumerate(lines):
        if not line.strip():
            blank = True
            continue
        indent = len(line) - len(line.lstrip())
        rank = next((n for n, pattern in enumerate(separators) if pattern.match(line)), None)
        defines = bool(definition(line, language))
        if defines or rank is not None:
            first = number
            while first and _attached.match(lines[first - 1]) and not definition(lines[first - 1], language):
                first -= 1
            top = 2.0 - min(rank or 0, 9) / 10 if defines else 0.0
            strengths[first] = BLOCK + top - min(indent, 16) / 4
            strengths[first + 1 : number + 1] = [KEEP] * (number - first)
        elif (defined and not blank) or _closing.match(line):
            strengths[number] = KEEP
        else:
            strengths[number] = LINE + (2 if blank else 0) + (1 - min(indent, 16) / 16)
        blank, defined = False, defines
    return strengths


@cache
def _separators(language: str) -> tuple[re.Pattern[str], ...]:
    """langchain's keywords that begin a part at the left margin, the strongest first."""
    if not language:
        return ()
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    if language not in {known.value for known in Language}:
        return ()
    try:
        words = RecursiveCharacterTextSplitter.get_separators_for_language(Language(language))
    except ValueError:  # it has a name, and no separators yet: Perl, for one
        return ()
    return tuple(re.compile(re.escape(word[1:])) for word in words if word.strip() and word.startswith("\n"))


def source_outline(document: Document) -> Outline:
    """Class and function lines as headings, nested by indentation; a definition ends where the indent falls back."""
    language = str(document.metadata.get("programming_language", ""))
    stack: list[tuple[int, str]] = []
    sections = [Section(0, 0, (), True)]
    offset = 0
    for line in document.text.split("\n"):
        bare = line.lstrip()
        indent = len(line) - len(bare) + (bare.startswith("- ") and language == "yaml")  # an item is within its key
        found = definition(line, language)
        kept = stack
        if bare and (found or not _inside.match(bare)):
            flat = language in _FLAT and not indent  # what is at the margin, too, is within the section before it
            kept = [
                (depth, name)
                for depth, name in stack
                if depth < indent or (flat and _sections(name) and not _sections(found))
            ]
        if found:
            kept = [*kept, (indent, found)]
        if kept != stack:
            stack = kept
            path = tuple(name for _, name in stack)
            sections.append(Section(offset, offset + (len(line) if found else 0), path, True))
        offset += len(line) + 1
    return Outline(sections)


def _sections(name: str) -> bool:
    return name.startswith(("[", "<")) or name[:5].lower() == "from "
