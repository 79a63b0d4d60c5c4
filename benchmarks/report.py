"""What a benchmark hands back: its metrics, its bars, and how both are printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import track

DATA = Path(__file__).parent / "data"  # small, of our own: what every benchmark reads unless told otherwise

T = TypeVar("T")
_progress = Console(stderr=True)


@dataclass(frozen=True)
class Bar:
    """A promise: the value must reach the bar, from below unless `most` (then it must not pass it)."""

    value: float
    bar: float
    most: bool = False

    @property
    def ok(self) -> bool:
        return self.value <= self.bar if self.most else self.value >= self.bar


@dataclass
class Report:
    metrics: dict[str, Any]
    bars: dict[str, Bar] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return all(bar.ok for bar in self.bars.values())

    def to_dict(self, name: str) -> dict[str, Any]:
        bars = {key: {"value": bar.value, "bar": bar.bar, "ok": bar.ok} for key, bar in self.bars.items()}
        return {"benchmark": name, "metrics": self.metrics, "bars": bars, "ok": self.ok}

    def print(self, name: str) -> None:
        print(f"\n{name}")
        for key, value in self.metrics.items():
            print(f"  {key}: {_plain(value)}")
        for key, bar in self.bars.items():
            sign = "<=" if bar.most else ">="
            print(f"  {'ok    ' if bar.ok else 'MISSED'} {key}: {bar.value:.4f} {sign} {bar.bar:.4f}")
        for note in self.notes:
            print(f"  {note}")


def progress(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items, with a progress bar on standard error."""
    length = total if total is not None else len(items) if isinstance(items, Sized) else None
    yield from track(items, description=what, total=length, console=_progress)


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, dict):
        return "  ".join(f"{key} {_plain(inner)}" for key, inner in value.items())
    return str(value)
