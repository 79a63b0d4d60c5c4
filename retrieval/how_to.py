"""What a passage's headings say of it: whether it is about what the question asks how to do, or a list of changes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from printed_headings import names_release
from question_words import asks_how_to
from retrieval.candidates import Candidate, Query
from schema import Hit

_RESORTED = 30  # candidates whose headings are looked at
_HEADED = 0.3  # what a heading that says all of the question adds; the same from half to twice as much
_CHANGES = 0.7  # what a list of changes counts beside instructions
_heading_line = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_asks_changes = re.compile(
    r"\b(?:change[sd]?|changelog|releases?d?|versions?|upgrad\w+|updated?s?|new in|since when|fixed)\b"
    r"|\bv?\d+\.\d+|变更|更新|版本|发布|升级|新增|修复|改动",
    re.IGNORECASE,
)


def instructions_first(query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, and where a way to do something is asked for, those before others whose headings say what.

    A section that is called what somebody wants to do tells how; a list of changes says the same words and tells that
    it can be done. Such a list comes behind for every question that does not ask for changes.
    """
    how, changes = asks_how_to(query.question), bool(_asks_changes.search(query.question))
    found = query.hits(candidate.chunk_id for candidate in candidates[:_RESORTED])

    def weighed(one: Candidate) -> Candidate:
        hit = found.get(one.chunk_id)
        if hit is None:
            return one
        titles = [*hit.headings[-1:], *_inner(hit)]
        share = max((query.terms.share(title) for title in titles), default=0.0) if how else 0.0
        listed = not changes and lists_changes(hit)
        return one.scored(one.score * (1 + _HEADED * share) * (_CHANGES if listed else 1))

    first = [weighed(one) for one in candidates[:_RESORTED]]
    return sorted(first, key=lambda one: -one.score) + list(candidates[_RESORTED:])


def lists_changes(hit: Hit) -> bool:
    """True for what stands under a heading that is nothing but a version, perhaps with its date."""
    return any(names_release(title) for title in (*hit.headings, *_inner(hit)))


def _inner(hit: Hit) -> list[str]:
    """The headings in its text: a chunk may hold several short sections."""
    return _heading_line.findall(hit.text)
