"""What a person names as a source of a document set: a website or a repository of GitHub, and what of it is wanted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import quote, urldefrag, urljoin, urlsplit

from schema import AS_USUAL, Chunking, Message, Source
from web import problems
from web.base import WebError
from web.repositories import parse_repository
from web.sites import CrawlScope, site_key

_GITHUB = "https://github.com/"
_git = re.compile(r"git@|git\+https?://|(?:https?://)?(?:www\.)?github\.com(?:/|$)", re.IGNORECASE)
_short = re.compile(r"[\w-]+/[\w.-]+")  # a host has a dot before its path


def source_of(
    address: str,
    *,
    doc_set: str,
    prefix: str = "",
    patterns: Sequence[str] = (),
    ref: str = "",
    chunking: Chunking = AS_USUAL,
) -> Source:
    """Nothing is asked for yet. Raises WebError for what cannot be one."""
    text, prefix, ref = address.strip(), prefix.strip(), ref.strip()
    patterns = tuple(stripped for one in patterns if (stripped := one.strip()))
    if not doc_set.strip():
        raise WebError(
            Message(zh="没有说网站或仓库属于哪个文档集。", en="It was not said which document set the source is of."),
            Message(
                zh="请给出文档集的名字，没有时会新建。", en="Name a document set; where there is none, it is made."
            ),
        )
    if _git.match(text) or _short.fullmatch(text):
        if prefix:
            raise WebError(
                Message(zh="前缀只用于网站。", en="A prefix is for websites."),
                Message(
                    zh="仓库请给出文件夹的网址，或用文件模式。",
                    en="Of a repository, give the address of a folder, or patterns.",
                ),
            )
        return Source(0, doc_set, "github", _repository(text, ref), "", patterns, ref, chunking)
    if patterns or ref:
        raise WebError(
            Message(
                zh="文件模式和分支只用于 GitHub 仓库。", en="Patterns and a branch are for repositories of GitHub."
            ),
            Message(zh="网站请用前缀限定范围。", en="Of a website, a prefix says which part is wanted."),
        )
    url = _website(text)
    return Source(0, doc_set, "website", url, _prefix(url, prefix), chunking=chunking)


def same(one: Source, other: Source) -> bool:
    """Whether two of one set are one, however their addresses are written."""
    return one.kind == other.kind and _key(one) == _key(other)


def with_new_wishes(known: Source, given: Source) -> Source:
    """The one that is known with what is wanted of it now; of another part or commit nothing is known yet."""
    wanted = replace(
        known, prefix=given.prefix, patterns=given.patterns, ref=given.ref, chunking=given.chunking, problem=None
    )
    return wanted if (wanted.patterns, wanted.ref) == (known.patterns, known.ref) else replace(wanted, commit="")


def _key(source: Source) -> str:
    return source.address.lower() if source.kind == "github" else site_key(source.address)


def _repository(text: str, ref: str) -> str:
    found = parse_repository(re.sub(r"(?i)github\.com", "github.com", text, count=1))
    if ref and found.after_tree:
        raise WebError(
            Message(
                zh=f"网址“{problems.shown(text)}”里已有分支。",
                en=f'The address "{problems.shown(text)}" names a branch already.',
            ),
            Message(zh="请只在一处写分支。", en="Name the branch in one place only."),
        )
    tree = "/".join(quote(part) for part in found.after_tree)
    return f"{_GITHUB}{found.repo}" + (f"/tree/{tree}" if tree else "")


def _website(text: str) -> str:
    """As it was written, but for its scheme: a "/" at its end tells a folder from a page."""
    url = urldefrag(text if "://" in text else f"https://{text}").url
    try:
        site_key(url)
        if not urlsplit(url).username and not urlsplit(url).password:
            return url
    except ValueError:
        pass
    raise problems.no_address(text)


def _prefix(url: str, prefix: str) -> str:
    if not prefix:
        return ""
    whole = _website(urljoin(url, prefix))
    if not CrawlScope.of(whole).holds(url):
        raise _outside(url, whole)
    return whole


def _outside(url: str, prefix: str) -> WebError:
    shown, within = problems.shown(url), problems.shown(prefix)
    return WebError(
        Message(zh=f"“{shown}”不在前缀“{within}”之下。", en=f'"{shown}" is not below the prefix "{within}".'),
        Message(zh="请给出网站中更上一层的前缀。", en="Give a prefix further up in the site."),
    )
