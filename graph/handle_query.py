"""One call for scripts: decide, fetch if needed, retrieve, enhance the prompt, ask the model, save the answer.

The `handle_query` of seed 000. No conversation and no plan: the query is searched as it stands, in the whole library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from answering.enhanced_prompt import (
    JsonAnswer,
    JsonExtract,
    citation_fields,
    context_text,
    document_fields,
    enhanced_prompt,
)
from evaluation.citations import CheckedSources
from graph.problems import LONGEST_MESSAGE
from graph.query_result import QueryResult
from graph.query_run import QueryRun
from graph.turns import Assistant
from nodes.overrides import AS_SET, Overrides, SearchMethod, settings_for
from planning.answer_language import read_answer_language
from planning.question_parts import question_parts
from schema import HIERARCHY_DEPTH, SearchRequest
from text import language_of
from validation import validation_error
from web.base import WebError

OutputFormat = Literal["markdown", "json"]


async def handle_query(
    assistant: Assistant,
    query: str,
    *,
    extraction_goal: str | None = None,
    output_format: OutputFormat = "markdown",
    force_refresh: bool = False,
    use_web_if_needed: bool = True,
    min_score_threshold: float | None = None,
    search_method: int | None = None,
    max_hierarchy_depth: int = HIERARCHY_DEPTH,
    overrides: Overrides | Mapping[str, object] = AS_SET,
) -> QueryResult:
    """Arguments are described at `citewise.AsyncCitewise.handle_query`."""
    run = _begun(
        assistant, query, overrides, output_format=output_format, min_score_threshold=min_score_threshold,
        search_method=search_method, max_hierarchy_depth=max_hierarchy_depth,
    )  # fmt: skip
    async with run:
        coverage = await run.look()
        if use_web_if_needed and (force_refresh or not coverage.covered) and await run.fetch(force_refresh):
            await run.look()
        documents = await run.documents()
    goal = (extraction_goal or "").encode("utf-8", "replace").decode()
    as_json = output_format == "json"
    tree_knowledge = run.evidence.tree_knowledge
    prompt = enhanced_prompt(run.query, run.language, documents, goal=goal, as_json=as_json, context=tree_knowledge)
    glossary = await assistant.library.known_glossary()
    sources = CheckedSources([one.hit for one in documents], run.query, glossary)
    written = await run.written(prompt, sources, (JsonExtract if goal else JsonAnswer) if as_json else None)
    result = {
        "query": run.given,
        "used_web": bool(run.gathered),
        "retrieved_documents": [document_fields(one, run.excerpt(one.hit)) for one in documents],
        "tree_knowledge": tree_knowledge,
        "enhanced_prompt": prompt,
        "agent_result": {
            "success": written.error is None,
            "output_format": output_format,
            "parsed": written.parsed,
            "raw": written.raw,
            "error": written.error and written.error.to(run.language),
        },
        "citations": list(citation_fields(written.statements, sources.hits)),
        "unsupported": [one.text for one in written.statements if one.doubtful],
        "cut_short": written.cut_short,
        "confidence": run.confidence(written),
        "coverage": asdict(coverage),
        "record": run.record and str(run.record),
    }
    return await run.saved(result, written)


async def retrieve(
    assistant: Assistant,
    query: str,
    *,
    base_prompt: str = "",
    search_method: int | None = None,
    max_hierarchy_depth: int = HIERARCHY_DEPTH,
    overrides: Overrides | Mapping[str, object] = AS_SET,
) -> dict[str, Any]:
    """Arguments and result are described at `citewise.AsyncCitewise.retrieve`."""
    how = {"search_method": search_method, "max_hierarchy_depth": max_hierarchy_depth}
    async with _begun(assistant, query, overrides, with_model=False, **how) as run:
        coverage = await run.look()
        documents = await run.documents()
    prompt = enhanced_prompt(run.query, run.language, documents, context=run.evidence.tree_knowledge)
    return {
        "query": run.given,
        "documents": [document_fields(one, run.excerpt(one.hit)) for one in documents],
        "context": context_text(documents, run.language),
        "tree_knowledge": run.evidence.tree_knowledge,
        "prompt": f"{base_prompt}\n\n{prompt}" if base_prompt.strip() else prompt,
        "coverage": asdict(coverage),
        "notices": [one.to(run.language) for one in (*run.evidence.notices, *run.notices)],
    }


async def should_fetch(
    assistant: Assistant,
    query: str,
    *,
    min_score_threshold: float | None = None,
    overrides: Overrides | Mapping[str, object] = AS_SET,
) -> bool:
    """Whether `handle_query` would look in the web: nothing was found, or it scores below the threshold."""
    async with _begun(assistant, query, overrides, min_score_threshold=min_score_threshold) as run:
        return not (await run.look()).covered


async def fetch(assistant: Assistant, query: str, *, force_refresh: bool = False) -> list[str]:
    """Search the web whatever the library holds, as `handle_query` does it: the names of the pages' documents."""
    run = _begun(assistant, query)
    if await run.fetch(force_refresh):
        return [name for name, _ in run.gathered]
    raise WebError(run.notices[0])


class _QueryOptions(BaseModel):
    """What one call wants, as far as it can be wrong."""

    model_config = ConfigDict(allow_inf_nan=False)

    query: str = Field(max_length=LONGEST_MESSAGE, pattern=r"\S")
    output_format: OutputFormat = "markdown"
    overrides: Overrides = AS_SET
    min_score_threshold: float | None = Field(None, ge=0, le=1)
    search_method: SearchMethod | None = None
    max_hierarchy_depth: int = Field(HIERARCHY_DEPTH, ge=0, le=16, strict=True)


def _begun(
    assistant: Assistant,
    query: str,
    overrides: Overrides | Mapping[str, object] = AS_SET,
    with_model: bool = True,
    **how: Any,
) -> QueryRun:
    """Raises CitewiseError for what cannot be."""
    query = query.encode("utf-8", "replace").decode()  # half a surrogate pair is no character
    try:
        asked = _QueryOptions(query=query, overrides=overrides, **how)
    except ValidationError as error:
        raise validation_error(error, _QueryOptions) from error
    settings = settings_for(asked.search_method, asked.overrides, assistant.settings)
    if asked.min_score_threshold is not None:
        settings = settings.model_copy(update={"min_score_threshold": asked.min_score_threshold})
    language_wish = read_answer_language(query)  # these words are no part of what is looked for
    wanted = language_wish.message.strip() or query
    language = asked.overrides.language or language_wish.language or language_of(wanted, settings.fallback_language)
    model = assistant.chain.model() if with_model else None
    request = SearchRequest(
        wanted, parts=question_parts(wanted), in_context=True, search_method=asked.search_method,
        max_hierarchy_depth=asked.max_hierarchy_depth,
    )  # fmt: skip
    return QueryRun(assistant, settings, query, wanted, language, model, request)
