"""Whether two words of one language mean the same, by the dictionary: they have a translation in common."""

from __future__ import annotations

from schema import Alternative
from translation.dictionary import shipped
from translation.translations import NEGATIONS

_LEAST = 0.55  # weight of a translation that a word is known by: not the third, nor one half of "buy and sell"


def share_meaning(one: str, other: str) -> bool:
    """For two search tokens, English or Chinese. What one character says, as 借 “lend” and “borrow”, proves nothing."""
    if not one.isascii():
        return not _meanings(one).isdisjoint(_meanings(other))
    return any(
        {((one,), False), ((other,), False)} <= _meanings(each.text)
        for each in shipped().chinese(one)
        if len(each.text) > 1
    )


def _meanings(word: str) -> set[tuple[tuple[str, ...], bool]]:
    """The search tokens of a Chinese word's best translations, each with whether it denies them, as “need not” does."""
    return {(each.tokens, _denies(each)) for each in shipped().english(word) if each.weight >= _LEAST}


def _denies(translation: Alternative) -> bool:
    return not NEGATIONS.isdisjoint(translation.text.split())
