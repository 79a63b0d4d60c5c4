"""The plan of a message: by rules, by a model where they are not certain, and by what is set on the page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from langchain_core.messages import AnyMessage

from errors import ModelError, strategy_named
from evaluation.unsourced import without_unsourced_marks
from library import Library
from nodes.compute import query_for, table_query
from nodes.context import TurnContext
from nodes.search_request import search_request
from nodes.state import Controls, Record, State
from planning.follow_up import looks_like_follow_up
from planning.known_files import KnownFiles
from planning.model_plan import FilledPlan, PastTurn, merge, plan_messages
from planning.rules import plan_by_rules
from retrieval.earlier_searches import EarlierSearches
from schema import AS_USUAL, EVERYWHERE, Language, Message, Plan, SearchRequest
from settings import Settings

_SHORT = 300  # characters; their rules take a millisecond or two, a long message's up to fifty, which run in a thread

# Of a question's weight: beneath it, the dictionary finds the other language's section in 75 (from Chinese) and 86 of
# 100 questions, from there on in 97 and 95; flat between .6 and .8 (`python -m benchmarks crosslingual`).
ENOUGH = 0.7
COVERED = 0.8  # confidence of the search: a manual of another machine, in the question's own language, reaches .76
NAMED = 0.6  # the same where a text says what the question names: it is about no other machine
_JUDGED = 3  # passages of the search: a question is rarely answered by more
_TRANSLATED = Message(
    zh="规则已读懂问题，词典译出了其中的词语，无需让模型做计划",
    en="the rules read the question and the dictionary translates its terms: no plan of a model was needed",
)
_OWN_WORDS = Message(
    zh="规则已读懂问题，同一语言的段落提到了其中的名称和几乎所有词语，无需让模型做计划",
    en="the rules read the question, and a passage in its language has its names and nearly all of its words: no plan "
    "of a model was needed",
)


class MessagePlan(NamedTuple):
    plan: Plan
    notices: Sequence[Message] = ()  # what went wrong with the model
    note: Message | None = None  # for the trace: why none was asked


async def _computed_as_typed(message: str, rules: Plan, state: State, context: TurnContext) -> Plan | None:
    """Where words were taken for the name of a file, as "stock" of "out of stock" for that of 库存.csv, or for one that
    is left out ("members who are not section leaders"), its table may explain all of them: then they name none."""
    named, known = rules.scope.documents, context.library.known_names()
    if rules.asked == message or not named:
        return None
    plan = rules.model_copy(update={"scope": EVERYWHERE, "question": message})
    wanted = search_request(apply_controls(plan, state["controls"]), state, known)
    query = await table_query(context.library, message, wanted.scope)
    left_out = 2 * len(named) > len(known)
    if query is None or not (left_out or query.document in named):
        return None
    return plan.model_copy(update={"table": query})


async def planned(message: str, state: State, context: TurnContext, anew: bool) -> MessagePlan:
    """By rules, and by the model where it can do better."""
    uploads, library = [upload.name for upload in state["uploads"]], context.library.known_names()
    doc_sets = context.library.doc_sets()
    past = _turns(state["messages"][:-1])
    newest = list(dict.fromkeys([*context.library.waiting(), *context.library.names()]))
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
        known=KnownFiles(await context.library.titles(), newest),
    )
    rules = by_rules() if len(message) <= _SHORT else await asyncio.to_thread(by_rules)
    typed = apply_controls(rules, state["controls"])
    if typed.actions == ("retrieve",):
        scope = search_request(typed, state, library).scope
        if (query := await query_for(context, typed.asked, scope, typed.language)) is not None:
            return MessagePlan(rules.model_copy(update={"table": query}))
        if (whole := await _computed_as_typed(message, rules, state, context)) is not None:
            return MessagePlan(whole)
    asks = "retrieve" in typed.actions
    languages = context.library.languages(typed.scope) if asks and context.model else frozenset()
    leans = bool(past) and looks_like_follow_up(message)
    if context.model is None or not _needs_model(typed, state["controls"], leans, languages):
        return MessagePlan(rules)
    sure = not leans and (typed.certain or state["controls"].strategy is not None)
    if sure and typed.actions == ("retrieve",):
        asked = search_request(typed, state, library)
        held, earlier = context.library, context.searches.earlier
        if note := await why_no_plan(asked, typed.language, held, context.settings, earlier):
            return MessagePlan(rules, note=note)
    if typed.actions == ("retrieve",):
        wanted = search_request(typed, state, library)
        if not leans and await context.memory.find(typed.model_copy(update={"anew": anew or typed.anew}), wanted):
            return MessagePlan(rules)  # the same words were answered before: nothing is left to plan
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
        return MessagePlan(rules, [error.message])
    merged = await asyncio.to_thread(
        merge, rules, filled, message, uploads=uploads, library=library, doc_sets=doc_sets, history=past
    )
    return MessagePlan(merged.plan, merged.notices)


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


async def why_no_plan(
    asked: SearchRequest,
    language: Language,
    library: Library,
    settings: Settings,
    earlier: EarlierSearches | None = None,
) -> Message | None:
    """Why a certain question of this language needs no model to translate it, for a library of both; None where its
    translation may find what answers it.

    What the search finds without a model covers it: in its own language, where a passage says its names and nearly all
    else; or in whichever, where the dictionary translates it.
    """
    from retrieval.blocking_search import BY_WORDS  # which a page that is being opened need not wait for

    if strategy_named(asked.strategy or settings.strategy) not in BY_WORDS:
        return None
    found = await library.evidence_for(asked, earlier=earlier, settings=settings)
    texts = [hit.indexed_text for hit in found.hits[:_JUDGED]]
    if await library.said_in_own_words(found.question, language, texts):
        return _OWN_WORDS
    if found.confidence < NAMED or await library.translated_share(asked.question, language, earlier) < ENOUGH:
        return None
    if not await library.subject_translated(asked.question, language, earlier):
        return None
    said = found.confidence >= COVERED or await library.names_said(asked.question, language, texts[0], earlier)
    return _TRANSLATED if said else None


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
