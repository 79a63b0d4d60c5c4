"""The question that remains when the words that only steer are taken out, otherwise word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planning.folding import folded
from planning.names import MaskedMessage
from planning.terms import LIBRARY, URL
from planning.vocabulary import CONTENT_VERB
from schema import Language

_joint = re.compile(
    rf"(?:[\s,;:.。、，；：!！）)】」》\]\-–—>]|然后|接着|随后|之后|再(?!次|生)|并且|并(?=[^非不发行列存网]"
    rf"|列[出举一])|顺便|同时"
    rf"|请问|请(?!假|示|求|客|教|领)|[以之]?后(?=再|请|{CONTENT_VERB.zh})|帮我|麻烦(?:你|您)?|一下|的?时候?，|后，"
    r"|(?:and then|and|then|also|after that|afterwards|please|but)(?![a-z]))+"
)
_trailing = re.compile(
    r"[\s,;:、，；：(（【「《\[\-–—<]+$|(?:[\s,，]|(?<![a-z])(?:and|then|please)|然后|并且?|(?<![么何样])请)+$",
    re.IGNORECASE,
)
_orphans = re.compile(
    r"(?<=[?？!！。])\s*[\s.。]+\Z|[,，、:：]\s*(?=[,，。.?？!！])|\s*(?:\(\s*\)|（\s*）)"
    r"|\s+(?=[,，。.?？!！](?:\s|\Z))"
)

_takes_object = re.compile(
    r"(?<![a-z])(?:compar(?:e|ing)|contrast(?:ing)?|between|of|in|from|with|to|for|on|about|across|than|summari[sz]e"
    r"|read|check|search|use|explain|review)\s$"
)


def restate(
    reading: MaskedMessage,
    cuts: Sequence[tuple[int, int]],
    bare: Sequence[tuple[int, int]],
    language: Language,
    otherwise: str | None = None,
) -> str:
    """The message without the cut spans; a name inside the question, which is its scope, becomes a pronoun.

    `otherwise`: where no words are left; by default the message as it is.
    """
    if not cuts and not bare:
        return reading.text.strip()
    pieces: list[str] = []
    edits = sorted([*((a, b, "") for a, b in _merged(cuts)), *_pronouns(reading, cuts, bare, language)])
    end = 0
    for a, b, instead in edits:
        if b <= end:
            continue
        pieces += [reading.text[end : max(a, end)], instead]
        end = b
    pieces.append(reading.text[end:])
    question = _joined(pieces)
    if not re.search(r"\w", question):
        return reading.text.strip() if otherwise is None else otherwise
    return question


_OVERVIEW: dict[Language, str] = {"zh": "总结", "en": "Summarize it"}
_pronoun = re.compile(r"(?:它们?|it|them)\W*", re.IGNORECASE)


def question_of_pages(
    reading: MaskedMessage, cuts: Sequence[tuple[int, int]], bare: Sequence[tuple[int, int]], language: Language
) -> str:
    """What is asked of pages whose addresses are among `cuts` and `bare`; who only names them wants to know them."""
    question = restate(reading, cuts, bare, language, otherwise=_OVERVIEW[language])
    return _OVERVIEW[language] if _pronoun.fullmatch(question) else question


def _merged(cuts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for a, b in sorted(cuts):
        if merged and a <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(b, merged[-1][1]))
        else:
            merged.append((a, b))
    return merged


def _pronouns(
    reading: MaskedMessage, cuts: Sequence[tuple[int, int]], bare: Sequence[tuple[int, int]], language: Language
) -> list[tuple[int, int, str]]:
    """Names inside the question; names joined by "and" become one pronoun."""
    spans: list[tuple[int, int, int]] = []
    cut = {i for start, end in cuts for i in range(start, end)}
    for a, b in sorted(bare):
        if a in cut or b - 1 in cut:
            continue
        between = reading.masked[spans[-1][1] : a] if spans else "."
        if re.fullmatch(r"\s*(?:|,|/|、|和|与|及|以及|跟|,?\s?and|with|against|versus|vs|or|或|&|,\s)\s*", between):
            spans[-1] = (spans[-1][0], b, spans[-1][2] + 1)
        else:
            spans.append((a, b, max(1, len(reading.named(URL + LIBRARY, a, b)))))
    edits = []
    for a, b, count in spans:
        after, before = reading.masked[b : b + 3], reading.masked[max(0, a - 5) : a].strip()
        if language == "zh":
            inside = after.lstrip().startswith("的") or (before and not re.search(r"[,:。!?]$", before))
            word = "它们" if count > 1 else "" if not inside else "其" if after.lstrip().startswith("中") else "它"
            a -= len(reading.masked[:a]) - len(reading.masked[:a].rstrip(" "))
            b += len(reading.masked[b:]) - len(reading.masked[b:].lstrip(" "))
        elif after.startswith("'s"):
            word, b = ("their" if count > 1 else "its"), b + 2
        else:
            subject = re.match(r" [a-z]", after) and not _takes_object.search(reading.masked[max(0, a - 16) : a])
            word = ("they" if subject else "them") if count > 1 else "it"
        edits.append((a, b, word))
    return edits


def _joined(pieces: Sequence[str]) -> str:
    """The pieces in one line of thought: no doubled blanks, no orphaned punctuation or "and" where words were cut."""
    question = ""
    for i, piece in enumerate(pieces):
        if not piece or not (question or re.search(r"\w", piece)):
            continue
        if not question:
            found = _joint.match(folded(piece)) if i else None
            question = piece[found.end() :] if found else piece.lstrip()
        elif not re.search(r"\w", piece) and i < len(pieces) - 1:
            question = question.rstrip() + (" " if question and piece.isspace() else piece)
        else:
            tight = question[-1:].isspace() and piece[:1].isspace()
            question += piece.lstrip(" ") if tight else piece
    question = _trailing.sub("", _orphans.sub("", question).strip())
    return question.strip()
