"""Titles that run in, as letters and contracts have them: “Start date. Your employment begins on Monday …”."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LEAST, _SHARE = 2, 0.5  # paragraphs that begin so, and of those of several sentences: one may begin with a short one
_title = re.compile(r"\s*+([A-Z][A-Za-z&/’'-]*+(?: [A-Za-z&/’'-]++){0,4})\.[ \t]++(?=[A-Z“\"])")
_SUBJECTS = frozenset(
    "i we you he she it they this that these those there dear hi hello thanks yes no sorry please".split()
)
_VERBS = frozenset(
    """is are was were am has have had do does did can could will would shall should must may might came went took gave
    got made said told met left lost won ran saw sat stood fell began broke brought found kept knew sent spoke wrote
    comes goes takes gives gets makes says tells means needs wants works""".split()
)
_several = re.compile(r"[.!?]\s+[A-Z“\"]")
_break = re.compile(r"\n[ \t]*\n\s*")


def titled_paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of a text as (title, what stands behind it); one part without a title where it has no such."""
    ends = [*(one.end() for one in _break.finditer(text)), len(text)]
    parts = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    titles = [_title_of(part) for part in parts]
    several = sum(_several.search(part) is not None for part in parts)
    if (count := sum(title is not None for title in titles)) < _LEAST or count < _SHARE * several:
        yield "", text
        return
    for part, title in zip(parts, titles, strict=True):
        yield (title[1], f"{title[1]}: {part[title.end() :]}") if title else ("", part)


def _title_of(paragraph: str) -> re.Match[str] | None:
    title = _title.match(paragraph)
    return title if title and not _is_sentence(title[1].lower().split()) else None


def _is_sentence(words: list[str]) -> bool:
    """By its subject or verb; “Advanced settings” and “Unused days” have neither."""
    verb = any(word in _VERBS or word.endswith("ed") for word in words[1:])
    return verb or words[0] in _SUBJECTS | _VERBS
