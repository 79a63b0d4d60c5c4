"""answer: from evidence to a cited answer; by the model if there is one, else by the sentences that answer best."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from answering.closest import CLOSEST, closest_sentences
from answering.confidence import NOTHING, UNCERTAIN, UNRELATED, confidence_of, is_below_confidence, is_uncertain
from answering.doubts import comparison_across_languages
from answering.evidence import in_sections, left_out_notice, split_by_budget, with_steps
from answering.glosses import rests_on_own, with_glosses
from answering.lacking import lacking_notices
from answering.writing import BREAKS_OFF, LONGEST, TOO_LONG, cut_short_notice, write_answer
from errors import ModelError
from evaluation.citations import CheckedSources, CitationStream, check_answer, denies
from evaluation.extractive import ExtractiveAnswer
from evaluation.markers import PlainText
from evaluation.unsourced import SentenceMarks, mark_unsourced
from nodes.context import TurnContext
from nodes.events import Answered, Event, Reset, Token
from nodes.extracted_answer import extracted_answer
from nodes.state import Record, State
from providers.llm import CutOff, Model, Restart
from providers.notices import without_repeats
from question_words import asks_how_to
from schema import Answer, Evidence, Hit, Message, Plan, Statement
from text import count_tokens, detect_language, language_of
from translation.glossary import Glossary

LONG = 4_000  # characters of an answer that is checked in a thread, so that other turns go on
FEW = 3  # sources of a claim that are checked on the spot


@dataclass
class _Draft:
    """An answer on its way."""

    sources: CheckedSources
    notices: list[Message]
    glossary: Glossary
    lead: str = ""  # before the text: no statement about the sources
    text: str = ""
    answered_by: str = "extractive"
    cut_short: bool = False
    extraction: ExtractiveAnswer | None = None

    async def statements(self) -> tuple[Statement, ...]:
        if not self.sources.hits:
            return ()
        if self.answered_by == "extractive" or len(self.text) > LONG:
            return await asyncio.to_thread(check_answer, self.text, self.sources)
        return check_answer(self.text, self.sources)  # checked while it was streamed: less work than a thread


async def answer(state: State, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    context, plan, evidence = runtime.context, state["plan"], state["evidence"]
    started = time.monotonic()
    hits = evidence.hits if evidence.confidence >= UNRELATED else ()
    parts = split_by_budget(hits, _room(context, evidence))
    glossary = await context.library.known_glossary()
    draft = _Draft(_sources(parts, plan, glossary), [*evidence.notices], glossary)
    if (read := sum(map(len, parts))) < len(hits):
        draft.notices.append(left_out_notice(read, len(hits)))
    with context.timed("answer"):
        if parts and context.model is not None:
            await _write(draft, context, context.model, state, parts)
        if parts and not draft.text:
            await _pick(draft, context, state, parts)
        if not draft.text:
            await _list_closest(draft, context, plan, evidence)
        statements = await draft.statements()
        if draft.answered_by == "extractive":
            statements = await asyncio.to_thread(with_glosses, statements, plan, glossary)
            if evidence.found_by in draft.notices and rests_on_own(statements, draft.sources.hits, evidence, plan):
                draft.notices.remove(evidence.found_by)
    if compared := comparison_across_languages(statements):
        context.note(compared)
    lacking = await _lacking(draft, statements, context, plan, evidence)
    confidence = confidence_of(evidence, statements, draft.extraction, bool(lacking))
    text, quoted = await _completed(draft, context, state, statements)
    text = draft.lead + text
    if parts and is_uncertain(evidence, context.settings, confidence):
        draft.notices.insert(len(evidence.notices), UNCERTAIN)
    draft.notices += lacking
    if parts and draft.sources.hits and UNCERTAIN not in draft.notices and confidence < context.settings.min_confidence:
        draft.notices.append(is_below_confidence(confidence, context.settings.min_confidence))
    found = Answer(
        text, (*statements, *quoted), draft.sources.hits, confidence, plan.language,
        seconds=evidence.seconds + time.monotonic() - started, fallback_used=draft.answered_by == "extractive",
        answered_by=draft.answered_by, quoted=len(quoted), cut_short=draft.cut_short,
        notices=without_repeats(draft.notices, context.model.calls if context.model else ()),
        found_by=evidence.found_by,
    )  # fmt: skip
    context.emit(Answered(found))
    record = Record(plan=plan, answer=found, coverage=state["coverage"])
    return {"answer": found, "messages": [record.message(text, str(uuid.uuid4()))]}


async def _lacking(
    draft: _Draft, statements: Sequence[Statement], context: TurnContext, plan: Plan, evidence: Evidence
) -> list[Message]:
    """What is not said of what is asked for, where sentences were picked by the words of the question."""
    if not draft.sources.hits or draft.extraction is None or evidence.overview:
        return []
    searched, store = evidence.question, context.library.store
    language = language_of(searched, plan.language)
    sources = dict.fromkeys(citation.source for one in statements for citation in one.citations)
    cited = [draft.sources.hits[source] for source in sources]
    return await asyncio.to_thread(
        lacking_notices, plan.asked, searched, draft.text, language, store, draft.glossary, cited
    )


def _room(context: TurnContext, evidence: Evidence) -> int:
    """Model tokens for sources: all go into one window with what is read beside them."""
    return context.settings.max_context_length - count_tokens(evidence.tree_knowledge)


async def _completed(
    draft: _Draft, context: TurnContext, state: State, statements: Sequence[Statement]
) -> tuple[str, tuple[Statement, ...]]:
    """The text with its marks; beneath what rests on nothing the sources themselves, whose sentences are checked."""
    language, text = state["plan"].language, mark_unsourced(draft.text, statements)
    if draft.cut_short:
        context.emit(Token(broken_off := BREAKS_OFF.to(language)))
        text += broken_off
    if draft.answered_by == "extractive" or not _rests_on_nothing(statements):
        return text, ()
    extracted = (await extracted_answer(context, state, draft.sources.hits)).text
    context.emit(Token(beneath := f"\n\n{THEY_SAY.to(language)}\n\n{extracted}"))
    return text + beneath, await asyncio.to_thread(check_answer, extracted, draft.sources)


SILENT = Message(zh="模型没有作答，回答摘自原文。", en="The model said nothing; this is taken from the sources.")
AS_WRITTEN = Message(
    zh="没有可用的模型，无法翻译：回答直接引自原文，不是你要求的语言。",
    en="No model is available to translate: the answer quotes the sources as they are, not in the language you asked "
    "for.",
)
THEY_SAY = Message(  # a colon ends it: it is no statement
    zh="以上没有一句得到来源证实，来源中的原文是：",
    en="No source confirms any of this; the sources themselves say:",
)


def _rests_on_nothing(statements: Sequence[Statement]) -> bool:
    """Whether no sentence of a model holds by a source. That the sources do not say it needs none; and where most cite
    lines in another language, who reads it can tell better than words can."""
    if any(one.supported or denies(one.text) for one in statements):
        return False
    checkable = [one for one in statements if one.checkable]
    return not checkable or 2 * sum(not one.comparable for one in checkable) < len(checkable)


def _sources(parts: Sequence[Sequence[Hit]], plan: Plan, glossary: Glossary) -> CheckedSources:
    return CheckedSources([hit for part in parts for hit in part], plan.asked, glossary)


async def _pick(draft: _Draft, context: TurnContext, state: State, parts: Sequence[Sequence[Hit]]) -> None:
    """The sentences that answer best: picked better from what was found than from more of it; steps are not."""
    plan = state["plan"]
    if asks_how_to(plan.asked) and not state["evidence"].overview:
        parts = await with_steps(parts, context.library.in_sections)
    draft.sources = _sources(parts, plan, draft.glossary)
    draft.extraction = await extracted_answer(context, state, draft.sources.hits)
    draft.text = draft.extraction.text
    if plan.answer_language and detect_language(draft.text) not in (plan.answer_language, None):
        draft.notices.append(AS_WRITTEN)
    context.emit(Token(draft.text))


async def _list_closest(draft: _Draft, context: TurnContext, plan: Plan, evidence: Evidence) -> None:
    """That nothing answers the question, and what is nearest in meaning: it may be said in other words."""
    hits = await asyncio.to_thread(_nearby, context, evidence)
    listed = await asyncio.to_thread(closest_sentences, evidence.question, hits)
    draft.lead = f"{CLOSEST.to(plan.language)}\n\n" if listed else NOTHING.to(plan.language)
    draft.sources = _sources([hits if listed else ()], plan, draft.glossary)
    draft.text = listed
    context.emit(Token(draft.lead + draft.text))


def _nearby(context: TurnContext, evidence: Evidence) -> Sequence[Hit]:
    """What was found, else the nearest of what is too far from the question to be found."""
    return evidence.hits or context.library.store.hits([one.chunk_id for one in evidence.considered])


async def _write(
    draft: _Draft, context: TurnContext, model: Model, state: State, parts: Sequence[Sequence[Hit]]
) -> None:
    """The model's answer, if it has one. What goes wrong is a notice."""
    settings, plan, tree_knowledge = context.settings, state["plan"], state["evidence"].tree_knowledge
    room = _room(context, state["evidence"])
    wider = await in_sections(parts, context.library.in_sections, settings, room)
    draft.sources = _sources(wider, plan, draft.glossary)
    try:
        written = write_answer(model, plan.question, plan.language, wider, tree_knowledge)
        text, cut_short = await _streamed(draft, context.emit, written)
    except ModelError as error:
        context.emit(Reset(error.message))
        draft.notices += [error.message, *error.suggestions]
        return
    if text.strip():
        draft.text, draft.answered_by, draft.cut_short = text, model.name, cut_short
        return
    context.emit(Reset(SILENT))  # not a word: as if there were no model
    draft.notices.append(SILENT)


