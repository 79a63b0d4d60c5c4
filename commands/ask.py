"""Answers out of the library."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from commands.terminal import (
    errors_without_trace,
    named_value,
    print_message,
    print_notices,
    read_line,
    read_settings,
    show,
    without_event_loop,
)
from errors import CitewiseError
from schema import Message, WebPolicy

if TYPE_CHECKING:
    from commands.turns import Turns
    from doors.result_forms import AskResult, Problem
    from doors.turn_stream import Happening
    from settings import Settings

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
    with errors_without_trace(), without_event_loop():
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
        from commands.turns import Turns

        turns = runner.run(Turns.open(settings))
        try:
            if not wish.as_json:
                print_notices(turns.notices)
            asked, offered = runner.run(_turn(turns, wish))
            if offered and not wish.as_json and _ask_consent(offered):
                asked, _ = runner.run(_turn(turns, wish, agree=True))
        finally:
            runner.run(turns.close())
        if wish.as_json:
            _print_json(asked.model_dump(mode="json"))
        else:
            print()


async def _turn(turns: Turns, wish: _Wish, **more: Any) -> tuple[AskResult, Problem | None]:
    """What was answered, and offered. All is told as it happens, unless it is printed as JSON at the end.

    Raises CitewiseError.
    """
    given = {"question": wish.question, **wish.asked, **wish.overrides, "evaluate": wish.evaluate, **more}
    offered = asked = None
    async with aclosing(turns.run(**given, web_policy=wish.web)) as turn_stream:
        async for one in turn_stream:
            asked = one.asked or asked
            if one.offer:
                offered = one.offer
            if not wish.as_json:
                _show(one)
    if asked is None:  # the program that answers has ended in between
        raise CitewiseError(
            "internal",
            Message(zh="回答没有说完就中断了。", en="The answer broke off."),
            Message(
                zh="请检查网页程序是否还在运行，然后重试。", en="See that the page's program still runs, and try again."
            ),
        )
    if wish.evaluate and not wish.as_json and asked.verdict:
        _show_verdict(asked.verdict.model_dump())
    return asked, offered


def _show(one: Happening) -> None:
    if one.text:
        sys.stdout.write(one.text)
        sys.stdout.flush()
    if one.begins_anew:
        show(f"\n… {print_message(one.begins_anew)}")
    if one.fetching:
        show(f"… {print_message(_FETCHING)} {one.fetching}")
    print_notices(_in_terminal(one.notices))
    if one.answered:
        print()
        print_notices(_in_terminal(one.answered.notices))
        for source in one.answered.sources:
            show(source)
        print_notices(_in_terminal(one.answered.doubts))
        show(f"{print_message(_CONFIDENCE)} {one.answered.confidence:.2f}")


def _in_terminal(notices: Sequence[Problem]) -> list[Message]:
    return [Message(zh=in_terminal(one.zh), en=in_terminal(one.en)) for one in notices]


def in_terminal(notice: str) -> str:
    """What programs are told to ask with, as it is written here."""
    return notice.replace("web=True", "--web always")


def _print_json(fields: dict[str, Any]) -> None:
    """As every door gives it, with each statement beside each source that it cites."""
    citations = [
        {"statement": statement["text"], **fields["sources"][source]}
        for statement in fields["statements"]
        for source in statement["sources"]
    ]
    print(json.dumps({**fields, "citations": citations}, ensure_ascii=False))


def _show_verdict(verdict: dict[str, Any]) -> None:
    """The scores there are, and the model's reasons."""
    scores = [
        f"{print_message(word)} {verdict[name]:.2f}" for name, word in _FIGURES.items() if verdict[name] is not None
    ]
    scores += [
        f"{print_message(word)} {verdict[name]}/5" for name, word in _SCORES.items() if verdict[name] is not None
    ]
    show(print_message(_COMMA).join(scores))
    for reason in [*verdict["reasons"], verdict["unjudged"]]:
        if reason:
            show(f"  {reason}")


def _ask_consent(offered: Problem) -> bool:
    """Asked where somebody can answer; else told how to have it done."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print_notices([Message(zh=f"{offered.zh}{_HOW.zh}", en=f"{offered.en} {_HOW.en}")])
        return False
    from planning.agreement import read_agreement

    try:
        return read_agreement(read_line(f"\n{print_message(offered)} [y/N] ")) is True
    except EOFError:
        return False


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
