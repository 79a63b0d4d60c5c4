"""A breaker: who has just failed is not asked again for a while, then by one request alone."""

from __future__ import annotations

import random
import threading
import time
from typing import Literal

_FIRST, _LONGEST = 10.0, 300.0  # seconds that it stays open after the first failure, and at most


class Breaker:
    """Closed: everybody may ask. Open: nobody. Half open, when the time is over: one may try. Safe in any thread."""

    def __init__(self, first: float = _FIRST, longest: float = _LONGEST) -> None:
        self._first, self._longest = first, longest
        self._lock = threading.Lock()
        self._failures = 0
        self._until = 0.0
        self._probing = False
        self.error: Exception | None = None  # the last one, while it is not closed

    @property
    def state(self) -> Literal["closed", "open", "half open"]:
        if not self._failures:
            return "closed"
        return "open" if time.monotonic() < self._until or self._probing else "half open"

    @property
    def wait(self) -> float:
        """Seconds until somebody may ask."""
        return max(0.0, self._until - time.monotonic()) if self._failures else 0.0

    def enter(self) -> bool:
        """Whether the caller may ask; who may must report `succeeded`, `failed` or `gave_up`."""
        with self._lock:
            if self.state == "open":
                return False
            self._probing = bool(self._failures)
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._failures, self._probing, self.error = 0, False, None

    def failed(self, error: Exception, retry_after: float = 0.0) -> None:
        """Each failure in a row doubles the time, with jitter so that many instances do not come back at once."""
        with self._lock:
            wait = min(self._first * 2.0**self._failures, self._longest) * random.uniform(0.8, 1.2)
            self._until = time.monotonic() + max(wait, min(retry_after, self._longest))
            self._failures, self._probing, self.error = min(self._failures + 1, 16), False, error

    def gave_up(self) -> None:
        """The request was cancelled: nothing is known."""
        with self._lock:
            self._probing = False
