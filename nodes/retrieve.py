"""retrieve: from the plan's question to evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from answering.outline_answer import MOST_SECTIONS, outline_answer
from library import Library
from nodes.compute import compute, query_for
from nodes.context import TurnContext
from nodes.events import EvidenceFound
from nodes.search_request import search_request, with_pages
from nodes.state import State, last_message, web_policy
from planning.missing_names import missing_name_notices
from planning.overview import asks_for_library, asks_for_overview
from planning.strategy import names_reranking
from retrieval.sections import merge_neighbours
from schema import EVERYWHERE, Evidence, Hit, Message, Plan, Scope, Step, Task, WebPolicy
from text import detect_language, language_of
from web.gate import is_covered

SHOWN = 300  # characters of an imagined passage


async def retrieve(state: State, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    context, plan = runtime.context, state["plan"]
    wanted = search_request(plan, state, context.library.known_names())
    if (run := state.get("web")) is not None:
        context.searches.forget()
        wanted, plan = with_pages(wanted, run), plan.model_copy(update={"anew": True})
    query = plan.table
    if state.get("saved") and state.get("given") is None:  # the tables of the uploads were not there yet
        query = await query_for(context, plan.asked, wanted.scope, plan.language)
    outcome = await compute(context, plan.model_copy(update={"table": query}), query) if query else None
    if isinstance(outcome, dict):
        context.searches.cancel()
        return outcome
    if context.model is not None and (remembered := await context.memory.find(plan, wanted)):
        context.searches.cancel()
        return {"remembered": remembered}
    evidence = await context.searches.take(wanted)
    scope, limited = wanted.scope, bool(wanted.scope)
    if not scope and asks_for_library(plan.asked):
        evidence = await _openings(context, evidence) or evidence
    elif scope.documents and (not evidence.hits or asks_for_overview(plan.asked, scope)):
        evidence = await _opening(context, evidence, scope, plan) or evidence
    if not evidence.hits and scope and not plan.scope:
        limited = False
        evidence = await context.searches.take(replace(wanted, scope=EVERYWHERE))
    context.searches.cancel()
    if outcome is not None:
        evidence = replace(evidence, notices=(outcome, *evidence.notices))
    if elsewhere := missing_name_notices(plan):
        evidence = replace(evidence, notices=(*elsewhere, *evidence.notices))
    ordered = names_reranking(last_message(state)) and not names_reranking(plan.asked)
    if plan.strategy == "hybrid" and ordered and context.library.reranker is None:
        evidence = replace(evidence, notices=(*evidence.notices, NO_RERANKER))
    if coming := await _hurried(context.library, scope):
        evidence = replace(evidence, notices=(*evidence.notices, _coming(coming, bool(scope))))
    if run is not None and run.notices:
        evidence = replace(evidence, notices=(*run.notices, *evidence.notices))
    context.steps.extend(_noted(step, evidence) for step in evidence.steps)
    context.considered[:], context.contexts[:] = evidence.considered, evidence.contexts
    found = is_covered(evidence, context.settings, context.library.chunk_count())
    runtime.context.emit(EvidenceFound(evidence, found))
    policy: WebPolicy = "never" if limited or run is not None else web_policy(state, context.settings)
    read = {"plan": state["plan"].model_copy(update={"scope": wanted.scope})} if run and plan.urls else {}
    return {"evidence": evidence, "coverage": found, "policy": policy, **read}


async def _hurried(library: Library, scope: Scope) -> int:
    """How many files that a question is about are not there yet. Those that it names go before all others now."""
    waiting = library.waiting(scope)
    if not waiting or not scope:
        return len(set(waiting) - set(library.names())) if waiting else 0
    coming = [task.id for task in _on_their_way(library) if _within(task, scope)]
    await library.hurry(coming)
    return len(coming)


def _on_their_way(library: Library) -> list[Task]:
    """What is only cut anew can be found meanwhile."""
    return [task for task in library.tasks() if task.job == "add" and task.status in ("pending", "processing")]


def _within(task: Task, scope: Scope) -> bool:
    return (not scope.documents or task.name in scope.documents) and (
        not scope.doc_sets or task.doc_set in scope.doc_sets
    )


def _coming(count: int, named: bool) -> Message:
    if named:
        return Message(
            zh=f"这个范围内还有 {count} 个文件正在处理，已提前处理；本回答还没有用到它们。",
            en=f"{count} file{'s' * (count != 1)} in this scope {'is' if count == 1 else 'are'} still being processed, "
            f"now ahead of all others; this answer does not use {'it' if count == 1 else 'them'} yet.",
        )
    return Message(
        zh=f"还有 {count} 个文件正在处理，本回答还没有用到它们。",
        en=f"{count} file{'s' * (count != 1)} {'is' if count == 1 else 'are'} still being processed; this answer does "
        f"not use {'it' if count == 1 else 'them'} yet.",
    )


def _noted(step: Step, evidence: Evidence) -> Step:
    """With what was searched beside the question."""
    beside = {"search": evidence.translated, "hyde": evidence.hypothetical}.get(step.name, "")
    if not beside:
        return step
    shown = beside if len(beside) <= SHOWN else f"{beside[:SHOWN]} …"
    return replace(step, note=Message(zh=f"同时检索：{shown}", en=f"also searched: {shown}"))


def next_step(state: State) -> str:
    """What was computed is to be evaluated, what was answered before needs no more; what the library lacks may have to
    be fetched."""
    if state.get("answer") is not None:
        return "evaluate"
    if state["remembered"] is not None:
        return "recall"
    return "fetch_web" if state["policy"] == "always" and not state["coverage"].covered else "answer"


async def _opening(context: TurnContext, evidence: Evidence, scope: Scope, plan: Plan) -> Evidence | None:
    """What the named documents say nearest to a question whose words stand in no text, else how they begin, or their
    sections: for a question such as "what is in it?"."""
    whole, library, k = asks_for_overview(plan.asked, scope), context.library, context.settings.top_k
    if whole:
        begin = await library.section_beginnings(scope, MOST_SECTIONS, k)
    else:
        begin = await library.nearest_passages(evidence.question, scope, k) or await library.opening(scope, k)
    passages = await asyncio.to_thread(
        merge_neighbours, begin, context.library.store, context.settings.max_context_length
    )
    return _overview(evidence, passages, _notice_of(context, plan, passages, whole)) if passages else None


def _notice_of(context: TurnContext, plan: Plan, hits: Sequence[Hit], whole: bool) -> Message | None:
    """What the answer rests on in place of what the question's words would have found."""
    if whole and context.model is not None:
        return None
    if whole:
        return SECTIONS if outline_answer(hits) else OPENING
    if any("meaning" in hit.scores for hit in hits):
        return NEAREST
    foreign = detect_language(hits[0].text) not in (language_of(plan.asked, plan.language), None)
    return OTHER_LANGUAGE if foreign else NO_MATCH


