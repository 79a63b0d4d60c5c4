"""A library with sources, for tests: what a refresh tells, and what the set has after it."""

from __future__ import annotations

from benchmarks.web_site import Page, WebSite
from library import Library
from schema import Scope, Source
from settings import Settings
from stores.pages import PageFile
from web.sources import LibrarySources, SourceEvent


def html(text: str, *links: str, **more) -> Page:
    anchors = " ".join(f'<a href="{link}">{link}</a>' for link in links)
    body = f"<p>{text}: what this page says of {text}, in words enough.</p>{anchors}"
    return Page(f"<html><head><title>{text}</title></head><body>{body}</body></html>", **more)


class House:
    """`async with House(settings) as house`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    async def __aenter__(self) -> House:
        self.library = await Library.open(self.settings)
        self.pages = PageFile(self.settings.data_dir / "pages.sqlite", self.settings.web_cache_mb)
        self.sources = LibrarySources(self.settings, self.library, self.pages)
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.sources.close()
        self.pages.close()
        await self.library.close()

    async def refresh(self, source: Source) -> list[SourceEvent]:
        """All that it tells; what it hands over is stored when this returns."""
        events = [event async for event in self.sources.refresh(source.id)]
        await self.library.process()
        return events

    def now(self, source: Source) -> Source:
        [found] = [one for one in self.sources.list() if one.id == source.id]
        return found

    def infos(self, doc_set: str = "docs"):
        return self.library.documents(Scope(doc_sets=(doc_set,)))

    def paths(self, site: WebSite, doc_set: str = "docs") -> list[str]:
        """The pages that the set has, by their paths."""
        return sorted(info.origin.url.removeprefix(site.url("")) for info in self.infos(doc_set))

    def texts(self, doc_set: str = "docs") -> str:
        return "\n".join(self.library.document(info.name, doc_set).text for info in self.infos(doc_set))


def told(events: list[SourceEvent]) -> dict[str, int]:
    """The counts of the last event that are not 0; they are those of the events before it."""
    progress = events[-1].progress
    counts = {name: getattr(progress, name) for name in ("stored", "unchanged", "gone", "failed", "skipped")}
    states = [event.state for event in events[:-1]]
    assert counts == {name: states.count("page" if name == "stored" else name) for name in counts}
    assert progress.looked == len(states)
    return {name: count for name, count in counts.items() if count}


DOCS = {
    "/docs/": html("tides", "a", "b", etag='"1"'),
    "/docs/a": html("annual leave", last_modified="Sun, 18 Jan 2026 10:00:00 GMT"),
    "/docs/b": html("潮汐"),
}
