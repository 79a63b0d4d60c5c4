"""What there is at a source, told one by one beside what the set has of it: pages of a website, files of a commit."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

from schema import IncomingFile, Message, Origin, Source
from settings import Settings
from stores.pages import CachedPage, digest_of
from web.base import WebError
from web.github import GitHub, RepositoryFile
from web.media import as_utf8
from web.names import document_name
from web.problems import PageError, shown
from web.repositories import PATTERNS
from web.sites import CrawlResult, CrawlScope, crawl, site_key
from web.urls import canonical

ItemState = Literal["page", "unchanged", "gone", "skipped", "failed"]
_PASSED = ("robots", "type", "redirects", "limit")  # reasons that are no failures
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One page or file: what became of it, and what follows."""

    came: ItemState
    url: str  # of a repository the path
    name: str = ""  # of the document that it is, or was
    incoming: IncomingFile | None = None  # to be stored
    page: CachedPage | None = None  # to be remembered
    problem: Message | None = None


@dataclass
class KnownDocuments:
    """What the set has, by name: of this source and of its other sources; documents and what is on its way."""

    own: Mapping[str, Origin]
    others: Mapping[str, Origin]


@dataclass
class Site:
    """A website. Iterate over `parts`; then `gone` are names of documents that there are no pages of any more."""

    settings: Settings
    source: Source
    had: KnownDocuments
    remembered: list[CachedPage]  # of the set
    gone: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)  # keys of pages that are no more
    left_out: Message | None = None  # because of a limit
    commit: str = ""

    async def parts(self) -> AsyncGenerator[SourceItem, None]:
        """Raises WebError where nothing came of it as a whole."""
        known = {site_key(page.url): page for page in self._cached_pages()}
        alive, failure, started = False, None, False
        source = self.source
        crawling = crawl(source.address, self.settings, prefix=source.prefix, known=list(known.values()))
        async with aclosing(crawling) as found:
            async for crawled in found:
                if not started:
                    self._begin(crawled)
                started = True
                if isinstance(crawled.result, PageError):
                    failure = failure or crawled.result
                else:
                    alive = True
                yield self._part(crawled, known.get(site_key(crawled.url)))
        if not alive and failure:
            raise failure

    def _cached_pages(self) -> list[CachedPage]:
        """The pages behind the documents that there are. Only what stored these very bytes is believed to know how to
        ask for newer ones: the library may have been brought back from a backup."""
        by_name: dict[str, list[CachedPage]] = {}
        for page in self.remembered:
            by_name.setdefault(page.name, []).append(page)
        known = []
        for name, origin in {**self.had.others, **self.had.own}.items():
            if origin.source_type == "website":
                pages = by_name.get(name, [])
                alike = [page for page in pages if page.digest == origin.stamp and page.links is not None]
                known += alike or [CachedPage(canonical(origin.url), origin.url, _LONG_AGO, self.source.doc_set, name)]
        return known

    def _begin(self, start: CrawlResult) -> None:
        """What is outside of the part that is wanted by now goes. A site that has moved, or seems to, is not followed:
        a page to sign in at would take the place of all."""
        if isinstance(start.result, PageError):
            return
        there, scope = start.result.final_url, CrawlScope.of(self.source.prefix or self.source.address)
        moved = not scope.holds(there)
        scope = CrawlScope.of(there) if moved else scope
        outside = {name for name, origin in self.had.own.items() if not scope.holds(origin.url)}
        if moved and outside and len(outside) == len(self.had.own):
            raise _moved(self.source.address, there)
        self.gone |= outside

    def _part(self, crawled: CrawlResult, known: CachedPage | None) -> SourceItem:
        name = known.name if known else ""
        if isinstance(crawled.result, PageError):
            return self._missing(crawled, crawled.result, known)
        fetched = crawled.result
        if known and fetched.not_modified:
            page = replace(
                known, fetched_at=fetched.fetched_at, etag=fetched.etag or known.etag,
                last_modified=fetched.last_modified or known.last_modified,
            )  # fmt: skip
            return SourceItem("unchanged" if name in self.had.own else "skipped", crawled.url, name, page=page)
        now = document_name(fetched.final_url, fetched.media_type)
        if name and name != now:
            self.gone.add(name)
        page = CachedPage(
            known.key if known else canonical(crawled.url), crawled.url, fetched.fetched_at, self.source.doc_set, now,
            fetched.final_url, fetched.media_type, fetched.charset, fetched.etag, fetched.last_modified, fetched.data,
            links=crawled.links,
        )  # fmt: skip
        stamp = digest_of(fetched.data)
        if now in self.had.own and self.had.own[now].stamp == stamp:
            return SourceItem("unchanged", crawled.url, now, page=page)
        if now not in self.had.own and now in self.had.others:
            return SourceItem("skipped", crawled.url, now)
        origin = Origin(
            source_type="website", url=fetched.final_url, timestamp=fetched.fetched_at.isoformat(), stamp=stamp,
            source=self.source.id,
        )  # fmt: skip
        data = as_utf8(fetched.data, fetched.media_type, fetched.charset)
        incoming = IncomingFile(now, data, chunking=self.source.chunking, origin=origin)
        return SourceItem("page", crawled.url, now, incoming, page)

    def _missing(self, crawled: CrawlResult, error: PageError, known: CachedPage | None) -> SourceItem:
        if error.reason == "limit":
            self.left_out = error.in_full
        if known is None:  # a dead link is no page that is missing
            passed = error.reason in _PASSED or error.status in (404, 410)
            return SourceItem("skipped" if passed else "failed", crawled.url, problem=error.in_full)
        if crawled.state != "gone":
            return SourceItem("failed", crawled.url, known.name, problem=error.in_full)
        self.forgotten.add(known.key)
        if known.name not in self.had.own:
            return SourceItem("skipped", crawled.url)
        self.gone.add(known.name)
        return SourceItem("gone", crawled.url)