def _overview(evidence: Evidence, hits: Sequence[Hit], notice: Message | None) -> Evidence:
    """With these passages in place of what was searched for; by which words that was found says nothing of them."""
    notices = [*(one for one in evidence.notices if one != evidence.found_by), *([notice] if notice else [])]
    considered = tuple(
        replace(one, fate="overview", place=0) if one.fate in ("kept", "joined") else one for one in evidence.considered
    )
    return replace(
        evidence, hits=tuple(hits), confidence=0.5, notices=tuple(notices), found_by=None, overview=True,
        considered=considered,
    )  # fmt: skip


async def _openings(context: TurnContext, evidence: Evidence) -> Evidence | None:
    """How each file begins, of the newest ones where there are many."""
    names = context.library.names()
    if not names:
        return None
    hits = await context.library.opening(Scope(documents=tuple(names[:_OPENED])), 1)
    notice = _some_of(len(names)) if len(names) > _OPENED else OPENINGS if context.model is None else None
    return _overview(evidence, hits, notice) if hits else None


NO_RERANKER = Message(
    zh="还没有重排模型，这次按关键词加向量的得分排序；可以在“系统”页下载一个，或按 docs/models.md 配置。",
    en="There is no reranker yet, so keywords and vectors gave the order. Download one under System, or set one as "
    "docs/models.md says.",
)
_OPENED = 8  # files
OPENINGS = Message(
    zh="这里列出每个文件的开头；要了解某一个文件，请在问题里写出文件名。",
    en="This is how each file begins; name a file to hear more about it.",
)


def _some_of(count: int) -> Message:
    return Message(
        zh=f"知识库里有 {count} 个文件，回答只依据其中最近的 {_OPENED} 个的开头；全部文件见“知识库”页。",
        en=f"The library holds {count} files; the answer rests on how the newest {_OPENED} begin. The Library page "
        "has them all.",
    )


OPENING = Message(
    zh="回答取自文件开头；要得到整份文件的摘要，需要配置模型。",
    en="This is how the file begins; a summary of all of it needs a model.",
)
SECTIONS = Message(
    zh=f"回答由各节的开头组成（最多 {MOST_SECTIONS} 节）；要得到整份文件的摘要，需要配置模型。",
    en=f"This is how its sections begin, at most {MOST_SECTIONS} of them; a summary of all of it needs a model.",
)
OTHER_LANGUAGE = Message(
    zh="文件与问题不是同一种语言，没有相符的词；请试试用文件的语言提问。回答取自文件开头。",
    en="The file is in another language than the question, so no words match: try asking in the file's language. "
    "This is how it begins.",
)
NO_MATCH = Message(
    zh="没有与问题用词相符的内容，回答取自文件开头。",
    en="Nothing matches the words of the question; this is how the file begins.",
)
NEAREST = Message(
    zh="文件里没有与问题用词相符的内容；回答引自意思最接近的几处，不一定说的是这个问题。",
    en="Nothing in the file matches the words of the question; this comes closest in meaning, and may not answer it.",
)
