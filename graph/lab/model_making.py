"""Questions of the library that a model makes: asked for, tested, and what became of those that were not kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from errors import CitewiseError, ModelError
from evaluation.lab.cases import LabCase
from evaluation.lab.making import frequencies
from evaluation.lab.model_questions import (
    PASSAGE,
    Dropped,
    ModelQuestion,
    QuestionedPassage,
    ask_for_question,
    made_case,
    passages,
    why_dropped,
)
from evaluation.lab.wording import contains
from graph.lab.cost import RunCost, model_cost
from graph.turns import Assistant
from schema import Document, Message, Scope, SearchRequest

_AT_ONCE = 4  # questions that a model makes
_LOOKED_AT = 5  # passages of other documents that may answer a question
_TOKENS = PASSAGE + 300  # of a call, at most: a Chinese character is about one; form, prompt and answer


class MadeByModel(NamedTuple):
    cases: list[LabCase]
    dropped: dict[Dropped, int]


def making_cost(assistant: Assistant, count: int) -> RunCost | None:
    """Of asking for so many questions; None where there is no model to ask."""
    return model_cost(assistant, count, count * _TOKENS)


async def made_by_model(
    assistant: Assistant, documents: Sequence[Document], count: int, *, seed: int = 0,
    on_progress: Callable[[int], None] | None = None,
) -> MadeByModel:  # fmt: skip
    """From so many passages at most one question each. A model that fails costs questions, and never all of them.

    Raises CitewiseError where there is none.
    """
    model = assistant.chain.model()
    if model is None:
        raise _no_model()
    common = frequencies(documents)
    kept: dict[int, LabCase] = {}
    dropped: Counter[Dropped] = Counter()
    waiting = iter(enumerate(passages(documents, count, seed)))

    async def work() -> None:
        for place, passage in waiting:
            try:
                made = await ask_for_question(model, passage)
                why = why_dropped(made, passage, common) or await _elsewhere(assistant, made, passage)
            except ModelError:
                why = "failed"
            if why:
                dropped[why] += 1
            else:
                kept[place] = made_case(made, passage)
            if on_progress:
                on_progress(len(kept) + dropped.total())

    async with asyncio.TaskGroup() as group:
        for _ in range(_AT_ONCE):
            group.create_task(work())
    return MadeByModel([kept[place] for place in sorted(kept)], dict(dropped))


async def _elsewhere(assistant: Assistant, made: ModelQuestion, passage: QuestionedPassage) -> Dropped | None:
    """Whether the first passages without this document say the answer as well."""
    request = SearchRequest(made.question, "default", Scope(without=(passage.document.name,)), _LOOKED_AT)
    found = await assistant.library.evidence_for(request, model=None, settings=assistant.settings)
    held = any(contains(hit.text, [made.answer]) for hit in found.hits)
    return "answered_elsewhere" if held else None


def _no_model() -> CitewiseError:
    return CitewiseError(
        "model",
        Message(zh="没有可以出题的模型。", en="There is no model to make questions."),
        Message(
            zh="请设置 CITEWISE_LLM_MODEL，或不用 --model：程序自己也能出题。",
            en="Set CITEWISE_LLM_MODEL, or leave --model away: questions are made without a model as well.",
        ),
    )
