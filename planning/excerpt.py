"""What the rules read of a long message: its beginning and its end, where people put their orders.

Who pastes a text writes what is to be done with it above or below: “总结下面这段：…”, "… — which of these are in the
handbook? use keyword search". What stands between is material, not an order: a file name, an address or “保存” in a
pasted log asks for nothing. It stays in the question word for word; the rules see a word in its place that none of
them knows. So the time for a message is bounded by HEAD and TAIL, however long it is.
"""

from __future__ import annotations

import re
from typing import NamedTuple

HEAD, TAIL = 1_000, 500  # characters; an order for twenty files has 800
_STAND_IN = "\U00010380\U00010381"  # letters of Ugaritic, so that it counts as a word of no language that is spoken
_place = re.compile(rf"\n?{_STAND_IN}\n?")
_break = re.compile(r"[\n。！？!?]\s?|\.\s|\s")
_REACH = 200  # characters in which a place between two sentences or words is looked for


class Excerpt(NamedTuple):
    """`text` is read, with a stand-in where `middle` was; a short message is read whole and has no middle."""

    text: str
    middle: str = ""

    def restored(self, question: str) -> str:
        """A question made of the text, with the middle where it was."""
        before, found, after = question.partition(place[0] if (place := _place.search(question)) else _STAND_IN)
        return f"{before}{self.middle}{after}" if found and self.middle else question


def excerpt(message: str) -> Excerpt:
    """The message itself up to HEAD + TAIL characters, else its beginning and its end, cut between words."""
    if len(message) <= HEAD + TAIL:
        return Excerpt(message)
    first = [found.end() for found in _break.finditer(message, HEAD - _REACH, HEAD)]
    last = _break.search(message, len(message) - TAIL, len(message) - TAIL + _REACH)
    start, end = first[-1] if first else HEAD, last.end() if last else len(message) - TAIL
    head, tail = (message[piece].replace(_STAND_IN, "") for piece in (slice(start), slice(end, None)))
    middle = message[start:end]
    spoken = len(set(re.findall(r"[^\W_]", middle))) > 2  # else it is one key over and over, which says nothing
    return Excerpt(f"{head}\n{_STAND_IN}\n{tail}" if spoken else f"{head}\n{tail}", middle if spoken else "")
