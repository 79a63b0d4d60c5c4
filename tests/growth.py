"""How the time of a piece of work grows with what it works on."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from math import inf
from typing import TypeVar

T = TypeVar("T")


def assert_growth(work: Callable[[T], object], short: T, long: T, most: float) -> None:
    """The long one takes less than `most` times the processor's time of the short one, whoever else is at work here.

    Noise only ever adds to the time, so one quiet trial of each tells, and a few are made to meet one.
    """
    work(short)  # what is loaded by then is not loaded in the trials
    least = inf, inf
    for _ in range(9):
        least = min(least[0], _spent(work, short)), min(least[1], _spent(work, long))
        if least[1] < most * least[0]:
            return
    raise AssertionError(f"{least[1] / least[0]:.0f} times the time, where less than {most} was to be")


def _spent(work: Callable[[T], object], given: T) -> float:
    """Without the garbage collector, which walks through all that a run of tests has heaped up."""
    gc.disable()
    try:
        start = time.thread_time()
        work(given)
        return time.thread_time() - start
    finally:
        gc.enable()
