"""route: one message in, one Plan out. Rules first; a model only where the rules are not certain."""

from __future__ import annotations

import re
from typing import Any

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime

from errors import ModelError
from nodes.context import Context, emitter
from nodes.events import PlanMade
from nodes.state import Controls, State, last_message
from planning.model_plan import FilledPlan, Turn, merge, plan_messages
from planning.rules import plan_by_rules
from schema import Message, Plan


async def route(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    context, message, controls = runtime.context, last_message(state), state["controls"]
    uploads = [upload.name for upload in state["uploads"]]
    library = context.library.names()
    past = _turns(state["messages"][:-1])
    plan = plan_by_rules(
        message,
        uploads=uploads,
        library=library,
        doc_sets=context.library.doc_sets(),
        history=bool(past),
        fallback_language=context.settings.fallback_language,
        default_size=context.settings.text_chunk_size,
    )
    notices: list[Message] = []
    if context.model is not None and not plan.certain:
        typed = apply_controls(plan, controls)
        if "retrieve" in typed.actions and not uploads:
            context.early.start(typed, context.library)
        try:
            filled = await context.model.fill(
                plan_messages(message, uploads=uploads, library=library, history=past, rules=plan),
                FilledPlan,
                purpose="plan",
            )
            plan = merge(plan, filled, message, uploads=uploads, library=library, history=past)
        except ModelError as error:
            notices.append(error.message)
    plan = apply_controls(plan, controls)
    emitter(runtime)(PlanMade(plan, (*notices, *_differences(plan))))
    return {"plan": plan}


def next_step(state: State) -> str:
    """The name of the node after route."""
    actions = state["plan"].actions
    return "save" if "save" in actions else "retrieve" if actions else "unknown"


def apply_controls(plan: Plan, controls: Controls) -> Plan:
    """Controls on the page beat words; where a control is on auto, the words stand."""
    changes: dict[str, Any] = {}
    if controls.strategy is not None:
        changes["strategy"] = controls.strategy
    if controls.scope and "retrieve" in plan.actions:
        changes["scope"], changes["missing_files"] = controls.scope, ()
    if controls.chunking.model_dump(exclude_none=True):
        changes["chunking"] = controls.chunking.over(plan.chunking)
        changes["per_file"] = tuple(
            wish.model_copy(update={"chunking": controls.chunking.over(wish.chunking)}) for wish in plan.per_file
        )
    return plan.model_copy(update={**changes, "origin": "controls"}) if changes else plan


def _differences(plan: Plan) -> list[Message]:
    """What was asked for and will not happen, and what happens instead."""
    found = []
    if plan.missing_files:
        names = "、".join(plan.missing_files)
        found.append(
            Message(
                zh=f"知识库里没有“{names}”，因此没有用它限定范围。",
                en=f"{', '.join(plan.missing_files)} is not in the library, so it does not limit the search.",
            )
        )
    if "fetch_web" in plan.actions:
        found.append(
            Message(
                zh="这个版本还不能联网搜索或抓取网页，先从知识库中查找。",
                en="This version cannot search or fetch the web yet; the library is searched instead.",
            )
        )
    return found


def _turns(messages: list[AnyMessage]) -> list[Turn]:
    """The conversation so far, without citation markers."""
    texts = [(message.type, re.sub(r"\[\d+\]⚠?", "", str(message.content))) for message in messages]
    return [Turn("user" if kind == "human" else "assistant", text) for kind, text in texts]
