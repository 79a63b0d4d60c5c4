"""Embedding by hand: at once, and with a report."""

from __future__ import annotations

import asyncio

from errors import CitewiseError
from ingestion.maintenance import Maintenance
from schema import EmbeddingReport
from stores.base import Store


async def embed_now(store: Store, keeper: Maintenance) -> EmbeddingReport:
    """Do all that is due, also what failed a moment ago and would wait for its next try.

    Counted is what the documents of before have now and lacked then, whoever made it; where another space serves by
    now, all that they have."""
    space, before = await asyncio.to_thread(_embedded, store)
    problem = None
    try:
        await keeper.settle(at_once=True)
    except CitewiseError as error:
        problem = error.in_full
    serving, after = await asyncio.to_thread(_embedded, store)
    had = before if serving == space else dict.fromkeys(before, 0)
    gained = [after[one] - had[one] for one in after.keys() & had.keys() if after[one] > had[one]]
    left = [info.missing for info in store.documents() if info.missing]
    if left and problem is None:  # the work in the background may have been the one that met it
        problem = keeper.problem
    return EmbeddingReport(len(gained), sum(gained), len(left), sum(left), problem)


def _embedded(store: Store) -> tuple[str | None, dict[int, int]]:
    """The serving space, and of how many chunks each document has vectors there."""
    return store.space_key(), {info.id: info.chunks - info.missing for info in store.documents()}
