"""retrieve: from the plan's question to evidence."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime

from library import Library
from nodes.context import TurnContext
from nodes.events import EvidenceFound
from nodes.state import Record, State, WebRun, web_policy
from planning.follow_up import looks_like_follow_up
from retrieval.sections import merge_neighbours
from schema import EVERYWHERE, Evidence, Message, Plan, Scope, SearchRequest, Step, Task, WebPolicy
from text import STOP_WORDS, detect_language, language_of, search_tokens, without_function_words
from web.gate import is_covered

SHOWN = 300  # characters of an imagined passage


async def retrieve(state: State, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    context, plan = runtime.context, state["plan"]
    wanted = search_request(plan, state, known_names(context.library))
    if (run := state.get("web")) is not None:
        context.searches.forget()
        wanted, plan = _with_pages(wanted, run), plan.model_copy(update={"anew": True})
    if context.model is not None and (remembered := await context.memory.find(plan, wanted)):
        context.searches.cancel()
        return {"remembered": remembered}
    evidence = await context.searches.take(wanted)
    scope, limited = wanted.scope, bool(wanted.scope)
    if scope.documents and (not evidence.hits or asks_for_overview(plan.asked, scope)):
        evidence = await _opening(context, evidence, scope, plan) or evidence
    if not evidence.hits and scope and not plan.scope:
        limited = False
        evidence = await context.searches.take(replace(wanted, scope=EVERYWHERE))
    context.searches.cancel()
    if elsewhere := not_limited(plan):
        evidence = replace(evidence, notices=(*elsewhere, *evidence.notices))
    if coming := await _hurried(context.library, scope):
        evidence = replace(evidence, notices=(*evidence.notices, _coming(coming, bool(scope))))
    if run is not None and run.notices:
        evidence = replace(evidence, notices=(*run.notices, *evidence.notices))
    context.steps.extend(_noted(step, evidence) for step in evidence.steps)
    context.considered[:] = evidence.considered
    found = is_covered(evidence, context.settings, context.library.chunk_count())
    runtime.context.emit(EvidenceFound(evidence, found))
    policy: WebPolicy = "never" if limited or run is not None else web_policy(state, context.settings)
    read = {"plan": state["plan"].model_copy(update={"scope": wanted.scope})} if run and plan.urls else {}
    return {"evidence": evidence, "coverage": found, "policy": policy, **read}


def _with_pages(wanted: SearchRequest, run: WebRun) -> SearchRequest:
    """Who gave addresses asks about these pages; who named a part of the library, about it and about them."""
    if not run.documents or not wanted.scope or set(run.documents) <= {*wanted.scope.documents}:
        return wanted
    scope, wider = wanted.scope, {}
    if scope.documents:
        wider = {"documents": (*scope.documents, *run.documents), "doc_sets": ()}
    elif scope.doc_sets:
        wider = {"doc_sets": (*scope.doc_sets, run.doc_set)}
    return replace(wanted, scope=scope.model_copy(update=wider))


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


def known_names(library: Library) -> list[str]:
    """Of the documents, and of the files on their way: who names one of these means it."""
    return list(dict.fromkeys([*library.names(), *library.waiting()]))


def not_limited(plan: Plan) -> list[Message]:
    """What was named and is not there, so that the answer comes from elsewhere."""
    found = []
    if plan.missing_files:
        names = "、".join(plan.missing_files)
        found.append(
            Message(
                zh=f"知识库里没有“{names}”，因此没有用它限定范围。",
                en=f"{', '.join(plan.missing_files)} is not in the library, so it does not limit the search.",
            )
        )
    if plan.missing_sets:
        names = "、".join(plan.missing_sets)
        found.append(
            Message(
                zh=f"没有名为“{names}”的文档集，因此没有用它限定范围。",
                en=f"There is no document set {', '.join(plan.missing_sets)}, so it does not limit the search.",
            )
        )
    return found


def _coming(count: int, named: bool) -> Message:
    if named:
        return Message(
            zh=f"这个范围内还有 {count} 个文件正在处理，已提前处理；本回答还没有用到它们。",
            en=f"{count} file{'s' * (count != 1)} of this scope {'is' if count == 1 else 'are'} still on the way, and "
            "before all others now; this answer does not know them yet.",
        )
    return Message(
        zh=f"还有 {count} 个文件正在处理，本回答还没有用到它们。",
        en=f"{count} file{'s' * (count != 1)} {'is' if count == 1 else 'are'} still on the way; this answer does not "
        "know them yet.",
    )


def _noted(step: Step, evidence: Evidence) -> Step:
    """With what was searched beside the question."""
    beside = {"search": evidence.translated, "hyde": evidence.hypothetical}.get(step.name, "")
    if not beside:
        return step
    shown = beside if len(beside) <= SHOWN else f"{beside[:SHOWN]} …"
    return replace(step, note=Message(zh=f"同时检索：{shown}", en=f"also searched: {shown}"))


def next_step(state: State) -> str:
    """A question that was answered before needs no more; what the library lacks may have to be fetched."""
    if state["remembered"] is not None:
        return "recall"
    return "fetch_web" if state["policy"] == "always" and not state["coverage"].covered else "answer"


def search_request(plan: Plan, state: State, library: Sequence[str]) -> SearchRequest:
    """What a plan searches. Who names no file may still mean one: the upload, "this file"."""
    scope = plan.scope or _fetched(plan, state) or _meant(plan, state, library)
    terms = history_terms(plan, state["messages"])
    return SearchRequest(
        plan.asked, plan.strategy, scope, terms=tuple(terms), translated=plan.translated, in_context=True
    )


def _fetched(plan: Plan, state: State) -> Scope:
    """The pages whose addresses the message gives."""
    run = state.get("web")
    if not (plan.urls and run and run.documents):
        return EVERYWHERE
    return Scope(documents=run.documents, doc_sets=(run.doc_set,))


_this_file = re.compile(
    r"[这该此本][个份篇]?(?:文件|文档|资料)|(?:刚才|刚刚|上传)的?(?:那个)?(?:文件|文档|资料)"
    r"|\b(?:this|that|the uploaded) (?:file|document)\b|\b(?:file|document) (?:i|that i) (?:just )?uploaded\b",
    re.IGNORECASE,
)
_overview = re.compile(
    r"总结|概括|概述|概要|摘要|简介|介绍|内容|主要|大意|讲|说|写|文件|文档|资料|手册|包含|网页|页面|网站|链接|博客|文章|帖子|看看|[里中面]"
    r"|\b(?:summar\w+|overview|gist|contents?|contains?|file|document|uploaded|main|points?|tell|give|says?|said|short|brief|page|article|post|website|site|link|read)\b",
    re.IGNORECASE,
)


def _meant(plan: Plan, state: State, library: Sequence[str]) -> Scope:
    """Who uploads and asks in one message asks about the upload; "this file" is the one spoken of last."""
    if state.get("saved") and state["uploads"]:
        return Scope(documents=tuple(upload.name for upload in state["uploads"]), doc_sets=(plan.doc_set or "",))
    if not _this_file.search(plan.asked):
        return EVERYWHERE
    for message in reversed(state["messages"][:-1]):
        record = Record.of(message)
        named = record.plan.scope.documents if record else message.additional_kwargs.get("files", [])
        if names := tuple(name for name in named if name in library):
            return Scope(documents=names)
    return Scope(documents=tuple(library)) if len(library) == 1 else EVERYWHERE


def asks_for_overview(question: str, scope: Scope) -> bool:
    """Whether nothing in particular is asked: "what is in it?", "总结一下". Names of the files do not count."""
    names = {term for name in scope.documents for term in search_tokens(name)}
    asked = _overview.sub(" ", without_function_words(question))
    return all(term in names or term in STOP_WORDS for term in search_tokens(asked))


def history_terms(plan: Plan, messages: list[AnyMessage]) -> list[str]:
    """Terms of the question before, for a follow-up that no model has restated; "it" may be a page that is named."""
    if plan.urls or plan.origin == "model" or not looks_like_follow_up(plan.asked):
        return []
    earlier = [str(message.content) for message in messages[:-1] if message.type == "human"]
    return search_tokens(earlier[-1]) if earlier else []


async def _opening(context: TurnContext, evidence: Evidence, scope: Scope, plan: Plan) -> Evidence | None:
    """How the named documents begin: for a question such as "what is in it?", whose words stand in no text."""
    begin = await context.library.opening(scope, context.settings.top_k)
    hits = await asyncio.to_thread(merge_neighbours, begin, context.library.store, context.settings.max_context_length)
    if not hits:
        return None
    if asks_for_overview(plan.asked, scope):
        notice = OPENING if context.model is None else None
    elif detect_language(hits[0].text) not in (language_of(plan.asked, plan.language), None):
        notice = OTHER_LANGUAGE
    else:
        notice = NO_MATCH
    return replace(
        evidence,
        hits=hits,
        confidence=0.5,
        notices=(*evidence.notices, *([notice] if notice else [])),
        overview=True,
        considered=tuple(
            replace(one, fate="overview", place=0) if one.fate in ("kept", "joined") else one
            for one in evidence.considered
        ),
    )


OPENING = Message(
    zh="回答取自文件开头；要得到整份文件的摘要，需要配置模型。",
    en="This is how the file begins; a summary of all of it needs a model.",
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
