"""A repository of GitHub as files of a document set: those worth reading, at one commit, with links to their lines."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from schema import AS_USUAL, Chunking, IncomingFile, Message, Origin
from settings import Settings
from web.base import WebError
from web.github_api import RAW, GitHubApi, GitHubError, too_large
from web.repositories import PATTERNS, RepositoryPath, no_repository, parse_repository, pattern_matcher

_MOST_FILES = 50_000  # that are looked at
_MOST_TREES = 2_000  # requests for a tree that does not come in one piece
_MOST_SEGMENTS = 6  # of a branch's name, in an address that does not say where the name ends
_FILE = ("100644", "100755", "100664")  # no links, no submodules
_PACKED = (".pdf", ".docx", ".pptx", ".xlsx")  # read, though they are no text
_LFS = b"version https://git-lfs.github.com/spec/"
_name = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

State = Literal["file", "unchanged", "gone", "skipped", "failed"]


@dataclass(frozen=True, slots=True)
class Commit:
    """What a repository was at one time."""

    source: RepositoryPath
    sha: str
    tree: str
    date: str  # ISO 8601, "" where it is not told


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """What became of one file: `incoming` where it is to be stored, `problem` where it is not."""

    path: str
    state: State
    incoming: IncomingFile | None = None
    problem: WebError | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    path: str
    sha: str
    size: int


class GitHub:
    """Reads repositories: `async with GitHub(settings) as github`. It belongs to one event loop."""

    def __init__(self, settings: Settings, *, raw_url: str = RAW) -> None:
        self._api, self._at_once = GitHubApi(settings, raw_url), settings.web_per_host
        self._most = int(settings.web_max_mb * 1_000_000)

    async def __aenter__(self) -> GitHub:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._api.aclose()

    async def commit(self, text: str, ref: str = "") -> Commit:
        """Of "owner/name" or an address of the repository, a folder or a file in it. Raises WebError."""
        source = parse_repository(text)
        if ref:
            return await self._commit(source, ref, source.path)
        segments = source.after_tree or ("HEAD",)
        for end in range(1, min(len(segments), _MOST_SEGMENTS) + 1):  # "tree/feature/x/docs": a branch may hold "/"
            try:
                return await self._commit(source, "/".join(segments[:end]), "/".join(segments[end:]))
            except _NoRef as error:
                missing = error
        raise missing

    async def _commit(self, source: RepositoryPath, ref: str, path: str) -> Commit:
        try:
            found = await self._api.json(f"/repos/{source.repo}/commits/{quote(ref, safe='')}?per_page=1")
        except GitHubError as error:
            if error.status == 404:
                raise no_repository(source.repo) from error
            if error.status == 422:
                raise _NoRef(source.repo, ref) from error
            if error.status == 409:
                raise _empty(source.repo) from error
            raise
        sha, tree = found.get("sha"), _inside(found, "commit", "tree", "sha")
        if not (isinstance(sha, str) and isinstance(tree, str) and _name.fullmatch(sha) and _name.fullmatch(tree)):
            raise _no_tree(source.repo)
        date = _inside(found, "commit", "committer", "date")
        return Commit(RepositoryPath(source.repo, path), sha, tree, date if isinstance(date, str) else "")

    async def files(
        self,
        commit: Commit,
        *,
        doc_set: str = "",
        chunking: Chunking = AS_USUAL,
        patterns: Sequence[str] = PATTERNS,
        known: Iterable[Origin] = (),
    ) -> AsyncGenerator[RepositoryFile, None]:
        """Its files that `patterns` name, each as soon as it is there; stops where it is closed. Raises WebError.

        `known`: the origins of the documents there are. Of a blob that one of them has nothing is fetched, and those
        whose file is no more are told. What concerns one file is told with it; what concerns all is raised.
        """
        repo, path = commit.source.repo, commit.source.path
        stored = {one.file_path: one.stamp for one in known if one.source_type == "github" and one.repo == repo}
        entries = [one for one in await self._entries(commit) if _below(one.path, path)]
        if path and not entries:
            raise _no_path(repo, path)
        wanted = pattern_matcher(patterns)
        chosen = [one for one in entries if wanted(one.path) or one.path == path]
        for gone in sorted(stored.keys() - {one.path for one in chosen}):
            if _below(gone, path):
                yield RepositoryFile(gone, "gone")
        fresh: list[_Entry] = []
        for entry in chosen:
            if stored.get(entry.path) == entry.sha:
                yield RepositoryFile(entry.path, "unchanged")
            elif entry.size > self._most:
                yield RepositoryFile(entry.path, "skipped", problem=too_large(entry.path, self._most))
            else:
                fresh.append(entry)
        async with aclosing(self._fetched(commit, fresh, doc_set, chunking)) as fetched:
            async for file in fetched:
                yield file

    async def _fetched(
        self, commit: Commit, entries: Sequence[_Entry], doc_set: str, chunking: Chunking
    ) -> AsyncGenerator[RepositoryFile, None]:
        """So many at once as the settings allow for one host."""
        waiting = iter(entries)
        running: set[asyncio.Task[RepositoryFile]] = set()
        try:
            while True:
                while len(running) < self._at_once and (entry := next(waiting, None)):
                    running.add(asyncio.create_task(self._file(commit, entry, doc_set, chunking)))
                if not running:
                    return
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    running.discard(task)
                    yield task.result()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _file(self, commit: Commit, entry: _Entry, doc_set: str, chunking: Chunking) -> RepositoryFile:
        repo, address = commit.source.repo, quote(entry.path)
        try:
            data = await self._api.file(repo, commit.sha, address, entry.sha)
        except GitHubError as error:
            if error.final:
                raise
            return RepositoryFile(entry.path, "failed", problem=error)
        if not _is_blob(data, entry.sha):
            return RepositoryFile(entry.path, "failed", problem=_damaged(entry.path))
        if data.startswith(_LFS) or not data.strip() or _is_binary(entry.path, data):
            return RepositoryFile(entry.path, "skipped", problem=_nothing_to_read(entry.path))
        origin = Origin(
            source_type="github",
            file_path=entry.path,
            url=f"https://github.com/{repo}/blob/{commit.sha}/{address}",
            repo=repo,
            commit_id=commit.sha,
            timestamp=commit.date,
            stamp=entry.sha,
        )
        incoming = IncomingFile(f"{repo}/{entry.path}", data, doc_set=doc_set, chunking=chunking, origin=origin)
        return RepositoryFile(entry.path, "file", incoming)

    async def _entries(self, commit: Commit) -> list[_Entry]:
        """All files of the tree; one that does not come in one piece is walked. Raises WebError."""
        found: list[_Entry] = []
        waiting = [(commit.tree, "")]
        requests = 0
        while waiting:
            sha, folder = waiting.pop()
            place = f"/repos/{commit.source.repo}/git/trees/{sha}"
            answer = await self._api.json(f"{place}?recursive=1")
            if whole := answer.get("truncated") is not True:
                requests += 1
            else:
                answer, requests = await self._api.json(place), requests + 2
            for item in _items(answer):
                at = f"{folder}{item['path']}"
                if item["type"] == "tree" and not whole and _leads_to(at, commit.source.path):
                    waiting.append((item["sha"], f"{at}/"))
                elif item["type"] == "blob" and item["mode"] in _FILE:
                    size = item.get("size")
                    found.append(_Entry(at, item["sha"], size if isinstance(size, int) else 0))
            if len(found) > _MOST_FILES or requests + len(waiting) > _MOST_TREES:
                raise _too_many(commit.source.repo)
        return sorted(found, key=lambda one: one.path)


class _NoRef(WebError):
    def __init__(self, repo: str, ref: str) -> None:
        super().__init__(
            Message(
                zh=f"仓库“{repo}”没有分支、标签或提交“{ref}”。", en=f'"{repo}" has no branch, tag or commit "{ref}".'
            ),
            Message(
                zh="请检查它的名字，或不写以用默认分支。", en="Check its name, or leave it out for the default branch."
            ),
        )


def _items(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Those of a tree that are what they should be: with safe paths and the names of objects."""
    items = answer.get("tree")
    return [
        one
        for one in (items if isinstance(items, list) else ())
        if isinstance(one, dict)
        and all(isinstance(one.get(key), str) for key in ("path", "mode", "type", "sha"))
        and _name.fullmatch(one["sha"])
        and all(part not in ("", ".", "..") for part in one["path"].split("/"))
    ]


