"""Fixtures of the queue's and the pipeline's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from queue_house import House

from ingestion.job_runner import FileJob
from tests.ingestion.pipeline_cases import FIXED, Bench, config


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path / "library")
    yield house
    house.close()


@pytest.fixture
def again(tmp_path: Path) -> Iterator[Callable[[House], House]]:
    """The same folder, opened by another queue; the first one is closed."""
    opened: list[House] = []

    def reopen(house: House) -> House:
        house.close()
        opened.append(House(house.folder))
        return opened[-1]

    yield reopen
    for house in opened:
        house.close()


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench(config())
    yield bench
    bench.close()


@pytest.fixture
def job(tmp_path: Path) -> Callable[..., FileJob]:
    """A file to read."""

    def job(name: str, data: bytes, doc_set: str = "") -> FileJob:
        path = tmp_path / f"job {name}"
        path.write_bytes(data)
        return FileJob(name, FIXED, doc_set, path=str(path))

    return job
