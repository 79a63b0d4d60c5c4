"""Who may ask which host when: so many at a time of one host and of all, with pauses where a site wants them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

_HOSTS = 1000  # that are remembered


@dataclass
class _Host:
    places: asyncio.Semaphore
    free_at: float = 0.0  # of the event loop's clock: nobody begins before


class Pacing:
    """It belongs to one event loop."""

    def __init__(self, per_host: int, at_once: int) -> None:
        self._per_host, self._all = per_host, asyncio.Semaphore(at_once)
        self._hosts: OrderedDict[str, _Host] = OrderedDict()

    @asynccontextmanager
    async def take(self, name: str, delay: float) -> AsyncIterator[None]:
        """Waits for a place, which is one's own within; the next of this host begins `delay` seconds later."""
        host, clock = self._host(name), asyncio.get_running_loop().time
        async with host.places:
            begin = max(host.free_at, clock())
            host.free_at = begin + delay
            await asyncio.sleep(begin - clock())
            async with self._all:
                yield

    def pause(self, name: str, seconds: float) -> None:
        """Nobody asks this host meanwhile, but who has begun."""
        host = self._host(name)
        host.free_at = max(host.free_at, asyncio.get_running_loop().time() + seconds)

    def _host(self, name: str) -> _Host:
        host = self._hosts.setdefault(name, _Host(asyncio.Semaphore(self._per_host)))
        self._hosts.move_to_end(name)
        if len(self._hosts) > _HOSTS:
            self._hosts.popitem(last=False)
        return host
