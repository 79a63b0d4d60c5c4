"""Markers of an answer as links to their sources, and sentences that no source supports, marked where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from evaluation.citations import UNSUPPORTED
from evaluation.markers import MARK
from evaluation.unsourced import mark_unsourced
from schema import Language, Statement
from ui.links import link
from ui.markup import literal, safe_markdown, safe_parsed
from ui.texts import TEXTS

_marker = re.compile(rf"(?<!\\)\[(\d{{1,3}})\]({UNSUPPORTED}?)")
_stand_in = re.compile("\ue000(\\d+)\ue001")  # of private use: nothing that Markdown could take for markup


def linked_markdown(
    text: str, turn: str, sources: int, statements: Sequence[Statement] = (), language: Language = "zh"
) -> str:
    """An answer as Markdown that is safe to show, its markers leading to the turn's sources.

    A sentence without a source that should have one is marked as well. Code keeps its brackets, and so do the words of
    a link: a parser says which these are.
    """
    if not turn:
        return safe_markdown(text)
    text = mark_unsourced(text.replace("\ue000", "").replace("\ue001", ""), statements)
    markers = [m for m in _marker.finditer(text) if 0 < int(m[1]) <= sources]
    glosses = _glosses(statements, len(markers), language)
    found = [(m.start(), m.end(), m[0], _to_source(m, turn, gloss)) for m, gloss in zip(markers, glosses, strict=True)]
    found += [(m.start(), m.end(), m[0], f" [{m[0]}]({link('source', turn)})") for m in MARK.finditer(text)]
    if not found:
        return safe_markdown(text)
    parsed, at = "", 0
    found.sort()
    for number, (start, end, *_) in enumerate(found):
        parsed += f"{text[at:start]}\ue000{number}\ue001"
        at = end
    safe, tokens = safe_parsed(parsed + text[at:])
    in_text = set(_in_text(tokens))
    written = [words if number in in_text else plain for number, (_, _, plain, words) in enumerate(found)]
    return _stand_in.sub(lambda stand_in: written[int(stand_in[1])], safe)


def _glosses(statements: Sequence[Statement], markers: int, language: Language) -> list[str]:
    """For each marker what the words before it mean, where they stand in another language than the question."""
    glosses = [gloss_in_words(one, language) for one in statements for _ in one.citations]
    return glosses if len(glosses) == markers else [""] * markers


def gloss_in_words(statement: Statement, language: Language) -> str:
    """ "word by word: annual leave = 年假 · days = 天"; "" where there is nothing to be said."""
    words = " · ".join(f"{one.word} = {one.meaning}" for one in statement.gloss)
    return words and f"{TEXTS['r_gloss'].to(language)}{words}"


def _to_source(marker: re.Match[str], turn: str, gloss: str) -> str:
    title = ' "{}"'.format(literal(gloss).replace('"', r"\"")) if gloss else ""
    apart = " " if marker.string[: marker.start()].endswith("!") else ""  # with a "!" before it, it were a picture
    return rf"{apart}[\[{marker[1]}\]{marker[2]}]({link('source', turn, int(marker[1]))}{title})"


def _in_text(tokens: Sequence[Token]) -> Iterator[int]:
    for token in tokens:
        within = 0
        for child in token.children or ():
            within += child.nesting if child.type in ("link_open", "link_close") else 0
            if child.type == "text" and not within:
                yield from (int(number) for number in _stand_in.findall(child.content))
