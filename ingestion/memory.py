"""Memory that is free, and that the process holds on to."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any


def give_back() -> None:
    """Hand free memory back to the system where the allocator needs to be told (glibc): after a large file it would
    keep hundreds of megabytes. Takes some milliseconds, without holding up other threads."""
    if trim := _trim():
        trim(0)


@cache
def _trim() -> Any:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library; Windows
        return None
