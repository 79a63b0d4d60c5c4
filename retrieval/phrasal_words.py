"""English translations that mean something only with a small word: “in charge of” is not said by “we charge 40 pounds”.

The search tokens of such a phrase are those of its one content word, as function words are none.
"""

from __future__ import annotations

import re
from functools import lru_cache

from schema import Alternative
from text import search_tokens
from translation.dictionary import shipped

_REMEMBERED = 10_000
# Chinese words that an English one translates, from which on it may mean something else without its small word:
# "probation" 3, "sold" 7, "charge" 36.
_MANY = 5
_phrase = re.compile(
    r"(?:be )?(?:(?P<leading>in|at|on|off|out|under|over|up|through) [a-z]+(?: .*)?"
    r"|[a-z]+ (?P<particle>up|out|off|over|through)(?: .*)?)"
)
# Before a noun another one says the same: working “from home” is work 在家, “at home”.
_leading = r"\b(?:in|at|on|off|out|under|over|up|through|by|from|for|of|to|with)(?:\W{1,3}\w{1,30}){1,2}"


def is_said_as_phrase(alternative: Alternative, text: str) -> bool:
    """Whether a text that has the one search token of a translation has it with the small word that it needs; always
    for one that needs none, as “on probation”: the word alone means the same."""
    phrase = " " in alternative.text and len(alternative.tokens) == 1
    said = _said_as(alternative.text) if phrase and _is_ambiguous(alternative.tokens[0]) else None
    return not said or any(alternative.tokens[0] in search_tokens(found[0]) for found in said.finditer(text))


@lru_cache(_REMEMBERED)
def _is_ambiguous(token: str) -> bool:
    return shipped().translates(token) >= _MANY


@lru_cache(_REMEMBERED)
def _said_as(translation: str) -> re.Pattern[str] | None:
    """What a text says where it says this translation; None where that needs no small word."""
    phrase = _phrase.fullmatch(translation)
    if not phrase:
        return None
    said = _leading if phrase["leading"] else rf"(?:\w{{1,30}}\W{{1,3}}){{1,4}}{phrase['particle']}\b"
    return re.compile(said, re.IGNORECASE)
