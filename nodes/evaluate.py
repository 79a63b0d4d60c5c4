"""evaluate: how well retrieval and answer hold. Runs after the answer is on the page."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from errors import ModelError
from evaluation import metrics
from evaluation.citations import mean_support
from evaluation.judges import judge
from nodes.context import Context, emitter
from nodes.events import Evaluated
from nodes.state import Record, State
from providers.llm import Model
from schema import Answer, Evidence, Verdict


async def evaluate(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    context, answer, evidence = runtime.context, state["answer"], state["evidence"]
    started = time.monotonic()
    if not answer.sources:
        return {"verdict": None}
    emit = emitter(runtime)
    verdict = replace(await asyncio.to_thread(_figures, context, evidence), support=mean_support(answer.statements))
    emit(Evaluated(verdict))
    if context.model is not None:
        verdict = await _judged(context.model, state["plan"].question, answer, verdict)
        verdict = replace(verdict, seconds=time.monotonic() - started)
        emit(Evaluated(verdict))
    said = state["messages"][-1]
    record = Record(plan=state["plan"], answer=answer, verdict=verdict)
    return {"verdict": verdict, "messages": [record.message(str(said.content), said.id)]}


async def _judged(model: Model, question: str, answer: Answer, verdict: Verdict) -> Verdict:
    try:
        found = await judge(model, question, answer, answer.sources)
    except ModelError as error:
        return replace(verdict, reasons=(error.message.to(answer.language),))
    return replace(
        verdict,
        faithfulness=found.faithfulness,
        relevance=found.relevance,
        completeness=found.completeness,
        reasons=(found.faithfulness_reason, found.relevance_reason, found.completeness_reason),
        judged_by=model.name,
    )


def _figures(context: Context, evidence: Evidence) -> Verdict:
    """Retrieval figures in the library's embedding space."""
    question = context.library.embed_sync([evidence.question])
    vectors = context.library.vectors([hit.chunk_id for hit in evidence.hits])
    return Verdict(
        mean_similarity=metrics.mean_similarity(question[0], vectors),
        max_similarity=metrics.max_similarity(question[0], vectors),
        diversity=metrics.diversity(vectors),
    )
