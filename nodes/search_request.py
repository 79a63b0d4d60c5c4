"""From a plan and the conversation to what is searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nodes.state import Record, State, WebRun, earlier_questions
from planning.follow_up import history_terms
from planning.overview import means_this_file
from schema import EVERYWHERE, Plan, Scope, SearchRequest


def search_request(plan: Plan, state: State, library: Sequence[str]) -> SearchRequest:
    """What a plan searches. Who names no file may still mean one: the upload, "this file"."""
    scope = plan.scope or _fetched(plan, state) or _meant(plan, state, library)
    terms = history_terms(plan, earlier_questions(state))
    return SearchRequest(
        plan.asked, plan.strategy, scope, terms=terms, translated=plan.translated, parts=plan.parts, in_context=True
    )


def _fetched(plan: Plan, state: State) -> Scope:
    """The pages whose addresses the message gives."""
    run = state.get("web")
    if not (plan.urls and run and run.documents):
        return EVERYWHERE
    return Scope(documents=run.documents, doc_sets=(run.doc_set,))


def _meant(plan: Plan, state: State, library: Sequence[str]) -> Scope:
    """Who uploads and asks in one message asks about the upload; "this file" is the one spoken of last."""
    if state.get("saved") and state["uploads"]:
        return Scope(documents=tuple(upload.name for upload in state["uploads"]), doc_sets=(plan.doc_set or "",))
    if not means_this_file(plan.asked):
        return EVERYWHERE
    for message in reversed(state["messages"][:-1]):
        record = Record.of(message)
        named = record.plan.scope.documents if record else message.additional_kwargs.get("files", [])
        if names := tuple(name for name in named if name in library):
            return Scope(documents=names)
    return Scope(documents=tuple(library)) if len(library) == 1 else EVERYWHERE


def with_pages(wanted: SearchRequest, run: WebRun) -> SearchRequest:
    """Who gave addresses asks about these pages; who named a part of the library, about it and about them."""
    if not run.documents or not wanted.scope or set(run.documents) <= {*wanted.scope.documents}:
        return wanted
    scope, wider = wanted.scope, {}
    if scope.documents:
        wider = {"documents": (*scope.documents, *run.documents), "doc_sets": ()}
    elif scope.doc_sets:
        wider = {"doc_sets": (*scope.doc_sets, run.doc_set)}
    return replace(wanted, scope=scope.model_copy(update=wider))
