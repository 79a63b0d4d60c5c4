"""How often an address or a user has failed to log in."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Protocol

WINDOW = 300.0  # seconds in which failures are counted
OF_ADDRESS, OF_USER = 20, 10  # failures in it, of an address, and of one user there
OF_NAME = 50  # of a user, wherever: then an address that has not let this user in before has one attempt
REMEMBERED = 30_000  # addresses and users


class Attempts(Protocol):
    """Logins that failed, or have not ended yet: of an address, of a name at an address, and of a name everywhere.

    Whoever fails elsewhere locks nobody out: the first two bar only where it happened. Guessing from many addresses is
    bounded by the third, which bars only addresses that have not let this user in lately; and while it does, each of
    them has still one attempt, so that a user who is somewhere new comes in with the right password. A name need not be
    known: one that is not is counted like any other. Thread-safe; its calls may block, and raise StoreError.
    """

    def begin(self, address: str, name: str) -> float:
        """0: go on, and the attempt counts until it is forgiven. Else the seconds to wait."""

    def knows(self, address: str, name: str) -> bool:
        """Whether this address has let this user in."""

    def forgive(self, address: str, name: str) -> None:
        """The attempt that was begun last was right."""


class AttemptsInMemory:
    """Those of one program."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._at: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()  # address, name; "" for any
        self._homes: OrderedDict[tuple[str, str], None] = OrderedDict()  # that have let a user in

    def begin(self, address: str, name: str) -> float:
        with self._lock:
            return self._begin(address, name_key(name))

    def _begin(self, address: str, name: str) -> float:
        now = self._clock()
        limits = {(address, ""): OF_ADDRESS, (address, name): OF_USER}
        if (address, name) not in self._homes and len(self._times(("", name), now)) >= OF_NAME:
            limits[address, name] = 1
        wait = 0.0
        for key, limit in limits.items():
            times = self._times(key, now)
            if len(times) >= limit:
                wait = max(wait, times[-limit] + WINDOW - now)
        if wait:
            return wait
        for key in ((address, ""), (address, name), ("", name)):
            self._at.setdefault(key, deque(maxlen=OF_NAME)).append(now)
            self._at.move_to_end(key)
        while len(self._at) > REMEMBERED:
            self._at.popitem(last=False)
        return 0.0

    def knows(self, address: str, name: str) -> bool:
        with self._lock:
            return (address, name_key(name)) in self._homes

    def forgive(self, address: str, name: str) -> None:
        name = name_key(name)
        with self._lock:
            for key in ((address, ""), (address, name), ("", name)):
                if times := self._at.get(key):
                    times.pop()
            self._homes[address, name] = None
            self._homes.move_to_end((address, name))
            while len(self._homes) > REMEMBERED:
                self._homes.popitem(last=False)

    def _times(self, key: tuple[str, str], now: float) -> deque[float]:
        times = self._at.get(key, deque())
        while times and times[0] <= now - WINDOW:
            times.popleft()
        return times


def name_key(name: str) -> str:
    """A name that is long takes no room, and the same for one that is known and one that is not."""
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()
