"""A search that is no turn: passages for a question, with what one request has in place of the settings."""

from __future__ import annotations

from dataclasses import replace

from answering.confidence import UNCERTAIN, is_uncertain
from answering.evidence import left_out_notice, split_by_budget
from graph.turns import Assistant
from nodes.overrides import settings_for
from nodes.state import Controls
from planning.question_parts import question_parts
from schema import Evidence, SearchRequest


async def search_passages(
    assistant: Assistant, question: str, controls: Controls, *, with_model: bool = True
) -> Evidence:
    """The passages that fit a question best, as many of them as go into `max_context_length` where that is given.

    Where the confidence that is set is not reached, a notice says so. Raises CitewiseError.
    """
    overrides, search_method = controls.overrides, controls.search_method
    settings = settings_for(search_method, overrides, assistant.settings)
    request = SearchRequest(
        question, controls.strategy, controls.scope, parts=question_parts(question), search_method=search_method
    )
    model = assistant.chain.model() if with_model else None
    evidence = await assistant.library.evidence_for(request, model=model, settings=settings)
    if is_uncertain(evidence, settings):
        evidence = replace(evidence, notices=(*evidence.notices, UNCERTAIN))
    if overrides.max_context_length is not None:
        read = tuple(hit for part in split_by_budget(evidence.hits, overrides.max_context_length)[:1] for hit in part)
        if len(read) < len(evidence.hits):
            notices = (*evidence.notices, left_out_notice(len(read), len(evidence.hits)))
            evidence = replace(evidence, hits=read, notices=notices)
    return evidence
