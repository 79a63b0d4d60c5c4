"""The context of what was found: matched small, read with what stands around it.

Hits that touch become one; a hit grows towards its section while the budget lasts. Text stays literal:
`hit.text == document.text[hit.start:hit.end]`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Protocol

from schema import Hit
from text import count_tokens

_GAP = 200  # characters of white space between two chunks that touch, at most
_TEXT = 0.9  # share of a budget that is for text; the rest is for the headings and names beside it
_REACH = 12  # chunks on either side of a hit that are looked at

Cost = Callable[[str], int]


class PassageTexts(Protocol):
    """What is asked of a store."""

    def around(self, chunk_ids: Sequence[int], reach: int) -> dict[int, list[Hit]]: ...

    def passage(self, name: str, doc_set: str, start: int, end: int) -> str: ...


def merge_neighbours(
    hits: Sequence[Hit], texts: PassageTexts, budget: int, cost: Cost = count_tokens
) -> tuple[Hit, ...]:
    """The hits, those that touch or overlap in their document as one where that can be read within the budget.

    It stands in the place of the best of them, with its id and scores.
    """
    rows: list[tuple[int, Hit]] = []  # place of the best hit, the hit made of all
    in_order = sorted(enumerate(hits), key=lambda one: (one[1].doc_set, one[1].document, one[1].start))
    for place, hit in in_order:
        before = rows[-1] if rows else None
        if before and _touch(before[1], hit, texts):
            best = before[1] if before[0] < place else hit
            both = _joined([before[1], hit], best, texts)
            if both and cost(both.text) <= _TEXT * budget:
                rows[-1] = min(before[0], place), both
                continue
        rows.append((place, hit))
    return tuple(hit for _, hit in sorted(rows, key=lambda row: row[0]))


def grow_hits(hits: Sequence[Hit], texts: PassageTexts, budget: int, cost: Cost = count_tokens) -> tuple[Hit, ...]:
    """The hits with what stands around them in their sections, as far as a budget for all of them allows.

    They grow by turns, the best first, by a chunk on either side; those that meet become one. What was found is kept,
    whatever the budget.
    """
    left = budget - sum(cost(hit.text) for hit in hits)
    around = texts.around([hit.chunk_id for hit in hits], _REACH) if left > 0 else {}
    growing = [_Growing.of(hit, around.get(hit.chunk_id, [])) for hit in hits]
    sides = [(one, side) for one in growing for side in (one.after, one.before)]
    while sides:
        unfinished = []
        for one, side in sides:
            if side and not any(other.holds(side[0]) for other in growing):
                price = cost(one.beyond(side[0]))
                if price <= left:
                    one.chunks.append(side.popleft())
                    left -= price
                    unfinished.append((one, side))
        sides = unfinished
    return merge_neighbours([_joined(one.chunks, one.hit, texts) or one.hit for one in growing], texts, budget, cost)


@dataclass
class _Growing:
    """A hit, the chunks it is made of by now, and those of its section on either side, the nearest first."""

    hit: Hit
    chunks: list[Hit]
    before: deque[Hit]
    after: deque[Hit]

    @classmethod
    def of(cls, hit: Hit, around: Sequence[Hit]) -> _Growing:
        own = [chunk for chunk in around if hit.start <= chunk.start and chunk.end <= hit.end] or [hit]
        first, last = _section(own[0]), _section(own[-1])
        before = [chunk for chunk in reversed(around) if chunk.start < hit.start]
        after = [chunk for chunk in around if chunk.end > hit.end]
        return cls(
            hit,
            [hit],
            deque(takewhile(lambda chunk: _section(chunk) == first, before)),
            deque(takewhile(lambda chunk: _section(chunk) == last, after)),
        )

    def holds(self, chunk: Hit) -> bool:
        same = (chunk.document, chunk.doc_set) == (self.hit.document, self.hit.doc_set)
        return same and any(own.start <= chunk.start and chunk.end <= own.end for own in self.chunks)

    def beyond(self, chunk: Hit) -> str:
        """What the chunk would add."""
        start, end = min(own.start for own in self.chunks), max(own.end for own in self.chunks)
        return chunk.text[: start - chunk.start] if chunk.start < start else chunk.text[max(0, end - chunk.start) :]


def _section(chunk: Hit) -> tuple[str, ...]:
    """The headings of its section: not the header of a table that began in a chunk before."""
    return chunk.headings[:-1] if chunk.headings and "|" in chunk.headings[-1] else chunk.headings


def _touch(first: Hit, second: Hit, texts: PassageTexts) -> bool:
    """Whether nothing but white space stands between two hits, the first of which begins no later."""
    if (first.document, first.doc_set) != (second.document, second.doc_set):
        return False
    gap = second.start - first.end
    return gap <= 0 or (gap <= _GAP and texts.passage(first.document, first.doc_set, first.end, second.start).isspace())


def _joined(pieces: Sequence[Hit], best: Hit, texts: PassageTexts) -> Hit | None:
    """The text from the first piece to the last as one hit; None where the document has changed meanwhile."""
    pieces = sorted(pieces, key=lambda piece: (piece.start, -piece.end))
    first, last = pieces[0], max(pieces, key=lambda piece: piece.end)
    start, end = first.start, last.end
    text = texts.passage(best.document, best.doc_set, start, end)
    if any(text[piece.start - start : piece.end - start] != piece.text for piece in pieces):
        return None
    return replace(
        best,
        text=text,
        start=start,
        end=end,
        start_line=first.start_line,
        end_line=last.end_line,
        headings=_path(pieces),
        places=tuple(sorted({place for piece in pieces for place in piece.places})),
        also_in=tuple(dict.fromkeys(name for piece in pieces for name in piece.also_in)),
    )


def _path(pieces: Sequence[Hit]) -> tuple[str, ...]:
    """The headings that all pieces share. As for a chunk, text that begins inside a section stands under that
    section's: the headings of those that follow are in the text, this one's would be nowhere."""
    first = pieces[0]
    steps = zip(*(piece.headings for piece in pieces), strict=False)
    shared = tuple(names[0] for names in takewhile(lambda names: len(set(names)) == 1, steps))
    return shared if all(name in first.text for name in first.headings[len(shared) :]) else first.headings
