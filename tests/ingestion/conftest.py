"""Fixtures of the queue's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from queue_house import House


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
