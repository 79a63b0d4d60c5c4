"""The words of a Markdown text, without its marks."""

from __future__ import annotations

import re

_fence = re.compile(r"^(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_heading = re.compile(r"^#{1,6}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_link = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?: \"[^\"\n]*\")?\)")
_marks = re.compile(
    r"https?://[^\s<>)\]\u3000-\u9fff\uff00-\uffef]+|<[^<>\n]{1,200}>|`+|\*+|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)"
    r"|^[> \t]*+[-+][ \t]|^[ \t:|-]{3,}+$",
    re.MULTILINE,
)


def headings(text: str) -> list[str]:
    """Those of levels 1 to 6, in order; not what stands in a block of code."""
    found = (plain_line(one.rstrip("# \t")) for one in _heading.findall(_fence.sub("", text)))
    return [one for one in found if one]


def plain(text: str) -> str:
    """The text without headings and code; a cell of a table is a sentence."""
    text = _heading.sub("", _fence.sub("", text))
    return _marks.sub("", _link.sub(r"\1", text)).replace("|", "\n\n")


def plain_line(text: str) -> str:
    """One line of it."""
    return " ".join(_marks.sub("", _link.sub(r"\1", text)).split())
