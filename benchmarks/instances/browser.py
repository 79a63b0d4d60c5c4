"""Who talks with the program through the proxy: with a session, a cookie of the instance, and conversations."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import httpx2

from benchmarks.instances.proxy import COOKIE
from benchmarks.manuals import Fact

USER, PASSWORD = "ann", "a password for the benchmark"
_PATIENCE = 120.0


class Browser:
    """Its cookies are its own, but for the session, which others may share."""

    def __init__(self, url: str, session: dict[str, str], instance: int | None = None) -> None:
        kept = {} if instance is None else {COOKIE: str(instance)}
        self._session, self._url = session, url
        self._others: list[Browser] = []
        self.client = httpx2.AsyncClient(
            base_url=url, timeout=_PATIENCE, trust_env=False, follow_redirects=True, cookies={**session, **kept}
        )

    @classmethod
    async def logged_in(cls, url: str) -> Browser:
        browser = cls(url, {})
        answer = await browser.client.post("/login", data={"username": USER, "password": PASSWORD})
        answer.raise_for_status()
        browser._session.update({name: value for name, value in browser.client.cookies.items() if name != COOKIE})
        return browser

    def another(self, url: str = "", instance: int | None = None) -> Browser:
        """One with the same session; closed with this one."""
        self._others.append(other := Browser(url or self._url, self._session, instance))
        return other

    @property
    def instance(self) -> str | None:
        """The number of the one that it is at."""
        return self.client.cookies.get(COOKIE)

    async def is_let_in(self) -> bool:
        return (await self.client.get("/conversations/none.md")).status_code == 404

    async def __aenter__(self) -> Browser:
        return self

    async def __aexit__(self, *problem: object) -> None:
        for one in (self, *self._others):
            await one.client.aclose()


@dataclass
class Talk:
    """One conversation. `said` are the questions that were answered, in order, with what was answered."""

    name: str
    browser: Browser
    said: list[tuple[Fact, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    async def ask(self, fact: Fact) -> bool:
        """Whether it was answered; what went wrong is noted."""
        begun = time.monotonic()
        wish = {"question": fact.question.to(fact.language), "conversation": self.name}
        try:
            answer = await self.browser.client.post("/services/ask", json=wish)
            answer.raise_for_status()
            text = str(answer.json()["answer"])
        except (httpx2.HTTPError, ValueError, KeyError) as error:
            self.errors.append(f"{type(error).__name__}: {error}")
            return False
        self.said.append((fact, text))
        self.seconds.append(time.monotonic() - begun)
        return True

    async def read(self) -> str:
        """The conversation as it is stored, as Markdown; "" where nothing is."""
        answer = await self.browser.client.get(f"/conversations/program-{self.name}.md")
        return "" if answer.status_code == 404 else answer.raise_for_status().text

    async def come_back(self, fact: Fact) -> bool:
        """After the instance has died: the page is loaded again, and a question that has no answer is asked again.
        Whether the page came up, with all that was answered in the conversation."""
        page = await self.browser.client.get("/", headers={"accept": "text/html"})
        whole = page.status_code == 200 and "/login" not in str(page.url) and not problems(self, await self.read())
        if fact.question.to(fact.language) not in await self.read():
            await self.ask(fact)
        return whole


def problems(talk: Talk, stored: str) -> dict[str, int]:
    """How many answered turns are not stored ("lost") or stored twice ("twice"); none where all is well."""
    lines = stored.splitlines()
    counts = [lines.count(f"> {fact.question.to(fact.language)}") for fact, _ in talk.said]
    found = {"lost": sum(not count for count in counts), "twice": sum(count > 1 for count in counts)}
    return {name: number for name, number in found.items() if number}
