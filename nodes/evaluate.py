"""evaluate: how well retrieval and answer hold. Runs after the answer is on the page."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from answering.confidence import UNCERTAIN
from answering.evidence import hits_within_budget
from evaluation import metrics
from evaluation.citations import answer_support
from evaluation.judges import verdict_of_model
from nodes.context import TurnContext
from nodes.events import Evaluated, Traced
from nodes.state import Record, State
from schema import Answer, Evidence, Message, Verdict


async def evaluate(state: State, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    context, answer, evidence, emit = runtime.context, state["answer"], state["evidence"], runtime.context.emit
    verdict = None
    if answer.table is not None:
        verdict = Verdict(support=answer_support(answer.statements))
        emit(Evaluated(verdict))
    elif answer.sources:
        started = time.monotonic()
        judging = asyncio.create_task(_judged(context, state, answer))  # beside the figures
        try:
            figures = await asyncio.to_thread(_figures, context, evidence)
            support = answer_support(answer.statements[: len(answer.statements) - answer.quoted])
            emit(Evaluated(replace(figures, support=support)))
            verdict = replace(
                await judging,
                mean_similarity=figures.mean_similarity,
                max_similarity=figures.max_similarity,
                diversity=figures.diversity,
                support=support,
                seconds=time.monotonic() - started,
            )
            emit(Evaluated(verdict))
        finally:
            judging.cancel()
    emit(Traced(context.trace))
    coverage = state["coverage"]
    record = Record(plan=state["plan"], answer=answer, verdict=verdict, trace=context.trace, coverage=coverage)
    judged = verdict is not None and verdict.judged_by is not None
    if judged and coverage.covered and set(answer.notices) <= {UNCERTAIN}:
        await context.memory.keep(record)  # nothing went wrong on the way, and the web has nothing to add
    reply = state["messages"][-1]
    return {"messages": [record.message(str(reply.content), reply.id)]}


async def _judged(context: TurnContext, state: State, answer: Answer) -> Verdict:
    """The model's part of the verdict; empty without a model. Cited sources come first where not all fit."""
    if context.model is None or not state["controls"].evaluate:
        return Verdict()
    if answer.fallback_used:
        return Verdict(unjudged=NOT_BY_MODEL)
    cited = {citation.source for statement in answer.statements for citation in statement.citations}
    numbered = sorted(enumerate(answer.sources, 1), key=lambda one: one[0] - 1 not in cited)
    sources = hits_within_budget(numbered, context.settings.max_context_length)
    with context.timed("judge"):
        return await verdict_of_model(context.model, state["plan"].question, answer, sources)


NOT_BY_MODEL = Message(
    zh="没有模型回答，以上摘自原文，因此没有请模型评分。",
    en="no model answered: what is taken from the sources is not judged by one",
)


def _figures(context: TurnContext, evidence: Evidence) -> Verdict:
    """Retrieval figures in the library's embedding space."""
    question = context.library.question_vector(evidence.question)
    vectors = context.library.vectors([hit.chunk_id for hit in evidence.hits])
    vectors = vectors[vectors.any(axis=1)]  # a chunk may have none yet
    if question is not None and len(question) != vectors.shape[1]:  # another space has just come to serve
        question = None
    return Verdict(
        mean_similarity=None if question is None else metrics.mean_similarity(question, vectors),
        max_similarity=None if question is None else metrics.max_similarity(question, vectors),
        diversity=metrics.diversity(vectors),
    )
