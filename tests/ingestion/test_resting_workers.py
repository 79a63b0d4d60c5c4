"""Processes of a library that does nothing end, and begin again with the next job."""

from __future__ import annotations

from ingestion.worker import WorkerPool
from tests.conftest import MakeSettings


class CountedWorker:
    """In place of a process."""

    def __init__(self, *_: object) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def test_only_those_that_nobody_uses_rest(make_settings: MakeSettings) -> None:
    pool = WorkerPool(make_settings())
    idle, lent = CountedWorker(), CountedWorker()
    pool._free.get()
    for worker in (lent, idle):
        pool._free.put(worker)  # type: ignore[arg-type]
    with pool.borrow():
        pool.rest()
        assert (idle.closed, lent.closed) == (1, 0)
    assert not pool.closed
    for worker in (idle, lent):
        with pool.borrow() as borrowed:
            assert borrowed is worker
