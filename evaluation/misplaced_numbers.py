"""Numbers that a source has, but of something else: “押金 300 元” where it says “押金 500 元，清洁费 300 元”."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.claims import NOT, Term
from evaluation.sources import Match, SourcePassage

_CONTENT = 1.0  # weight of a term that says what a number is of; units and measures weigh less


def said_of_subject(terms: Sequence[Term], index: int, matches: Sequence[Match], passage: SourcePassage) -> str | None:
    """The number that the passage has of what the sentence says this one of, in the same unit, where no clause that has
    this one says a word of the sentence's own; None where there is none, or where the passage does not have this one.
    """
    subject = _content_before(terms, index)
    if subject is None or index + 1 >= len(terms):
        return None
    subjects, units = matches[subject], matches[index + 1]
    clause = terms[index].clause
    words = [i for i, term in enumerate(terms) if term.clause == clause and _says_something(term) and i != index + 1]
    said = {form for i in words for form in matches[i]}
    about = {passage.terms[place].clause for form in said for place in passage.places.get(form, ())}
    own, other = False, None
    for place, term in enumerate(passage.terms[:-1]):
        if not term.form.startswith("#") or passage.terms[place + 1].form not in units:
            continue
        if term.form == terms[index].form:
            if term.clause in about:
                return None
            own = True
        elif (before := _content_before(passage.terms, place)) is not None and passage.terms[before].form in subjects:
            other = term.written
    return other if own else None


def _content_before(terms: Sequence[Term], index: int) -> int | None:
    """The place of the last word before a number that says what it is of, within its clause."""
    for place in range(index - 1, -1, -1):
        term = terms[place]
        if term.clause != terms[index].clause or term.form.startswith("#") or term.form == NOT:
            return None
        if _says_something(term):
            return place
    return None


def _says_something(term: Term) -> bool:
    return term.weight >= _CONTENT and not term.form.startswith("#") and term.form != NOT
