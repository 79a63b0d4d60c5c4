"""English words that a question writes apart and the library in one, or the other way: "roll back" and "rollback".

The library's form is searched for beside the one that was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from retrieval.regional_terms import WordChange
from stores.base import Store
from text import STOP_WORDS, search_tokens

_SHORTEST, _LONGEST = 5, 30  # letters of a word that is made of two
_HALF = 2  # letters of each of them
_MOST = 40  # words of a question that are looked at
_TAKEN_APART = 5  # of them
_LOOKED_AT = 3  # passages
_PARTICLES = frozenset("up down out off back in on over away through by".split())
_ending = re.compile(r"(?:ing|ed|s)\Z")
_word = re.compile(rf"(?<![\w.'’@/])[A-Za-z][a-z]{{1,{_LONGEST - 1}}}(?![\w'’@/])(?!\.\w)")


def joined_words(question: str, store: Store) -> tuple[WordChange, ...]:
    """What the library writes in another way, in the order of the question."""
    words = [*_word.finditer(question)][:_MOST]
    found = [*_in_one(question, words, store), *_apart(words, store)]
    return tuple(sorted(found, key=lambda one: one.start))


def with_joined(question: str, words: Sequence[WordChange]) -> str:
    """The question with the other form behind each."""
    for one in reversed(words):
        question = f"{question[: one.end]} {one.said}{question[one.end :]}"
    return question


def _in_one(question: str, words: Sequence[re.Match[str]], store: Store) -> Iterator[WordChange]:
    pairs: dict[str, WordChange] = {}
    for one, other in pairwise(words):
        first, second = one[0].lower(), other[0].lower()
        apart = question[one.end() : other.start()] not in (" ", "-")
        if apart or first in STOP_WORDS or (second in STOP_WORDS and second not in _PARTICLES):
            continue
        for form in dict.fromkeys([first, _ending.sub("", first)]):  # "rolling back", "signed up"
            if len(form + second) >= _SHORTEST and form + second not in STOP_WORDS:
                typed = question[one.start() : other.end()]
                pairs.setdefault(form + second, WordChange(one.start(), other.end(), typed, form + second))
    terms = {whole: search_tokens(whole)[0] for whole in pairs if search_tokens(whole)}
    counts = store.document_frequencies([*terms.values()]) if terms else []
    for whole, count in zip(terms, counts, strict=True):
        if count and _stands_in(re.compile(rf"\b{whole}s?\b"), [terms[whole]], store):
            yield pairs[whole]


def _apart(words: Sequence[re.Match[str]], store: Store) -> Iterator[WordChange]:
    """Only of a word that the library does not have, and where it has both halves side by side."""
    stems = {word: found[0] for word in words if len(found := search_tokens(word[0])) == 1}
    counts = store.document_frequencies([*stems.values()]) if stems else []
    unknown = [word for word, count in zip(stems, counts, strict=True) if not count and len(word[0]) >= _SHORTEST]
    halves = {(word, *half): _terms(half) for word in unknown[:_TAKEN_APART] for half in _halves(word[0].lower())}
    terms = [*dict.fromkeys(term for known in halves.values() for term in known)]
    held = dict(zip(terms, store.document_frequencies(terms), strict=True)) if terms else {}
    for (word, first, second), known in halves.items():
        side_by_side = re.compile(rf"\b{first}\w{{0,3}}[ -]{second}\b")
        if known and all(held[term] for term in known) and _stands_in(side_by_side, known, store):
            yield WordChange(word.start(), word.end(), word[0], f"{first} {second}")


def _halves(letters: str) -> Iterator[tuple[str, str]]:
    for at in range(_HALF, len(letters) - _HALF + 1):
        if letters[:at] not in STOP_WORDS:
            yield letters[:at], letters[at:]


def _terms(words: Sequence[str]) -> list[str]:
    return [term for word in words if word not in STOP_WORDS for term in search_tokens(word)]


def _stands_in(form: re.Pattern[str], terms: Sequence[str], store: Store) -> bool:
    """Other words may have the same stems."""
    found = store.hits([one.chunk_id for one in store.search_terms(terms, _LOOKED_AT)])
    return any(form.search(hit.text.lower()) for hit in found)
