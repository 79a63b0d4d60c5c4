"""What they are called who do what a cell names: of "Cello" a cellist, of "Drums" a drummer, of "Rowing" a rower."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from planning.tables.operators import tokens

_of_doing = re.compile(
    r"\b(?:instruments?|plays?|voice|sports?|activity|activities|hobby|hobbies|skills?|disciplines?|trade|crafts?|arts?"
    r"|class|course|subject|field|workshop)\b|乐器|运动|爱好|特长|专长",
    re.IGNORECASE,
)
_word = re.compile(r"[a-z]{3,}")
_end = re.compile(r"(?:ing|ry|[aeioy]|s)$")
_doubled = re.compile(r"[aeiou][bdglmnpt]$")
_OTHERS = {"flute": ("flautist",), "harpsichord": ("cembalist",), "law": ("lawyer",), "accounting": ("accountant",)}


def doers(values: Iterable[str], title: str) -> dict[tuple[str, ...], list[str]]:
    """Of English values by the word that a doer of them is called, with those that may be meant."""
    found: dict[tuple[str, ...], list[str]] = {}
    listed = [value for value in values if value.isascii()]
    doing = _of_doing.search(title.replace("_", " ")) is not None
    for value in listed:
        for word in _word.findall(value.lower()):
            for called in _called(word, doing):
                values_of = found.setdefault(tokens(called), [])
                if value not in values_of:
                    values_of.append(value)
    return found


def _called(word: str, doing: bool) -> Iterator[str]:
    """A word in -er may be another one as well, "faster" of "Fast": it is so called among what people do."""
    bare = _end.sub("", word)
    roots = [root for root in {word, bare} if len(root) >= 3]
    roots += [root + root[-1] for root in roots if _doubled.search(root)]
    for root in roots:
        yield f"{root}ist"
        if doing:
            yield f"{root}er"
    yield from _OTHERS.get(word, ()) if doing else ()
