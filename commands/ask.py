"""Answers out of the library."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.terminal import console, read_settings, run_to_end, say, tell, told_errors
from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
    from schema import Answer
    from settings import Settings


def ask(
    question: Annotated[str, typer.Argument(help="The question. / 问题。")],
    doc_sets: Annotated[
        list[str] | None, typer.Option("--set", help="In these sets alone. / 只在这些文档集里查。")
    ] = None,
    documents: Annotated[list[str] | None, typer.Option("--file", help="In these alone. / 只在这些文件里查。")] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", help="In these kinds alone, as `list` shows them. / 只在这些类型里查。"),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Where the metadata say so. / 只在元数据相符的文件里查。"),
    ] = None,
    strategy: Annotated[str | None, typer.Option(help="Retrieval strategy. / 检索策略。")] = None,
) -> None:
    """Answer a question from what is stored, with its sources. / 根据已保存的文件回答，并列出来源。"""
    with told_errors():
        asked = {
            "doc_sets": doc_sets or (), "documents": documents or (), "strategy": strategy, "kinds": kinds or (),
            "where": [pair for one in where or () for pair in _pairs(one)],
        }  # fmt: skip
        raise typer.Exit(run_to_end(_ask(read_settings(), question, asked)))


def _pairs(given: str) -> Iterator[tuple[str, str | bool | int | float]]:
    """A condition; what reads like a number or like true is looked for as such, too. Raises CitewiseError."""
    name, equals, value = given.partition("=")
    if not (name and equals):
        raise CitewiseError(
            "settings",
            Message(zh=f"--where {given} 不是条件。", en=f"--where {given} is no condition."),
            [Message(zh="请写成 名称=值，如 author=Li。", en="Write NAME=VALUE, such as author=Li.")],
        )
    yield name, value
    with suppress(ValueError):
        if isinstance(meant := json.loads(value), bool | int | float):
            yield name, meant


async def _ask(settings: Settings, question: str, asked: dict[str, Any]) -> int:
    from contextlib import aclosing
    from uuid import uuid4

    from graph.asking import controls_for
    from graph.turns import Assistant, Request
    from nodes.events import Answered, Failed, PlanMade, Replied, Reset, Token

    assistant = await Assistant.open(settings)
    tell(assistant.library.notices)
    thread = f"once-{uuid4().hex}"
    try:
        controls = controls_for(assistant.library, **asked, evaluate=False)
        async with aclosing(assistant.run_turn(Request(thread, question, controls=controls))) as events:
            async for event in events:
                match event:
                    case Token(text) | Replied(text):
                        sys.stdout.write(text)
                        sys.stdout.flush()
                    case Reset(reason):
                        console.print(f"\n… {say(reason)}", markup=False, soft_wrap=True)
                    case PlanMade(_, notices):
                        tell(notices)
                    case Answered(answer):
                        print()
                        tell(answer.notices)
                        _show_sources(answer)
                    case Failed(error):
                        raise error
    finally:
        await assistant.forget(thread)
        await assistant.close()
    print()
    return 0


def _show_sources(answer: Answer) -> None:
    """Where each cited source stands, and its address; what its lines do not support is said."""
    from answering.places import link_to, place_of

    cited = [citation for statement in answer.statements for citation in statement.citations]
    for number, hit in enumerate(answer.sources, 1):
        if here := [citation for citation in cited if citation.marker == number]:
            path = " › ".join(filter(None, [hit.doc_set, hit.document, *hit.headings]))
            line = f"[{number}] {path} ({say(place_of(hit, here))})  {link_to(hit, here)}".rstrip()
            console.print(line, markup=False, soft_wrap=True)
    doubtful = [one.text for one in answer.statements if one.checkable and one.comparable and not one.supported]
    for text in doubtful:
        console.print(f"⚠ {say(_DOUBTFUL)} {text}", markup=False, soft_wrap=True)


_DOUBTFUL = Message(zh="引用的原文不支持：", en="The cited lines do not support:")
