"""One query of a script on its way: its search, its pages, the documents that are read, and the answer's file."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, cast

from pydantic import BaseModel

from answering.confidence import NOTHING, UNCERTAIN, UNRELATED, confidence_of, is_below_confidence, is_uncertain
from answering.doubts import doubts
from answering.enhanced_prompt import (
    PromptDocument,
    prompt_messages,
)
from answering.evidence import in_sections, left_out_notice, split_by_budget
from answering.prompt_answer import PromptAnswer, answer_as_object, answer_as_text
from errors import CitewiseError
from evaluation.citations import CheckedSources
from graph.query_result import QueryResult
from graph.turns import Assistant
from nodes.turn_searches import TurnSearches
from providers.llm import Model
from providers.notices import without_repeats
from providers.rerankers.llm import preview
from schema import Coverage, Evidence, Hit, Language, Message, SearchRequest, StructuredSummary
from settings import Settings
from text import count_tokens, language_of, search_tokens
from web.gate import is_covered
from web.gathering import Gathering
from web.problems import SWITCHED_OFF
from web.records import Records

log = logging.getLogger(__name__)


@dataclass
class QueryRun:
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

    async def saved(self, result: dict[str, Any], written: PromptAnswer) -> QueryResult:
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
            return cast(QueryResult, noted(None))
        return cast(QueryResult, noted(str(path)))


def _place(hit: Hit) -> tuple[str, str]:
    return hit.document, hit.doc_set


NO_MODEL = Message(
    zh="没有可用的模型，因此没有写出答案；检索到的资料和提示词都在结果里。请在 .env 中设置模型的密钥或地址"
    "（见 .env.example），或启动 Ollama，然后重试。",
    en="There is no model to write an answer; the documents found and the prompt are in the result. Set the key or the "
    "address of a model in .env (see .env.example), or start Ollama, and try again.",
)
