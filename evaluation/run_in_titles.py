"""Titles that run in: “**Damp.** Readings of …”, or in letters and contracts “Start date. Your employment begins …”."""

from __future__ import annotations

import re
from collections.abc import Iterator

BOLD_TITLE = r"\*\*([^*.。:：\n]{1,60})(?:([.。])\*\*|\*\*([.。]))"  # "**Winter fair.** It takes place …"
_LEAST, _SHARE = 2, 0.5  # paragraphs that begin so, and of those of several sentences: one may begin with a short one
_title = re.compile(r"\s*+([A-Z][A-Za-z&/’'-]*+(?: [A-Za-z&/’'-]++){0,4})\.[ \t]++(?=[A-Z“\"])")
_bold = re.compile(rf"^{BOLD_TITLE}[ \t]*(?=\S)", re.MULTILINE)
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


def before_colon(titled: re.Match[str]) -> str:
    """A title that runs in is no sentence: it leads to those behind it."""
    *bullet, title, inside, outside = titled.groups()
    return f"{''.join(bullet)}{title}{'：' if (inside or outside) == '。' else ': '}"


def titled_paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of a text as (title, the title and what stands behind it), or from one bold title to the next; one
    part without a title where it has no such."""
    ends = [*(one.end() for one in _break.finditer(text)), len(text)]
    paragraphs = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    parts = [part for paragraph in paragraphs for part in _at_bold_titles(paragraph)]
    untitled = [part for title, part in parts if not title]
    titles = [*filter(None, map(_title_of, untitled))]
    several = sum(_several.search(part) is not None for part in untitled)
    plain = len(titles) >= max(_LEAST, _SHARE * several)
    if not plain and len(untitled) == len(parts):
        yield "", text
        return
    for title, part in parts:
        found = _title_of(part) if plain and not title else None
        yield (found[1], f"{found[1]}: {part[found.end() :]}") if found else (title, part)


def _at_bold_titles(paragraph: str) -> Iterator[tuple[str, str]]:
    found = [*_bold.finditer(paragraph)]
    first, *ends = [*(one.start() for one in found), len(paragraph)]
    if first or not found:
        yield "", paragraph[:first]
    for one, end in zip(found, ends, strict=True):
        yield one[1], before_colon(one) + paragraph[one.end() : end]


def _title_of(paragraph: str) -> re.Match[str] | None:
    title = _title.match(paragraph)
    return title if title and not _is_sentence(title[1].lower().split()) else None


def _is_sentence(words: list[str]) -> bool:
    """By its subject or verb; “Advanced settings” and “Unused days” have neither."""
    verb = any(word in _VERBS or word.endswith("ed") for word in words[1:])
    return verb or words[0] in _SUBJECTS | _VERBS
