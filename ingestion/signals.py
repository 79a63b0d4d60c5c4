"""What happens in a library, told to whoever listens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def _nobody(*what: object) -> None:
    """Nobody listens."""


@dataclass(slots=True)
class Signals:
    """One listener each, called from any thread."""

    changed: Callable[[], object] = _nobody  # there may be upkeep to do: files were stored, or a model is in trouble
    embedded: Callable[[int, float], object] = _nobody  # so many texts have got their vectors in so many seconds
