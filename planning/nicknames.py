"""Files that a message calls by some words of their name: "the postmortem", "报销制度里", "in the Q3 report".

Only the place to look is named in this way: behind "in the", "according to", or before 里. The words must be in the
name of one stored file alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from planning.folding import folded, normal

_en = re.compile(
    r"(?<![a-z])(?:in|from|inside|within|according to|as per|per|check|based on|going by) (?:the|my|our) "
    r"(?P<name>[a-z0-9]+(?:[ \-_][a-z0-9]+){0,3})(?=\s?(?:[,.?!:;]|$))"
)
_en_says = re.compile(
    r"(?<![a-z])(?:does|did|what|has) (?:the|my|our) (?P<name>[a-z0-9]+(?:[ \-_][a-z0-9]+){0,3})"
    r"(?= (?:say|says|mention|mentions|state|states|recommend|recommends|list|lists)(?![a-z]))"
)
_zh = re.compile("(?<![\u3400-\u9fff])(?P<name>[\u3400-\u9fff]{3,12}?)(?:里面|里头|里|中(?![\u3400-\u9fff]))")
_zh_by = re.compile("(?:根据|按照|依据|参照|依照)(?P<name>[\u3400-\u9fff]{3,12})(?=[,:])")
_lead_zh = re.compile("^(?:请|帮我|只|就|在|从|去|到|查一下|查|翻|看|我们|公司的|那份|这份|那个|那)+")
_GENERIC = frozenset(
    "report reports manual handbook guide notes note final draft document documents doc docs file files paper book"
    " summary policy plan v1 v2 v3 new old version".split()
)  # alone these may as well mean what the question is about
_LONGEST = 2_000  # characters in which such names are looked for


def nicknames(masked: str, library: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Where a masked message calls a stored file by words that only its name has: (start, end, the file)."""
    taken = 0
    for start, end in sorted(_spans(masked[:_LONGEST])):
        name = _only(masked[start:end], library) if start >= taken else None
        if name:
            taken = end
            yield start, end, name


def _spans(masked: str) -> Iterator[tuple[int, int]]:
    for pattern in (_en, _en_says):
        for found in pattern.finditer(masked):
            yield found.span("name")
    for pattern in (_zh, _zh_by):
        for found in pattern.finditer(masked):
            start, end = found.span("name")
            if lead := _lead_zh.match(found["name"]):
                start += lead.end()
            if end - start > 2:
                yield start, end


def _only(words: str, library: Sequence[str]) -> str | None:
    """The one stored file whose name holds all these words; a Han phrase must stand in it as it is."""
    wanted = frozenset(re.findall(r"[a-z0-9]+", words))
    if wanted and wanted <= _GENERIC:
        return None
    meant = [name for name in library if (wanted <= _words(name) if wanted else words in _plain(name))]
    return meant[0] if len(meant) == 1 else None


@lru_cache(maxsize=50_000)
def _plain(name: str) -> str:
    return folded(normal(name)).rpartition(".")[0]


@lru_cache(maxsize=50_000)
def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", _plain(name)))