async def _streamed(
    draft: _Draft, emit: Callable[[Event], None], written: AsyncGenerator[str | Restart | Message | CutOff]
) -> tuple[str, bool]:
    """The model's answer with verified markers, and sentences without one marked, sent on as it comes; and whether it
    was cut short."""
    sources = draft.sources
    stream, marks, shown, left = CitationStream(sources), SentenceMarks(), list[str](), LONGEST
    cut: Message | CutOff | None = None

    async def show(token: str, final: bool = False) -> None:
        said = []
        for piece in stream.feed(token, final):
            # one source takes a millisecond, less than a thread costs; of many, other turns need not wait
            cites_many = not isinstance(piece, PlainText) and len(piece.numbers) > FEW
            checked = await asyncio.to_thread(stream.shown, piece) if cites_many else stream.shown(piece)
            said.append(marks.feed(piece, checked))
        if final:
            said.append(marks.end())
        if text := "".join(said):
            shown.append(text)
            emit(Token(text))

    async with aclosing(written) as pieces:
        async for piece in pieces:
            if isinstance(piece, Restart):
                stream, marks, shown, left = CitationStream(sources), SentenceMarks(), [], LONGEST
                emit(Reset(piece.reason))
            elif isinstance(piece, Message):
                draft.notices.append(piece)
            elif isinstance(piece, CutOff):
                cut = piece
            else:
                await show(piece[:left])
                if (left := left - len(piece)) < 0:
                    cut = TOO_LONG
                    break
    await show("", final=True)
    text = "".join(shown)
    if cut and text.strip():
        why = await asyncio.to_thread(cut_short_notice, cut, text, sources) if isinstance(cut, CutOff) else cut
        draft.notices.append(why)
    return text, bool(cut)
