"""Answers out of the library."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from commands.terminal import console, read_settings, run_to_end, say, tell, told_errors
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
    strategy: Annotated[str | None, typer.Option(help="Retrieval strategy. / 检索策略。")] = None,
) -> None:
    """Answer a question from what is stored, with its sources. / 根据已保存的文件回答，并列出来源。"""
    with told_errors():
        raise typer.Exit(run_to_end(_ask(read_settings(), question, doc_sets or (), documents or (), strategy)))


async def _ask(
    settings: Settings, question: str, doc_sets: Sequence[str], documents: Sequence[str], strategy: str | None
) -> int:
    from contextlib import aclosing
    from uuid import uuid4

    from graph.asking import controls_for
    from graph.turns import Assistant, Request
    from nodes.events import Answered, Failed, PlanMade, Replied, Reset, Token

    assistant = await Assistant.open(settings)
    tell(assistant.library.notices)
    thread = f"once-{uuid4().hex}"
    try:
        controls = controls_for(assistant.library, doc_sets, documents, strategy, evaluate=False)
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
