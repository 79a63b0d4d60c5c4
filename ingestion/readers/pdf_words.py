"""Words of a PDF as they are read: those that were divided are made whole, ligatures are letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

bullet = re.compile(r"^[•●■◆▪○\uf0b7\uf06e\uf0d8\uf075][ \t]*")
_HYPHEN = "\ufffe"  # what PDFium puts for the hyphen of a word divided at the end of a line
_divided = re.compile(rf"(?<![A-Za-z])([A-Za-z]++){_HYPHEN}([A-Za-z]++)")
_hyphened = re.compile(r"(?<![A-Za-z])[A-Za-z]++-[A-Za-z]++")
_compatible = re.compile(r"[\ufb00-\ufb06\u2e80-\u2fdf\uf900-\ufaff]+")  # ligatures, radicals
_invisible = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\uffff]")
_KEEPS_HYPHEN = {"well", "self", "non", "high", "low", "long", "short", "real", "full", "cross", "half", "ex", "all"}
_leader = re.compile(r"(?<![\s.．·…])\s*+(?:[.．·…]\s?){4,}+\s*+(?=\w{1,6}$)")  # of a table of contents


class Dehyphenator:
    """Makes words whole that were divided at the end of a line. `lines`: all of the document's."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.hyphened = {word.lower() for line in lines for word in _hyphened.findall(line)}

    def whole(self, line: str) -> str:
        line = bullet.sub("- ", line)
        if _HYPHEN not in line:
            return line
        return _divided.sub(lambda found: self._word(found[1], found[2]), line).replace(_HYPHEN, "-")

    def _word(self, head: str, tail: str) -> str:
        own = head.lower() in _KEEPS_HYPHEN or f"{head}-{tail}".lower() in self.hyphened or not tail[:1].islower()
        return f"{head}-{tail}" if own else head + tail


def tidy(text: str) -> str:
    """One space between words; ligatures and radicals as the characters that they stand for."""
    text = _compatible.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return _leader.sub(" … ", " ".join(_invisible.sub("", text).split()))
