"""Everything that can go wrong with a library but a kill, by name: each yields what it found wrong with how it went."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import crash_damage as damage
from benchmarks import crash_limits as limits
from benchmarks.crash_model import State

Fault = Callable[[Path, State, random.Random], Iterator[str]]  # a library, what it holds

FAULTS: dict[str, Fault] = {
    "damaged vector index": damage.vector_index,
    "damaged segments": damage.segments,
    "damaged meta.json": damage.meta,
    "missing folders": damage.missing_folders,
    "left-over locks": damage.left_over_locks,
    "damaged log": damage.log,
    "damaged pages": damage.pages,
    "no space": limits.no_space,
    "full disk": limits.full_disk,
    "no space to open": limits.no_space_to_open,
    "not writable": limits.not_writable,
    "two processes": limits.two_processes,
    "closed by many": limits.closed_by_many,
    "clock put back": limits.clock_put_back,
}
