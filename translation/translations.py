"""The translations of a dictionary's word by how likely they are, and what stands for them in fewer words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from schema import Alternative
from text import STOP_WORDS, search_tokens, stems

_AFTER_COMMA = 0.6  # of the weight of a translation that stands alone
_LONG = 0.7  # of the weight, for a translation of more than two tokens
_EITHER, _HEAD, _KIND = 0.5, 0.4, 0.2  # of the weight of a translation, for one of its words
NEGATIONS = frozenset({"no", "not", "nor", "without", "never", "cannot"})
_both = re.compile(r"(?P<one>[a-z]+) (?:and|&) (?P<other>[a-z]+)")
_headed = re.compile(r"(?P<head>[a-z]{3,}) (?:for|of|from|on|in|with|at|by|against|over) .*")
_compound = re.compile(r"[a-z]+ (?P<article>(?:a|an|the|one's) )?(?P<head>[a-z]{3,})")


def weighed(listed: Sequence[str]) -> list[Alternative]:
    """The translations, and behind them what stands for these in fewer words."""
    found = whole(listed)
    return [*found, *(part for parts in in_fewer_words(found) for part in parts)]


def whole(listed: Sequence[str]) -> list[Alternative]:
    """The translations of a word, as they are listed."""
    found: dict[tuple[str, ...], Alternative] = {}
    for rank, term in enumerate(listed):
        words = term.rstrip(",")
        tokens = tokens_of(words)
        weight = 1 / (1 + 0.5 * rank)
        weight *= _AFTER_COMMA if term.endswith(",") else 1
        found[tokens] = Alternative(tokens, weight * (_LONG if len(tokens) > 2 else 1), words)
    return [*found.values()]


def in_fewer_words(found: Sequence[Alternative]) -> tuple[list[Alternative], list[Alternative]]:
    """What stands for these translations by itself, and single words that only head one of them."""
    known = {each.tokens for each in found}
    either, heads = list[Alternative](), list[Alternative]()
    for each in found:
        for share, words in _shorter(each.text):
            if (tokens := tokens_of(words)) and tokens not in known:
                known.add(tokens)
                (either if share == _EITHER else heads).append(Alternative(tokens, each.weight * share, words))
    return either, heads


def _shorter(term: str) -> list[tuple[float, str]]:
    """Words of a translation that can stand for it, and for how much of it: both of "examine and approve"; "rent" of
    "rent for a room", "meeting" of "hold a meeting"; for less, "tape" of "magnetic tape", which is one of a kind."""
    if " " not in term:
        return []
    if found := _both.fullmatch(term):
        return [(_EITHER, found["one"]), (_EITHER, found["other"])]
    if found := _compound.fullmatch(term):
        return [(_HEAD if found["article"] else _KIND, found["head"])]
    return [(_HEAD, found["head"])] if (found := _headed.fullmatch(term)) else []


def tokens_of(term: str) -> tuple[str, ...]:
    """The search tokens of an English translation, each once."""
    if " " not in term:
        tokens = _tokens(term)
    else:
        tokens = tuple(dict.fromkeys([token for word in term.split() for token in _tokens(word)]))
    return tokens or tuple(dict.fromkeys(filter(str.isascii, search_tokens(term))))


@lru_cache(maxsize=30_000)
def _tokens(word: str) -> tuple[str, ...]:
    """None for a function word: other words of its term stand for it."""
    if word.lower().strip(".,:!?'\"…") in STOP_WORDS:
        return ()
    if word.isascii() and word.isalpha() and word[1:].islower():  # most are so, and are one token
        return tuple(stems([word.lower()]))
    return tuple(dict.fromkeys(filter(str.isascii, search_tokens(word))))
