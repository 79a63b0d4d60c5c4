"""Who has logged in, by a signed cookie; and how often an address or a user has failed to."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from pathlib import Path

from doors.passwords import as_bytes, as_text
from stores.folder import private_opener

log = logging.getLogger(__name__)

WINDOW = 300.0  # seconds in which failures are counted
OF_ADDRESS, OF_USER = 20, 10  # failures in it, of an address, and of one user there
OF_NAME = 50  # of a user, wherever: then an address that has not let this user in before has one attempt
_REMEMBERED = 30_000  # addresses and users


class Sessions:
    """Tokens "name.expiry.id.signature". One that was logged out is noted in a file until it would have expired."""

    def __init__(self, secret: str, users: Mapping[str, str], days: float, ended: Path) -> None:
        self._secret, self._users, self._file = secret.encode(), users, ended
        self.seconds = int(days * 86_400)
        self._ended = dict(_noted(ended))
        self.cookie = f"citewise-{hashlib.sha256(self._secret).hexdigest()[:8]}"  # another program here has another

    def begin(self, name: str) -> str:
        payload = f"{as_text(name.encode())}.{int(time.time() + self.seconds)}.{as_text(os.urandom(12))}"
        return f"{payload}.{self._signature(payload, name)}"

    def name_in(self, token: str) -> str | None:
        """The user that a token lets in. A new password ends the sessions of the old one."""
        parts = token.split(".")
        if len(parts) != 4 or not token.isascii():
            return None
        try:
            name, until = as_bytes(parts[0]).decode(), int(parts[1])
        except ValueError:
            return None
        right = hmac.compare_digest(parts[3], self._signature(token.rpartition(".")[0], name))
        return name if right and name in self._users and until > time.time() and parts[2] not in self._ended else None

    def end(self, token: str) -> None:
        if self.name_in(token) is None:
            return
        _, until, one, _ = token.split(".")
        self._ended = {key: at for key, at in self._ended.items() if at > time.time()} | {one: int(until)}
        try:
            with open(self._file, "w", opener=private_opener) as file:
                file.write("".join(f"{key} {at}\n" for key, at in self._ended.items()))
        except OSError as error:
            log.warning("a logout holds until the next start only: %s", error)

    def _signature(self, payload: str, name: str) -> str:
        words = f"{payload}\n{self._users.get(name, '')}".encode()
        return as_text(hmac.digest(self._secret, words, "sha256"))


class Attempts:
    """Logins that failed, or have not ended yet: of an address, of a name at an address, and of a name everywhere.

    Whoever fails elsewhere locks nobody out: the first two bar only where it happened. Guessing from many addresses is
    bounded by the third, which bars only addresses that have not let this user in lately; and while it does, each of
    them has still one attempt, so that a user who is somewhere new comes in with the right password.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()  # address, name; "" for any
        self._homes: OrderedDict[tuple[str, str], None] = OrderedDict()  # that have let a user in

    def begin(self, address: str, name: str) -> float:
        """0: go on, and the attempt counts until it is forgiven. Else the seconds to wait. A name need not be known:
        one that is not is counted like any other."""
        now, name = self._clock(), _short(name)
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
        while len(self._at) > _REMEMBERED:
            self._at.popitem(last=False)
        return 0.0

    def knows(self, address: str, name: str) -> bool:
        """Whether this address has let this user in."""
        return (address, _short(name)) in self._homes

    def forgive(self, address: str, name: str) -> None:
        """The attempt that was begun last was right."""
        name = _short(name)
        for key in ((address, ""), (address, name), ("", name)):
            if times := self._at.get(key):
                times.pop()
        self._homes[address, name] = None
        self._homes.move_to_end((address, name))
        while len(self._homes) > _REMEMBERED:
            self._homes.popitem(last=False)

    def _times(self, key: tuple[str, str], now: float) -> deque[float]:
        times = self._at.get(key, deque())
        while times and times[0] <= now - WINDOW:
            times.popleft()
        return times


def _short(name: str) -> str:
    """A name that is long takes no room, and the same for one that is known and one that is not."""
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()


def _noted(path: Path) -> list[tuple[str, int]]:
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return []
    return [(key, int(at)) for key, at in (line for line in lines if len(line) == 2) if at.isdigit()]
