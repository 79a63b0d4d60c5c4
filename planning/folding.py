"""A message in the form that the rules read: every character at the place it had."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from text import fold

OPAQUE = "\ue00f"  # a character that no rule reads
_private = re.compile("[\ue000-\uf8ff]")
_QUOTES = str.maketrans("’‘“”„‟＇＂", '\'\'""""\'"')


def normal(message: str) -> str:
    """The message in NFC, with private-use characters (the rules' own marks) out of the way."""
    return _private.sub(" ", unicodedata.normalize("NFC", message))


def folded(message: str) -> str:
    """Half width, lower case, no accents, simplified script; `len(folded(m)) == len(m)`, so that spans carry over."""
    safe = "".join(c if c.isascii() else _of_one_length(c) for c in message)
    whole = fold(safe).lower().translate(_QUOTES)
    if len(whole) != len(message):  # scripts fold by phrases; one of another length is folded by its characters
        whole = "".join(c if c.isascii() else fold(c) for c in safe).lower().translate(_QUOTES)
    return whole


@lru_cache(maxsize=20_000)
def _of_one_length(c: str) -> str:
    """The character, or what stands for it where its folded form has another length."""
    if len(fold(c).lower()) == 1:
        return c
    if c.isspace():
        return " "
    return "," if unicodedata.category(c).startswith("P") else OPAQUE
