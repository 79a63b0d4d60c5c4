"""What a page or a file goes through, stage by stage: everything that is registered, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from rich.text import Text

from commands.terminal import read_settings, say, told_errors, wide
from schema import Message

if TYPE_CHECKING:
    from settings import Settings

Kind = Literal["search", "clean", "extract", "chunk", "retrieve"]
_SHOWN = 8  # endings of a reader's files


class Stage(NamedTuple):
    """One way to do a step; `note` says what it is for, or what it lacks."""

    kind: Kind
    name: str
    available: bool
    note: Message


def stages() -> None:
    """List search sources, readers, extractors, chunkers and strategies: what is there, and what the others lack.

    列出搜索来源、读取器、要点提取、切片方式和检索策略：哪些可用，哪些缺什么。
    """
    from rich.table import Table

    with told_errors():
        found = list(registered(read_settings()))
    for kind, of_kind in groupby(found, key=lambda one: one.kind):
        table = Table(box=None, pad_edge=False, show_header=False, title=say(_KINDS[kind]), title_justify="left")
        for one in of_kind:
            table.add_row("  ✓" if one.available else "  –", Text(one.name), Text(say(one.note), overflow="fold"))
        wide().print(table)


def registered(settings: Settings) -> Iterator[Stage]:
    """In the order in which a page goes through them."""
    yield from _sources(settings)
    yield from _readers()
    yield from _by_model(settings)
    yield from _cutters_and_strategies(settings)


def _sources(settings: Settings) -> Iterator[Stage]:
    from web.search import SOURCES

    for name, make in SOURCES.items():
        missing = make(settings).missing
        if name in settings.web_search:
            yield Stage("search", name, missing is None, missing or _NOTHING)
        else:
            yield Stage("search", name, False, _NOT_NAMED)


def _readers() -> Iterator[Stage]:
    from ingestion.readers import READERS

    endings: dict[str, list[str]] = {}
    for ending, reader in READERS.items():
        endings.setdefault(reader.__name__.removeprefix("read_"), []).append(f".{ending}" if ending else "")
    for name, known in endings.items():
        shown = " ".join(known[:_SHOWN]) + (f" … ({len(known)})" if len(known) > _SHOWN else "")
        yield Stage("clean", name, True, Message(shown, shown))


def _by_model(settings: Settings) -> Iterator[Stage]:
    from web.extracting import EXTRACTORS, Aids

    for name, make in EXTRACTORS.items():
        if make(Aids()) is not None:
            yield Stage("extract", name, True, _NOTHING)
        else:
            yield Stage("extract", name, *_model(settings))


def _cutters_and_strategies(settings: Settings) -> Iterator[Stage]:
    from ingestion.chunking import CHUNKERS
    from retrieval.strategies import STRATEGIES

    for cutter in CHUNKERS:
        yield Stage("chunk", cutter, True, _DEFAULT if cutter == settings.chunker else _NOTHING)
    for strategy in STRATEGIES:
        there, note = _model(settings) if strategy == "hyde" else (True, _NOTHING)
        yield Stage("retrieve", strategy, there, _DEFAULT if there and strategy == settings.strategy else note)


def _model(settings: Settings) -> tuple[bool, Message]:
    """Whether a language model can be asked."""
    from providers.catalog import configured

    chain = configured(settings)
    if not chain:
        return False, _NO_MODEL
    if all(provider.name == "ollama" for provider in chain):
        return True, Message(zh="在 Ollama 应答时", en="while Ollama answers")
    names = [provider.label for provider in chain if provider.name != "ollama"]
    return True, Message("、".join(names), ", ".join(names))


_KINDS: dict[Kind, Message] = {
    "search": Message(zh="搜索来源", en="Search sources"),
    "clean": Message(zh="读取与清洗（按文件类型）", en="Readers and cleaners, by type of file"),
    "extract": Message(zh="要点提取", en="Extractors"),
    "chunk": Message(zh="切片方式", en="Chunkers"),
    "retrieve": Message(zh="检索策略", en="Retrieval strategies"),
}
_NOTHING = Message("", "")
_DEFAULT = Message(zh="默认", en="the default")
_NOT_NAMED = Message(zh="设置 CITEWISE_WEB_SEARCH 里没有它", en="the setting CITEWISE_WEB_SEARCH does not name it")
_NO_MODEL = Message(zh="缺少语言模型（见 .env.example）", en="a language model is missing (see .env.example)")
