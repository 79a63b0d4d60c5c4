"""Source texts, read once: their passages, and which of their terms mean a given term."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from evaluation.claims import NOT, Term, read
from text import fold, sentences

PASSAGE = 3  # sentences in a passage, at most

Match = Mapping[str, float]  # forms of a source that mean the term -> how surely, in (0, 1]


@dataclass(frozen=True)
class Passage:
    """Up to three adjacent sentences; offsets in the source's text."""

    start: int
    end: int
    terms: tuple[Term, ...]
    text: str

    @cached_property
    def forms(self) -> frozenset[str]:
        return frozenset(term.form for term in self.terms)

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        forms = [term.form for term in self.terms]
        return frozenset(pairwise(forms))


class Source:
    """A source text, read once, against which any number of sentences is judged.

    The heading path is known to every passage: what a section is about need not be said again in each sentence.
    """

    def __init__(self, text: str, heading: str = "", passage: int = PASSAGE) -> None:
        title = read(heading, names=False)
        spans = list(sentences(text))
        claims = [read(text[start:end], names=False) for start, end in spans]
        self.text = fold(f"{heading}\n{text}")
        self.numbers = [number for claim in [title, *claims] for _, number in claim.numbers]
        self.title = frozenset(term.form for term in title.terms)
        self.passages: list[Passage] = []
        for first in range(len(spans)):
            terms: tuple[Term, ...] = ()
            for last in range(first, min(first + passage, len(spans))):
                shift = terms[-1].clause + 1 if terms else 0
                terms += tuple(term._replace(clause=term.clause + shift) for term in claims[last].terms)
                start, end = spans[first][0], spans[last][1]
                self.passages.append(Passage(start, end, terms, fold(text[start:end])))
        self.forms = self.title.union(*(passage.forms for passage in self.passages))
        self._alike: dict[str, list[str]] = {}
        for form in self.forms:
            for key in _keys(form):
                self._alike.setdefault(key, []).append(form)

    @cached_property
    def initials(self) -> str:
        """First letters of the English content words in order, by which an abbreviation is known."""
        words = [t for p in self.passages for t in p.terms if t.weight >= 1 and t.written.isascii()]
        return "".join(term.written[0].upper() for term in words)

    def match(self, term: Term) -> Match:
        """The forms of this source that mean the term: itself, an inflection, a Chinese word that shares its parts."""
        found = {term.form: 1.0} if term.form in self.forms else {}
        if term.weight < 0.5 or term.form == NOT or term.form.startswith("#"):
            return found
        for key in _keys(term.form):
            for form in self._alike.get(key, ()):
                if form not in found and (alike := _likeness(term.form, form)) >= 0.5:
                    found[form] = alike
        return found


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
