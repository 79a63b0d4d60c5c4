"""The passages that a document is known by without a question: those with which its sections begin."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

from schema import Hit, Scope
from stores.base import Store

T = TypeVar("T")

_READ = 400  # chunks of each document that are looked at
_DEPTHS = (3, 2, 1)  # levels of headings that may tell sections apart


def section_beginnings(store: Store, scope: Scope, most: int, at_least: int) -> list[Hit]:
    """At most so many passages, in reading order: all where they are few, else those with which a section begins, of
    the deepest level that is not too many. Of documents without headings, the first `at_least` passages of each.
    """
    hits = store.hits(store.opening(scope, _READ))
    if len(hits) <= most:
        return hits
    if not any(hit.headings for hit in hits):
        return [hit for hit in hits if hit.position < at_least]
    found = [_at_depth(hits, depth) for depth in _DEPTHS]
    return next((one for one in found if len(one) <= most), None) or evenly(found[-1], most)


def evenly(found: Sequence[T], most: int) -> list[T]:
    """At most so many of them, the first one included, as many others left out behind each."""
    return [found[place * len(found) // most] for place in range(most)] if len(found) > most else [*found]


def _at_depth(hits: Sequence[Hit], depth: int) -> list[Hit]:
    paths = [(hit.doc_set, hit.document, hit.headings[:depth]) for hit in hits]
    return [hits[0], *(hit for hit, (before, path) in zip(hits[1:], pairwise(paths), strict=True) if path != before)]
