"""What the library could not answer."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from commands.safety import Folder
from commands.terminal import errors_without_trace, kept_folder, print_message, read_settings
from schema import Message


def unanswered(
    folder: Folder = None,
    csv: Annotated[bool, typer.Option("--csv", help="As CSV instead of JSON lines. / 输出 CSV。")] = False,
    clear: Annotated[bool, typer.Option("--clear", help="Empty the list. / 清空列表。")] = False,
) -> None:
    """Write the questions that found no answer, newest first; or forget them. / 导出没有找到答案的问题，或清空。"""
    from stores.selection import open_shared
    from stores.unanswered import UNANSWERED, UnansweredStore, as_csv, as_jsonl

    with errors_without_trace():
        if folder:
            store = UnansweredStore.in_file(kept_folder(folder, UNANSWERED) / UNANSWERED)
        else:
            store = open_shared(read_settings()).unanswered
        try:
            if clear:
                print(print_message(_CLEARED).format(store.clear()))
                return
            count = store.count()
            for line in (as_csv if csv else as_jsonl)(store.export()) if count else ():
                typer.echo(line.encode(), nl=False)
        finally:
            store.close()
    print(print_message(_COUNT if count else _NONE).format(count), file=sys.stderr)


_COUNT = Message(zh="{} 个问题没有找到答案。", en="Questions without an answer: {}")
_NONE = Message(zh="没有记录：每个问题都找到了答案。", en="None: every question has found its answer.")
_CLEARED = Message(zh="已清空 {} 个问题。", en="Forgotten: {}")
