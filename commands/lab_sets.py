"""Question sets of the lab: made, brought in, listed, written, deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.lab_client import finish, open_laboratory, open_records
from commands.lab_options import AsJson
from commands.lab_output import RunBar, ask_for_cost, print_json, show_dropped, write_text
from commands.terminal import show, show_table
from schema import Message

if TYPE_CHECKING:
    from evaluation.lab.cases import LabCase


def make(
    count: Annotated[int, typer.Option(min=1, help="How many at most. / 最多多少题。")] = 100,
    doc_set: Annotated[str | None, typer.Option("--set", help="Of this document set. / 只用这个文档集。")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A .jsonl or .csv file. / 写入文件。")] = None,
    name: Annotated[str, typer.Option(help="Of the set that keeps them. / 存入的问题集。")] = "self-made",
    seed: Annotated[int, typer.Option(help="The same seed, the same questions. / 随机种子。")] = 0,
    with_model: Annotated[bool, typer.Option("--model", help="A model makes them. / 由模型出题。")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask what it may cost. / 不询问费用。")] = False,
) -> None:
    """Make questions of the library itself, with or without a model. / 由知识库自动出题，用不用模型都可以。"""

    async def work() -> int:
        async with open_laboratory() as laboratory:
            if with_model:
                cost = None if yes else await laboratory.making_cost(count)
                if cost and not ask_for_cost(cost):
                    return 0
                with RunBar(name) as bar:
                    made = await laboratory.make_with_model(
                        count, doc_set=doc_set, seed=seed, on_progress=bar.count_asked
                    )
                cases, dropped = made.cases, made.dropped
            else:
                cases, dropped = await laboratory.make(count, doc_set=doc_set, seed=seed), {}
            await laboratory.put_set(name, cases)
        if output:
            write_set(output, cases)
        show(_MADE, count=len(cases), name=name)
        show_dropped(dropped)
        return 0

    finish(work())


def thumbs() -> None:
    """Keep the answers that people gave a thumb as the set `thumbs`; those with a thumb down lack the right answer. /
    把点过赞或踩的回答存成问题集 thumbs；点踩的还缺正确答案。"""

    async def work() -> int:
        async with open_laboratory() as laboratory:
            show(_IMPORTED, count=await laboratory.keep_thumbs(), name="thumbs")
        return 0

    finish(work())


def import_set(
    path: Annotated[Path, typer.Argument(help="JSONL, CSV, TSV, XLSX, YAML, JSON, or a BEIR folder. / 文件或文件夹。")],
    name: Annotated[str | None, typer.Option(help="Of the set; the file's if none. / 问题集名，默认同文件名。")] = None,
) -> None:
    """Keep a question set with the library, in place of the one of this name. / 导入问题集，覆盖同名的。"""
    from evaluation.lab.reading import read_set

    async def work() -> int:
        async with open_records() as records:
            count = await records.put_set(name or path.stem, await asyncio.to_thread(read_set, path))
        show(_IMPORTED, count=count, name=name or path.stem)
        return 0

    finish(work())


def export_set(
    name: Annotated[str, typer.Argument(help="A question set. / 问题集。")],
    output: Annotated[Path, typer.Option("--output", "-o", help="A .jsonl or .csv file. / 写入文件。")],
) -> None:
    """Write a question set into a file. / 把问题集写入文件。"""

    async def work() -> int:
        async with open_records() as records:
            write_set(output, await records.cases(name))
        return 0

    finish(work())


def list_all(as_json: AsJson = False) -> None:
    """Show the question sets and the runs. / 列出问题集和运行。"""

    async def work() -> int:
        async with open_records() as records:
            sets, runs = await records.sets(), await records.runs()
        if as_json:
            rows = [{"state": one.state, **one.info.model_dump(mode="json")} for one in runs]
            print_json({"sets": [one._asdict() for one in sets], "runs": rows})
            return 0
        show_table(_SET_COLUMNS, [(one.name, str(one.cases), one.changed) for one in sets], _NO_SETS, right={1})
        told = [(run.info.name, run.info.set_name, run.state, run.info.began) for run in runs]
        show_table(_RUN_COLUMNS, told, _NO_RUNS, right=())
        return 0

    finish(work())


def delete(
    run_name: Annotated[str | None, typer.Option("--run", help="A run, with its answers. / 一次运行及其回答。")] = None,
    set_name: Annotated[str | None, typer.Option("--set", help="A question set. / 一个问题集。")] = None,
) -> None:
    """Delete a run or a question set. / 删除运行或问题集。"""

    async def work() -> int:
        async with open_laboratory() as laboratory:
            if run_name:
                await laboratory.delete_run(run_name)
            if set_name:
                await laboratory.cases(set_name)
                await laboratory.delete_set(set_name)
        return 0

    finish(work())


def write_set(path: Path, cases: Sequence[LabCase]) -> None:
    from evaluation.lab.cases import to_jsonl
    from evaluation.lab.tables import to_csv

    write_text(path, to_csv(cases) if path.suffix == ".csv" else to_jsonl(cases))


_MADE = Message(zh="出了 {count} 题，存入问题集“{name}”。", en="Questions made: {count}, kept as the set {name}.")
_IMPORTED = Message(zh="导入 {count} 题，问题集“{name}”。", en="Questions: {count}, kept as the set {name}.")
_SET_COLUMNS = (
    Message(zh="问题集", en="set"), Message(zh="题数", en="questions"), Message(zh="修改时间", en="changed"),
)  # fmt: skip
_RUN_COLUMNS = (
    Message(zh="运行", en="run"), Message(zh="问题集", en="set"), Message(zh="状态", en="state"),
    Message(zh="开始时间", en="began"),
)  # fmt: skip
_NO_SETS = Message(
    zh="还没有问题集。用 cli.py lab make 自动出题，或用 cli.py lab import 导入。",
    en="No question sets yet. Make one with cli.py lab make, or import one with cli.py lab import.",
)
_NO_RUNS = Message(zh="还没有运行。", en="No runs yet.")
