"""A circuit breaker: who fails again and again is left alone for a while, then tried by one caller."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Literal

FAILURES = 3  # in a row until it opens
COOLDOWN = 15.0  # seconds; doubled each time the probe fails
LONGEST = 300.0  # seconds


class Breaker:
    """Closed: anybody may ask. Open: nobody. Half open, when the time is over: one at a time. Of one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._until: float | None = None  # None: closed
        self._cooldown = COOLDOWN
        self._probing = False

    @property
    def state(self) -> Literal["closed", "open", "half_open"]:
        if self._until is None:
            return "closed"
        return "open" if self._clock() < self._until else "half_open"

    @property
    def left(self) -> float:
        """Seconds until somebody may ask again."""
        return max(0.0, self._until - self._clock()) if self._until is not None else 0.0

    @property
    def would_admit(self) -> bool:
        return self.state == "closed" or (self.state == "half_open" and not self._probing)

    def admit(self) -> bool:
        """Whether to ask now. Who was admitted tells the outcome, or `release`s."""
        if not self.would_admit:
            return False
        self._probing = self.state == "half_open"
        return True

    def succeeded(self) -> None:
        self._failures, self._until, self._cooldown, self._probing = 0, None, COOLDOWN, False

    def begun(self) -> None:
        """The probe is being answered: others need not wait for its end, but a failure now opens it again."""
        if self.state == "half_open":
            self._failures, self._until, self._probing = FAILURES - 1, None, False

    def failed(self, rest: float | None = None) -> None:
        """One more failure; `rest` opens at once, for so many seconds."""
        self._failures += 1
        if rest is not None:
            self._open(rest)
        elif self.state == "half_open":
            self._cooldown *= 2
            self._open(self._cooldown)
        elif self.state == "closed" and self._failures >= FAILURES:
            self._open(self._cooldown)

    def release(self) -> None:
        """The question was withdrawn before anything was learned."""
        self._probing = False

    def _open(self, seconds: float) -> None:
        self._until = max(self._until or 0.0, self._clock() + min(seconds, LONGEST))
        self._probing = False