def _inside(found: Any, *keys: str) -> Any:
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _below(path: str, folder: str) -> bool:
    return not folder or f"{path}/".startswith(f"{folder}/")


def _leads_to(folder: str, path: str) -> bool:
    return _below(folder, path) or _below(path, folder)


def _is_blob(data: bytes, sha: str) -> bool:
    """Whether git names these bytes so: all came, and nothing else."""
    kind = hashlib.sha1 if len(sha) == 40 else hashlib.sha256
    return kind(b"blob %d\0" % len(data) + data).hexdigest() == sha


def _is_binary(path: str, data: bytes) -> bool:
    return b"\0" in data[:8_000] and not path.lower().endswith(_PACKED)  # as git tells it


def _damaged(path: str) -> WebError:
    return WebError(
        Message(zh=f"“{path}”传来的内容不完整或已损坏。", en=f'"{path}" came incomplete or damaged.'),
        Message(zh="请稍后再试。", en="Try again later."),
    )


def _nothing_to_read(path: str) -> WebError:
    return WebError(
        Message(
            zh=f"“{path}”是二进制文件、LFS 指针或空文件，没有读取。",
            en=f'"{path}" is binary, a pointer of LFS or empty.',
        ),
        Message(zh="需要时请下载后作为文件上传。", en="If you need it, download and upload it."),
    )


def _no_tree(repo: str) -> WebError:
    return WebError(
        Message(zh=f"“{repo}”的提交无法理解。", en=f'The commit of "{repo}" cannot be understood.'),
        Message(zh="请检查 CITEWISE_GITHUB_API_URL。", en="Check CITEWISE_GITHUB_API_URL."),
    )


def _empty(repo: str) -> WebError:
    return WebError(
        Message(zh=f"仓库“{repo}”是空的。", en=f'The repository "{repo}" is empty.'),
        Message(zh="请换一个仓库。", en="Choose another repository."),
    )


def _no_path(repo: str, path: str) -> WebError:
    return WebError(
        Message(zh=f"仓库“{repo}”中没有“{path}”。", en=f'"{repo}" has no "{path}" at this commit.'),
        Message(zh="请检查路径。", en="Check the path."),
    )


def _too_many(repo: str) -> WebError:
    return WebError(
        Message(zh=f"仓库“{repo}”超过 {_MOST_FILES} 个文件。", en=f'"{repo}" has more than {_MOST_FILES} files.'),
        Message(zh="请给出其中一个文件夹的网址。", en="Give the address of one of its folders."),
    )
