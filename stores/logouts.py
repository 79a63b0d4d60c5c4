"""Sessions that were logged out before they would have expired."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Protocol

from stores.folder import private_opener

log = logging.getLogger(__name__)


class Logouts(Protocol):
    """Sessions by a name of their own. Of one event loop."""

    def known(self, session: str) -> bool:
        """Whether it was logged out, as far as is known here."""

    async def refresh(self, session: str) -> None:
        """See to it that `known` is right, but for what happened elsewhere within the last second."""

    async def note(self, session: str, until: int) -> None:
        """Log it out; it would have expired at `until` (seconds since 1970)."""


class LogoutFile:
    """Those of one program, noted in a file."""

    def __init__(self, path: Path) -> None:
        self._file, self._ended = path, dict(_noted(path))

    def known(self, session: str) -> bool:
        return session in self._ended

    async def refresh(self, session: str) -> None:
        """Nobody else can have."""

    async def note(self, session: str, until: int) -> None:
        self._ended = {key: at for key, at in self._ended.items() if at > time.time()} | {session: until}
        self._write()

    def _write(self) -> None:
        try:
            with open(self._file, "w", opener=private_opener) as file:
                file.write("".join(f"{key} {at}\n" for key, at in self._ended.items()))
        except OSError as error:
            log.warning("a logout holds until the next start only: %s", error)


def _noted(path: Path) -> list[tuple[str, int]]:
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return []
    return [(key, int(at)) for key, at in (line for line in lines if len(line) == 2) if at.isdigit()]
