"""Pairs of chunks: two neighbours of a document that one abstract tells about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from hashlib import blake2b

from schema import Hit


def pairs(hits: Sequence[Hit]) -> list[list[Hit]]:
    """Of chunks of one document, in reading order. Chunks 2n and 2n + 1 are a pair, unless one heading of the first
    level parts them; else one is a pair of its own."""
    by_pair: defaultdict[tuple[int, tuple[str, ...]], list[Hit]] = defaultdict(list)
    for hit in hits:
        by_pair[hit.position // 2, hit.headings[:1]].append(hit)
    return list(by_pair.values())


def pair_of(chunk_id: int, around: Sequence[Hit]) -> list[Hit]:
    """The pair that a chunk is one of, given what stands around it."""
    return next(pair for pair in pairs(around) if any(hit.chunk_id == chunk_id for hit in pair))


def pair_key(pair: Sequence[Hit]) -> str:
    """By the texts alone: where one of them changes, it is another pair."""
    return blake2b("\0".join(hit.indexed_text for hit in pair).encode(), digest_size=16).hexdigest()
