"""Question sets that others have published, fetched under the guard that all pages are fetched under."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from typing import NamedTuple

from errors import CitewiseError
from evaluation.lab.cases import LabCase
from evaluation.lab.published_sets import PublishedSet, about_passages, passage_file, passages_of, published
from evaluation.lab.reading import parse_set
from graph.turns import Assistant
from schema import Document, Message
from settings import Settings
from text import detect_language
from web.fetch import Fetcher
from web.problems import PageError

_MOST_MB = 100  # HotpotQA has 46
_PATIENCE = 300.0  # seconds
_ACCEPT = ("application/json", "application/x-ndjson", "application/octet-stream", "text/plain")


class FetchedSet(NamedTuple):
    cases: list[LabCase]
    texts: dict[str, str]  # that they are about, by title
    digest: str
    licence: str
    by: str
    pinned: bool  # the digest was known before


async def fetch_set(
    settings: Settings, name: str, count: int, *, address: str = "", seed: int = 0, known: Sequence[LabCase] = ()
) -> FetchedSet:
    """So many of its cases, drawn at random. `address`: of a copy elsewhere, which has to be the same file. `known` are
    the cases that an earlier fetch has brought: what it was is pinned by it.

    Raises CitewiseError where it cannot be fetched, or is another file than it should be.
    """
    of = published(name)
    data = await _data(settings, address or of.address)
    digest = hashlib.sha256(data).hexdigest()
    expected = of.digest or _digest_of(known)
    if expected and digest != expected:
        raise _another_file(name, digest, expected, _RIGHT_ADDRESS if of.digest else _OR_DELETE)
    cases = parse_set(of.file, data)
    drawn = sorted(random.Random(seed).sample(range(len(cases)), min(count, len(cases))))
    taken = [_with_source(cases[place], of, address or of.address, digest) for place in drawn]
    if not of.passages:
        return FetchedSet(taken, {}, digest, of.licence, of.by, bool(expected))
    texts = passages_of(json.loads(data))
    wanted = {one.document for case in taken for one in case.evidence}
    about = {title: text for title, text in texts.items() if title in wanted}
    return FetchedSet(about_passages(taken, name), about, digest, of.licence, of.by, bool(expected))


async def store_texts(assistant: Assistant, texts: dict[str, str], doc_set: str) -> int:
    """The texts as documents of a set; returns when they can be found."""
    documents = [
        Document(passage_file(title), text, doc_set, language=detect_language(text) or "en", size=len(text.encode()))
        for title, text in texts.items()
    ]
    tasks = await assistant.library.add_documents(documents)
    await assistant.library.finished([task.id for task in tasks])
    return len(documents)


async def _data(settings: Settings, address: str) -> bytes:
    allowed = settings.model_copy(update={"web_max_mb": _MOST_MB, "web_timeout": _PATIENCE})
    try:
        async with Fetcher(allowed) as fetcher:
            return (await fetcher.fetch(address, accept=_ACCEPT)).data
    except PageError as error:
        raise CitewiseError("web", error.message, *error.suggestions, _BY_HAND) from error


def _with_source(case: LabCase, of: PublishedSet, address: str, digest: str) -> LabCase:
    """Where it comes from and what may be done with it goes along, whoever writes the set."""
    source = {"by": of.by, "licence": of.licence, "address": address, "digest": digest}
    return LabCase.model_validate({**case.model_dump(), "source": source})


def _digest_of(cases: Sequence[LabCase]) -> str:
    source = (cases[0].model_extra or {}).get("source") if cases else None
    return str(source.get("digest", "")) if isinstance(source, dict) else ""


def _another_file(name: str, digest: str, expected: str, remedy: Message) -> CitewiseError:
    return CitewiseError(
        "web",
        Message(
            zh=f"下载到的 {name} 与预期的不是同一个文件（SHA-256 {digest}，应为 {expected}）。什么也没有保存。",
            en=f"What was fetched as {name} is another file than expected (SHA-256 {digest} instead of {expected}). "
            "Nothing was kept.",
        ),
        remedy,
    )


_RIGHT_ADDRESS = Message(
    zh="请用 --address 给出原文件的地址。", en="Give the address of the original file with --address."
)
_OR_DELETE = Message(  # the first fetch has said what it is
    zh="请用 --address 给出原文件的地址；若确实要换成新的文件，请先删除这个问题集。",
    en="Give the address of the original file with --address; to have a newer file instead, delete the set first.",
)
_BY_HAND = Message(
    zh="也可以在能上网的机器上下载文件，再用 cli.py lab import 文件 导入。",
    en="Or fetch the file on a machine with a network, and bring it in with: cli.py lab import FILE",
)
