"""What a page or a file goes through, stage by stage: everything that is registered, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from rich.text import Text

from commands.terminal import errors_without_trace, print_message, program_settings, wide
from schema import EmbeddingName, Message

if TYPE_CHECKING:
    from settings import Settings

Kind = Literal["search", "fetch", "clean", "extract", "chunk", "embed", "retrieve", "rerank"]
_SHOWN = 8  # endings of a reader's files


class Stage(NamedTuple):
    """One way to do a step; `note` says what it is for, or what it lacks."""

    kind: Kind
    name: str
    available: bool
    note: Message


def stages() -> None:
    """List who searches, fetches, reads, sums up, chunks, embeds, retrieves, reranks: what is there, what others lack.

    列出搜索、抓取、读取、要点提取、切片、嵌入、检索和重排各有哪些：哪些可用，哪些缺什么。
    """
    from rich.table import Table

    with errors_without_trace():
        found = list(registered_stages(program_settings()))
    for kind, of_kind in groupby(found, key=lambda one: one.kind):
        table = Table(
            box=None, pad_edge=False, show_header=False, title=print_message(_KINDS[kind]), title_justify="left"
        )
        for one in of_kind:
            table.add_row(
                "  ✓" if one.available else "  –", Text(one.name), Text(print_message(one.note), overflow="fold")
            )
        wide().print(table)


def registered_stages(settings: Settings) -> Iterator[Stage]:
    """In the order in which a page goes through them."""
    yield from _sources(settings)
    for fetcher, note in _FETCHERS.items():
        yield Stage("fetch", fetcher, True, note)
    yield from _readers()
    yield from _by_model(settings)
    from ingestion.chunking import CHUNKERS

    for cutter in CHUNKERS:
        yield Stage("chunk", cutter, True, _DEFAULT if cutter == settings.chunker else _NOTHING)
    yield from _embedders(settings)
    yield from _strategies(settings)
    yield from _rerankers(settings)


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
        yield Stage("clean", name, True, Message(zh=shown, en=shown))


def _by_model(settings: Settings) -> Iterator[Stage]:
    from web.extracting import EXTRACTORS, ExtractionAids

    for name, make in EXTRACTORS.items():
        if make(ExtractionAids()) is not None:
            yield Stage("extract", name, True, _NOTHING)
        else:
            yield Stage("extract", name, *_model(settings))


def _embedders(settings: Settings) -> Iterator[Stage]:
    from providers.embeddings import chosen

    lacks = {
        "tfidf": _no_module("scipy", "scipy"),
        "hashing": None,
        "onnx": _no_module("fastembed", "uv sync --extra local"),
        "sentence-transformers": _no_module("sentence_transformers", "uv sync --extra st"),
        "openai": _unset(settings.embedding_api_key or settings.openai_api_key, "OPENAI_API_KEY"),
        "dashscope": _unset(settings.embedding_api_key or settings.dashscope_api_key, "DASHSCOPE_API_KEY"),
        "ollama": None,
        "compatible": _unset(settings.embedding_base_url, "CITEWISE_EMBEDDING_BASE_URL"),
    }
    default = chosen(settings).provider
    for name in get_args(EmbeddingName):
        if name != "auto":
            lack = lacks[name]
            note = _WHILE_OLLAMA if name == "ollama" else _NOTHING
            yield Stage("embed", name, lack is None, lack or (_DEFAULT if name == default else note))


def _rerankers(settings: Settings) -> Iterator[Stage]:
    from providers.rerankers import open_reranker
    from providers.rerankers.kinds import KINDS, missing

    used = open_reranker(settings)
    default = "llm" if settings.reranker == "llm" else used.name if used else ""
    if used:
        used.close()
    model_there, model_note = _model(settings)
    lacks = {"onnx": _no_module("fastembed", "uv sync --extra local"), "llm": None if model_there else model_note}
    for kind in KINDS:
        lack = missing(settings.model_copy(update={"reranker_type": kind}))
        lacks[kind] = lack.suggestions[0] if lack else None
    for name, problem in lacks.items():
        yield Stage("rerank", name, problem is None, problem or (_DEFAULT if name == default else _NOTHING))


def _no_module(module: str, remedy: str) -> Message | None:
    return None if find_spec(module) else Message(zh=f"缺少软件包：{remedy}", en=f"a package is missing: {remedy}")


def _unset(value: object, variable: str) -> Message | None:
    return None if value else Message(zh=f"没有设置 {variable}", en=f"{variable} is not set")


def _strategies(settings: Settings) -> Iterator[Stage]:
    from retrieval.strategies import STRATEGIES

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
        return True, _WHILE_OLLAMA
    names = [provider.label for provider in chain if provider.name != "ollama"]
    return True, Message(zh="、".join(names), en=", ".join(names))


_KINDS: dict[Kind, Message] = {
    "search": Message(zh="搜索来源", en="Search sources"),
    "fetch": Message(zh="抓取", en="Fetchers"),
    "clean": Message(zh="读取与清洗（按文件类型）", en="Readers and cleaners, by type of file"),
    "extract": Message(zh="要点提取", en="Extractors"),
    "chunk": Message(zh="切片方式", en="Chunkers"),
    "embed": Message(zh="嵌入", en="Embedders"),
    "retrieve": Message(zh="检索策略", en="Retrieval strategies"),
    "rerank": Message(zh="重排", en="Rerankers"),
}
_FETCHERS = {
    "page": Message(zh="网页和其中的文件", en="web pages, and files of the web"),
    "github": Message(zh="GitHub 上的一个文件", en="a file on GitHub"),
    "website": Message(zh="整个网站", en="a whole website"),
    "repository": Message(zh="GitHub 仓库", en="a GitHub repository"),
}
_NOTHING = Message(zh="", en="")
_WHILE_OLLAMA = Message(zh="在 Ollama 应答时", en="while Ollama answers")
_DEFAULT = Message(zh="默认", en="the default")
_NOT_NAMED = Message(zh="设置 CITEWISE_WEB_SEARCH 里没有它", en="the setting CITEWISE_WEB_SEARCH does not name it")
_NO_MODEL = Message(zh="缺少语言模型（见 .env.example）", en="a language model is missing (see .env.example)")
