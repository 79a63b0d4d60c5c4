"""route: one message in, one Plan out. Rules first; a model only where the rules are not certain."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from typing import Any

from langchain_core.messages import AnyMessage
from langgraph.runtime import Runtime

from errors import ModelError
from evaluation.unsourced import without_unsourced_marks
from nodes.context import TurnContext
from nodes.events import PlanMade
from nodes.search_request import search_request
from nodes.state import Controls, Record, State, last_message, web_policy
from planning.answer_language import read_answer_language
from planning.follow_up import looks_like_follow_up
from planning.missing_names import missing_name_notices
from planning.model_plan import FilledPlan, PastTurn, merge, plan_messages
from planning.new_answer import NewAnswerWish, read_new_answer_wish
from planning.rules import plan_by_rules
from schema import AS_USUAL, Language, Message, Plan
from web.problems import SWITCHED_OFF

_SHORT = 300  # characters; their rules take a millisecond or two, a long message's up to fifty, which run in a thread


async def route(state: State, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    context, controls = runtime.context, state["controls"]
    if (given := state.get("given")) is not None:
        given = _answered_in(given, controls)
        context.emit(PlanMade(given, tuple(missing_name_notices(given))))
        return {"plan": given}
    asked = read_answer_language(last_message(state))
    wish = NewAnswerWish(False, asked.message) if state["uploads"] else read_new_answer_wish(asked.message)
    # "answer again", "in English please": of what was asked last
    alone = (wish.anew or asked.language) and not wish.message and not state["uploads"]
    plan = _repeated(state) if alone else None
    notices: list[Message] = []
    if plan is None:
        with context.timed("plan"):
            plan, notices = await planned(wish.message or last_message(state), state, context, wish.anew)
        if notices:
            context.note(notices[0])
    plan = apply_controls(plan, controls).model_copy(update={"anew": wish.anew or plan.anew})
    plan = _answered_in(plan, controls, asked.language)
    aside = "retrieve" in plan.actions and (not plan.urls or plan.scope or state["uploads"])  # there is more to answer
    if "fetch_web" in plan.actions and aside and web_policy(state, context.settings) == "never":
        plan = plan.model_copy(update={"actions": tuple(one for one in plan.actions if one != "fetch_web")})
        notices.append(SWITCHED_OFF)
    runtime.context.emit(PlanMade(plan, (*notices, *missing_name_notices(plan))))
    return {"plan": plan}


async def planned(message: str, state: State, context: TurnContext, anew: bool) -> tuple[Plan, list[Message]]:
    """By rules, and by the model where it can do better; what went wrong with the model."""
    uploads, library = [upload.name for upload in state["uploads"]], context.library.known_names()
    doc_sets = context.library.doc_sets()
    past = _turns(state["messages"][:-1])
    by_rules = partial(
        plan_by_rules,
        message,
        uploads=uploads,
        library=library,
        doc_sets=doc_sets,
        history=bool(past),
        fallback_language=state["controls"].language or context.settings.fallback_language,
        default_size=context.settings.text_chunk_size,
        default_unit=context.settings.chunk_unit,
    )
    rules = by_rules() if len(message) <= _SHORT else await asyncio.to_thread(by_rules)
    typed = apply_controls(rules, state["controls"])
    asks = "retrieve" in typed.actions
    languages = context.library.languages(typed.scope) if asks and context.model else frozenset()
    leans = bool(past) and looks_like_follow_up(message)
    if context.model is None or not _needs_model(typed, state["controls"], leans, languages):
        return rules, []
    if typed.actions == ("retrieve",):
        wanted = search_request(typed, state, library)
        if not leans and await context.memory.find(typed.model_copy(update={"anew": anew or typed.anew}), wanted):
            return rules, []  # the same words were answered before: nothing is left to plan
        context.searches.start(wanted)
    prompt = await asyncio.to_thread(
        plan_messages,
        message,
        uploads=uploads,
        library=library,
        doc_sets=doc_sets,
        history=past,
        rules=rules,
        translate_to=next(iter(languages - {rules.language}), None),
    )
    try:
        filled = await context.model.fill(prompt, FilledPlan, purpose="plan")
    except ModelError as error:
        return rules, [error.message]
    merged = await asyncio.to_thread(
        merge, rules, filled, message, uploads=uploads, library=library, doc_sets=doc_sets, history=past
    )
    return merged.plan, [*merged.notices]


def _needs_model(typed: Plan, controls: Controls, leans: bool, languages: frozenset[Language]) -> bool:
    """Not where the rules are certain, nor for a plain question whose strategy is set on the page.

    A library of both languages needs the question's translation, however certain the rules are: what only the other
    language's documents say is not found by machine names and numbers, though these look like a good match. Who sets
    the strategy on the page chooses speed, unless no document in scope speaks the question's language.
    """
    plain = typed.actions == ("retrieve",) and not leans
    if plain and languages and typed.language not in languages:
        return True
    if plain and controls.strategy is not None:
        return False
    return not typed.certain or ("retrieve" in typed.actions and bool(languages - {typed.language}))


def _repeated(state: State) -> Plan | None:
    """The plan of the last answer, for "answer again" and no more."""
    records = (Record.of(message) for message in reversed(state["messages"][:-1]))
    last = next((record for record in records if record and "retrieve" in record.plan.actions), None)
    return (
        last.plan.model_copy(update={"actions": ("retrieve",), "urls": (), "question": last.plan.asked})
        if last
        else None
    )


def next_step(state: State) -> str:
    """The name of the node after route: what the plan says runs in this order."""
    return next((action for action in ("save", "fetch_web", "retrieve") if action in state["plan"].actions), "unknown")


def apply_controls(plan: Plan, controls: Controls) -> Plan:
    """Controls on the page beat words; where a control is on auto, the words stand."""
    changes: dict[str, Any] = {}
    if controls.strategy is not None:
        changes["strategy"] = controls.strategy
    if controls.scope and "retrieve" in plan.actions:
        changes |= {"scope": controls.scope, "missing_files": (), "missing_sets": ()}
    if controls.doc_set is not None and "save" in plan.actions:
        changes["doc_set"] = controls.doc_set
    if controls.chunking.model_dump(exclude_none=True):
        changes["chunking"] = controls.chunking.over(plan.chunking)
        changes["per_file"] = tuple(
            wish.model_copy(update={"chunking": controls.chunking.over(wish.chunking)}) for wish in plan.per_file
        )
        if plan.others != AS_USUAL:
            changes["others"] = controls.chunking.over(plan.others)
    return plan.model_copy(update={**changes, "origin": "controls"}) if changes else plan


def _answered_in(plan: Plan, controls: Controls, asked_language: Language | None = None) -> Plan:
    """In the language that is asked for, by a control or else in words. Last of all: whatever is planned goes by the
    language of the question."""
    language = controls.overrides.language or asked_language or plan.answer_language
    return plan if language is None else plan.model_copy(update={"language": language, "answer_language": language})


def _turns(messages: list[AnyMessage]) -> list[PastTurn]:
    """The conversation so far, without citation markers."""
    texts = [(message, re.sub(r"\[\d+\]⚠?", "", without_unsourced_marks(str(message.content)))) for message in messages]
    return [
        PastTurn("user", text) if message.type == "human" else PastTurn("assistant", text, _quotes(message))
        for message, text in texts
    ]


def _quotes(reply: AnyMessage) -> bool:
    """Whether text of documents may stand in a reply: in all but words of our own on files that the person named."""
    record = Record.of(reply)
    return record is None or record.answer is not None or "fetch_web" in record.plan.actions
