"""What sites ask of programs: robots.txt (RFC 9309), read once an hour and host."""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from httpx2 import URL
from protego import Protego

from web import problems

MOST_BYTES = 500_000  # of a robots.txt; what follows is not looked at (RFC 9309 2.5: at least 500 KiB are to be parsed)
_KEPT_SECONDS, _KEPT_HOSTS, _KEPT_CHARACTERS = 3600.0, 1000, 5_000_000
_FAILED_SECONDS = 60.0  # until a server that failed is asked again
_SITEMAPS = 10  # that are looked at
_LONGEST_DELAY = 30.0  # seconds; whoever asks for more gets this
_agent = re.compile(r"^\s*user[- ]?agent(?:\s*:|\s)(.*)$", re.IGNORECASE)

Read = Callable[[URL], Awaitable[tuple[int, bytes]]]  # the address of a robots.txt -> status after redirects, bytes


@dataclass(frozen=True)
class Rules:
    """What one host asks of us."""

    status: int  # of its robots.txt
    agent: str
    said: Protego | None = None  # None: all is allowed, or nothing after a server's error

    @property
    def failed(self) -> bool:
        """The server could not say what it allows, which forbids all (RFC 9309 2.3.1.4)."""
        return self.status >= 500

    def allow(self, url: URL) -> bool:
        return not self.failed and (self.said is None or self.said.can_fetch(str(url), self.agent))

    @property
    def delay(self) -> float:
        """Seconds between two requests, 0 where none are asked for."""
        asked = self.said.crawl_delay(self.agent) if self.said else None
        return min(max(asked or 0.0, 0.0), _LONGEST_DELAY)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        return tuple(islice(self.said.sitemaps, _SITEMAPS)) if self.said else ()


class Robots:
    """The rules of all hosts, the latest kept in memory. It belongs to one event loop."""

    def __init__(self, read: Read, agent: str, clock: Callable[[], float] = time.monotonic) -> None:
        """`agent`: the name that rules are looked up by, as "Citewise"."""
        self._read, self._agent, self._clock = read, agent, clock
        self._kept: OrderedDict[URL, tuple[float, int, Rules]] = OrderedDict()  # (until, characters, rules)
        self._reading: dict[URL, asyncio.Task[Rules]] = {}

    async def of(self, url: URL) -> Rules:
        """Those of the host of `url`; whoever asks at the same time waits for one reading. Raises PageError."""
        place = url.copy_with(raw_path=b"/robots.txt")
        until, _, rules = self._kept.get(place, (0.0, 0, None))
        if rules and self._clock() < until:
            self._kept.move_to_end(place)
            return rules
        if place not in self._reading:
            task = self._reading[place] = asyncio.create_task(self._fresh(place))
            task.add_done_callback(
                lambda ended: (self._reading.pop(place, None), ended.cancelled() or ended.exception())
            )
        return await asyncio.shield(self._reading[place])

    async def check(self, url: URL) -> Rules:
        """The same. Raises PageError when they forbid the page."""
        rules = await self.of(url)
        if rules.failed:
            raise problems.robots_failed(url, rules.status)
        if not rules.allow(url):
            raise problems.forbidden_by_robots(url)
        return rules

    async def _fresh(self, place: URL) -> Rules:
        status, data = await self._read(place)
        if not 200 <= status < 300:  # 4xx: all is allowed (RFC 9309 2.3.1.3)
            rules, text = Rules(status, self._agent), ""
        else:
            text = data[:MOST_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
            rules = Rules(status, self._agent, await asyncio.to_thread(_parsed, text, self._agent))
        self._kept[place] = (self._clock() + (_FAILED_SECONDS if rules.failed else _KEPT_SECONDS), len(text), rules)
        while len(self._kept) > _KEPT_HOSTS or sum(size for _, size, _ in self._kept.values()) > _KEPT_CHARACTERS:
            self._kept.popitem(last=False)
        return rules

    async def aclose(self) -> None:
        for task in (reading := list(self._reading.values())):
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*reading, return_exceptions=True)


def _parsed(text: str, agent: str) -> Protego:
    """Of its groups, those of other agents are made one: a group's rules are stored once for each of its agents."""
    lines = (line.partition("#")[0] for line in text.splitlines())
    return Protego.parse("\n".join(_agent.sub(lambda found: _renamed(found[1], agent), line) for line in lines))


def _renamed(asked: str, agent: str) -> str:
    name = asked.strip().lower()
    return f"User-agent: {name if name in ('*', agent.lower()) else '-'}"
