"""What people said of answers."""

from __future__ import annotations

import sys

import typer

from commands.safety import Folder
from commands.terminal import errors_without_trace, kept_folder, print_message, read_settings
from schema import Message


def feedback(folder: Folder = None) -> None:
    """Write every thumb and word as a line of JSON. / 导出全部评价，每行一个 JSON。"""
    from stores.feedback import FEEDBACK, FeedbackStore
    from stores.selection import open_shared

    with errors_without_trace():
        if folder:
            store = FeedbackStore.in_file(kept_folder(folder, FEEDBACK) / FEEDBACK)
        else:
            store = open_shared(read_settings()).feedback
        try:
            for line in store.export():
                typer.echo(line.encode() + b"\n", nl=False)
            counts = store.counts()
        finally:
            store.close()
    share = "" if counts.share is None else f"  ({counts.share:.0%} 👍)"
    print(print_message(_NONE) if counts.share is None else f"👍 {counts.up}  👎 {counts.down}{share}", file=sys.stderr)


_NONE = Message(zh="还没有评价。在页面的回答下点 👍 或 👎。", en="No feedback yet: press 👍 or 👎 below an answer.")
