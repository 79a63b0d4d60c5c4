"""Processes of a library that does nothing end, and begin again with the next job."""

from __future__ import annotations

import pytest

from ingestion.job_runner import UnknownSpaceError
from ingestion.spaces import silent
from ingestion.worker import WorkerPool, WorkerThread
from tests.conftest import MakeSettings


class CountedWorker(WorkerThread):
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
        pool._free.put(worker)
    with pool.borrow():
        pool.rest()
        assert (idle.closed, lent.closed) == (1, 0)
    assert not pool.closed
    for worker in (idle, lent):
        with pool.borrow() as borrowed:
            assert borrowed is worker


def test_a_long_job_has_the_process_of_an_idle_worker_and_gives_it_back(make_settings: MakeSettings) -> None:
    pool = WorkerPool(make_settings(CITEWISE_INGEST_WORKERS="1"))
    try:
        with pool.borrow() as worker:
            key = worker.call("fit", ["the lamp"], None, report=silent).key
        with pool.extra(loaded=True) as extra:
            assert len(extra.call("embed", key, ["the lamp"], report=silent)) == 1
        with pool.borrow() as worker:
            assert len(worker.call("embed", key, ["the lamp"], report=silent)) == 1
            with pool.extra(loaded=True) as extra, pytest.raises(UnknownSpaceError):  # nobody is idle
                extra.call("embed", key, ["the lamp"], report=silent)
        with pool.extra(loaded=True) as extra:
            with pool.borrow() as worker, pytest.raises(UnknownSpaceError):  # a file has come: it has another process
                worker.call("embed", key, ["the lamp"], report=silent)
            assert len(extra.call("embed", key, ["the lamp"], report=silent)) == 1
        with pool.borrow() as worker, pytest.raises(UnknownSpaceError):  # and keeps it
            worker.call("embed", key, ["the lamp"], report=silent)
    finally:
        pool.close()
