"""How well a ranking of passages holds what was to be found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from evaluation.lab.gold import Gold, GoldSpan, PassageSpan
from evaluation.metrics import mrr_at, ndcg_at, recall_at
from text import count_tokens

DEPTH = 50  # passages that a run asks for, whatever is read of them: what stands below is not found
_RECALL = (1, 5, 10)
P = TypeVar("P", bound=PassageSpan)


def ranking_figures(ranked: Sequence[str], grades: Mapping[str, float]) -> dict[str, float]:
    """Of ids, best first, and those that are relevant with their grades."""
    figures = {f"recall@{k}": recall_at(ranked, grades.keys(), k) for k in _RECALL}
    figures["all@5"] = float(figures["recall@5"] == 1)
    return figures | {"mrr@10": mrr_at(ranked, grades.keys(), 10), "ndcg@10": ndcg_at(ranked, grades, 10)}


def retrieval_figures(gold: Sequence[Gold], hits: Sequence[PassageSpan], budget: int) -> dict[str, float]:
    """Figures of one question. Where documents are to be found, each counts as its best passage; `gold_read` is the
    share of the gold characters within the first `budget` tokens, so that the size of chunks does not matter."""
    if all(isinstance(one, GoldSpan) and not one.end for one in gold):
        hits = list({(hit.document, hit.doc_set): hit for hit in reversed(hits)}.values())[::-1]
    grades = {f"gold {n}": float(one.grade) for n, one in enumerate(gold)}
    figures = ranking_figures(_as_ids(gold, hits), grades)
    spans = [one for one in gold if isinstance(one, GoldSpan) and one.end]
    if spans:
        figures["gold_read"] = _share_read(spans, hits, budget)
    return figures


def share_covered(gold: Sequence[Gold], passages: Sequence[PassageSpan]) -> float:
    """Of the gold passages those that stand in what is read."""
    return sum(any(one.covered_by(passage) for passage in passages) for one in gold) / len(gold)


def missing(gold: Sequence[Gold], passages: Sequence[PassageSpan]) -> bool:
    """Whether some of it is in none of the passages."""
    return not all(any(one.covered_by(passage) for passage in passages) for one in gold)


def within_budget(hits: Sequence[P], most: int, budget: int) -> Sequence[P]:
    """What a reader is given: so many hits, as far as so many tokens go."""
    read = 0
    for n, hit in enumerate(hits[:most]):
        read += count_tokens(hit.text)
        if read > budget:
            return hits[: max(n, 1)]
    return hits[:most]


def _as_ids(gold: Sequence[Gold], hits: Sequence[PassageSpan]) -> list[str]:
    """The hits as ids: that of the gold which each is the first to hold. One that holds several has as many places."""
    left, ids = dict(enumerate(gold)), []
    for n, hit in enumerate(hits):
        held = [number for number, one in left.items() if one.covered_by(hit)]
        for number in held:
            del left[number]
        ids += [f"gold {number}" for number in held] or [f"hit {n}"]
    return ids


def _share_read(spans: Sequence[GoldSpan], hits: Sequence[PassageSpan], budget: int) -> float:
    wanted = {span: set(range(span.start, span.end)) for span in spans}
    whole = sum(map(len, wanted.values()))
    read = 0
    for hit in hits:
        if read >= budget:
            break
        tokens = count_tokens(hit.text)
        end = hit.end if read + tokens <= budget else hit.start + len(hit.text) * (budget - read) // max(tokens, 1)
        read += tokens
        for span, characters in wanted.items():
            if (
                (span.document, span.doc_set) == (hit.document, hit.doc_set)
                and hit.start < span.end
                and span.start < end
            ):
                characters.difference_update(range(max(hit.start, span.start), min(end, span.end)))
    return 1 - sum(map(len, wanted.values())) / whole
