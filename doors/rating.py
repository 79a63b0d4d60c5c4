"""An answer that came from elsewhere, rated by the passages that it rests on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from answering.confidence import UNCERTAIN, is_uncertain
from answering.evidence import hits_within_budget
from doors import forms, result_forms
from doors.results import statements_of, verdict_of
from errors import CitewiseError
from evaluation import metrics
from evaluation.citations import CheckedSources, answer_support, check_answer
from evaluation.judges import verdict_of_model
from graph.problems import LONGEST_MESSAGE, too_long
from graph.request_controls import controls_for
from graph.turns import Assistant
from library import Library
from planning.question_parts import question_parts
from schema import Answer, Coverage, Hit, Message, SearchRequest, Statement, Verdict
from settings import Settings
from text import language_of
from web.gate import is_covered


async def rate_answer(assistant: Assistant, wish: forms.Evaluate) -> result_forms.EvaluateResult:
    """The passages are those given, or those that the library finds. Raises CitewiseError."""
    for text in (wish.answer, *wish.contexts):
        if len(text) > LONGEST_MESSAGE:
            raise too_long(len(text))
    language = wish.language or language_of(wish.question, assistant.settings.fallback_language)
    settings = wish.overrides.over(assistant.settings)
    hits, coverage, notices = await _passages(assistant, wish, settings)
    statements = await asyncio.to_thread(_checked, wish.answer, hits, wish.question, assistant.library)
    answer = Answer(text=wish.answer, statements=statements, sources=hits, language=language)
    judging = asyncio.create_task(_judged(assistant, wish.question, answer, settings.max_context_length))
    try:
        figures = await asyncio.to_thread(_figures, assistant.library, wish.question, hits)
        scores = await judging
    finally:
        judging.cancel()
    support = answer_support(statements)
    verdict = replace(
        scores, support=support, mean_similarity=figures[0], max_similarity=figures[1], diversity=figures[2]
    )
    return result_forms.EvaluateResult(
        answer=wish.answer,
        verdict=verdict_of(verdict, language),
        statements=statements_of(statements, language),
        confidence=support or 0.0,
        covered=coverage.covered if coverage else None,
        notices=[notice.to(language) for notice in notices],
    )


async def _passages(
    assistant: Assistant, wish: forms.Evaluate, settings: Settings
) -> tuple[tuple[Hit, ...], Coverage | None, tuple[Message, ...]]:
    if wish.contexts:
        given = enumerate((text.encode("utf-8", "replace").decode() for text in wish.contexts), 1)
        return tuple(_hit(number, text) for number, text in given), None, ()
    controls = controls_for(
        assistant.library, wish.doc_sets, wish.documents, wish.strategy, kinds=wish.kinds, where=wish.where
    )
    parts = question_parts(wish.question)
    request = SearchRequest(wish.question, controls.strategy, controls.scope, parts=parts, in_context=True)
    evidence = await assistant.library.evidence_for(request, model=assistant.chain.model(), settings=settings)
    coverage = is_covered(evidence, settings, assistant.library.chunk_count())
    uncertain = (UNCERTAIN,) if is_uncertain(evidence, settings) else ()
    return evidence.hits, coverage, (*evidence.notices, *uncertain)


def _hit(number: int, text: str) -> Hit:
    return Hit(
        chunk_id=-number, document=f"[{number}]", doc_set="", text=text, start=0, end=len(text), start_line=1,
        end_line=text.count("\n") + 1,
    )  # fmt: skip


def _checked(answer: str, hits: Sequence[Hit], question: str, library: Library) -> tuple[Statement, ...]:
    """By its markers; an answer that has none may rest on any of the passages."""
    sources = CheckedSources(hits, question, library.glossary_terms())
    statements = check_answer(answer, sources)
    if any(one.citations for one in statements):
        return statements
    everywhere = range(1, len(hits) + 1)
    return tuple(
        replace(one, citations=sources.cite(one.text, everywhere)) if one.checkable else one for one in statements
    )


def _figures(library: Library, question: str, hits: Sequence[Hit]) -> tuple[float | None, float | None, float | None]:
    """Similarity of the passages to the question, mean and greatest, and their diversity."""
    try:
        vectors = library.embed_sync([question, *(hit.indexed_text for hit in hits)])
    except CitewiseError:
        return None, None, None
    asked, found = vectors[0], vectors[1:]
    found = found[found.any(axis=1)]
    if not asked.any():
        return None, None, metrics.diversity(found)
    return metrics.mean_similarity(asked, found), metrics.max_similarity(asked, found), metrics.diversity(found)


async def _judged(assistant: Assistant, question: str, answer: Answer, budget: int) -> Verdict:
    model = assistant.chain.model()
    if model is None or not answer.sources:
        return Verdict()
    sources = hits_within_budget(list(enumerate(answer.sources, 1)), budget)
    return await verdict_of_model(model, question, answer, sources)
