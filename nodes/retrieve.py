"""retrieve: from the plan's question to evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime

from nodes.context import Context, emitter
from nodes.events import EvidenceFound
from nodes.state import State
from planning.follow_up import looks_like_follow_up
from schema import EVERYWHERE, Evidence, Message, Plan, Scope
from text import search_tokens


async def retrieve(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    context, plan = runtime.context, state["plan"]
    library = context.library
    evidence = await context.early.take(plan)
    if evidence is None:
        scope = plan.scope or _uploaded(state)
        terms = _history_terms(plan, state["messages"])
        evidence = await library.search(plan.question, strategy=plan.strategy, scope=scope, extra_terms=terms)
        if not evidence.hits and scope.documents:
            evidence = await _opening(context, evidence, scope) or evidence
        if not evidence.hits and scope and not plan.scope:
            evidence = await library.search(plan.question, strategy=plan.strategy, extra_terms=terms)
    emitter(runtime)(EvidenceFound(evidence))
    return {"evidence": evidence}


def _uploaded(state: State) -> Scope:
    """Who uploads and asks in one message asks about the upload."""
    names = tuple(upload.name for upload in state["uploads"]) if state.get("saved") else ()
    return Scope(documents=names) if names else EVERYWHERE


def _history_terms(plan: Plan, messages: list[AnyMessage]) -> list[str]:
    """Terms of the question before, for a follow-up that no model has restated."""
    if plan.origin == "model" or not looks_like_follow_up(plan.question):
        return []
    earlier = [str(message.content) for message in messages[:-1] if message.type == "human"]
    return search_tokens(earlier[-1]) if earlier else []


async def _opening(context: Context, evidence: Evidence, scope: Scope) -> Evidence | None:
    """How the named documents begin: for a question such as "what is in it?", whose words stand in no text."""
    hits = await context.library.opening(scope, context.settings.top_k)
    if not hits:
        return None
    notice = Message(
        zh="没有与问题用词相符的内容，以下取自文件开头。",
        en="Nothing matches the words of the question; this is how the file begins.",
    )
    return replace(evidence, hits=tuple(hits), confidence=0.5, notices=(*evidence.notices, notice), overview=True)
