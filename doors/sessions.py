"""Who has logged in, by a signed cookie."""

from __future__ import annotations

import hashlib
import hmac
import os
import time
from collections.abc import Mapping

from doors.passwords import as_bytes, as_text
from stores.logouts import Logouts


class Sessions:
    """Tokens "name.expiry.id.signature". One that was logged out is noted until it would have expired."""

    def __init__(self, secret: str, users: Mapping[str, str], days: float, logouts: Logouts) -> None:
        self._secret, self._users, self._logouts = secret.encode(), users, logouts
        self.seconds = int(days * 86_400)
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
        valid = right and name in self._users and until > time.time()
        return name if valid and not self._logouts.known(parts[2]) else None

    async def refresh(self, token: str) -> None:
        """See to it that a logout of this session elsewhere is known here."""
        if self.name_in(token) is not None:
            await self._logouts.refresh(token.split(".")[2])

    async def end(self, token: str) -> None:
        if self.name_in(token) is not None:
            _, until, one, _ = token.split(".")
            await self._logouts.note(one, int(until))

    def _signature(self, payload: str, name: str) -> str:
        words = f"{payload}\n{self._users.get(name, '')}".encode()
        return as_text(hmac.digest(self._secret, words, "sha256"))
