"""What the Python face hands out, and what it takes for names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from errors import CitewiseError
from graph.heard import Answer, Heard
from schema import Message, Stored

__all__ = ["Added", "Answer", "Heard", "Names", "names_of"]

Names = Sequence[str] | str


class Added(NamedTuple):
    """What became of the files: `failed` by name, `skipped` files of folders with the reason."""

    stored: list[Stored]
    failed: dict[str, CitewiseError]
    skipped: list[tuple[str, Message]]


def names_of(given: Names) -> tuple[str, ...]:
    """One name is a list of one."""
    return (given,) if isinstance(given, str) else tuple(given)
