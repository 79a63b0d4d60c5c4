"""Lines of plain text that are each a statement of their own, as in “身高 172cm”, and those of a paragraph that was
broken to fit a page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from evaluation.markup import ITEM

_FULL, _PAGE = 0.75, 30  # of the longest line of a broken paragraph each but the last one fills so much; columns
_GOES_ON = frozenset(",，、;；(（[-")  # at the end of a line that was broken
_ENDS = frozenset(".!?…。！？:：|")  # and of one that need not be parted from the next
_CLOSING = "\"'”’」』）)】》*_ \t\n"
_begins_within = re.compile(r"\s*(?:[a-z),，。、；！？）”’|]|\Z)")


def with_record_breaks(lines: Sequence[str]) -> Iterator[str]:
    """The lines, with an empty one behind each that is a statement of its own."""
    first = 0
    for number, line in enumerate(lines):
        if line.strip() and number + 1 < len(lines):
            continue
        paragraph = lines[first : number + 1]
        one = len(paragraph) == 1 or (len(paragraph) == 2 and not line.strip())
        yield from paragraph if one or _was_broken(paragraph) else _parted(paragraph)
        first = number + 1


def stands_alone(line: str) -> bool:
    """Whether it has no stop at its end that would part it from what comes behind, and does not go on there."""
    return line.rstrip()[-1:] not in _GOES_ON and line.rstrip(_CLOSING)[-1:] not in _ENDS


def _parted(paragraph: Sequence[str]) -> Iterator[str]:
    for number, line in enumerate(paragraph):
        yield line
        behind, after = [*paragraph[number + 1 : number + 3], "", ""][:2]
        # one line further in, below an item, is of it; several are records of their own
        below = ITEM.match(line) and _within(behind, line) and not _within(after, line)
        if stands_alone(line) and not _begins_within.match(behind) and not below:
            yield "\n"


def _within(line: str, item: str) -> bool:
    return _indentation(line) > _indentation(item) and not ITEM.match(line)


def _indentation(line: str) -> int:
    return _columns(line) - _columns(line.lstrip())


def _was_broken(paragraph: Sequence[str]) -> bool:
    if 2 * max(map(len, paragraph)) < _PAGE:  # however wide its characters are
        return False
    widths = [_columns(line.strip()) for line in paragraph if line.strip()]
    longest = max(widths)
    return longest >= _PAGE and all(width >= _FULL * longest for width in widths[:-1])


def _columns(line: str) -> int:
    return len(line) + (0 if line.isascii() else sum(unicodedata.east_asian_width(char) in "WF" for char in line))
