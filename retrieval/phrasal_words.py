"""English translations that mean something only with a small word: “in charge of” is not said by “we charge 40 pounds”.

The search tokens of such a phrase are those of its one content word, as function words are none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from schema import Alternative
from text import search_tokens
from translation.dictionary import shipped

_REMEMBERED = 10_000
_ASKED = 500  # translations of texts
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
    return not needs_small_word(alternative) or _has(text, alternative.text, alternative.tokens[0])


def needs_small_word(alternative: Alternative) -> bool:
    """Whether the search token of a translation alone may mean something else than the translation."""
    phrase = " " in alternative.text and len(alternative.tokens) == 1
    return phrase and _said_as(alternative.text) is not None and _is_ambiguous(alternative.tokens[0])


@lru_cache(_REMEMBERED)
def _is_ambiguous(token: str) -> bool:
    return shipped().translates(token) >= _MANY


class _Phrase(NamedTuple):
    """What a text says where it says a translation, and the small word at its end, if any."""

    expression: re.Pattern[str]
    particle: re.Pattern[str] | None


@lru_cache(_REMEMBERED)
def _said_as(translation: str) -> _Phrase | None:
    """None for a translation that has no small word at a place where it means anything."""
    phrase = _phrase.fullmatch(translation)
    if not phrase:
        return None
    if phrase["leading"]:
        return _Phrase(re.compile(_leading, re.IGNORECASE), None)
    particle = rf"\W{phrase['particle']}\b"
    expression = rf"(?:\w{{1,30}}\W{{1,3}}){{1,4}}{phrase['particle']}\b"
    return _Phrase(re.compile(expression, re.IGNORECASE), re.compile(particle, re.IGNORECASE))


@lru_cache(_ASKED)
def _has(text: str, translation: str, token: str) -> bool:
    """A text is asked for the same translation when it is ranked, covered and explained. Whether the small word is
    there at all is told in a tenth of the time."""
    said = _said_as(translation)
    if not said or (said.particle and not said.particle.search(text)):
        return False
    return any(token in search_tokens(found[0]) for found in said.expression.finditer(text))
