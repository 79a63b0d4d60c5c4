"""Which stored file words come nearest to, where no name has, or means, all of them: "the tax settlement guide" is
个税汇算说明, 跌倒那次的事件报告 is incident-report-fall.

A word counts by how surely a name says it: by the rules, or else by word vectors (providers/word_vectors.py), which
know the neighbours of a word in both languages. A file must say most of what is said, and clearly more than any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress, pairwise
from typing import NamedTuple

import numpy as np

from planning.document_words import KIND_OF, MONTHS, SUBJECT_OF, NameWords, by_extension, loosely_of_kind
from planning.han_words import fit_in_han
from planning.name_calls import fit_of_word
from planning.name_meanings import means_in_han, reads_as
from providers.features import token_key
from providers.word_vectors import Floats, Places, cosines, shipped
from text import search_tokens

_SURE = (0.0, 0.7, 0.9, 1.0)  # by the ranks of name_calls.fit_of_word
_BY_DICTIONARY = 0.8
_NEAR, _NEAR_KNOWN = 0.5, 0.62  # least cosines: of a word that no bank knows, and of one whose meanings a bank has
_NO_KIND = 0.3  # how surely a file is of a kind whose name tells none
_HEAD = 0.5  # what the word for the kind of document weighs, where any other word weighs 1
_OF_TIME = frozenset("daily weekly monthly quarterly annual yearly day week month quarter year 年度 季度 月度".split())
_NONE: frozenset[int] = frozenset()
_ENOUGH, _AHEAD = 0.65, 0.15  # shares of what is said: that a file must say, and by which it must be ahead


class Nearest(NamedTuple):
    """The file that says most of some words, or the files that say as much, and how surely the first says each word."""

    files: list[str]
    surely: tuple[float, ...]


def nearest_in_latin(words: Sequence[str], head: str, likely: Sequence[tuple[str, NameWords]]) -> Nearest | None:
    """The file of the kind `head` that comes nearest to the Latin `words` in front of it; None where none does."""
    fitting = [
        (name, its, _NO_KIND if rank == 1 and its.kinds <= by_extension else _SURE[rank])
        for name, its in likely
        if (rank := fit_of_word(head, its, 2)) and _has_numbers(words, its)
    ]
    surely = [[_SURE[fit_of_word(word, its)] for word in words] for _, its, _ in fitting]
    for (_, its, _), found in zip(fitting, surely, strict=True):
        for place, two in enumerate(pairwise(words)):
            if not all(found[place : place + 2]) and (sure := _said_together(two, its)):
                found[place : place + 2] = [max(one, sure) for one in found[place : place + 2]]
    return _nearest(words, fitting, surely)


def _said_together(two: tuple[str, str], its: NameWords) -> float:
    """How surely a name says two words that are one term, "medical insurance", or the name of somebody: "Li Lei"."""
    if not its.han or not all(map(str.isalpha, two)):
        return 0.0
    if reads_as("".join(two), its.han) or reads_as("".join(two[::-1]), its.han):
        return 1.0
    return _BY_DICTIONARY if means_in_han(" ".join(two), its.han) else 0.0


def nearest_in_han(words: Sequence[str], head: str, likely: Sequence[tuple[str, NameWords]]) -> Nearest | None:
    """The same for Chinese words, as they are cut, in front of the word for the kind."""
    fitting = [
        (name, its, 0.9 if exact else _NO_KIND if its.kinds <= by_extension else 0.7)
        for name, its in likely
        if ((exact := bool(head in its.han or KIND_OF[head] & its.kinds)) or loosely_of_kind(head, its))
        and _has_numbers(words, its)
    ]
    surely = [[_said_in_han(word, its) for word in words] for _, its, _ in fitting]
    return _nearest(words, fitting, surely)


def _said_in_han(word: str, its: NameWords) -> float:
    if word in its.han or word in its.latin:
        return 1.0
    fit = fit_in_han(word, "", its)
    if fit and (fit.own or fit.kind):
        return 0.9
    return _NEAR if word in KIND_OF and not its.kinds <= by_extension and loosely_of_kind(word, its) else 0.0


def _has_numbers(words: Sequence[str], its: NameWords) -> bool:
    return all(word in its.latin for word in words if word.isdigit() and len(word) > 1)


def _nearest(
    words: Sequence[str], fitting: Sequence[tuple[str, NameWords, float]], surely: Sequence[Sequence[float]]
) -> Nearest | None:
    """Of the files of a kind, each with how surely it is of this kind, and says each word by the rules."""
    if not fitting or not words:
        return None
    said = np.array(surely, np.float32)
    if not said.all(axis=1).any():
        said = np.maximum(said, _nearness(words, [its for _, its, _ in fitting]))
    heads = np.array([sure for *_, sure in fitting], np.float32)
    shares = (said.sum(axis=1) + _HEAD * heads) / (len(words) + _HEAD)
    best = int(shares.argmax())
    if shares[best] < _ENOUGH or not said[best].any():
        return None
    near = (shares > shares[best] - _AHEAD).tolist()
    return Nearest([name for name, *_ in compress(fitting, near)], tuple(said[best].tolist()))


def _nearness(words: Sequence[str], names: Sequence[NameWords]) -> Floats:
    """(names, words): the cosine of each word with the nearest one of each name; 0 where that is not near."""
    found = np.zeros((len(names), len(words)), np.float32)
    asked = np.array([_place(word) for word in words], np.intp)
    known = np.flatnonzero(asked >= 0)
    sizes = np.array([len(_places(its)) for its in names])
    having = np.flatnonzero(sizes)
    if not len(known) or not len(having):
        return found
    starts = np.cumsum(sizes[having]) - sizes[having]
    near = cosines(asked[known], np.concatenate([_places(its) for its in names]))
    nearest = np.maximum.reduceat(near, starts, axis=1).T
    least = np.array([_least(word) for word in words], np.float32)[known]
    found[np.ix_(having, known)] = np.where(nearest >= least, nearest, 0)
    return found


def _least(word: str) -> float:
    """What a bank knows is hardly known better by vectors, to which July is near June, and a teacher near a student."""
    if word in _OF_TIME or SUBJECT_OF.get(word, _NONE) & MONTHS:
        return 2.0
    return _NEAR_KNOWN if word in SUBJECT_OF or word in KIND_OF else _NEAR


@lru_cache(maxsize=4_000)
def _place(word: str) -> int:
    """The row of a word in the table of vectors; -1 for one that has none."""
    tokens = search_tokens(word)
    return int(shipped().places(np.array([token_key(tokens[0])], np.uint64))[0]) if tokens and len(word) > 1 else -1


@lru_cache(maxsize=4_000)
def _places(its: NameWords) -> Places:
    """The rows of the words of a name."""
    tokens = {token for word in its.latin if len(word) > 2 for token in search_tokens(word)}
    tokens |= {token for token in search_tokens(its.han) if len(token) > 1}
    if not tokens:
        return np.empty(0, np.intp)
    found = shipped().places(np.array([token_key(token) for token in sorted(tokens)], np.uint64))
    return np.asarray(found[found >= 0], np.intp)
