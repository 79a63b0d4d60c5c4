"""Whatever happens to a site, and whenever it is refreshed, the set has what the site has, and each page once."""

from __future__ import annotations

import random
from contextlib import aclosing

import pytest
from source_house import House, html

from benchmarks.web_site import Page, redirect

NAMES = "abcdefgh"
STEPS = 10


class Living:
    """A site that changes: a page is a text, an address that it leads to, or not there; each links to some others."""

    def __init__(self, site, seed: int) -> None:
        self.site, self.random = site, random.Random(seed)
        self.texts: dict[str, str] = {}
        self.ways: dict[str, str] = {}  # redirects
        for name in NAMES[:4]:
            self.write(name)
        self.serve()

    def write(self, name: str) -> None:
        self.texts[name] = f"text {name} {self.random.randrange(10**6)}"
        self.ways.pop(name, None)

    def change(self) -> None:
        name = self.random.choice(NAMES)
        what = self.random.choice(["write", "write", "delete", "redirect", "nothing"])
        if what == "write":
            self.write(name)
        elif what != "nothing":
            self.texts.pop(name, None)
            self.ways.pop(name, None)
            if what == "redirect" and (to := self.random.choice(NAMES)) in self.texts:
                self.ways[name] = to
        self.ways = {name: to for name, to in self.ways.items() if to in self.texts}

    def serve(self) -> None:
        """Every page is linked from the first; of some their servers tell what they are known by."""
        pages = {"/s/": html("first", *NAMES, etag='"first"')}
        for name, text in self.texts.items():
            known_by = {"etag": f'"{hash(text)}"'} if name < "e" else {}
            pages[f"/s/{name}"] = html(text, *self.random.sample(NAMES, 2), **known_by)
        self.site.pages = pages | {f"/s/{name}": redirect(f"/s/{to}") for name, to in self.ways.items()}

    @property
    def expected(self) -> list[str]:
        return sorted(["first", *self.texts.values()])


def kept(house: House) -> list[str]:
    return sorted(info_title(house, info) for info in house.infos())


def info_title(house: House, info) -> str:
    return str(house.library.document(info.name, "docs").metadata["title"])


@pytest.mark.parametrize("seed", range(3))
async def test_the_set_equals_the_site(site, make_settings, seed):
    settings = make_settings(
        CITEWISE_WEB_ALLOW=",".join(site.hosts), CITEWISE_CRAWL_DELAY="0", CITEWISE_EMBEDDING="hashing"
    )
    living = Living(site, seed)
    missing, chance = site.missing, random.Random(seed)
    async with House(settings) as house:
        source = await house.sources.add(site.url("/s/"), doc_set="docs")
        for _ in range(STEPS):
            for _ in range(chance.randrange(4)):
                living.change()
            living.serve()
            how = chance.choice(["whole", "whole", "stopped", "down"])
            if how == "down":
                before = kept(house)
                site.pages, site.missing = {}, Page("busy", status=503)
                await house.refresh(source)
                assert kept(house) == before
                site.missing = missing
                living.serve()
            elif how == "stopped":
                async with aclosing(house.sources.refresh(source.id)) as events:
                    async for event in events:
                        if event.progress.looked == chance.randrange(1, 6):
                            break
            else:
                await house.refresh(source)
                assert kept(house) == living.expected
                assert house.now(source).pages == len(living.expected)
                assert house.now(source).problem is None
        await house.refresh(source)
        assert kept(house) == living.expected
