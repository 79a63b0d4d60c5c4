"""One call for scripts: decide, fetch if needed, retrieve, enhance the prompt, ask the model, save the answer.

The `handle_query` of seed 000. No conversation and no plan: the query is searched as it stands, in the whole library.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from answering.confidence import NOTHING, UNCERTAIN, UNRELATED, confidence_of, is_below_confidence, is_uncertain
from answering.doubts import doubts
from answering.enhanced_prompt import (
    JsonAnswer,
    JsonExtract,
    PromptDocument,
    citation_fields,
    context_text,
    document_fields,
    enhanced_prompt,
    prompt_messages,
)
from answering.evidence import in_sections, left_out_notice, split_by_budget
from answering.prompt_answer import PromptAnswer, answer_as_object, answer_as_text
from errors import CitewiseError
from evaluation.citations import CheckedSources
from graph.problems import LONGEST_MESSAGE
from graph.turns import Assistant
from graph.validation import validation_error
from nodes.overrides import AS_SET, Overrides, SearchMethod, settings_for
from nodes.turn_searches import TurnSearches
from planning.answer_language import read_answer_language
from planning.question_parts import question_parts
from providers.llm import Model
from providers.notices import without_repeats
from providers.rerankers.llm import preview
from schema import HIERARCHY_DEPTH, Coverage, Evidence, Hit, Language, Message, SearchRequest, StructuredSummary
from settings import Settings
from text import count_tokens, language_of, search_tokens
from web.base import WebError
from web.gate import is_covered
from web.gathering import Gathering
from web.problems import SWITCHED_OFF
from web.records import Records

log = logging.getLogger(__name__)

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
) -> dict[str, Any]:
    """Arguments and result are described at `citewise.AsyncCitewise.handle_query`."""
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
    sources = CheckedSources([one.hit for one in documents], run.query)
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


@dataclass
class _Run:
    """One query on its way to its documents."""

    assistant: Assistant
    settings: Settings
    given: str
    query: str  # without the words that say in which language the answer is wanted
    language: Language  # of the answer and of what is told
    model: Model | None
    request: SearchRequest
    evidence: Evidence = field(init=False)
    gathered: dict[tuple[str, str], StructuredSummary | None] = field(default_factory=dict)  # by name and document set
    record: Path | None = None
    notices: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._searches = TurnSearches(self.assistant.library, self.model, self.settings)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *problem: object) -> None:
        self._searches.cancel()

    async def look(self) -> Coverage:
        """Search the library as it is now; whether that is enough."""
        self._searches.forget()
        self.evidence = await self._searches.take(self.request)
        return is_covered(self.evidence, self.settings, self.assistant.library.chunk_count())

    async def fetch(self, anew: bool) -> bool:
        """Whether pages came; what went wrong is a notice."""
        if self.settings.web == "never":
            self.notices.append(SWITCHED_OFF)
            return False
        gathering = Gathering(self.settings, self.assistant.library, self.model, pages=self.assistant.pages)
        search = gathering.search(
            self.query,
            language=language_of(self.query, self.settings.fallback_language),
            doc_set=self.settings.web_doc_set,
            force_refresh=anew,
        )
        failed: list[Message] = []
        async with aclosing(search) as events:
            async for event in events:
                log.debug("web: %s %s %s", event.stage, event.url, event.title)
                if event.problem:
                    failed = [event.problem] if not event.url else [*failed, event.problem]  # the last one tells all
        self.notices += [*failed, *gathering.notices]
        self.record = gathering.record
        for one in gathering.gathered:
            self.gathered[one.meta.custom["document_name"], one.meta.custom["docset_name"]] = one.structured
        return bool(self.gathered)

    async def documents(self) -> list[PromptDocument]:
        """What a model can read at once: passages in their sections, best first, and what their pages are about."""
        hits = self.evidence.hits if self.evidence.confidence >= UNRELATED else ()
        about = {place: await self._about(*place) for place in dict.fromkeys(map(_place, hits))}
        aside = sum(count_tokens(one.model_dump_json()) for one in about.values() if one)
        if self.request.search_method is None:  # else it has a budget of its own
            aside += count_tokens(self.evidence.tree_knowledge)
        most = self.settings.max_context_length
        budget = max(most - aside, most // 2)
        parts = split_by_budget(hits, budget)[:1]
        if (read := sum(map(len, parts))) < len(hits):
            self.notices.append(left_out_notice(read, len(hits)))
        if hits and is_uncertain(self.evidence, self.settings):
            self.notices.append(UNCERTAIN)
        wider = await in_sections(parts, self.assistant.library.in_sections, self.settings, budget)
        return [PromptDocument(hit, about[_place(hit)]) for part in wider for hit in part]

    def excerpt(self, hit: Hit) -> str:
        """Where the passage that was found says most of what is asked: its section may begin with something else."""
        found = next((one for one in self.evidence.hits if one.chunk_id == hit.chunk_id), hit)
        return preview(found.text, {*search_tokens(self.query)})

    async def _about(self, name: str, doc_set: str) -> StructuredSummary | None:
        known = self.gathered.get((name, doc_set))
        return known or await self.assistant.library.structured(name, doc_set)

    async def written(self, prompt: str, sources: CheckedSources, form: type[BaseModel] | None) -> PromptAnswer:
        """Text, or the form filled."""
        if not sources.hits:
            return PromptAnswer(error=NOTHING)
        if self.model is None:
            return PromptAnswer(error=NO_MODEL)
        asked = prompt_messages(prompt, self.language)
        if form is None:
            return await answer_as_text(self.model, asked, sources)
        return await answer_as_object(self.model, asked, form, sources)

    def confidence(self, written: PromptAnswer) -> float:
        """Of the answer; a notice where it is below what the settings ask for."""
        if written.error is not None:
            return 0.0
        confidence, least = confidence_of(self.evidence, written.statements), self.settings.min_confidence
        self.notices += doubts(written.statements)
        if confidence < least and UNCERTAIN not in self.notices:
            self.notices.append(is_below_confidence(confidence, least))
        return confidence

    async def saved(self, result: dict[str, Any], written: PromptAnswer) -> dict[str, Any]:
        """With its file, and what there was to be told."""
        all_notices = [*self.evidence.notices, *self.notices, *written.notices]
        known = [written.error] if written.error else []

        def noted(answer_file: str | None) -> dict[str, Any]:
            notices = without_repeats(all_notices, self.model.calls if self.model else (), known)
            return {**result, "answer_file": answer_file, "notices": [one.to(self.language) for one in notices]}

        records = Records(self.settings.data_dir, self.settings.web_retention_days)
        try:
            path = await asyncio.to_thread(records.save_answer, noted(None))
        except CitewiseError as error:
            all_notices.append(error.in_full)
            return noted(None)
        return noted(str(path))


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
) -> _Run:
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
    return _Run(assistant, settings, query, wanted, language, model, request)


def _place(hit: Hit) -> tuple[str, str]:
    return hit.document, hit.doc_set


NO_MODEL = Message(
    zh="没有可用的模型，因此没有写出答案；检索到的资料和提示词都在结果里。请在 .env 中设置模型的密钥或地址"
    "（见 .env.example），或启动 Ollama，然后重试。",
    en="There is no model to write an answer; the documents found and the prompt are in the result. Set the key or the "
    "address of a model in .env (see .env.example), or start Ollama, and try again.",
)
