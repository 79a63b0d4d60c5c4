"""The code of a hit and the text between it: in fences, or told by its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from schema import Hit

_fence_line = re.compile(r"[ \t]*(```+|~~~+)(.*)")
_row_or_heading = re.compile(r"\s*\||#{2,6}\s")  # of Markdown; one # alone may begin a comment
# Lines that only tell a site how to show others: tags that stand alone, includes, the bars of a callout.
SCAFFOLD = re.compile(
    r"^[ \t]*</?[A-Za-z][\w.-]*(?:\s(?:(?!\n[ \t]*\n)[^<]){0,1000}?)?>[ \t]*$"
    r"|^[ \t]*\{[*!%].*[*!%]\}[ \t]*$|^[ \t]*(?::{3,}|/{3,})[ \t]*(?:\w+[ \t]*(?:\|.*)?)?$",
    re.MULTILINE,
)
# What code has and prose has not: indentation, brackets at the ends, keys; the first three do not occur in lists.
_strong = re.compile(
    r"(?:[ ]{2,}|\t+)(?![-*+•]\s|\d+[.)]\s)\S|.*[{}()\[\];\\]\s*+,?+\s*+$|\s*[}\])]|(?>.*?\w\().*\)\s*+:?+$"
)
_weak = re.compile(r"\s*(?:-\s+)?[\w.$\"'-]+\s*[:=](?:\s+\S+){0,3}\s*$|\s*(?:@|#|//|/\*|\*|\"\"\"|-{3}$|[{\[])")


def code_and_text(text: str) -> Iterator[tuple[bool, str]]:
    """The fenced blocks of a text and what is between them; a chunk may begin or end within a block, or be of code."""
    block: list[str] = []
    fence = ""
    has_fence = False  # a fence
    for line in text.split("\n"):
        found = _fence_line.match(line)
        if found and not fence and not has_fence and not found[2].strip() and _looks_like_code(block):
            yield from ((True, code) for code in _parts(block))  # the end of a block that began in the chunk before
            block = []
        elif found and not fence:
            yield False, "\n".join(block)
            block, fence = [line], found[1]
        elif found and found[1].startswith(fence) and not found[2].strip():
            yield True, "\n".join([*block, line])
            block, fence = [], ""
        else:
            block.append(line)
        has_fence = has_fence or bool(found)
    if fence:
        yield True, "\n".join(block)
    elif not has_fence and _looks_like_code(SCAFFOLD.sub("", text).split("\n")):
        yield from ((True, code) for code in _parts(block))
    else:
        yield False, "\n".join(block)


def _looks_like_code(lines: list[str]) -> bool:
    """Most lines are such as code has, and not all of these could stand in a list of keys and values."""
    written = [line for line in lines if line.strip() and not _row_or_heading.match(line)]
    if len(written) < 2:
        return False
    strong = prose = 0
    for line in written:
        if _strong.match(line):
            strong += 1
        elif not _weak.match(line):
            prose += 1
            if len(written) - prose < 0.7 * len(written):  # whatever follows
                return False
    return strong >= 0.3 * len(written)


def _parts(lines: list[str]) -> Iterator[str]:
    """Code at its blank lines, where the next line is not indented: functions, classes, entries."""
    parts = re.split(r"(?<!\s)[^\S\n]*+\n\s++(?<=\n)(?=[^\s}\])])", "\n".join(lines))
    yield from (part.strip("\n") for part in parts if part.strip())


def fenced(code: str, hit: Hit) -> str:
    """The code in a fence that is closed, named after the file where it has no name."""
    opening, _, body = code.strip("\n").partition("\n")
    found = _fence_line.match(opening)
    if not found:
        _, _, suffix = hit.document.rpartition(".")
        return f"```{suffix if suffix not in {'md', 'markdown', 'txt'} else ''}\n{code}\n```"
    closed = body.rstrip().endswith(found[1])
    return opening.strip() + "\n" + body.rstrip() + ("" if closed else f"\n{found[1]}")
