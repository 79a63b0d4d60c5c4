"""Answers out of the library."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, get_args
from uuid import uuid4

import typer

from commands.calling import running
from commands.terminal import console, in_order, named_value, read_line, read_settings, say, tell, told_errors
from commands.terminal import language as terminal_language
from errors import CitewiseError
from schema import Message, WebPolicy

if TYPE_CHECKING:
    from graph.heard import Heard
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
    language: Annotated[str | None, typer.Option(help="Of the answer: zh, en. / 回答的语言。")] = None,
    top_k: Annotated[int | None, typer.Option(help="How many passages are found. / 检索的条数。")] = None,
    min_similarity: Annotated[
        float | None, typer.Option(help="Of a passage that only its vector found. / 只由向量找到的段落至少多相似。")
    ] = None,
    min_confidence: Annotated[
        float | None, typer.Option(help="Below it an answer is called weak. / 低于它就说明不一定可靠。")
    ] = None,
    max_context_length: Annotated[
        int | None, typer.Option(help="Tokens of the sources that are read. / 最多读入多少词元的原文。")
    ] = None,
    rerank: Annotated[str | None, typer.Option(help="on, off, llm, cross-encoder, onnx. / 重排。")] = None,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Show how well retrieval and answer hold. / 显示评价。")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object. / 输出一个 JSON 对象。")] = False,
) -> None:
    """Answer a question from what is stored, with its sources. / 根据已保存的文件回答，并列出来源。"""
    with told_errors(), in_order():
        asked = {
            "doc_sets": doc_sets or (), "documents": documents or (), "strategy": strategy, "kinds": kinds or (),
            "where": [pair for one in where or () for pair in _pairs(one)],
        }  # fmt: skip
        overrides = {
            "language": language, "top_k": top_k, "min_similarity": min_similarity, "min_confidence": min_confidence,
            "max_context_length": max_context_length, "rerank": rerank,
        }  # fmt: skip
        wish = _Wish(question, asked, overrides, web.value if web else None, evaluate, as_json)
        _ask(read_settings(), wish)


@dataclass(frozen=True)
class _Wish:
    question: str
    asked: dict[str, Any]  # where to look, and how
    overrides: dict[str, Any]  # of the settings
    web: str | None
    evaluate: bool
    as_json: bool


def _pairs(given: str) -> Iterator[tuple[str, str | bool | int | float]]:
    """A condition; what reads like a number or like true is looked for as such, too. Raises CitewiseError."""
    name, value = named_value("--where", given)
    yield name, value
    with suppress(ValueError):
        if isinstance(meant := json.loads(value), bool | int | float):
            yield name, meant


def _ask(settings: Settings, wish: _Wish) -> None:
    """Answer, and again with what the web has if the person at the terminal agrees; who cannot be asked does not."""
    with asyncio.Runner() as runner:  # the question is put between two runs: there Ctrl-C ends it at once
        from graph.asking import controls_for
        from graph.heard import Heard
        from graph.request import Request
        from graph.turns import Assistant
        from stores.folder import FolderHeld

        try:
            assistant = runner.run(Assistant.open(settings))
        except FolderHeld as held:
            runner.run(_ask_elsewhere(settings, wish, held))
            return
        if not wish.as_json:
            tell(assistant.library.notices)
        thread, heard = f"once-{uuid4().hex}", Heard()
        try:
            controls = controls_for(
                assistant.library, **wish.asked, evaluate=wish.evaluate, overrides=wish.overrides
            ).model_copy(update={"web": wish.web})
            offered = runner.run(_turn(assistant, Request(thread, wish.question, controls=controls), heard, wish))
            if offered and not wish.as_json and _agreed(offered):
                runner.run(_turn(assistant, Request(thread, controls=controls, agree=True), heard, wish))
        finally:
            runner.run(_closed(assistant, thread))
        if wish.as_json:
            from doors.results import asked_of

            _print_json(asked_of(heard.answer()).model_dump(mode="json"))
        else:
            print()


async def _turn(assistant: Assistant, request: Request, heard: Heard, wish: _Wish) -> Offer | None:
    """Tell what happens as it does, unless all of it is printed as JSON at the end. Raises CitewiseError."""
    from nodes.events import Answered, Offer, PlanMade, Replied, Reset, Token
    from web.visit import Gathered

    offered = None
    async with aclosing(assistant.run_turn(request)) as events:
        async for event in events:
            heard.hear(event)
            if isinstance(event, Offer):
                offered = event
            if wish.as_json:
                continue
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
                    _show_confidence(answer.confidence)
    if wish.evaluate and not wish.as_json and heard.verdict is not None:
        from doors.results import verdict_of

        _show_verdict(verdict_of(heard.verdict, terminal_language()).model_dump())
    return offered


async def _ask_elsewhere(settings: Settings, wish: _Wish, held: CitewiseError) -> None:
    """By the program that has the library open; all of it is told at once."""
    async with running(settings, held) as caller:
        told = await caller.call(
            "ask", question=wish.question, **wish.asked, **wish.overrides, evaluate=wish.evaluate,
            web={"always": True, "never": False}.get(wish.web or ""),
        )  # fmt: skip
    if wish.as_json:
        _print_json(told)
        return
    print(told["answer"])
    tell([Message(one, one) for one in map(in_terminal, told["notices"])])
    for marker in sorted({one["marker"] for one in told["sources"]}):
        here = [one for one in told["sources"] if one["marker"] == marker]
        path = " › ".join(filter(None, [here[0]["doc_set"], here[0]["title"]]))
        places = ", ".join(dict.fromkeys(one["place"] for one in here))
        line = f"[{marker}] {path} ({places})"
        console.print("  ".join(filter(None, [line, here[0]["url"]])), markup=False, soft_wrap=True)
    if told["sources"]:
        _show_confidence(told["confidence"])
    if wish.evaluate and told["verdict"]:
        _show_verdict(told["verdict"])
    print()


def in_terminal(notice: str) -> str:
    """What programs are told to ask with, as it is written here."""
    return notice.replace("web=True", "--web always")


def _print_json(told: dict[str, Any]) -> None:
    """As every door gives it, with a citation for each statement and source that belong together."""
    citations = [
        {"statement": statement["text"], **source}
        for statement in told["statements"]
        for source in told["sources"]
        if source["marker"] in statement["markers"]
    ]
    print(json.dumps({**told, "citations": citations}, ensure_ascii=False))


def _show_confidence(confidence: float) -> None:
    console.print(f"{say(_CONFIDENCE)} {confidence:.2f}", markup=False)


def _show_verdict(verdict: dict[str, Any]) -> None:
    """The scores there are, and the model's reasons."""
    scores = [f"{say(word)} {verdict[name]:.2f}" for name, word in _FIGURES.items() if verdict[name] is not None]
    scores += [f"{say(word)} {verdict[name]}/5" for name, word in _SCORES.items() if verdict[name] is not None]
    console.print(say(_COMMA).join(scores), markup=False, soft_wrap=True)
    for reason in [*verdict["reasons"], verdict["unjudged"]]:
        if reason:
            console.print(f"  {reason}", markup=False, soft_wrap=True)


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
_CONFIDENCE = Message(zh="置信度", en="confidence")
_COMMA = Message(zh="，", en=", ")
_FIGURES = {
    "support": Message(zh="来源支持", en="support"),
    "mean_similarity": Message(zh="平均相似度", en="mean similarity"),
    "max_similarity": Message(zh="最高相似度", en="greatest similarity"),
    "diversity": Message(zh="多样性", en="diversity"),
}
_SCORES = {
    "faithfulness": Message(zh="忠实", en="faithfulness"),
    "relevance": Message(zh="切题", en="relevance"),
    "completeness": Message(zh="完整", en="completeness"),
}
_HOW = Message(zh="（加上 --web always 就会搜索。）", en="(--web always does.)")
