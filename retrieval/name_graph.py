"""The names in what was found, and the passages that are about what has these names: what one question touches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from entities import ChunkNames, possible_names
from retrieval.candidates import Candidate, Query
from text import CJK, fold

_LOOKED_AT = 50  # candidates whose names are looked up
_READ = 3  # candidates whose Chinese is read for names that have a home: a tagger knows few names of people
_HOMES = 5  # passages about one name: what more are called is no name ("Overview")
_cjk = re.compile(f"[{CJK}]")


@dataclass(frozen=True)
class NameGraph:
    """Only names with homes are in it: names that passages merely share lead to what has nothing to do with the
    question more often than not (`python -m benchmarks abstract`)."""

    asked: frozenset[str]  # names that the question says
    by_chunk: Mapping[int, ChunkNames]  # of the candidates
    homes: Mapping[str, Sequence[int]]  # the chunks that are about each name, as they came in


def name_graph(query: Query, candidates: Sequence[Candidate]) -> NameGraph:
    by_chunk = query.store.names([one.chunk_id for one in candidates[:_LOOKED_AT]])
    possible = {
        chunk: possible_names(hit.text)
        for chunk, hit in query.hits(one.chunk_id for one in candidates[:_READ]).items()
        if chunk in by_chunk and _cjk.search(hit.text)
    }
    held = dict.fromkeys(name for names in by_chunk.values() for name in (*names.about, *names.says))
    asked = possible_names(query.question)
    wanted = [*asked, *held, *(name for names in possible.values() for name in names)]
    places = query.store.name_places(wanted, _HOMES + 1, query.scope)
    homes = {name: sorted(chunk for chunk, home in found if home) for name, found in places.items()}
    for chunk, names in possible.items():
        about, says = by_chunk[chunk]
        more = (name for name in names if homes.get(name) and name not in about)
        by_chunk[chunk] = ChunkNames(about, tuple(dict.fromkeys([*says, *more])))
    question = fold(query.question).casefold()  # words of Chinese names may be cut otherwise in a question
    said = {*asked, *(name for name in held if _cjk.search(name) and name in question)}
    return NameGraph(
        frozenset(said), by_chunk, {name: chunks for name, chunks in homes.items() if 0 < len(chunks) <= _HOMES}
    )
