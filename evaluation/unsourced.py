"""Sentences of an answer that should have a source and have none, marked where they end: in a stream and in a text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import takewhile

from evaluation.citations import UNSUPPORTED, asserts
from evaluation.markers import MARK, Group, PlainText
from schema import Statement
from text import sentences

_LONGEST = 600  # characters of a sentence whose end a list of abbreviations may still deny
_KNOWN = 12  # characters by which a sentence is found again
_closing = "”’」』）》】)\"'*_`"
_goes_on = f"。！？.!?…{_closing}"
_stop = re.compile(rf"(?:(?P<wide>[。！？])|[.!?…])[{_closing}]*\Z")
_opening = re.compile(  # of a line
    r"[ \t]*+(?:\d{1,3}[.)]?|#{1,6}|>+|`{1,3}|~{1,3}|\|[ :|-]*+|[-*+•_]{0,3})[ \t]*+\Z"
)
_emphasis = re.compile(r"[ \t]++[*_\"'“‘（(「『]{1,3}\Z")
_OPENS = 12  # characters at which no line still opens, as `_behind` writes it
_word = re.compile(r"[^\W_]++|.", re.DOTALL)
_head = re.compile(r"[ |]*\n[ \t]*\|[ :|-]+\|[ \t]*(?:\n|\Z)")  # what follows the first row of a table


class SentenceMarks:
    """Puts a mark behind each sentence without a source, as the answer comes.

    Text flows at once. What waits for the next letter is white space, the bars of a table, and what may begin an item
    of a list: whether a sentence has ended, and without a marker, shows there. What comes out does not depend on how
    the answer was cut into pieces.
    """

    def __init__(self) -> None:
        self._sentence: list[str] = []  # so far, without markers
        self._known = ""  # the last of it, by which it is seen whether it is over
        self._ticks = 0  # back ticks in it
        self._held: list[str] = []  # what came behind it
        self._line = ""  # the last line of that, as `_behind` writes it
        self._breaks = False  # whether a line ends in that
        self._cited = False
        self._begun = False

    def feed(self, piece: PlainText | Group, shown: str) -> str:
        """A piece as `CitationStream.shown` gives it, and with it what was held."""
        if isinstance(piece, Group):
            return self._marker(shown) if shown else ""
        if piece.code:
            self._begun = True
            return self.end() + shown
        return "".join(part for word in _word.findall(shown) for part in self._next_word(word))

    def end(self) -> str:
        """What is left, where the answer or its prose ends."""
        left = self._released()
        return self._mark(left) + left

    def _next_word(self, word: str) -> Iterator[str]:
        """No sentence ends within a word, so that where its first letter is not held it goes on whole."""
        for place, sign in enumerate(word):
            yield self._next(sign)
            if not self._held:
                self._say(word[place + 1 :])
                yield word[place + 1 :]
                return

    def _next(self, sign: str) -> str:
        row = bool(self._sentence) and self._sentence[0].startswith("|")
        self._held.append(sign)
        self._breaks = self._breaks or sign == "\n"
        self._line = "" if sign == "\n" else _behind(self._line, sign)
        opens = _opening.match(self._line) if self._breaks else _emphasis.match(self._line)
        if not sign.strip() or opens or (row and sign == "|"):
            return ""
        breaks, self._begun = self._breaks, True
        rest = self._released()
        if not self._ends_before(rest, breaks, row):
            self._say(rest if self._sentence else rest.lstrip())
            return rest
        mark = self._mark(rest)
        self._say(rest.rpartition("\n")[2].lstrip())
        return mark + rest if rest[0].isspace() or rest[0] == "|" or not mark else f"{mark} {rest}"

    def _marker(self, shown: str) -> str:
        held = self._released()
        if held.strip(" \t\n|"):  # it stands at the beginning of the next item
            held = self._mark(held) + held
            self._say(held.rpartition("\n")[2])
        self._cited = self._cited or bool(self._sentence) or not self._begun
        return held + shown

    def _say(self, text: str) -> None:
        if text:
            self._sentence.append(text)
            self._known = (self._known + text)[-_LONGEST - 1 :]
            self._ticks += text.count("`")

    def _released(self) -> str:
        held, self._held, self._line, self._breaks = "".join(self._held), [], "", False
        return held

    def _ends_before(self, rest: str, breaks: bool, row: bool) -> bool:
        """Whether the sentence is over where this begins; the rules of the whole answer's check say so."""
        if row or not self._sentence:
            return row and breaks
        if rest[0] in _goes_on:
            return False
        stop = _stop.search(self._known[-20:])
        in_code = self._ticks % 2 == 1
        if not breaks and (in_code or not (stop and (stop["wide"] or rest[0].isspace()))):
            return False
        if len(self._known) > _LONGEST and stop:
            return True
        known = self._known[-_LONGEST:]
        last = max(len(known.rstrip(_closing)), 1)  # some take the quotes behind a sentence for the next one's
        return any(start >= last for start, _ in sentences(known + rest))

    def _mark(self, behind: str) -> str:
        """For the sentence, which is over; `behind` it stands this."""
        sentence, cited = "".join(self._sentence), self._cited
        self._sentence, self._known, self._ticks, self._cited = [], "", 0, False
        head = sentence.startswith("|") and _head.match(behind)
        return UNSUPPORTED if sentence and not cited and not head and asserts(sentence) else ""


