"""What is kept only to be faster: how much it is; cleared on demand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.terminal import console, errors_without_trace, print_message, read_settings, show, without_event_loop
from schema import Message

if TYPE_CHECKING:
    from settings import Settings
    from stores.caches import CacheName, CacheRegistry, CacheSize


def cache(
    clear: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Empty this one: answers, pages, vectors, or all. / 清空它；all：全部。"),
    ] = None,
) -> None:
    """Show what is kept only to be faster, or clear it; documents and conversations stay. The program may be running.

    显示或清空缓存；文件和对话不受影响，程序可以正在运行。
    """
    with errors_without_trace(), without_event_loop():
        caches = _in_folder(read_settings())
        if clear:
            _show(caches.clear(*([] if "all" in clear else clear)))
            show(_CLEARED)
        else:
            _show(caches.sizes())


def _in_folder(settings: Settings) -> CacheRegistry:
    """Those in files: what a running program remembers in memory goes when it ends."""
    from stores.answers import AnswerStore
    from stores.caches import CacheRegistry
    from stores.selection import open_shared
    from stores.vector_cache import VectorCache

    folder = Path(settings.data_dir)
    return CacheRegistry({
        "answers": AnswerStore(folder / "answers.sqlite", settings.answer_cache, settings.answer_cache_days),
        "pages": open_shared(settings).pages,
        "vectors": VectorCache(folder / "vectors.db", settings.embedding_cache_mb),
    })  # fmt: skip


def _show(sizes: dict[CacheName, CacheSize]) -> None:
    from stores.caches import ABOUT

    for name, size in sizes.items():
        console.print(
            f"{name:<8}  {size.entries:>10,}  {size.bytes / 1e6:>10,.1f} MB  {print_message(ABOUT[name])}", markup=False
        )


_CLEARED = Message(zh="已清空。", en="Cleared.")
