"""How much a word says by itself, whatever a library holds: "want" and 后 next to nothing, "warranty" and 年假 much.

In a small library every word is rare, so that counts say little about it; and a dictionary finds the commonest words
in any text. That a passage says "want" and "back" does not mean that it is about somebody's money.
"""

from __future__ import annotations

import math
from functools import lru_cache

from providers.features import token_key
from providers.word_vectors import shipped
from schema import Alternative, TermGroup
from translation.dictionary import shipped as dictionary

# The length of a shipped vector says how much its word tells: "want" .34, "back" .56, "report" .65, "server" .85.
_EMPTY, _FULL = 0.3, 0.9
# Occurrences of a word in the corpus of the Chinese cutter: 后 124,794, 请 23,524, 报告 16,716, 年假 21.
_EVERYWHERE, _RARE = 150_000, 1_500
_REMEMBERED = 10_000
# Chinese words that an English word translates: "canoe" 2, "deposit" 16, "charge" 35, "get" more than are kept. How
# sure it is falls by the root of their number: by the number itself, right passages are lost, and from 12 words on more
# right answers are doubted than wrong ones.
_CERTAIN = 20


def telling(group: TermGroup, alternative: Alternative) -> float:
    """Of a question's word and one translation, in [0, 1]: no more than the less telling of both. What people have put
    into their glossary tells all that there is to tell."""
    if group.given:
        return 1.0
    if not alternative.text:  # a name or number, the same in both languages
        return _of_english(alternative.tokens)
    if alternative.tokens[0].isascii():
        return min(_of_english(alternative.tokens), _of_chinese(group.term))
    return min(_of_english(tuple(group.term.split())), _of_chinese(alternative.text))


def certainty(group: TermGroup, alternative: Alternative) -> float:
    """How surely one that says a translation means what the question does, in (0, 1]: an English word that translates
    dozens of Chinese ones may be said of anything, whichever side says it. A phrase is as sure as can be."""
    if group.given or not alternative.text:
        return 1.0
    english = alternative.tokens if alternative.tokens[0].isascii() else (*group.term.split(),)
    return _certainty_of(english[0]) if len(english) == 1 else 1.0


def tells(term: str) -> float:
    """How much a search token says, in [0, 1]."""
    return _of_english((term,)) if term.isascii() else _of_chinese(term)


@lru_cache(_REMEMBERED)
def _certainty_of(token: str) -> float:
    return math.sqrt(min(1.0, _CERTAIN / max(1, dictionary().translates(token))))


@lru_cache(_REMEMBERED)
def _of_english(tokens: tuple[str, ...]) -> float:
    """Of search tokens that are one term; one without a vector is rare."""
    lengths = [shipped().length(token_key(token)) for token in tokens]
    said = [1.0 if length is None else (length - _EMPTY) / (_FULL - _EMPTY) for length in lengths]
    return min(1.0, sum(min(1.0, max(0.0, one)) for one in said))


@lru_cache(_REMEMBERED)
def _of_chinese(word: str) -> float:
    import rjieba

    occurs = max(1, int(rjieba.suggest_freq(word)))
    return min(1.0, max(0.0, math.log(_EVERYWHERE / occurs) / math.log(_EVERYWHERE / _RARE)))
