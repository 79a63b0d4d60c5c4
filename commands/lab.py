"""The evaluation lab from a terminal: question sets, runs, comparisons, the choice of settings.

Exit status: 0 all is well, 1 a gate is missed, 2 wrong use, 3 a run has more failures than it may have.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.lab_output import RunBar, ask_for_cost, print_choice, print_comparison, print_json, print_runs, write_text
from commands.terminal import language, print_message, read_settings, run_to_end, show, show_table
from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
    from evaluation.lab.cases import LabCase
    from graph.lab.laboratory import Laboratory, LabRecords
    from graph.lab.variants import Variant

MISSED, WRONG_USE, FAILURES = 1, 2, 3
lab = typer.Typer(no_args_is_help=True)

_Json = Annotated[bool, typer.Option("--json", help="As JSON. / 输出 JSON。")]
_Set = Annotated[str, typer.Argument(metavar="SET", help="A question set, or a file of one. / 问题集或文件。")]
_Html = Annotated[Path | None, typer.Option(help="Write a report as one HTML file. / 写成一个 HTML 文件。")]
_Markdown = Annotated[Path | None, typer.Option(help="Write a report as Markdown. / 写成 Markdown。")]
_Answers = Annotated[bool, typer.Option("--answers", help="Ask for answers, not passages alone. / 也生成回答。")]


@lab.callback()
def _of_lab() -> None:
    """Question sets asked of the library, and what a change made better or worse. / 评测：问题集、运行、对比、选优。"""


@lab.command()
def make(
    count: Annotated[int, typer.Option(min=1, help="How many at most. / 最多多少题。")] = 100,
    doc_set: Annotated[str | None, typer.Option("--set", help="Of this document set. / 只用这个文档集。")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A .jsonl or .csv file. / 写入文件。")] = None,
    name: Annotated[str, typer.Option(help="Of the set that keeps them. / 存入的问题集。")] = "self-made",
    seed: Annotated[int, typer.Option(help="The same seed, the same questions. / 随机种子。")] = 0,
) -> None:
    """Make questions of the library itself, without a model. / 由知识库自动出题，不用模型。"""

    async def work() -> int:
        async with _laboratory() as laboratory:
            cases = await laboratory.make(count, doc_set=doc_set, seed=seed)
            await laboratory.put_set(name, cases)
        if output:
            _write_set(output, cases)
        show(_MADE, count=len(cases), name=name)
        return 0

    _finish(work())


@lab.command()
def thumbs() -> None:
    """Keep the answers that people gave a thumb as the set `thumbs`; those with a thumb down lack the right answer. /
    把点过赞或踩的回答存成问题集 thumbs；点踩的还缺正确答案。"""

    async def work() -> int:
        async with _laboratory() as laboratory:
            show(_IMPORTED, count=await laboratory.keep_thumbs(), name="thumbs")
        return 0

    _finish(work())


@lab.command(name="import")
def import_set(
    path: Annotated[Path, typer.Argument(help="JSONL, CSV, TSV, XLSX, YAML, JSON, or a BEIR folder. / 文件或文件夹。")],
    name: Annotated[str | None, typer.Option(help="Of the set; the file's if none. / 问题集名，默认同文件名。")] = None,
) -> None:
    """Keep a question set with the library, in place of the one of this name. / 导入问题集，覆盖同名的。"""
    from evaluation.lab.reading import read_set

    async def work() -> int:
        with _records() as records:
            count = await records.put_set(name or path.stem, await asyncio.to_thread(read_set, path))
        show(_IMPORTED, count=count, name=name or path.stem)
        return 0

    _finish(work())


@lab.command(name="export")
def export_set(
    name: Annotated[str, typer.Argument(help="A question set. / 问题集。")],
    output: Annotated[Path, typer.Option("--output", "-o", help="A .jsonl or .csv file. / 写入文件。")],
) -> None:
    """Write a question set into a file. / 把问题集写入文件。"""

    async def work() -> int:
        with _records() as records:
            _write_set(output, await records.cases(name))
        return 0

    _finish(work())


@lab.command(name="list")
def list_all(as_json: _Json = False) -> None:
    """Show the question sets and the runs. / 列出问题集和运行。"""

    async def work() -> int:
        with _records() as records:
            sets, runs = await records.sets(), await records.runs()
        if as_json:
            rows = [{"state": one.state, **one.info.model_dump(mode="json")} for one in runs]
            print_json({"sets": [one._asdict() for one in sets], "runs": rows})
            return 0
        show_table(_SET_COLUMNS, [(one.name, str(one.cases), one.changed) for one in sets], _NO_SETS, right={1})
        told = [(run.info.name, run.info.set_name, run.state, run.info.began) for run in runs]
        show_table(_RUN_COLUMNS, told, _NO_RUNS, right=())
        return 0

    _finish(work())


@lab.command()
def run(
    question_set: _Set,
    strategy: Annotated[list[str] | None, typer.Option(help="Once for each. / 每种策略各跑一次。")] = None,
    top_k: Annotated[int | None, typer.Option(help="How many passages are read. / 读多少条。")] = None,
    rerank: Annotated[str | None, typer.Option(help="on, off, llm, onnx, cross-encoder. / 重排。")] = None,
    answers: _Answers = False,
    judge: Annotated[bool, typer.Option("--judge", help="A model judges the answers. / 由模型评判。")] = False,
    name: Annotated[str | None, typer.Option(help="Of the run. / 运行的名字。")] = None,
    max_failures: Annotated[int, typer.Option(min=0, help="More of them: exit status 3. / 允许多少题出错。")] = 0,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask what it may cost. / 不询问费用。")] = False,
    html: _Html = None,
    as_json: _Json = False,
) -> None:
    """Ask every question of a set. What was stopped goes on when it is run again. / 运行问题集；中断后重跑即继续。"""
    from graph.lab.variants import Variant

    async def work() -> int:
        named: list[str | None] = [*strategy] if strategy else [None]
        variants = [Variant.of(one, top_k=top_k, rerank=rerank) for one in named]
        async with _laboratory() as laboratory:
            set_name, cases = await _cases(laboratory, question_set)
            if _only_for_models(laboratory, cases):
                show(_NEEDS_MODEL)
                return 0
            if answers and not (yes or ask_for_cost(laboratory.assistant, len(cases) * len(variants), judge)):
                return 0
            finished = []
            for variant in variants:
                with RunBar(variant.label or set_name) as bar:
                    finished.append(
                        await laboratory.run(
                            _run_name(name, set_name, variant, len(variants) > 1), set_name, cases, variant,
                            with_answers=answers or judge, with_judge=judge, on_progress=bar,
                        )
                    )  # fmt: skip
        if html:
            from evaluation.lab.report import run_report

            write_text(html, run_report(*finished[-1], language())[0])
        print_runs(finished, as_json)
        failures = max(sum(bool(row.failure) for row in one.results) for one in finished)
        return FAILURES if failures > max_failures else 0

    _finish(work())


@lab.command()
def compare(
    before: Annotated[str, typer.Argument(help="A run. / 之前的运行。")],
    after: Annotated[str, typer.Argument(help="Another one. / 之后的运行。")],
    gate: Annotated[
        list[str] | None, typer.Option(metavar="'FIGURE >= DIFFERENCE'", help="Such as 'recall@5 >= -0.02'. / 门槛。")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="A miss counts also by chance. / 偶然的也算。")] = False,
    html: _Html = None,
    markdown: _Markdown = None,
    as_json: _Json = False,
) -> None:
    """Tell what is better and what is worse. Exit status 1 where a gate is missed by more than chance. /
    对比两次运行；门槛未达到（且并非偶然）时以 1 退出。"""
    from evaluation.lab.comparing import parse_gate
    from evaluation.lab.report import comparison_report

    async def work() -> int:
        with _records() as records:
            found = await records.compare(before, after, [parse_gate(one) for one in gate or ()])
        for path, text in zip((html, markdown), comparison_report(found, language()), strict=True):
            if path:
                write_text(path, text)
        print_comparison(found, as_json)
        return MISSED if any(one.sure or strict for one in found.missed) else 0

    _finish(work())


@lab.command()
def choose(
    question_set: _Set,
    chunking: Annotated[bool, typer.Option("--chunking", help="Chunkers as well. / 也比较切分方式。")] = False,
    answers: _Answers = False,
    apply: Annotated[bool, typer.Option("--apply", help="Use what is surely better. / 采用更好的设置。")] = False,
    seed: Annotated[int, typer.Option(help="Of the split. / 划分的随机种子。")] = 0,
    as_json: _Json = False,
) -> None:
    """Find the best settings for the library by a set of at least 40 questions. / 用至少 40 题为知识库选设置。"""
    from graph.lab.candidates import candidates

    async def work() -> int:
        async with _laboratory() as laboratory:
            _, cases = await _cases(laboratory, question_set)
            assistant = laboratory.assistant
            tried = candidates(
                assistant.settings, reranks=assistant.library.reranker is not None,
                model=answers and assistant.chain.model() is not None, chunking=chunking,
            )  # fmt: skip
            with RunBar(question_set) as bar:
                found = await laboratory.choose(
                    cases, tried, with_answers=answers, seed=seed, on_progress=bar.count_asked
                )
            if apply and found.replaced:
                await laboratory.apply(found.chosen)
        print_choice(found, apply, as_json)
        return 0

    _finish(work())


@lab.command()
def delete(
    run_name: Annotated[str | None, typer.Option("--run", help="A run, with its answers. / 一次运行及其回答。")] = None,
    set_name: Annotated[str | None, typer.Option("--set", help="A question set. / 一个问题集。")] = None,
) -> None:
    """Delete a run or a question set. / 删除运行或问题集。"""

    async def work() -> int:
        async with _laboratory() as laboratory:
            if run_name:
                await laboratory.delete_run(run_name)
            if set_name:
                await laboratory.cases(set_name)
                await laboratory.delete_set(set_name)
        return 0

    _finish(work())


@lab.command()
def undo() -> None:
    """Take back what `choose --apply` has set last. / 撤销上次采用的设置。"""

    async def work() -> int:
        async with _laboratory() as laboratory:
            undone = await laboratory.undo()
        show(_UNDONE if undone else _NOTHING_TO_UNDO, label=undone.label if undone else "")
        return 0

    _finish(work())


@lab.command()
def report(
    name: Annotated[str, typer.Argument(help="A run. / 一次运行。")], html: _Html = None, markdown: _Markdown = None
) -> None:
    """Write what a run came to; on the terminal as Markdown. / 输出运行报告，默认以 Markdown 打印。"""
    from evaluation.lab.report import run_report

    async def work() -> int:
        with _records() as records:
            texts = run_report(*await records.finished(name), language())
        for path, text in zip((html, markdown), texts, strict=True):
            if path:
                write_text(path, text)
        if html is None and markdown is None:
            sys.stdout.write(texts[1])
        return 0

    _finish(work())


def _finish(work: Coroutine[None, None, int]) -> None:
    """Whatever a person can do something about is wrong use: status 1 says that a gate is missed, and nothing else."""
    try:
        raise typer.Exit(run_to_end(work))
    except CitewiseError as error:
        for line in (error.message, *error.suggestions):
            print(print_message(line), file=sys.stderr)
        raise typer.Exit(WRONG_USE) from error


@asynccontextmanager
async def _laboratory() -> AsyncIterator[Laboratory]:
    from graph.lab.laboratory import Laboratory
    from graph.turns import Assistant

    assistant = await Assistant.open(read_settings())
    try:
        yield Laboratory(assistant)
    finally:
        await assistant.close()


@contextmanager
def _records() -> Iterator[LabRecords]:
    """Beside whoever has the library open."""
    from graph.lab.laboratory import LabRecords
    from stores.selection import open_shared

    shared = open_shared(read_settings())
    try:
        yield LabRecords(shared.lab)
    finally:
        shared.close()


async def _cases(records: LabRecords, named: str) -> tuple[str, list[LabCase]]:
    """Of a file or folder, which is kept as a set, else of the set of this name."""
    from evaluation.lab.reading import read_set

    path = Path(named)
    if not await asyncio.to_thread(path.exists):
        return named, await records.cases(named)
    cases = await asyncio.to_thread(read_set, path)
    await records.put_set(path.stem, cases)
    return path.stem, cases


def _only_for_models(laboratory: Laboratory, cases: Sequence[LabCase]) -> bool:
    """Problems without any evidence test the model and not the library."""
    return laboratory.assistant.chain.model() is None and all(
        case.kind == "math" and not case.evidence for case in cases
    )


def _run_name(given: str | None, set_name: str, variant: Variant, several: bool) -> str:
    if given is None:
        from datetime import datetime

        given = f"{set_name} {datetime.now().astimezone():%m-%d %H:%M:%S}"
    return f"{given}-{variant.strategy}" if several else given


def _write_set(path: Path, cases: Sequence[Any]) -> None:
    from evaluation.lab.cases import to_jsonl
    from evaluation.lab.tables import to_csv

    write_text(path, to_csv(cases) if path.suffix == ".csv" else to_jsonl(cases))


_MADE = Message(zh="出了 {count} 题，存入问题集“{name}”。", en="Questions made: {count}, kept as the set {name}.")
_IMPORTED = Message(zh="导入 {count} 题，问题集“{name}”。", en="Questions: {count}, kept as the set {name}.")
_NEEDS_MODEL = Message(
    zh="这些是考模型的题，现在没有可用的模型，已跳过。",
    en="These are problems for a model, and there is none: nothing was asked.",
)
_UNDONE = Message(zh="已撤销：{label}。", en="Taken back: {label}")
_NOTHING_TO_UNDO = Message(zh="没有可撤销的设置。", en="There is nothing to take back.")
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
