"""BM25 over the postings in PostgreSQL: all of a term's postings are read, and scored here, exactly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schema import TermGroup
from stores.postgres.adapters import Connection
from stores.postgres.database import PostgresDatabase
from stores.postgres.postings import LENGTHS, POSTING, term_key
from stores.search_contract import RankedChunk

Ordinals = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]
Postings = npt.NDArray[np.void]

_K1, _B = 1.2, 0.75
_APART = 32  # every so many


class _TermPostings(NamedTuple):
    """Of the chunks in scope that have a term: which, and how much it weighs in each before its rarity counts."""

    ordinals: Ordinals
    weights: Scores
    frequency: int  # chunks everywhere that have it
    inverse_frequency: float  # its rarity


class _State(NamedTuple):
    size: int  # ordinals are below it
    chunks: int
    terms: dict[int, _TermPostings]  # by key; only those that stand anywhere


class TermSearch:
    """Searches from any thread. What is kept from one to the next: which chunks are gone that postings still name."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._dead: tuple[int, Ordinals] = (0, np.array([], np.int64))  # since which change of them

    def search(self, terms: Sequence[str], k: int, within: Ordinals | None = None) -> list[RankedChunk]:
        times = Counter(map(term_key, terms))
        if k < 1 or not times:
            return []
        state = self._database.read(self._state, list(times), within)
        scores = np.zeros(state.size)
        for key, term in state.terms.items():
            scores[term.ordinals] += times[key] * term.inverse_frequency * term.weights  # each chunk once
        return self._best(scores, k)

    def search_groups(self, groups: Sequence[TermGroup], k: int, within: Ordinals | None = None) -> list[RankedChunk]:
        keys = {term_key(token) for group in groups for one in group.alternatives for token in one.tokens}
        if k < 1 or not keys:
            return []
        state = self._database.read(self._state, list(keys), within)
        scores = np.zeros(state.size)
        for group in groups:
            scores += _group_scores(group, state)
        return self._best(scores, k)

    def _best(self, scores: Scores, k: int) -> list[RankedChunk]:
        """Without those that have gone since the postings were read."""
        best = _best(scores, k).tolist()
        query = "SELECT ordinal, id FROM chunk_rows WHERE ordinal = ANY(%s)"
        rows = self._database.read(lambda connection: connection.execute(query, [best], binary=True).fetchall())
        ids: dict[int, int] = dict(rows)
        return [RankedChunk(ids[place], float(scores[place])) for place in best if place in ids]

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        keys = [term_key(term) for term in terms]
        query = """SELECT term, sum(octet_length(postings))::bigint FROM postings WHERE term = ANY(%s) GROUP BY term"""
        counted: dict[int, int] = dict(
            self._database.read(lambda connection: connection.execute(query, [keys]).fetchall())
        )
        return [counted.get(key, 0) // POSTING.itemsize for key in keys]

    def _state(self, connection: Connection, keys: list[int], within: Ordinals | None) -> _State:
        query = """SELECT ordinals, chunks, terms, dead_since, term, postings FROM library
            LEFT JOIN postings ON term = ANY(%s)"""
        rows = connection.execute(query, [keys], binary=True).fetchall()
        size, chunks, total, dead_since = rows[0][:4]
        if self._dead[0] != dead_since:
            packed = connection.execute("SELECT dead FROM library", binary=True).fetchall()[0][0]
            self._dead = dead_since, np.frombuffer(packed, "<u4").astype(np.int64)
        alive = _marked(self._dead[1], size, False) if len(self._dead[1]) else None
        held = None if within is None else _marked(within, size, True)
        norms = _K1 * (1 - _B + _B * LENGTHS / (total / max(chunks, 1) or 1.0))
        parts: dict[int, list[bytes]] = {}
        for *_, key, postings in rows:
            if key is not None:
                parts.setdefault(key, []).append(postings)
        found = {}
        for key, packed_ones in parts.items():
            postings = np.frombuffer(b"".join(packed_ones), POSTING)
            ordinals, postings = _only(alive, postings["ordinal"].astype(np.int64), postings)
            if frequency := len(ordinals):
                ordinals, postings = _only(held, ordinals, postings)
                rarity = _inverse_frequency(frequency, chunks)
                found[key] = _TermPostings(ordinals, _weights(postings, norms), frequency, rarity)
        return _State(size, chunks, found)


def _weights(postings: Postings, norms: Scores) -> Scores:
    """In place: of a common term they are a large array, and a new one costs more than what is worked out in it."""
    weights = postings["count"].astype(np.float64)
    below = norms[postings["length"]]
    below += weights
    weights *= _K1 + 1
    weights /= below
    return weights


def _marked(ordinals: Ordinals, size: int, mark: bool) -> Marks:
    """For each ordinal below `size`; what was read after a later change may have others."""
    marks = np.full(size, not mark)
    marks[ordinals[ordinals < size]] = mark
    return marks


def _only(marks: Marks | None, ordinals: Ordinals, postings: Postings) -> tuple[Ordinals, Postings]:
    """Those that are marked, before anything is worked out for them: a narrow scope holds few of a common term's."""
    if marks is None:
        return ordinals, postings
    kept = np.flatnonzero(marks[ordinals])
    return ordinals[kept], postings[kept]


def _group_scores(group: TermGroup, state: _State) -> Scores:
    """Its best alternative counts, with the group's frequency in place of its own."""
    known = []
    for alternative in group.alternatives:
        tokens = [state.terms.get(term_key(token)) for token in alternative.tokens]
        terms = [term for term in tokens if term]
        if terms and len(terms) == len(tokens):
            known.append((alternative.weight, terms))
    best = np.zeros(state.size)
    total = sum(weight for weight, _ in known)
    if not total:
        return best
    greatest = max(weight for weight, _ in known)
    frequency = sum(weight / total * min(term.frequency for term in terms) for weight, terms in known)
    inverse = _inverse_frequency(frequency, state.chunks)
    for weight, terms in known:
        scores, having = np.zeros(state.size), np.zeros(state.size, np.int32)
        for term in terms:
            scores[term.ordinals] += term.inverse_frequency * term.weights
            having[term.ordinals] += 1
        scores[having < len(terms)] = 0.0
        own = sum(term.inverse_frequency for term in terms)
        np.maximum(best, group.weight * math.sqrt(weight / greatest) * inverse / own * scores, out=best)
    return best


def _best(scores: Scores, k: int) -> Ordinals:
    some = scores[::_APART]  # the best ones of these bound what has to be sorted
    least = float(np.partition(some, len(some) - k)[len(some) - k]) if len(some) > k else 0.0
    found = np.flatnonzero(scores >= least if least > 0 else scores > 0)
    if len(found) > k:
        least = np.partition(scores[found], len(found) - k)[len(found) - k]
        found = found[scores[found] >= least]
    return found[np.argsort(-scores[found], kind="stable")][:k]  # of equals the older one


def _inverse_frequency(count: float, chunks: int) -> float:
    return math.log(1 + (chunks - count + 0.5) / (count + 0.5))