def _behind(line: str, sign: str) -> str:
    """A line with one more sign, shortened where `_opening` and `_emphasis` read on alike: whoever holds a key down
    makes no long line of it."""
    last = line[-1:]
    if (
        len(line) >= _OPENS
        or (sign == last == ">")
        or (line.lstrip().startswith("|") and last != "\t" and sign in " :|-")
    ):
        return line
    if {last, sign} <= {" ", "\t"}:
        return line[:-1] + ("\t" if "\t" in (last, sign) else " ")
    return line + sign


def mark_unsourced(text: str, statements: Sequence[Statement]) -> str:
    """The whole answer with a mark behind each of its sentences that has no source and should have one.

    Marks that a stream has set stay; where it could not tell yet that a sentence was over, one is added.
    """
    bare, added, at = without_unsourced_marks(text), list[int](), 0
    given = [found.start() - count for count, found in enumerate(MARK.finditer(text))]
    for start, end in _unsourced(bare, statements):
        already = bare.startswith(UNSUPPORTED, end)  # behind a bracket it reads as a marker's
        before = [*given[(after := bisect_right(given, start)) : after + 1], *added[-1:]]
        if not already and not any(start < mark <= end for mark in before):
            added.append(end)
    parts = []
    for mark in sorted({*given, *added}):
        parts.append(bare[at:mark])
        at = mark
    parts.append(bare[at:])
    return UNSUPPORTED.join(parts)


def without_unsourced_marks(text: str) -> str:
    """The answer without marks of sentences; those of markers stay."""
    return MARK.sub("", text)


def _unsourced(text: str, statements: Sequence[Statement]) -> Iterator[tuple[int, int]]:
    """Where sentences stand in an answer that should have a source and have none."""
    at = 0
    for statement in statements:
        bare = statement.text.strip()
        if statement.citations:  # up to its first marker: the same words may come again without one
            if (start := text.find(bare[:_KNOWN], at)) >= 0:
                given = text[start : start + len(bare)]
                same = takewhile(lambda signs: signs[0] == signs[1], zip(given, bare, strict=False))
                at = start + sum(1 for _ in same)
        elif bare and (start := text.find(bare, at)) >= 0:
            at = start + len(bare)
            if statement.doubtful:
                row = bare.startswith("|")
                end = start + len(bare.rstrip("| ") if row else bare)  # within the last cell of a row
                while end < len(text) and text[end] in _closing:
                    end += 1
                yield start, end
