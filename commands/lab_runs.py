"""Runs of the lab: made, compared, reported."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from commands.lab_client import LabElsewhere, finish, named_cases, open_laboratory, open_records
from commands.lab_options import Answers, AsJson, Html, Markdown, QuestionSet
from commands.lab_output import RunBar, ask_for_cost, print_comparison, print_runs, write_text
from commands.terminal import language, show
from schema import Message

if TYPE_CHECKING:
    from evaluation.lab.cases import LabCase
    from graph.lab.laboratory import Laboratory
    from graph.lab.variants import Variant

MISSED, FAILURES = 1, 3  # status


def run(
    question_set: QuestionSet,
    strategy: Annotated[list[str] | None, typer.Option(help="Once for each. / 每种策略各跑一次。")] = None,
    top_k: Annotated[int | None, typer.Option(help="How many passages are read. / 读多少条。")] = None,
    rerank: Annotated[str | None, typer.Option(help="on, off, llm, onnx, cross-encoder. / 重排。")] = None,
    answers: Answers = False,
    judge: Annotated[bool, typer.Option("--judge", help="A model judges the answers. / 由模型评判。")] = False,
    name: Annotated[str | None, typer.Option(help="Of the run. / 运行的名字。")] = None,
    max_failures: Annotated[int, typer.Option(min=0, help="More of them: exit status 3. / 允许多少题出错。")] = 0,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask what it may cost. / 不询问费用。")] = False,
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Ask every question of a set. What was stopped goes on when it is run again. / 运行问题集；中断后重跑即继续。"""
    from graph.lab.variants import Variant

    async def work() -> int:
        named: list[str | None] = [*strategy] if strategy else [None]
        variants = [Variant.of(one, top_k=top_k, rerank=rerank) for one in named]
        async with open_laboratory() as laboratory:
            set_name, cases = await named_cases(laboratory, question_set)
            if await _only_for_models(laboratory, cases):
                show(_NEEDS_MODEL)
                return 0
            cost = (
                await laboratory.run_cost(len(cases) * len(variants), judge) if (answers or judge) and not yes else None
            )
            if cost and not ask_for_cost(cost):
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

    finish(work())


def compare(
    before: Annotated[str, typer.Argument(help="A run. / 之前的运行。")],
    after: Annotated[str, typer.Argument(help="Another one. / 之后的运行。")],
    gate: Annotated[
        list[str] | None, typer.Option(metavar="'FIGURE >= DIFFERENCE'", help="Such as 'recall@5 >= -0.02'. / 门槛。")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="A miss counts also by chance. / 偶然的也算。")] = False,
    html: Html = None,
    markdown: Markdown = None,
    as_json: AsJson = False,
) -> None:
    """Tell what is better and what is worse. Exit status 1 where a gate is missed by more than chance. /
    对比两次运行；门槛未达到（且并非偶然）时以 1 退出。"""
    from evaluation.lab.comparing import parse_gate
    from evaluation.lab.report import comparison_report

    async def work() -> int:
        async with open_records() as records:
            found = await records.compare(before, after, [parse_gate(one) for one in gate or ()])
        for path, text in zip((html, markdown), comparison_report(found, language()), strict=True):
            if path:
                write_text(path, text)
        print_comparison(found, as_json)
        return MISSED if any(one.sure or strict for one in found.missed) else 0

    finish(work())


def report(
    name: Annotated[str, typer.Argument(help="A run. / 一次运行。")], html: Html = None, markdown: Markdown = None
) -> None:
    """Write what a run came to; on the terminal as Markdown. / 输出运行报告，默认以 Markdown 打印。"""
    from evaluation.lab.report import run_report

    async def work() -> int:
        async with open_records() as records:
            texts = run_report(*await records.finished(name), language())
        for path, text in zip((html, markdown), texts, strict=True):
            if path:
                write_text(path, text)
        if html is None and markdown is None:
            sys.stdout.write(texts[1])
        return 0

    finish(work())


async def _only_for_models(laboratory: Laboratory | LabElsewhere, cases: Sequence[LabCase]) -> bool:
    """Problems without any evidence test the model and not the library."""
    return all(case.kind == "math" and not case.evidence for case in cases) and await laboratory.run_cost(1) is None


def _run_name(given: str | None, set_name: str, variant: Variant, several: bool) -> str:
    from graph.lab.running import new_run_name

    given = given or new_run_name(set_name)
    return f"{given}-{variant.strategy}" if several else given


_NEEDS_MODEL = Message(
    zh="这些是考模型的题，现在没有可用的模型，已跳过。",
    en="These are problems for a model, and there is none: nothing was asked.",
)
