"""The passages of files that a question names, where none of its words is said in them: those nearest in meaning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retrieval.by_meaning import nearness_of
from schema import Hit, Scope
from stores.base import Store

_READ = 48  # chunks, of several documents as many of each: at first a hundredth of a second each
_LEAST = 0.25  # cosine of the nearest one


def nearest_passages(question: str, store: Store, scope: Scope, most: int) -> list[Hit]:
    """At most so many passages, the nearest first, each with its cosine as the score `meaning`; none where not even the
    first is near. They may be in another language than the question. Blocks."""
    of_each = max(1, _READ // max(1, len(scope.documents)))
    hits = store.hits(store.opening(scope, of_each)[:_READ])
    near = nearness_of(question, hits)
    order = np.argsort([-one for one in near], kind="stable")[:most].tolist()
    if not order or near[order[0]] < _LEAST:
        return []
    return [replace(hits[i], scores={**hits[i].scores, "meaning": near[i]}) for i in order]
