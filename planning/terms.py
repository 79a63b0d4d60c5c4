"""How the words that the rules look for are written down: two languages as one pattern, and the marks of masked names.

A pattern reads folded text (half width, lower case, simplified script) in which names stand masked, one mark repeated
over each: LIBRARY a stored file, UPLOAD, MISSING, URL, STEM a stored file named without its extension, DOC_SET, TARGET
the words for the set to save into.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

LIBRARY, UPLOAD, MISSING, URL, STEM, DOC_SET, TARGET = "\ue000\ue001\ue002\ue003\ue004\ue005\ue006"
ONE_URL = f"(?<!{URL}){URL}++"  # whole: a pattern that began within a run of marks would try each place in it
FILE = "(?:" + "|".join(f"(?<!{mark}){mark}++" for mark in (LIBRARY, UPLOAD, MISSING)) + ")"
ONE_STEM, ONE_SET = f"(?<!{STEM}){STEM}++", f"(?<!{DOC_SET}){DOC_SET}++"
# All but what follows; not the end of a word such as 解除合同, 删除, 扣除.
EXCEPT_ZH = "(?<![解删扣开废清消免根拆铲破剔排])除(?:了|去|开)?"
AND = r"(?:\s*(?:,|、|和|与|及|以及|跟|还有|&|\+|/|and|or|或者?)\s*(?:the\s|in\s|在|把)?)"
FILES = rf"[《\"'「`]?{FILE}(?:[》\"'」`]?{AND}[《\"'「`]?{FILE}){{0,20}}[》\"'」`]?"


class BilingualTerms(NamedTuple):
    """One idea in both languages; an English entry never matches inside a word, nor in an identifier."""

    zh: str
    en: str

    @property
    def either(self) -> str:
        return _either(self)


@cache
def _either(terms: BilingualTerms) -> str:
    en = rf"(?<![a-z0-9_])(?:{terms.en})(?![a-z0-9_])"
    return f"(?:{terms.zh}|{en})" if terms.zh else en


@cache
def union(*terms: BilingualTerms) -> str:
    """One pattern for all of them."""
    return "(?:" + "|".join(term.either for term in terms) + ")"
