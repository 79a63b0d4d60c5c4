"""The glossary from a terminal: terms as people translate them."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from commands.library_client import LibraryClient, with_client
from commands.terminal import show, show_table
from schema import Message

glossary = typer.Typer(no_args_is_help=True)

_One = Annotated[str, typer.Argument(help="A term. / 一个术语。")]
_Other = Annotated[str, typer.Argument(help="The same in the other language. / 它在另一种语言里的说法。")]


@glossary.callback()
def _of_glossary() -> None:
    """Chinese and English terms that stand for each other, before the dictionary. / 优先于词典的中英术语对照。"""


@glossary.command(name="list")
@with_client()
async def list_glossary(caller: LibraryClient) -> None:
    """Show all pairs. / 列出全部词对。"""
    from doors.glossary import GlossaryList

    pairs = GlossaryList.model_validate(await caller.call("list_glossary")).pairs
    show_table(_COLUMNS, [(one.chinese, one.english, one.document) for one in pairs], _EMPTY, right=())


@glossary.command(name="add")
@with_client()
async def add_pair(caller: LibraryClient, one: _One, other: _Other) -> None:
    """Add a pair, in whichever order. / 添加一对术语，顺序不限。"""
    done = await caller.call("change_glossary", add=[[one, other]])
    show(_ADDED, changed=done["changed"])


@glossary.command(name="remove")
@with_client()
async def remove_pair(caller: LibraryClient, one: _One, other: _Other) -> int:
    """Remove a pair; documents are left as they are. / 移除一对术语，不改动文件。"""
    done = await caller.call("change_glossary", remove=[[one, other]])
    show(_REMOVED, changed=done["changed"])
    return 0 if done["changed"] else 1


@glossary.command(name="import")
@with_client()
async def import_pairs(
    caller: LibraryClient,
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="CSV, Excel, Markdown ... / 表格文件。")],
) -> None:
    """Add the pairs of a table: one on each row. / 导入表格里的词对，每行一对。"""
    content = base64.b64encode(file.read_bytes()).decode()
    show(_IMPORTED, **await caller.call("import_glossary", name=file.name, base64=content))


_COLUMNS: Sequence[Message] = (
    Message(zh="中文", en="Chinese"),
    Message(zh="英文", en="English"),
    Message(zh="来自文件", en="from document"),
)
_EMPTY = Message(
    zh="还没有术语。用 cli.py glossary add 添加，或用 cli.py glossary import 导入表格。",
    en="No terms yet. Add one with: cli.py glossary add 北极星 Polaris, or a table with: cli.py glossary import FILE",
)
_ADDED = Message(zh="新增 {changed} 对。", en="Added: {changed}")
_REMOVED = Message(zh="移除 {changed} 对。", en="Removed: {changed}")
_IMPORTED = Message(
    zh="文件里有 {pairs} 对，新增 {changed} 对。", en="Pairs in the file: {pairs}, of which new: {changed}"
)
