"""Words of a message that one typing error has made of a word that stored files are named with: "the postmortm"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planning.document_words import FILLERS, KIND_OF, SUBJECT_OF
from text import search_tokens
from translation.dictionary import shipped

_SHORTEST = 5  # letters: of a shorter word, every second one is one letter away
_MOST = 60  # words that are looked at
_KINDS = [word for word in KIND_OF if word.isascii() and len(word) >= _SHORTEST]
_Word = tuple[int, int, str]  # where it stands, and the word


def right_words(words: Sequence[_Word], named: Iterable[str]) -> list[_Word]:
    """The words, each that nobody knows in the spelling of the only word for a file that is one error away from it."""
    meant: dict[str, list[str]] = {}
    for word in {*_KINDS, *(one for one in named if one.isalpha() and len(one) >= _SHORTEST)}:
        meant.setdefault(word[0], []).append(word)  # hardly anybody mistypes the first letter
    right = [*words]
    for place, (start, end, word) in enumerate(words[:_MOST]):
        if len(word) < _SHORTEST or not word.isalpha() or word in FILLERS or word in KIND_OF or word in SUBJECT_OF:
            continue
        near = [one for one in meant.get(word[0], ()) if abs(len(one) - len(word)) < 2]
        if word not in near and len(found := [one for one in near if _one_error(word, one)]) == 1 and _unknown(word):
            right[place] = (start, end, found[0])
    return right


def _one_error(typed: str, word: str) -> bool:
    """Whether one letter is too many, too few or wrong, or two stand in each other's place (Damerau 1964)."""
    at = next(
        (place for place, (a, b) in enumerate(zip(typed, word, strict=False)) if a != b), min(len(typed), len(word))
    )
    rest, right = typed[at:], word[at:]
    return (
        rest[1:] == right or rest == right[1:] or rest[1:] == right[1:]
        or (rest[:2] == right[:2][::-1] and rest[2:] == right[2:])
    )  # fmt: skip


def _unknown(word: str) -> bool:
    tokens = search_tokens(word)
    return not any(shipped().knows(token) for token in tokens)
