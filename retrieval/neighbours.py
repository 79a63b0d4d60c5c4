"""What stands around a passage speaks for it too, where a question describes a subject: its document is about that.

Callan, "Passage-Level Evidence in Document Retrieval" (SIGIR 1994), ranks documents by their passages; here it is the
passages that are ranked, each by its own score and a share of those around it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from schema import Hit

_LOOKED_AT = 30  # of the best passages
_SHARE = 0.1  # of each neighbour's score; .05 to .2 find much the same


def with_neighbours(
    scores: Mapping[int, float], hits: Callable[[Sequence[int]], Mapping[int, Hit]], described: float
) -> dict[int, float]:
    """The scores by chunk, those of the best with a share of their neighbours' among the best, the more the question
    describes (in [0, 1]): a fact stands in one passage, and those around it say other things."""
    best = sorted(scores, key=lambda chunk: (-scores[chunk], chunk))[:_LOOKED_AT]
    by_document: defaultdict[tuple[str, str], list[Hit]] = defaultdict(list)
    for hit in hits(best).values():
        by_document[hit.doc_set, hit.document].append(hit)
    supported = {**scores}
    for near in by_document.values():
        for hit in near:
            around = (scores[other.chunk_id] for other in near if other is not hit and _beside(hit, other))
            supported[hit.chunk_id] += _SHARE * described * sum(around)
    return supported


def _beside(one: Hit, other: Hit) -> bool:
    """Whether no more stands between them than the longer of both holds: the next one, or that behind it."""
    first, last = (one, other) if one.start <= other.start else (other, one)
    return last.start - first.end <= max(len(one.text), len(other.text))
