"""How often terms occur in a term index, and how they are written there."""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from schema import TermGroup

LONGEST = 10_000  # characters; tantivy drops a term of more than 65,530 bytes
_REMEMBERED = 20_000  # terms, with their frequencies
_GROUPS = 1_500  # of which the query is remembered


class TermFrequencies:
    """What one commit holds, and in how many of its chunks each term occurs: the terms of a question are asked for
    again when it is searched, and a dictionary gives it ten times as many."""

    def __init__(self, searcher: Any) -> None:
        self.searcher, self._known = searcher, dict[str, int]()
        self._queries: OrderedDict[int, tuple[TermGroup, Any]] = OrderedDict()  # by the identity of the group
        self.chunks = int(searcher.doc_freq("every", 0))  # with the deleted ones

    def all(self, terms: Iterable[str]) -> list[int]:
        """Of terms as they were given, which may be too long to be stored so."""
        known = self._known
        return [known[term] if term in known else self.of(stored_term(term)) for term in terms]

    def of(self, term: str) -> int:
        found = self._known.get(term)
        if found is None:
            found = int(self.searcher.doc_freq("terms", term))
            if len(self._known) < _REMEMBERED:
                self._known[term] = found
        return found

    def query(self, group: TermGroup, made: Callable[[TermFrequencies, TermGroup], Any]) -> Any:
        """The query for a group, made once as long as the same object is asked for."""
        known = self._queries.get(id(group))
        if known and known[0] is group:
            return known[1]
        query = made(self, group)
        self._queries[id(group)] = group, query
        if len(self._queries) > _GROUPS:
            self._queries.popitem(last=False)  # the oldest
        return query


def inverse_frequency(count: float, chunks: int) -> float:
    return math.log(1 + (chunks - count + 0.5) / (count + 0.5))


def stored_term(term: str) -> str:
    return term if len(term) <= LONGEST else hashlib.sha256(term.encode()).hexdigest()
