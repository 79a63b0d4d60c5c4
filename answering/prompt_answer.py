"""A model's whole answer to an enhanced prompt, as text or as an object, with its citations checked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from answering.writing import BREAKS_OFF, LONGEST, TOO_LONG, cut_short_notice
from errors import ModelError
from evaluation.citations import CheckedSources, CitationStream, check_answer
from evaluation.unsourced import mark_unsourced
from providers.llm import CutOff, Model, Prompt, Restart
from schema import Message, Statement
from text import language_of


@dataclass(frozen=True, slots=True)
class PromptAnswer:
    """`parsed` is None, and `error` says why, where there is no answer."""

    parsed: str | dict[str, Any] | None = (
        None  # markers without a source left out; others, and sentences without one, marked where they do not hold
    )
    raw: str | None = None  # as the model gave it; of an object, its JSON
    statements: tuple[Statement, ...] = ()
    notices: tuple[Message, ...] = ()
    cut_short: bool = False  # the model had more to say when its time or its room was over
    error: Message | None = None


async def answer_as_text(model: Model, prompt: Prompt, sources: CheckedSources) -> PromptAnswer:
    text_so_far, cut, notices = "", False, list[Message]()
    try:
        async with aclosing(model.stream(prompt, purpose="answer")) as pieces:
            async for piece in pieces:
                if isinstance(piece, Restart):
                    text_so_far = ""
                    notices.append(piece.reason)
                    continue
                if isinstance(piece, CutOff):
                    notices.append(await asyncio.to_thread(cut_short_notice, piece, text_so_far, sources))
                    cut = True
                    continue
                text_so_far += piece
                if len(text_so_far) > LONGEST:
                    text_so_far, cut = text_so_far[:LONGEST], True
                    notices.append(TOO_LONG)
                    break
    except ModelError as error:
        return PromptAnswer(notices=tuple(notices), error=error.in_full)
    if not text_so_far.strip():
        return PromptAnswer(raw=text_so_far, notices=tuple(notices), error=SILENT)
    shown, statements = await asyncio.to_thread(_marked, text_so_far, sources)
    shown += BREAKS_OFF.to(language_of(text_so_far)) if cut else ""
    return PromptAnswer(shown, text_so_far, statements, tuple(notices), cut)


async def answer_as_object(
    model: Model, prompt: Prompt, form: type[BaseModel], sources: CheckedSources
) -> PromptAnswer:
    """The form's fields, and further ones where it allows them."""
    try:
        filled = await model.fill(prompt, form, purpose="answer")
    except ModelError as error:
        return PromptAnswer(error=error.in_full)
    fields: dict[str, Any] = filled.model_dump(mode="json")

    def checked() -> tuple[dict[str, Any], tuple[Statement, ...]]:
        statements = [one for text in _texts(fields) for one in check_answer(text, sources)]
        shown = _all_shown(fields, sources)
        if isinstance(fields.get("answer"), str):  # prose; the other fields are words for programs
            shown["answer"], _ = _marked(fields["answer"], sources)
        return shown, tuple(dict.fromkeys(statements))  # its points may repeat what it says

    shown, statements = await asyncio.to_thread(checked)
    return PromptAnswer(shown, filled.model_dump_json(), statements)


def _marked(text: str, sources: CheckedSources) -> tuple[str, tuple[Statement, ...]]:
    statements = check_answer(text, sources)
    return mark_unsourced(_cited_text(text, sources), statements), statements


def _cited_text(text: str, sources: CheckedSources) -> str:
    stream = CitationStream(sources)
    return "".join(stream.shown(piece) for piece in stream.feed(text, final=True))


def _texts(value: Any) -> Iterator[str]:
    """All that is said in an object, wherever in it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _all_shown(value: Any, sources: CheckedSources) -> Any:
    if isinstance(value, dict):
        return {name: _all_shown(inner, sources) for name, inner in value.items()}
    if isinstance(value, list):
        return [_all_shown(inner, sources) for inner in value]
    return _cited_text(value, sources) if isinstance(value, str) else value


SILENT = Message(
    zh="模型没有给出回答。请重试，或换一个模型。", en="The model said nothing. Try again, or take another model."
)
