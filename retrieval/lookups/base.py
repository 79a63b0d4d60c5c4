"""What looks names up: each name with the places where it stands, numbered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class NameLookup(Protocol):
    def add(self, name: str, place: int) -> None:
        """One more place of a name. Places are from 0 to 2^32 - 1."""

    def remove(self, name: str) -> bool:
        """With all its places; False where it was not there."""

    def places(self, name: str) -> list[int]:
        """As they came in; none of an unknown name."""


def known_places(lookup: NameLookup, names: Iterable[str]) -> dict[str, list[int]]:
    """Of those names that are known."""
    return {name: places for name in names if (places := lookup.places(name))}
