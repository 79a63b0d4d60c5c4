"""Question sets that others have published, fetched with their licence."""

from __future__ import annotations

from typing import Annotated

import typer

from commands.lab_client import finish, open_laboratory
from commands.terminal import show
from schema import Message


def fetch(
    name: Annotated[str, typer.Argument(help="gsm8k, cmath, squad, cmrc, hotpot. / 公开问题集的名称。")],
    count: Annotated[int, typer.Option(min=1, help="How many cases, drawn at random. / 随机取多少题。")] = 100,
    address: Annotated[str, typer.Option(help="Of a copy of the same file. / 同一文件的其他下载地址。")] = "",
    documents: Annotated[
        bool, typer.Option(help="Store the texts that it is about as well. / 同时保存题目所依据的文章。")
    ] = True,
    seed: Annotated[int, typer.Option(help="The same seed, the same cases. / 随机种子。")] = 0,
) -> None:
    """Fetch a published question set, checked by its digest. / 下载公开的问题集，核对摘要并注明许可。"""

    async def work() -> int:
        async with open_laboratory() as laboratory:
            done = await laboratory.fetch(name, count, address=address, documents=documents, seed=seed)
        show(_FETCHED, name=done.name, cases=done.cases)
        if done.documents:
            show(_STORED, name=done.name, documents=done.documents)
        show(_LICENCE, licence=done.licence, by=done.by)
        show(_CHECKED if done.pinned else _PINNED, digest=done.digest)
        return 0

    finish(work())


_FETCHED = Message(
    zh="已下载 {cases} 题，存入问题集“{name}”。", en="Questions fetched: {cases}, kept as the set {name}."
)
_STORED = Message(
    zh="题目所依据的 {documents} 篇文章存入文档集“{name}”。",
    en="Documents that they are about: {documents}, stored in the document set {name}.",
)
_LICENCE = Message(
    zh="许可：{licence}（{by}）。许可和来源记在每道题里，转发时须一并保留。",
    en="Licence: {licence} ({by}). It is kept with the source in every case: keep both when you pass the set on.",
)
_CHECKED = Message(zh="摘要相符：SHA-256 {digest}", en="The digest matches: SHA-256 {digest}")
_PINNED = Message(
    zh="这个文件没有已知的摘要，这次无法核对；已记下它的 SHA-256：{digest}。以后下载都以此核对。",
    en="No digest of this file was known, so nothing was checked; later fetches are checked against this one: "
    "SHA-256 {digest}",
)
