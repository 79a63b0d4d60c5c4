"""What turns leave behind: questions without an answer, for the list of what the library lacks; names asked about."""

from __future__ import annotations

import asyncio
import logging

from answering.confidence import is_answered
from entities import possible_names
from errors import StoreError
from graph.request import Request
from graph.titles import name_of, owner_of
from graph.turn_result import TurnResult
from settings import Settings
from stores.base import Store
from stores.unanswered import Reason, UnansweredQuestion, UnansweredStore

log = logging.getLogger(__name__)

# How the conversations of programs and of the terminal begin that end with their question: it is kept without them.
_ONCE = ("once-", "program-terminal-")
# And those whose question is asked in several ways, once before or later, or asked by a run of the lab: not noted.
_NOT_NOTED = ("compare-", "lab-")


async def note_unanswered(store: UnansweredStore, request: Request, result: TurnResult, settings: Settings) -> None:
    """When all is said: nobody waits for it. A file that cannot be written is a line in the log."""
    thread = request.thread_id
    found = unanswered_question(request.message or result.plan.question, result, settings)
    if found is None or name_of(thread).startswith(_NOT_NOTED):
        return
    kept = "" if name_of(thread).startswith(_ONCE) else thread
    try:
        await asyncio.to_thread(store.put, owner_of(thread), kept, found)
    except StoreError as error:
        log.warning("%s", error.message.en)


async def note_asked_names(store: Store, request: Request, result: TurnResult) -> None:
    """The names in a question that was answered from sources, likewise: the library page lists them."""
    answer = result.base_answer
    if answer is None or not answer.sources or name_of(request.thread_id).startswith(_NOT_NOTED):
        return
    try:
        await asyncio.to_thread(lambda: store.note_asked(possible_names(result.plan.asked)))
    except StoreError as error:
        log.warning("%s", error.message.en)


def unanswered_question(question: str, result: TurnResult, settings: Settings) -> UnansweredQuestion | None:
    """None for what is no question to the library, was answered before, or found its answer."""
    answer, coverage, plan = result.base_answer, result.coverage, result.plan
    if answer is None or coverage is None:
        return None
    reason: Reason
    if not answer.sources:
        reason, score = "nothing", coverage.score
    elif not is_answered(coverage, answer.confidence):
        reason, score = "not_covered", coverage.score
    elif answer.confidence < settings.min_confidence:
        reason, score = "unsure", answer.confidence
    else:
        return None
    scope = plan.scope
    return UnansweredQuestion(question, reason, score, answer.language, scope.doc_sets, scope.documents)
