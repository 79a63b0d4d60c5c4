"""Markers of an answer as links to their sources, and sentences that no source supports, marked where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from evaluation.citations import UNSUPPORTED
from schema import Statement
from ui.links import link
from ui.markup import safe_markdown, safe_parsed

_marker = re.compile(rf"(?<!\\)\[(\d{{1,3}})\]({UNSUPPORTED}?)")
_stand_in = re.compile("\ue000(\\d+)\ue001")  # of private use: nothing that Markdown could take for markup

_written = re.compile(r"\A\s*(?:(?:[-*+>#]+|\d+[.)])\s+|(?:```|~~~)[^\n]*\n)|\*\*|`|~~~")
_LONGEST = 240  # characters of a sentence that is shown by itself


def linked_markdown(text: str, turn: str, sources: int, statements: Sequence[Statement] = ()) -> str:
    """An answer as Markdown that is safe to show, its markers leading to the turn's sources.

    A sentence without a source that should have one is marked as well. Code keeps its brackets, and so do the words of
    a link: a parser says which these are.
    """
    if not turn:
        return safe_markdown(text)
    text = text.replace("\ue000", "").replace("\ue001", "")
    found = [
        (m.start(), m.end(), m[0], _to_source(m, turn)) for m in _marker.finditer(text) if 0 < int(m[1]) <= sources
    ]
    found += [(end, end, "", f" [{UNSUPPORTED}]({link('source', turn)})") for end in unsourced(text, statements)]
    if not found:
        return safe_markdown(text)
    marked, at = "", 0
    found.sort()
    for number, (start, end, *_) in enumerate(found):
        marked += f"{text[at:start]}\ue000{number}\ue001"
        at = end
    marked, tokens = safe_parsed(marked + text[at:])
    in_text = set(_in_text(tokens))
    written = [words if number in in_text else plain for number, (_, _, plain, words) in enumerate(found)]
    return _stand_in.sub(lambda stand_in: written[int(stand_in[1])], marked)


def plain_sentence(statement: Statement) -> str:
    """As words: without the markup that it was written in."""
    said = " ".join(_written.sub("", statement.text).split())
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]} …"


def is_doubtful(statement: Statement) -> bool:
    """Whether its lines, or that it has none, speak against it."""
    return statement.checkable and statement.comparable and not statement.supported


def unsourced(text: str, statements: Sequence[Statement]) -> Iterator[int]:
    """Where in an answer the sentences end that should have a source and have none."""
    at = 0
    for statement in statements:
        bare = statement.text.strip()
        if not statement.citations and bare and (start := text.find(bare, at)) >= 0:
            at = start + len(bare)
            if is_doubtful(statement):
                yield at - (len(bare) - len(bare.rstrip("| ")))  # within the last cell of a row


def _to_source(marker: re.Match[str], turn: str) -> str:
    return rf"[\[{marker[1]}\]{marker[2]}]({link('source', turn, int(marker[1]))})"


def _in_text(tokens: Sequence[Token]) -> Iterator[int]:
    for token in tokens:
        within = 0
        for child in token.children or ():
            within += child.nesting if child.type in ("link_open", "link_close") else 0
            if child.type == "text" and not within:
                yield from (int(number) for number in _stand_in.findall(child.content))
