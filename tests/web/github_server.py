"""A stand-in of GitHub's API on loopback: real HTTP, real names of blobs and trees, and what the API refuses."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from urllib.parse import unquote

from benchmarks.web_site import Page, Request, WebSite, as_json

Entry = tuple[str, bytes]  # mode, content; of a submodule the name of its commit
LINK, MODULE = "120000", "160000"


def blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class GitHubServer:
    """One repository, `owner/name`, as a page of a local site that answers as the API does (REST, 2022-11-28)."""

    def __init__(self, site: WebSite, repo: str = "octo/hand.book") -> None:
        self.site, self.repo = site, repo
        self.refs: dict[str, str] = {}  # name -> commit
        self.largest = 1_000  # entries of a recursive tree; above it is truncated
        self.token = ""  # the one that it asks for, where one is needed
        self.answer: Page | None = None  # to whatever is asked, when set
        self._commits: dict[str, str] = {}  # commit -> tree
        self._trees: dict[str, list[dict[str, object]]] = {}
        self._blobs: dict[str, bytes] = {}
        self._files: dict[str, dict[str, bytes]] = {}  # commit -> path -> content
        site.pages, site.missing = {}, self._answered

    def push(self, files: Mapping[str, bytes | Entry], ref: str = "main") -> str:
        """A commit of these files, its name."""
        entries = {path: ("100644", one) if isinstance(one, bytes) else one for path, one in files.items()}
        tree = self._tree(entries)
        commit = hashlib.sha1(f"{tree}{ref}{len(self._commits)}".encode()).hexdigest()
        self._commits[commit] = tree
        self._files[commit] = {path: content for path, (_, content) in entries.items()}
        self.refs |= {ref: commit, commit: commit} | ({"HEAD": commit} if ref == "main" else {})
        return commit

    @property
    def asked(self) -> list[str]:
        return [request.path for request in self.site.requests]

    def _tree(self, entries: Mapping[str, Entry]) -> str:
        items, folders = [], {path.partition("/")[0] for path in entries if "/" in path}
        for path, (mode, content) in entries.items():
            if "/" not in path:
                kind = "commit" if mode == MODULE else "blob"
                sha = content.decode() if mode == MODULE else blob(content)
                self._blobs[sha] = content
                items.append({"path": path, "mode": mode, "type": kind, "sha": sha, "size": len(content)})
        for folder in folders:
            below = {path[len(folder) + 1 :]: one for path, one in entries.items() if path.startswith(f"{folder}/")}
            items.append({"path": folder, "mode": "040000", "type": "tree", "sha": self._tree(below)})
        sha = hashlib.sha1(repr(sorted(items, key=repr)).encode()).hexdigest()
        self._trees[sha] = items
        return sha

    def _all(self, sha: str, prefix: str = "") -> list[dict[str, object]]:
        found = []
        for item in self._trees[sha]:
            found.append({**item, "path": f"{prefix}{item['path']}"})
            if item["type"] == "tree":
                found += self._all(str(item["sha"]), f"{prefix}{item['path']}/")
        return found

    def _answered(self, request: Request) -> Page:
        if self.answer:
            return self.answer
        if self.token and request.headers.get("authorization") not in (None, f"Bearer {self.token}"):
            return _refused(401, "Bad credentials")
        path, _, query = request.path.partition("?")
        raw = f"/{self.repo}/"
        if path.startswith(raw):
            commit, _, name = path.removeprefix(raw).partition("/")
            found = self._files[commit].get(unquote(name))
            return Page(found, "text/plain") if found is not None else Page(status=404)
        place = f"/repos/{self.repo}/"
        private = self.token and "authorization" not in request.headers
        if private or not path.startswith(place):
            return _refused(404, "Not Found")
        kind, _, name = path.removeprefix(place).rpartition("/")
        return self._object(kind, unquote(name), "recursive=1" in query, request)

    def _object(self, kind: str, name: str, recursive: bool, request: Request) -> Page:
        if kind == "commits":
            if not self.refs:
                return _refused(409, "Git Repository is empty.")
            if name not in self.refs:
                return _refused(422, f"No commit found for SHA: {name}")
            commit = self.refs[name]
            date = {"date": "2024-05-17T08:00:00Z"}
            return as_json({"sha": commit, "commit": {"committer": date, "tree": {"sha": self._commits[commit]}}})
        if kind == "git/trees" and name in self._trees:
            items = self._all(name) if recursive else self._trees[name]
            whole = not recursive or len(items) <= self.largest
            return as_json({"sha": name, "tree": items if whole else items[: self.largest], "truncated": not whole})
        if kind == "git/blobs" and name in self._blobs and "raw" in request.headers["accept"]:
            return Page(self._blobs[name], "application/vnd.github.raw+json")
        return _refused(404, "Not Found")


def _refused(status: int, message: str) -> Page:
    page = as_json({"message": message})
    return Page(page.body, page.media_type, status)
