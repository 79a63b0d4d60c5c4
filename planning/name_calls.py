"""Stretches of Latin words in a message that fit one stored file better than all others; whether they call it is judged
in planning/nicknames.py."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from planning.document_words import (
    FILLERS,
    KIND_OF,
    SUBJECT_OF,
    NameWords,
    latin_words,
    loosely_of_kind,
    merged_words,
    month_subject,
)
from planning.known_files import KnownFiles
from planning.misspelt import right_words
from planning.name_meanings import means_in_han, reads_as
from planning.name_versions import version_called

_WORDS = 6  # of a name
_BEFORE = 24  # characters before one, that may tell its version
_NONE: frozenset[int] = frozenset()
_ANY = frozenset(
    "guide guideline manual report page policy note list instruction paper docs document file sheet".split()
)
_ALL = frozenset("all each every any other".split())  # alone they call nothing, though a name may have them
_WITHIN = frozenset("of the for on from about with to my our".split())  # “chapter 2 of my thesis”
_Word = tuple[int, int, str]  # where it stands, and the word
_Fitting = tuple[str, NameWords, int]  # a file, the words of its name, and how well they fit


class NameCall(NamedTuple):
    """Words of a message that fit one file: whether of its own, of a kind of document, all that its name has."""

    start: int
    end: int
    file: str
    own: bool
    kind: bool
    whole: bool
    literal: bool  # not only by what the words mean
    meant: bool  # the name says the same in other words
    numbered: bool  # with a number of the name: "ADR 14"
    words: int


def name_calls(text: str, likely: Sequence[tuple[str, NameWords]], known: KnownFiles) -> Iterator[NameCall]:
    """The stretches of words that fit one file, the longest at each place."""
    named = frozenset().union(*(its.latin for _, its in likely))
    words = right_words(merged_words(latin_words(text), text, named), named)
    at = 0
    while likely and at < len(words):
        last, fitting = _longest(text, words, at, likely)
        call = _call(text, words[at:], last - at, fitting, known) if fitting else None
        at = last + 1
        if call:
            yield call


def _longest(
    text: str, words: Sequence[_Word], at: int, likely: Sequence[tuple[str, NameWords]]
) -> tuple[int, Sequence[_Fitting]]:
    """The last word of the longest run from here on that fits a file, and the files that it fits; none: (at, ())."""
    fitting: Sequence[_Fitting] = [(name, its, 0) for name, its in likely]
    last, best = at, list[_Fitting]()
    skipped = False
    for place in range(at, min(len(words), at + _WORDS)):
        start, _, word = words[place]
        if place > at and not re.fullmatch(r"[ \-_.'/]{0,3}|'s ", text[words[place - 1][1] : start]):
            break
        if word in FILLERS:
            if place == at or word not in _WITHIN or (skipped and last == place - 2):
                break
            continue
        fits = [(name, its, score, fit) for name, its, score in fitting if (fit := fit_of_word(word, its, score))]
        least = min(2, max((fit for *_, fit in fits), default=0))  # a loose fit counts where there is no other
        now = [(name, its, score + fit) for name, its, score, fit in fits if fit >= least]
        if not now and best and not skipped and place - 1 == last:  # “the Q3 numbers report”
            skipped = True
            continue
        if not now:
            break
        fitting, last, best = now, place, now
    return last, best


def _call(
    text: str, words: Sequence[_Word], last: int, fitting: Sequence[_Fitting], known: KnownFiles
) -> NameCall | None:
    """The words up to the last one as a call of the file that they fit best; None where several fit as well."""
    said = [word for *_, word in words[: last + 1] if word not in FILLERS]
    start = words[0][0]
    most = max(score for *_, score in fitting)
    best, names = [name for name, _, score in fitting if score == most], [name for name, *_ in fitting]
    version = version_called(text[max(0, start - _BEFORE) : start], best, names, known)
    if version:  # “the latest report”
        fitting = [one for one in fitting if one[0] == version[1]]
    ranked = sorted(((score, -len(its.telling - {*said}), name, its) for name, its, score in fitting), reverse=True)
    if (len(ranked) > 1 and ranked[0][:2] == ranked[1][:2]) or all(word.isdigit() or word in _ALL for word in said):
        return None
    _, _, name, its = ranked[0]
    if all((word.isdigit() and len(word) < 3) or not fit_of_word(word, its) for word in said):
        return None  # “page 4 of the lease”, of 样品检测_第4批
    own = any(not word.isdigit() and (word not in KIND_OF or not its.kinds & KIND_OF[word]) for word in said)
    alike = ranked[0][0] == ranked[1][0] or any(its.han for *_, its in ranked) if len(ranked) > 1 else False
    if not own and alike and (its.han or not its.latin <= {*said}):
        return None  # of several manuals none is “the manual”
    whole = its.telling <= {*said} and bool(its.telling)
    if whole and _goes_on(text, words, last):  # CONTRIBUTING.md is “the contributing guide”
        last += 1
    return NameCall(
        start=start - (len(version[0]) if version else 0),
        end=words[last][1],
        file=name,
        own=own,
        kind=any(KIND_OF.get(word, _NONE) & its.kinds or loosely_of_kind(word, its) for word in said),
        whole=whole,
        literal=any(word in its.latin and word not in KIND_OF for word in said),
        meant=its.titled.isdisjoint(said),
        numbered=any(word.isdigit() and word in its.latin for word in said),
        words=len(said),
    )


def _goes_on(text: str, words: Sequence[_Word], last: int) -> bool:
    """Whether a word for any document follows at once."""
    following = words[last + 1 : last + 2]
    return bool(following) and following[0][2] in _ANY and text[words[last][1] : following[0][0]] == " "


def fit_of_word(word: str, its: NameWords, before: int = 0) -> int:
    """3 where the name has the word, 2 where it means one of its words, 1 where it means one by the dictionary, or is
    a kind near the file's behind words of its name, which have fit so well."""
    if (
        word in its.latin
        or reads_as(word, its.han)
        or (len(word) > 2 and word == its.initials)
        or f"{word[0]}{len(word) - 2}{word[-1]}" in its.latin
    ):  # k8s is kubernetes
        return 3
    if "/" in word:  # a day: in a name that tells the month alone any of that month
        month = month_subject(int(word.partition("/")[0]))
        return 3 if its.day == word else 2 if not its.day and month & its.subjects else 0
    same = word in its.titled or KIND_OF.get(word, _NONE) & its.kinds or SUBJECT_OF.get(word, _NONE) & its.subjects
    if same:
        return 2
    loose = before > 1 and loosely_of_kind(word, its)
    return 1 if loose or (its.han and word not in KIND_OF and means_in_han(word, its.han)) else 0
