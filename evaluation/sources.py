"""Source texts, read once: their passages, and which of their terms mean a given term."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from evaluation.claims import NOT, Term, read
from evaluation.dates import dated_numbers
from schema import Language
from tables.numbers import Quantity
from text import detect_language, search_tokens, sentences

_ALIKE = 200  # forms of a source that begin alike, or share two characters: no more are compared
_MEAN = 20  # of them, that mean one term
PASSAGE = 3  # sentences in a passage, at most
_LONGEST = 1_000  # characters of a sentence; a longer one is read in pieces of so many
_MANY, _SHORT = 1_000, 40  # sentences of a source; characters below which more of them are read as one

Match = Mapping[str, float]  # forms of a source that mean the term -> how surely, in (0, 1]


@dataclass(frozen=True)
class SourcePassage:
    """Up to three adjacent sentences; offsets in the source's text."""

    start: int
    end: int
    terms: tuple[Term, ...]

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Form -> where among the terms it stands."""
        found: dict[str, list[int]] = {}
        for place, term in enumerate(self.terms):
            found.setdefault(term.form, []).append(place)
        return found

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset(pairwise(term.form for term in self.terms))


class SourceText:
    """A source text, read once, against which any number of sentences is judged.

    The heading path is known to every passage: what a section is about need not be said again in each sentence.
    """

    def __init__(self, text: str, heading: str = "", passage: int = PASSAGE) -> None:
        self.heading = title = read(heading, names=False)
        self.spans = _spans(text)
        said = [text[start:end] for start, end in self.spans]
        known = {one: read(one, names=False) for one in dict.fromkeys(said)}  # a table says the same again and again
        self.claims = [known[one] for one in said]
        self._having: dict[str, list[int]] = {}  # form -> the sentences that have it
        for sentence, claim in enumerate(self.claims):
            for form in dict.fromkeys(term.form for term in claim.terms):
                self._having.setdefault(form, []).append(sentence)
        self._places: dict[str, npt.NDArray[np.intp]] = {}  # the same, of forms that were asked for
        self._widest = passage
        self._passages: dict[tuple[int, int], SourcePassage] = {}
        self.text = "\n".join(claim.text for claim in [title, *self.claims])
        given = (number for claim in [title, *self.claims] for _, number in claim.numbers)
        self.numbers = list({(number.value, number.unit): number for number in given}.values())  # each once
        self.title = frozenset(term.form for term in title.terms)
        self.forms = self._having.keys() | self.title
        self._alike: dict[str, list[str]] = {}
        for form in [*self._having, *sorted(self.title.difference(self._having))]:
            for key in _keys(form):
                if len(alike := self._alike.setdefault(key, [])) < _ALIKE:
                    alike.append(form)

    def best_passages(
        self, terms: Sequence[Term], matches: Sequence[Match], k: int = 3
    ) -> list[tuple[float, SourcePassage]]:
        """The k passages that hold the most weight of the terms, each with that weight; of equals the shorter one."""
        if not self.claims:
            return []
        distinct: dict[tuple[str, int], tuple[Term, Match]] = {}
        weight: dict[tuple[str, int], float] = {}  # of all terms that are one
        for term, match in zip(terms, matches, strict=True):
            key = term.form, id(match)
            distinct.setdefault(key, (term, match))
            weight[key] = weight.get(key, 0.0) + term.weight
        weights, given = np.array([*weight.values()]), [*distinct.values()]
        titled = [[match[form] for form in match if form in self.title] for _, match in given]
        title = np.array([max(sure, default=0.0) for sure in titled])
        found: list[tuple[float, int, int]] = []
        window = held = np.maximum(self._held(given), title)
        for width in range(1, min(self._widest, len(held)) + 1):
            if width > 1:
                window = np.maximum(window[:-1], held[width - 1 :])
            whole = window @ weights
            last = np.argsort(whole, kind="stable")[-k:].tolist()  # of equals the last ones
            found += [(float(whole[first]), -width, first) for first in last if whole[first]]
        best = sorted(found, reverse=True)[:k]
        return [(weight, self._passage(first, first - width)) for weight, width, first in best]

    def _held(self, given: Sequence[tuple[Term, Match]]) -> npt.NDArray[np.float64]:
        """How surely each sentence has each term, (sentences, terms); Chinese also as the same characters cut into
        other words."""
        held = np.zeros((len(self.claims), len(given)))
        for place, (term, match) in enumerate(given):
            for form, sure in match.items():
                having = self._sentences(form)
                held[having, place] = np.maximum(held[having, place], sure)
            if len(term.form) > 1 and not term.form.isascii():
                held[[term.form in claim.text for claim in self.claims], place] = 1.0
        return held

    def _sentences(self, form: str) -> npt.NDArray[np.intp]:
        """Those that have the form."""
        if form not in self._places:
            self._places[form] = np.array(self._having.get(form, []), np.intp)
        return self._places[form]

    def _passage(self, first: int, stop: int) -> SourcePassage:
        if (first, stop) not in self._passages:
            terms: list[Term] = []
            for claim in self.claims[first:stop]:
                shift = terms[-1].clause + 1 if terms else 0
                terms += [term._replace(clause=term.clause + shift) for term in claim.terms] if shift else claim.terms
            start, end = self.spans[first][0], self.spans[stop - 1][1]
            self._passages[first, stop] = SourcePassage(start, end, tuple(terms))
        return self._passages[first, stop]

    @cached_property
    def language(self) -> Language | None:
        return detect_language(self.text)

    @cached_property
    def sentence_tokens(self) -> list[frozenset[str]]:
        """The search tokens of each sentence, and last of all of the heading."""
        return [frozenset(search_tokens(claim.text)) for claim in [*self.claims, self.heading]]

    @cached_property
    def figures(self) -> list[Quantity]:
        """Its numbers, months and days of the week, for a claim in the other language."""
        return [*self.numbers, *dated_numbers(self.text)]

    @cached_property
    def initials(self) -> str:
        """First letters of the English content words in order, by which an abbreviation is known."""
        words = [t for claim in self.claims for t in claim.terms if t.weight >= 1 and t.written.isascii()]
        return "".join(term.written[0].upper() for term in words)

    def together(self, form: str, other: str) -> bool:
        """True where the two terms stand side by side, in either order."""
        return (form, other) in self._pairs or (other, form) in self._pairs

    @cached_property
    def _pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset(pair for claim in self.claims for pair in pairwise(term.form for term in claim.terms))

    def match(self, term: Term) -> Match:
        """The forms of this source that mean the term: itself, an inflection, a Chinese word that shares its parts."""
        found = {term.form: 1.0} if term.form in self.forms else {}
        if term.weight < 0.5 or term.form == NOT or term.form.startswith("#"):
            return found
        for key in _keys(term.form):
            for form in self._alike.get(key, ()):
                if form not in found and (alike := _likeness(term.form, form)) >= 0.5:
                    found[form] = alike
        return dict(sorted(found.items(), key=lambda one: -one[1])[:_MEAN])


def _spans(text: str) -> list[tuple[int, int]]:
    """Where its sentences stand, as they are read: a long one in pieces, and of too many short ones several as one."""
    found = [
        (first, min(first + _LONGEST, end)) for start, end in sentences(text) for first in range(start, end, _LONGEST)
    ]
    if len(found) <= _MANY:
        return found
    joined = found[:1]
    for start, end in found[1:]:
        first, _ = joined[-1]
        if end - first <= _SHORT:
            joined[-1] = first, end
        else:
            joined.append((start, end))
    return joined


def _keys(form: str) -> Iterator[str]:
    """Under what a form is looked up by forms like it: its first four letters, or each two characters of Chinese."""
    if form.isascii():
        if len(form) >= 4:
            yield form[:4]
    else:
        yield from {form[i : i + 2] for i in range(len(form) - 1)} or {form}


def _likeness(form: str, other: str) -> float:
    """In [0, 1]: 1 when the other Chinese word contains this one, else by the shared beginning or shared bigrams."""
    if form.isascii():
        shared = next(
            (i for i, (a, b) in enumerate(zip(form, other, strict=False)) if a != b), min(len(form), len(other))
        )
        alike = 2 * shared / (len(form) + len(other))
        return alike if alike >= 0.7 else 0.0
    if form in other:
        return 1.0
    mine, others = set(_keys(form)), set(_keys(other))
    return 0.9 * 2 * len(mine & others) / (len(mine) + len(others))
