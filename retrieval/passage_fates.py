"""What a search considered, kept or not and why: told from what its stages handed on, so that it costs nothing more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from retrieval.candidates import Candidate, NameStep, Query
from schema import ConsideredPassage, Fate, Hit

MOST = 50  # that are told
_BELOW = 5  # of them, too far from the question: only these have to be fetched, by their place alone
_BEGINS = 48  # characters of a passage


def passages_left_out(query: Query, candidates: Sequence[Candidate], count: int) -> tuple[ConsideredPassage, ...]:
    """Of a ranking of which the first so many go on: the others, as far as their texts are known already, and the best
    of what only the vectors found, too far from the question."""
    rest = [
        _told(query.texts[one.chunk_id], one.raw(), rank, "limit")
        for rank, one in enumerate(candidates[count:MOST], count + 1)
        if one.chunk_id in query.texts
    ]
    ranked = {one.chunk_id for one in candidates}
    far = sorted(query.below.keys() - ranked, key=lambda chunk: -query.below[chunk]["cosine"])
    if not any("pair" in query.below[chunk] for chunk in far):  # of two views everything is told
        far = far[:_BELOW]
    texts = {hit.chunk_id: hit for hit in query.store.hits(far)} if far else {}
    below = [_told(texts[chunk], query.below[chunk], 0, "below") for chunk in far if chunk in texts]
    return (*rest, *below)


def considered_passages(
    found: Sequence[Hit],
    repeats: Mapping[int, int],
    given: Sequence[Hit],
    ranked: Sequence[Hit],
    kept: Sequence[Hit],
    read: Sequence[Hit],
    ways: Mapping[int, NameStep],
) -> tuple[ConsideredPassage, ...]:
    """Of what the search has found, in its order: what `repeats` something else, what was `given` to the reranker and
    what it has `ranked`, what was `kept` of that, what is `read` by itself and not as part of a neighbour, and the
    `ways` by which names led to some of it."""
    ranks = {hit.chunk_id: rank for rank, hit in enumerate(found, 1)}
    places = {hit.chunk_id: place for place, hit in enumerate(read, 1)}
    scores = {hit.chunk_id: hit.scores for hit in ranked}
    chosen, irrelevant = {hit.chunk_id for hit in kept}, {hit.chunk_id for hit in given} - scores.keys()

    def passage_of(hit: Hit, rank: int) -> ConsideredPassage:
        chunk = hit.chunk_id
        one = _told(hit, scores.get(chunk, hit.scores), rank, "kept")
        if way := ways.get(chunk):
            one = replace(one, name=way.name, of=ranks.get(way.said_by, 0))
        if chunk in places:
            return replace(one, place=places[chunk])
        if chunk in repeats:
            return replace(one, fate="duplicate", of=ranks[repeats[chunk]])
        if chunk in chosen:
            whole = next((other for other in read if _holds(other, hit)), None)
            return replace(one, fate="joined", of=ranks.get(whole.chunk_id, 0) if whole else 0)
        return replace(one, fate="irrelevant" if chunk in irrelevant else "limit")

    return tuple(passage_of(hit, rank) for rank, hit in enumerate(found, 1))


def _told(hit: Hit, scores: Mapping[str, float], rank: int, fate: Fate) -> ConsideredPassage:
    begins = " ".join(hit.text[: 2 * _BEGINS].split())
    begins = begins if len(begins) <= _BEGINS else f"{begins[:_BEGINS]} …"
    shown = {name: round(score, 4) for name, score in scores.items()}
    return ConsideredPassage(
        hit.chunk_id, hit.document, hit.doc_set, hit.start_line, hit.end_line, begins, shown, rank, fate=fate
    )


def _holds(whole: Hit, hit: Hit) -> bool:
    same = (whole.document, whole.doc_set) == (hit.document, hit.doc_set)
    return same and whole.start <= hit.start and hit.end <= whole.end
