"""Answers out of the library."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import aclosing, suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, get_args
from uuid import uuid4

import typer

from commands.terminal import console, in_order, read_line, read_settings, say, tell, told_errors
from errors import CitewiseError
from schema import Message, WebPolicy

if TYPE_CHECKING:
    from graph.request import Request
    from graph.turns import Assistant
    from nodes.events import Offer
    from schema import Answer
    from settings import Settings
    from web.visit import Gathered

Web = StrEnum("Web", {name: name for name in get_args(WebPolicy)})  # type: ignore[misc]  # as typer wants it


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
    web: Annotated[
        Web | None, typer.Option(help="Search the web for what the library lacks. / 知识库没有的，是否上网搜索。")
    ] = None,
) -> None:
    """Answer a question from what is stored, with its sources. / 根据已保存的文件回答，并列出来源。"""
    with told_errors(), in_order():
        asked = {
            "doc_sets": doc_sets or (), "documents": documents or (), "strategy": strategy, "kinds": kinds or (),
            "where": [pair for one in where or () for pair in _pairs(one)],
        }  # fmt: skip
        _ask(read_settings(), question, asked, web.value if web else None)


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


def _ask(settings: Settings, question: str, asked: dict[str, Any], web: str | None) -> None:
    """Answer, and again with what the web has if the person at the terminal agrees; who cannot be asked does not."""
    with asyncio.Runner() as runner:  # the question is put between two runs: there Ctrl-C ends it at once
        from graph.asking import controls_for
        from graph.request import Request
        from graph.turns import Assistant

        assistant = runner.run(Assistant.open(settings))
        tell(assistant.library.notices)
        thread = f"once-{uuid4().hex}"
        try:
            controls = controls_for(assistant.library, **asked, evaluate=False).model_copy(update={"web": web})
            offered = runner.run(_turn(assistant, Request(thread, question, controls=controls)))
            if offered and _agreed(offered):
                runner.run(_turn(assistant, Request(thread, controls=controls, agree=True)))
        finally:
            runner.run(_closed(assistant, thread))
    print()


async def _turn(assistant: Assistant, request: Request) -> Offer | None:
    """Tell what happens as it does. Raises CitewiseError."""
    from nodes.events import Answered, Failed, Offer, PlanMade, Replied, Reset, Token
    from web.visit import Gathered

    offered = None
    async with aclosing(assistant.run_turn(request)) as events:
        async for event in events:
            match event:
                case Token(text) | Replied(text):
                    sys.stdout.write(text)
                    sys.stdout.flush()
                case Reset(reason):
                    console.print(f"\n… {say(reason)}", markup=False, soft_wrap=True)
                case PlanMade(_, notices):
                    tell(notices)
                case Gathered():
                    _show_page(event)
                case Answered(answer):
                    print()
                    tell(answer.notices)
                    _show_sources(answer)
                case Offer():
                    offered = event
                case Failed(error):
                    raise error
    return offered


async def _closed(assistant: Assistant, thread: str) -> None:
    await assistant.forget(thread)
    await assistant.close()


def _agreed(offered: Offer) -> bool:
    """Asked where somebody can answer; else told how to have it done."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        tell([Message(zh=f"{offered.text.zh}{_HOW.zh}", en=f"{offered.text.en} {_HOW.en}")])
        return False
    from planning.agreement import read_agreement

    try:
        return read_agreement(read_line(f"\n{say(offered.text)} [y/N] ")) is True
    except EOFError:
        return False


def _show_page(event: Gathered) -> None:
    """Each page once as it is begun, and what went wrong with one; the run's own failure is a notice of the answer."""
    from web.problems import shown

    if event.stage == "fetch" and event.url:
        console.print(f"… {say(_FETCHING)} {shown(event.url)}", markup=False, soft_wrap=True)
    elif event.problem and event.url:
        tell([event.problem])


def _show_sources(answer: Answer) -> None:
    """What each cited source is called, when a page was fetched, its address; what its lines do not support is said."""
    from answering.doubts import doubts
    from answering.origins import fetched_on, title_of
    from answering.places import link_to, place_of
    from web.problems import shown

    cited = [citation for statement in answer.statements for citation in statement.citations]
    for number, hit in enumerate(answer.sources, 1):
        if here := [citation for citation in cited if citation.marker == number]:
            path = " › ".join(shown(" ".join(part.split())) for part in (hit.doc_set, *title_of(hit)) if part)
            told = [f"[{number}] {path} ({say(place_of(hit, here))})", say(fetched_on(hit.origin)), link_to(hit, here)]
            console.print("  ".join(filter(None, told)), markup=False, soft_wrap=True)
    tell([*doubts(answer.statements)])


_FETCHING = Message(zh="正在抓取", en="fetching")
_HOW = Message(zh="（加上 --web always 就会搜索。）", en="(--web always does.)")
