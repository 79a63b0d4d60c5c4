"""A message in the form that the rules read: every character at the place it had."""

from __future__ import annotations

import unicodedata

from text import fold

OPAQUE = "\ue00f"  # a character that no rule reads
_QUOTES = str.maketrans("’‘“”„‟＇＂", '\'\'""""\'"')


def normal(message: str) -> str:
    """The message in NFC, with private-use characters (the rules' own marks) out of the way."""
    return "".join(" " if "\ue000" <= c <= "\uf8ff" else c for c in unicodedata.normalize("NFC", message))


def folded(message: str) -> str:
    """Half width, lower case, no accents, simplified script; `len(folded(m)) == len(m)`, so that spans carry over."""
    safe = "".join(c if c.isascii() or len(fold(c).lower()) == 1 else _stand_in(c) for c in message)
    whole = fold(safe).lower().translate(_QUOTES)
    if len(whole) != len(message):  # scripts fold by phrases; one of another length is folded by its characters
        whole = "".join(c if c.isascii() else fold(c) for c in safe).lower().translate(_QUOTES)
    return whole


def _stand_in(c: str) -> str:
    if c.isspace():
        return " "
    return "," if unicodedata.category(c).startswith("P") else OPAQUE
