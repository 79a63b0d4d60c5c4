"""The settings that are best for a library, chosen by a question set, and taken back."""

from __future__ import annotations

from typing import Annotated

import typer

from commands.lab_client import finish, named_cases, open_laboratory
from commands.lab_options import Answers, AsJson, QuestionSet
from commands.lab_output import RunBar, print_choice
from commands.terminal import show
from schema import Message


def choose(
    question_set: QuestionSet,
    chunking: Annotated[bool, typer.Option("--chunking", help="Chunkers as well. / 也比较切分方式。")] = False,
    embeddings: Annotated[
        bool, typer.Option("--embeddings", help="Embeddings of this machine as well. / 也比较本机的向量方式。")
    ] = False,
    answers: Answers = False,
    apply: Annotated[bool, typer.Option("--apply", help="Use what is surely better. / 采用更好的设置。")] = False,
    seed: Annotated[int, typer.Option(help="Of the split. / 划分的随机种子。")] = 0,
    as_json: AsJson = False,
) -> None:
    """Find the best settings for the library by a set of at least 40 questions. / 用至少 40 题为知识库选设置。"""

    async def work() -> int:
        async with open_laboratory() as laboratory:
            _, cases = await named_cases(laboratory, question_set)
            with RunBar(question_set) as bar:
                found = await laboratory.choose_settings(
                    cases,
                    chunking=chunking,
                    embeddings=embeddings,
                    with_answers=answers,
                    seed=seed,
                    on_progress=bar.count_asked,
                )  # fmt: skip
            if apply and found.replaced:
                await laboratory.apply(found.chosen)
        print_choice(found, apply, as_json)
        return 0

    finish(work())


def undo() -> None:
    """Take back what `choose --apply` has set last. / 撤销上次采用的设置。"""

    async def work() -> int:
        async with open_laboratory() as laboratory:
            undone = await laboratory.undo()
        show(_UNDONE if undone else _NOTHING_TO_UNDO, label=undone.label if undone else "")
        return 0

    finish(work())


_UNDONE = Message(zh="已撤销：{label}。", en="Taken back: {label}")
_NOTHING_TO_UNDO = Message(zh="没有可撤销的设置。", en="There is nothing to take back.")
