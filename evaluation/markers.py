"""Citation markers in an answer: where they stand, which claim they stand on, and which text is code and has none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from evaluation.claims import read

_number = r"\d{1,3}"
_marker = rf"[\[［【] ?(?:(?:来源|资料|sources?) ?)?{_number}(?: ?[,，、;；–-] ?{_number}){{0,15}} ?[\]］】]⚠?"
# Whoever writes more markers in a row than there are sources, or more blanks, does not make the stream wait for them.
_group = re.compile(rf"[ \t]{{0,8}}{_marker}(?:[ \t,，、]{{0,8}}{_marker}){{0,50}}", re.IGNORECASE)
_maybe_marker = re.compile(
    r"[ \t,，、]{0,8}(?:[\[［【] ?[来源资料a-z]{0,7} ?[\d ,，、;；–-]{0,100})?\Z", re.IGNORECASE
)  # the beginning of a marker
_range = re.compile(rf"({_number})(?: ?[–-] ?({_number}))?")
_special = re.compile(r"[ \t]{0,8}+[\[［【]|[ \t]{1,8}\Z|`|\n")
_ticks = re.compile("`+")
_fence = re.compile(r"[ \t]*(?:(```+)[^`\n]*|(~~~+).*)\n?\Z")
_lead = re.compile(r"\s*(?:(?:[-*+•>#]+|\d{1,3}[.)])\s+|\d{1,3}、\s*)*")
MARK = re.compile(r"(?<=[^\s\]])⚠(?!\ufe0f)")  # of a sentence: right behind it; what stands alone is the author's own
_no_stop = r"(?<!\b[A-Z])(?<!\be\.g)(?<!\bi\.e)(?<!\bMr)(?<!\bMrs)(?<!\bDr)(?<!\bvs)(?<!\bNo)(?<!\bFig)(?<!\bSt)"
_closing = '”’」』）)"*'
_stop = re.compile(rf"(?:[。！？!?]+|{_no_stop}\.(?=[\s{_closing}]|\Z))[{_closing}]*")
_claim_end = re.compile(rf"[。！？!?]|{_no_stop}\.(?=[\s{_closing}])|\n|(?<![ \t])[ \t]*+{_marker}", re.IGNORECASE)
_OVER = frozenset(["", *"。！？!?.;；\n"])  # where a marker is followed by that, its claim goes no further
_AHEAD = 600  # characters behind a marker that are still its claim, at most; the marker waits for no more
_PORTION = 1_000  # characters of what waits to be looked at, whose rest each piece copies
_LONGEST_CODE = 2_000  # characters of a code span; back ticks that none closes by then are plain text


@dataclass(frozen=True, slots=True)
class PlainText:
    text: str
    code: bool = False  # a line of a block of code


@dataclass(frozen=True, slots=True)
class Group:
    """Adjacent markers, the claim that they stand on, and a place within it (offset in the text without markers)."""

    numbers: tuple[int, ...]
    claim: str
    anchor: int
    lead: str  # white space before the markers


class Scanner:
    """Takes an answer in any portions and hands it on in pieces. The pieces do not depend on the portions.

    A marker stands on the words since the marker or the sentence end before it; after a sentence end, on that sentence;
    alone in its line, on the sentence or the block of code above; in a row of a table, on the whole row. What follows
    the last marker of a sentence belongs to it too, so a marker within a sentence waits for its end.
    """

    def __init__(self) -> None:
        self._rest = ""  # not decided yet
        self._fence = ""
        self._line = ""  # this line so far, without markers
        self._marked = 0  # where in the line its last marker stood
        self._stops: list[tuple[int, int]] = []  # the last sentence ends of the line that were looked for, as spans
        self._looked = 0  # how far
        self._line_above = ""  # the last one that was not empty
        self._block_above = ""  # of code, where the last line was its end
        self._block = ""  # of code, so far
        self._length = 0  # of the text without markers

    def feed(self, text: str, final: bool = False) -> Iterator[PlainText | Group]:
        """The pieces that are certain now; all that are left when it is final."""
        for start in range(0, max(len(text), 1), _PORTION):
            self._rest += text[start : start + _PORTION]
            over = final and start + _PORTION >= len(text)
            while self._rest and (piece := self._next(over)):
                yield piece

    def _next(self, final: bool) -> PlainText | Group | None:
        rest = self._rest
        if not self._line and (self._fence or rest.lstrip(" \t")[:3] in {"", "`", "``", "```", "~", "~~", "~~~"}):
            end = rest.find("\n") + 1
            if not end and not final:
                return None
            line = rest[: end or len(rest)]
            mark = _fence.match(line)
            if mark or self._fence:
                ticks = (mark[1] or mark[2]) if mark else ""
                if not self._fence or ticks.startswith(self._fence):
                    self._fence = "" if self._fence else ticks
                self._block += line
                plain = self._plain(len(line), code=True)
                if not self._fence:
                    self._block_above, self._block = self._block, ""
                return plain
        for special in _special.finditer(rest):
            start = special.start()
            if rest[start] == "\n":
                return self._plain(special.end())
            group = None if rest[start] == "`" else _group.match(rest, start)
            if rest[start] != "`" and not group and (final or not _maybe_marker.match(rest, start)):
                continue  # a bracket that begins no marker
            if start:
                return self._plain(start)
            if rest[0] == "`":
                return self._code(final)
            return self._marked_claim(group, final) if group else None
        return self._plain(len(rest))

    def _plain(self, length: int, code: bool = False) -> PlainText:
        text, self._rest = self._rest[:length], self._rest[length:]
        self._length += length
        self._line += text
        if text.endswith("\n"):
            if self._line.strip():
                self._line_above, self._block_above = self._line, ""
            self._line, self._marked, self._stops, self._looked = "", 0, [], 0
        return PlainText(text, code)

    def _code(self, final: bool) -> PlainText | None:
        """A code span is one piece; back ticks that nothing closes on their line are plain text."""
        ticks = _ticks.match(self._rest)[0]  # type: ignore[index]  # called on a back tick
        if len(ticks) == len(self._rest) and not final:
            return None
        end = self._rest.find("\n", 0, _LONGEST_CODE)
        runs = _ticks.finditer(self._rest, len(ticks), end if end >= 0 else _LONGEST_CODE)
        closed = next((run for run in runs if len(run[0]) == len(ticks)), None)
        if closed and closed.end() < (_LONGEST_CODE if final else min(len(self._rest), _LONGEST_CODE)):
            return self._plain(closed.end())
        if final or end >= 0 or len(self._rest) >= _LONGEST_CODE:
            return self._plain(len(ticks))
        return None

    def _marked_claim(self, group: re.Match[str], final: bool) -> Group | None:
        after = self._rest[group.end() :]
        if not final and _maybe_marker.match(after):
            return None
        start, end, whole = self._claim_span(after)
        claim = self._line[start:end] if end else self._block_above or _last_sentence(self._line_above)
        if not whole and after[:1] not in _OVER:
            ahead = after[:_AHEAD]
            rest = _claim_end.search(ahead)
            if rest is None and not final and len(after) < _AHEAD:
                return None
            if rest is None or rest[0].strip()[:1] not in {"[", "［", "【"} or _says_little(claim):
                claim += ahead[: rest.start()] if rest else ahead
        anchor = self._length - len(self._line) + (max(start, len(self._line[:end].rstrip()) - 1) if end else -1)
        lead = group[0][: len(group[0]) - len(group[0].lstrip())]
        self._rest, self._marked = after, len(self._line)
        bare = claim.strip().rstrip("。！？!?")
        claim = bare + claim.strip()[len(bare) : len(bare) + 1]  # however often it ends, it is the same claim
        return Group(_numbers(group[0]), claim, max(anchor, 0), lead)

    def _claim_span(self, after: str) -> tuple[int, int, bool]:
        """Where in this line the claim stands, and whether it ends there; (0, 0): in the line above."""
        line = self._line
        if not line.strip() and after.lstrip(" \t")[:1] in {"", "\n"}:
            return 0, 0, True
        first = _lead.match(line).end()  # type: ignore[union-attr]  # matches the empty string too
        stops = [end for end in self._last_stops() if end > first] if not _is_row(line) else []
        if stops and stops[-1] >= len(line.rstrip()):  # the marker follows a sentence end
            start = max([first, *stops[:-1]])
            return max(start, self._marked if self._marked < stops[-1] - 1 else 0), len(line.rstrip()), True
        return max([first, self._marked, *stops]), len(line), False

    def _last_stops(self) -> list[int]:
        """Where the last sentences of the line end, as many as a marker asks for; the line is read once."""
        if self._stops and self._stops[-1][1] == self._looked:
            self._looked = self._stops.pop()[0]  # what has come since may belong to it, or deny it
        found = [match.span() for match in _stop.finditer(self._line, self._looked)]
        self._stops, self._looked = [*self._stops, *found][-4:], len(self._line)
        return [end for _, end in self._stops]


def without_markers(text: str) -> str:
    """An answer that nothing has been checked of names no sources."""
    pieces = Scanner().feed(MARK.sub("", text), final=True)
    return "".join(piece.text for piece in pieces if isinstance(piece, PlainText))


def _last_sentence(line: str) -> str:
    said = line.rstrip()
    return said[max([0, *(stop.end() for stop in _stop.finditer(said, 0, len(said) - 1))]) :]


def _is_row(line: str) -> bool:
    return line.lstrip().startswith("|")


@lru_cache(maxsize=1024)  # who repeats himself does not make us read it again
def _says_little(claim: str) -> bool:
    """Less than two content words: According to [1], ..."""
    return sum(term.weight for term in read(claim, names=False).terms if term.weight > 0.5) < 2


@lru_cache(maxsize=1024)
def _numbers(markers: str) -> tuple[int, ...]:
    """The numbers of [1][2, 4-6] in order, each once."""
    found: list[int] = []
    for first, last in _range.findall(markers):
        found += range(int(first), min(int(last or first), int(first) + 20) + 1)
    return tuple(dict.fromkeys(found))
