"""fetch_web: pages of the web into the library, on an order, by the policy, or because the person agreed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from langgraph.runtime import Runtime

from answering.inert_markdown import escaped
from nodes.context import TurnContext
from nodes.events import PlanMade
from nodes.state import State, WebRun, web_policy
from schema import Message, Plan, WebDocument
from text import language_of
from web.gathering import Gathered, Gathering
from web.problems import SWITCHED_OFF, shown

MOST = 20  # addresses of one message that are read


async def fetch_web(state: State, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    context, plan = runtime.context, state["plan"]
    if web_policy(state, context.settings) == "never":
        return _ended(context, plan, WebRun(notices=(SWITCHED_OFF,), ends=True), SWITCHED_OFF)
    if state.get("agreed"):  # the turn begins here: no plan of it was told yet
        plan = plan.model_copy(update={"actions": ("fetch_web", "retrieve")})
        context.emit(PlanMade(plan))
    doc_set = state["controls"].doc_set or plan.doc_set or context.settings.web_doc_set
    gathering = Gathering(context.settings, context.library, context.model, pages=context.pages, later=context.later)
    if plan.urls:
        events = gathering.fetch(
            plan.urls[:MOST], question=plan.asked, doc_set=doc_set, chunking=plan.chunking, force_refresh=plan.anew
        )
    else:
        language = language_of(plan.question, plan.language)
        events = gathering.search(plan.question, language=language, doc_set=doc_set, chunking=plan.chunking)
    last = Gathered("search")
    with context.timed("web"):
        async with aclosing(events) as happening:
            async for last in happening:
                context.emit(last)
    context.note(_fetch_summary(gathering.documents))
    pages = gathering.gathered
    names = tuple(str(page.meta.custom["document_name"]) for page in pages)
    asked_for = bool(plan.urls) or state.get("agreed", False)  # else the library says what it can
    ends = "retrieve" not in plan.actions or (not names and asked_for)
    left_out = [_left_out(len(plan.urls))] if len(plan.urls) > MOST else []
    notices = (*gathering.notices, *([last.problem] if last.problem else []), *left_out)
    run = WebRun(names, doc_set, notices, ends)
    return {"plan": plan, **_ended(context, plan, run, _reply(pages, doc_set, notices))}


def next_step(state: State) -> str:
    """On to the question, unless there is none, or nothing came of what the person asked for."""
    run = state["web"]
    return "end" if run is None or run.ends else "retrieve"


def _ended(context: TurnContext, plan: Plan, run: WebRun, reply: Message) -> dict[str, Any]:
    if not run.ends:
        return {"web": run}
    return {"web": run, "messages": context.reply(plan, reply.to(plan.language))}


def _reply(pages: Sequence[WebDocument], doc_set: str, notices: Sequence[Message]) -> Message:
    """What is in the library now, and what is not and why; in Markdown."""
    zh = [f"- ✅ {_page(page)}：已保存，{len(page.chunks)} 个切片，文档集“{escaped(doc_set)}”" for page in pages]
    en = [
        f"- ✅ {_page(page)}: saved, {len(page.chunks)} chunk{'s' * (len(page.chunks) != 1)}, "
        f"in the set “{escaped(doc_set)}”"
        for page in pages
    ]
    mark = "⚠" if pages else "❌"
    zh += [f"- {mark} {escaped(notice.zh)}" for notice in notices]
    en += [f"- {mark} {escaped(notice.en)}" for notice in notices]
    return Message(zh="\n".join(zh), en="\n".join(en))


def _left_out(named: int) -> Message:
    return Message(
        zh=f"消息里有 {named} 个网址，只读了前 {MOST} 个。请把其余的放进下一条消息。",
        en=f"Of the {named} addresses only the first {MOST} were read. Send the others in another message.",
    )


def _page(page: WebDocument) -> str:
    return f"**{escaped(page.meta.title or shown(page.meta.url))}**"


def _fetch_summary(documents: Sequence[WebDocument]) -> Message:
    """For the trace: which pages came and which did not."""
    zh, en = [], []
    for status, word in (
        ("completed", Message(zh="已抓取", en="fetched")),
        ("failed", Message(zh="失败", en="failed")),
    ):
        if urls := [shown(page.meta.url) for page in documents if page.status == status]:
            zh.append(f"{word.zh}：{'，'.join(urls)}")
            en.append(f"{word.en}: {', '.join(urls)}")
    return Message(zh="；".join(zh) or "没有网页", en="; ".join(en) or "no page")
