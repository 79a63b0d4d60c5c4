"""How a person names a repository, and which of its files are worth reading."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from schema import Message
from web.base import WebError

PATTERNS = (  # documentation and source code; what begins with "!" is left out again
    *(f"*.{ending}" for ending in (
        "md markdown txt html htm ipynb pdf docx py pyi java kt kts scala groovy go rs zig c h cc cpp cxx hh hpp hxx "
        "cu m mm cs fs vb php rb swift dart lua pl pm hs ex exs erl ml mli jl r js jsx mjs cjs ts tsx vue svelte sh "
        "bash zsh ps1 sql proto thrift graphql tf yaml yml toml"
    ).split()),
    "README", "LICENSE", "CHANGELOG", "CONTRIBUTING", "NOTICE", "AUTHORS", "Dockerfile", "Makefile", "CMakeLists.txt",
    "!**/.*", "!**/.*/**", "!**/node_modules/**", "!**/vendor/**", "!**/third_party/**", "!**/__pycache__/**",
    "!*.min.js", "!*.lock", "!pnpm-lock.yaml",
)  # fmt: skip
_owner = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})"
_short = re.compile(rf"({_owner})/([A-Za-z0-9._-]{{1,100}})")
_wildcards = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_MEANINGS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@dataclass(frozen=True, slots=True)
class RepositoryPath:
    """A repository, and the folder or file in it that is meant; "": all of it."""

    repo: str  # "owner/name"
    path: str = ""
    after_tree: tuple[str, ...] = ()  # of an address: a branch, tag or commit, and then the path


def parse_repository(text: str) -> RepositoryPath:
    """Of "owner/name" or an address at github.com. Raises WebError."""
    text = text.strip()
    if found := re.fullmatch(r"git@github\.com:(.+)", text):
        text = found[1]
    address = re.sub(r"^(?:git\+)?(?=https?://)", "", text)
    if address.startswith(("http://", "https://", "github.com/", "www.github.com/")):
        parts = _parts(address if "://" in address else f"https://{address}", text)
    else:
        parts = text.split("/")
    name = parts[1].removesuffix(".git") if len(parts) > 1 else ""
    if not _short.fullmatch(f"{parts[0]}/{name}") or not name.strip("."):
        raise _no_name(text)
    rest = [part for part in parts[2:] if part]
    if not rest:
        return RepositoryPath(f"{parts[0]}/{name}")
    if rest[0] not in ("tree", "blob", "commit") or len(rest) < 2 or {".", ".."} & set(rest):
        raise _no_name(text)
    return RepositoryPath(f"{parts[0]}/{name}", after_tree=tuple(rest[1:]))


def pattern_matcher(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a path is one of those that the patterns name: a name anywhere, or with "/" a path; "**" any folders.

    A pattern with "!" before it leaves out again; one that ends with "/" means all below that folder.
    """
    named = _any([one for one in patterns if not one.startswith("!")] or ["**"])
    left_out = _any([one[1:] for one in patterns if one.startswith("!")])
    return lambda path: named(path) and not left_out(path)


def _any(patterns: Sequence[str]) -> Callable[[str], bool]:
    patterns = [one.strip().removeprefix("./") for one in patterns]
    names = _compiled([one for one in patterns if "/" not in one and "**" not in one])
    paths = _compiled([one for one in patterns if "/" in one or "**" in one])
    return lambda path: bool(names.fullmatch(path.rpartition("/")[2]) or paths.fullmatch(path))


def _compiled(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(_translated, patterns)) or r"(?!)", re.DOTALL)


def _translated(pattern: str) -> str:
    pattern = f"{pattern}**" if pattern.endswith("/") else pattern
    pattern = pattern.lstrip("/")
    return "".join(_MEANINGS.get(piece) or re.escape(piece) for piece in _wildcards.findall(pattern))


def _parts(address: str, text: str) -> list[str]:
    try:
        split = urlsplit(address)
        host = (split.hostname or "").removeprefix("www.")
    except ValueError as error:
        raise _no_name(text) from error
    if host != "github.com" or split.username or split.port:
        raise _no_name(text)
    return unquote(split.path).strip("/").split("/")


def _no_name(text: str) -> WebError:
    return WebError(
        Message(
            zh=f"“{text[:150]}”不是 GitHub 仓库的名字或网址。", en=f'"{text[:150]}" names no repository of GitHub.'
        ),
        Message(
            zh="请写成 owner/name，或 https://github.com/owner/name（可带 /tree/分支/路径）。",
            en="Write owner/name, or https://github.com/owner/name (with /tree/branch/path if you like).",
        ),
    )


def no_repository(repo: str) -> WebError:
    return WebError(
        Message(
            zh=f"找不到仓库“{repo}”，或者它不是公开的。", en=f'The repository "{repo}" does not exist or is not public.'
        ),
        Message(
            zh="请检查名字；私有仓库需要有权读取它的 GITHUB_TOKEN。",
            en="Check its name; a private one needs a GITHUB_TOKEN that may read it.",
        ),
    )
