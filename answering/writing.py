"""A model's answer from evidence: in one call where the evidence fits, else in two rounds."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from answering.prompts import ANSWER, NOTES, from_notes, from_sources
from errors import ModelError
from evaluation.citations import CheckedSources, check_answer
from providers.llm import CutOff, Model, Restart
from schema import Hit, Language, Message

LONGEST = 20_000  # characters of an answer: a model that has not come to its end by then turns in circles
LONGEST_NOTE = 10_000  # characters

_marker = re.compile(r"[\[［【]\s*\d")


async def write_answer(
    model: Model, question: str, language: Language, parts: Sequence[Sequence[Hit]], context: str = ""
) -> AsyncGenerator[str | Restart | CutOff | Message, None]:
    """The answer as it comes: text, restarts, notices, and what cuts it short. Sources are numbered through all parts;
    `context` is read beside them where they are one. Raises ModelError.

    With several parts, each is read by a call of its own, side by side, and one streamed call makes the answer of their
    notes. A row of refinements would take a trip to the model for each part instead of two, hand each mistake on to the
    next call, and give the last part the last word, although the first one holds the best evidence.
    """
    numbered, deadline = _numbered(parts), model.deadline()
    prompt = from_sources(ANSWER, question, language, numbered[0], context)
    if len(parts) > 1:
        notes, unread = await _take_notes(model, question, language, numbered, deadline)
        if unread:
            yield _unread(unread)
        if len(notes) == 1:  # nothing to merge
            yield notes[0]
            return
        if notes:
            prompt = from_notes(question, language, notes)
    async with aclosing(model.stream(prompt, purpose="answer", deadline=deadline)) as pieces:
        async for piece in pieces:
            yield piece


def cut_short_notice(cut: CutOff, text: str, sources: CheckedSources) -> Message:
    """What is to be said of an answer that was cut. Raises ModelError where it went in circles, and nothing before
    them holds by its source: then there is no answer."""
    why = cut.why
    if why.kind == "loop" and not any(
        one.supported or not one.comparable for one in check_answer(text, sources) if one.citations
    ):
        raise ModelError(why.message, why.remedy)
    return Message(
        zh=f"{why.message.zh}回答在此中断，并不完整。{why.remedy.zh}",
        en=f"{why.message.en} The answer breaks off here and is not complete. {why.remedy.en}",
    )


def _numbered(parts: Sequence[Sequence[Hit]]) -> list[list[tuple[int, Hit]]]:
    first, numbered = 1, []
    for part in parts:
        numbered.append(list(enumerate(part, first)))
        first += len(part)
    return numbered


async def _take_notes(
    model: Model, question: str, language: Language, numbered: Sequence[Sequence[tuple[int, Hit]]], deadline: float
) -> tuple[list[str], int]:
    """What the parts say on the question, of those that say anything, and how many sources could not be read."""
    prompts = [from_sources(NOTES, question, language, part) for part in numbered]
    async with asyncio.TaskGroup() as group:  # one that is stopped stops all
        tasks = [group.create_task(_note(model, prompt, deadline)) for prompt in prompts]
    found = [task.result() for task in tasks]
    failed = [one for one in found if isinstance(one, ModelError)]
    if len(failed) == len(found):
        raise failed[0]
    notes = [one for one in found if isinstance(one, str) and _marker.search(one)]
    return notes, sum(len(part) for part, one in zip(numbered, found, strict=True) if isinstance(one, ModelError))


async def _note(model: Model, prompt: Sequence[tuple[str, str]], deadline: float) -> str | ModelError:
    try:
        return (await model.write(prompt, purpose="refine", deadline=deadline))[:LONGEST_NOTE]
    except ModelError as error:
        return error


def _unread(count: int) -> Message:
    return Message(
        zh=f"有 {count} 个来源没有读成（模型没有回答），答案可能不完整。",
        en=f"{count} source{'s' * (count != 1)} could not be read (the model did not answer): the answer may lack "
        "something.",
    )


BREAKS_OFF = Message(zh="……", en=" …")  # stands where an answer was cut short
TOO_LONG = Message(zh="模型的回答太长，已在此处截断。", en="The model's answer was too long and is cut off here.")