@dataclass
class Repository:
    """A repository at its newest commit; the rest as of `Site`."""

    settings: Settings
    source: Source
    had: KnownDocuments
    gone: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)
    left_out: Message | None = None
    commit: str = ""  # of which all is here

    async def parts(self) -> AsyncGenerator[SourceItem, None]:
        """Raises WebError where nothing came of it as a whole."""
        async with GitHub(self.settings) as github:
            commit = await github.commit(self.source.address, self.source.ref)
            self.commit = commit.sha
            if commit.sha == self.source.commit and len(self.had.own) == self.source.pages:
                for origin in self.had.own.values():
                    yield SourceItem("unchanged", origin.file_path)
                return
            repo = commit.source.repo
            own, others = _by_path(self.had.own, repo), _by_path(self.had.others, repo)
            files = github.files(
                commit, chunking=self.source.chunking, patterns=self.source.patterns or PATTERNS,
                known=[*self.had.others.values(), *self.had.own.values()],
            )  # fmt: skip
            self.gone = set(self.had.own)
            async with aclosing(files) as found:
                async for file in found:
                    held = file.path in others and file.path not in own
                    if file.state in ("file", "unchanged", "failed"):
                        self.gone.discard(own.get(file.path, ""))
                    if part := self._part(file, held):
                        yield part
            for name in sorted(self.gone):
                yield SourceItem("gone", self.had.own[name].file_path)

    def _part(self, file: RepositoryFile, held: bool) -> SourceItem | None:
        if file.state == "gone":
            return None  # of those that are ours it is told at the end
        if held:
            self.commit = ""  # not all of it is here: the other one may go
            other = file.state == "file"  # of another commit
            return SourceItem("skipped", file.path, problem=_held(file.path) if other else None)
        if file.state == "unchanged":
            return SourceItem("unchanged", file.path)
        if file.incoming is None:
            problem = file.problem.in_full if file.problem else None
            return SourceItem("failed" if file.state == "failed" else "skipped", file.path, problem=problem)
        origin = replace(file.incoming.origin, source=self.source.id)
        return SourceItem("page", file.path, incoming=replace(file.incoming, origin=origin))


def _by_path(had: Mapping[str, Origin], repo: str) -> dict[str, str]:
    return {origin.file_path: name for name, origin in had.items() if origin.repo == repo}


def _held(path: str) -> Message:
    return Message(
        zh=f"“{path}”在这个文档集里已由另一个来源提供，没有保存。要两者都保留，请用不同的文档集。",
        en=f'"{path}" is in this document set from another source already and was not stored. To keep both, use two '
        "document sets.",
    )


def _moved(address: str, there: str) -> WebError:
    return WebError(
        Message(
            zh=f"“{shown(address)}”现在转到“{shown(there)}”，原有的网页都不在那里；没有改动文档集。",
            en=f'"{shown(address)}" now leads to "{shown(there)}", where none of its pages are; the document set was '
            "left as it is.",
        ),
        Message(
            zh="如果网站搬了家，请添加新的网址，再移除这个来源；否则请稍后再试。",
            en="If the site has moved, add its new address and remove this source; else try again later.",
        ),
    )
