"""answer: from evidence to a cited answer; by the model if there is one, else by the sentences that answer best."""

from __future__ import annotations

import asyncio
import math
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Any

from langgraph.runtime import Runtime

from answering.doubts import is_below_confidence
from answering.evidence import split_by_budget, text_budget
from answering.writing import BREAKS_OFF, LONGEST, TOO_LONG, cut_short_notice, write_answer
from errors import ModelError
from evaluation.citations import CheckedSources, CitationStream, check_answer, denies, mean_support
from evaluation.extractive import FOREIGN, MOST_SENTENCES, ExtractiveAnswer, extract, extract_opening
from evaluation.markers import PlainText
from evaluation.unsourced import SentenceMarks, mark_unsourced
from library import Library
from nodes.context import TurnContext
from nodes.events import Answered, Event, Reset, Token
from nodes.retrieve import history_terms
from nodes.state import Record, State
from providers.llm import CutOff, Model, Restart
from providers.notices import without_repeats
from schema import Answer, Evidence, Hit, Message, Plan, Statement
from settings import Settings
from text import asks_how_to, detect_language, language_of

LONG = 4_000  # characters of an answer that is checked in a thread, so that other turns go on
FEW = 3  # sources of a claim that are checked on the spot
UNRELATED = 0.02  # confidence; what is below shares next to nothing with the question
NOT_AS_ASKED = 0.1  # how much a sentence counts beside those in the language that was asked for
SECTION = 2_400  # model tokens of a section whose steps are shown
UNCHECKED = 0.5  # confidence, at most, where no word of the answer can be compared with its lines


async def answer(state: State, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    context, plan, evidence, emit = runtime.context, state["plan"], state["evidence"], runtime.context.emit
    started = time.monotonic()
    hits = evidence.hits if evidence.confidence >= UNRELATED else ()
    budget = context.settings.max_context_length
    parts = split_by_budget(hits, budget)
    checked = _sources(parts, plan)
    notices = [*evidence.notices, *([UNCERTAIN] if parts and _uncertain(context, evidence) else [])]
    if sum(map(len, parts)) < len(hits):
        notices.append(left_out_notice(sum(map(len, parts)), len(hits)))
    text, answered_by, cut, likely = "", "extractive", False, 1.0
    with context.timed("answer"):
        if parts and context.model is not None:
            wider = await in_sections(parts, context.library, context.settings, budget)
            checked = _sources(wider, plan)
            text, answered_by, cut = await _by_model(context.model, plan, wider, checked, emit, notices)
        if parts and not text:
            # sentences are picked better from what was found than from more of it, steps are not
            passages = await with_steps(parts, context.library) if _wants_steps(plan, evidence) else parts
            checked = _sources(passages, plan)
            extraction = await _extracted(context, state, checked.hits)
            text, likely = extraction.text, extraction.probability
            if plan.answer_language and detect_language(text) not in (plan.answer_language, None):
                notices.append(AS_WRITTEN)
            emit(Token(text))
        if not text:
            checked, text = CheckedSources(()), NOTHING.to(plan.language)
            emit(Token(text))
        if checked.hits and (answered_by == "extractive" or len(text) > LONG):
            statements = await asyncio.to_thread(check_answer, text, checked)
        else:  # its claims were checked while it was streamed: less work than a thread
            statements = check_answer(text, checked) if checked.hits else ()
    text = mark_unsourced(text, statements)
    if cut:
        emit(Token(broken_off := BREAKS_OFF.to(plan.language)))
        text += broken_off
    confidence, quoted = confidence_of(evidence, statements) * math.sqrt(likely), tuple[Statement, ...]()
    if answered_by != "extractive" and _rests_on_nothing(statements):
        extracted = (await _extracted(context, state, checked.hits)).text
        emit(Token(beneath := f"\n\n{THEY_SAY.to(plan.language)}\n\n{extracted}"))
        text += beneath
        quoted = await asyncio.to_thread(check_answer, extracted, checked)
    if checked.hits and UNCERTAIN not in notices and confidence < context.settings.min_confidence:
        notices.append(is_below_confidence(confidence, context.settings.min_confidence))
    found = Answer(
        text=text,
        statements=(*statements, *quoted),
        sources=checked.hits,
        confidence=confidence,
        language=plan.language,
        seconds=evidence.seconds + time.monotonic() - started,
        fallback_used=answered_by == "extractive",
        answered_by=answered_by,
        notices=without_repeats(notices, context.model.calls if context.model else ()),
        quoted=len(quoted),
        cut_short=cut,
    )
    emit(Answered(found))
    return {
        "answer": found,
        "messages": [Record(plan=plan, answer=found, coverage=state["coverage"]).message(text, str(uuid.uuid4()))],
    }


NOTHING = Message(
    zh="知识库里没有找到与这个问题相关的内容。可以换一些关键词、用文件的语言提问、取消文件范围的限制，"
    "或者先上传相关的文件。",
    en="Nothing in the library relates to this question. Try other keywords, ask in the language of the file, lift the "
    "limit to certain files, or upload a file on the subject first.",
)
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
UNCERTAIN = Message(
    zh="找到的内容与问题的相关度较低，回答不一定可靠，请核对来源。",
    en="What was found relates to the question only weakly: this answer may not hold, check its sources.",
)


def left_out_notice(read: int, found: int) -> Message:
    return Message(
        zh=f"找到的 {found} 个片段太长，只用了最相关的 {read} 个。",
        en=f"The {found} passages found are too long together: only the best {read} are used.",
    )


def _uncertain(context: TurnContext, evidence: Evidence) -> bool:
    return evidence.confidence < context.settings.min_confidence


def _rests_on_nothing(statements: Sequence[Statement]) -> bool:
    """Whether no sentence of a model holds by a source. That the sources do not say it needs none; and where most cite
    lines in another language, who reads it can tell better than words can."""
    if any(one.supported or denies(one.text) for one in statements):
        return False
    checkable = [one for one in statements if one.checkable]
    return not checkable or 2 * sum(not one.comparable for one in checkable) < len(checkable)


def _sources(parts: Sequence[Sequence[Hit]], plan: Plan) -> CheckedSources:
    return CheckedSources([hit for part in parts for hit in part], plan.asked)


async def in_sections(
    parts: Sequence[Sequence[Hit]], library: Library, settings: Settings, budget: int
) -> Sequence[Sequence[Hit]]:
    """What was found, with what stands around it where a model can read that in the same call."""
    if not settings.parent_sections or len(parts) != 1:
        return parts
    wider = split_by_budget(await library.in_sections(parts[0], text_budget(parts[0], budget)), budget)
    return wider if len(wider) == 1 else parts


def _wants_steps(plan: Plan, evidence: Evidence) -> bool:
    return asks_how_to(plan.asked) and not evidence.overview


async def with_steps(parts: Sequence[Sequence[Hit]], library: Library) -> Sequence[Sequence[Hit]]:
    """What was found, the best of it with the rest of its section: steps are read from the first to the last."""
    best, *others = [hit for part in parts for hit in part]
    if not best.headings:  # all of a text without headings would be one section
        return parts
    (section, *_) = await library.in_sections([best], SECTION)

    def inside(hit: Hit) -> bool:
        same = (hit.document, hit.doc_set) == (section.document, section.doc_set)
        return same and section.start <= hit.start and hit.end <= section.end

    return [[section, *(hit for hit in others if not inside(hit))]]


async def _by_model(
    model: Model,
    plan: Plan,
    parts: Sequence[Sequence[Hit]],
    checked: CheckedSources,
    emit: Callable[[Event], None],
    notices: list[Message],
) -> tuple[str, str, bool]:
    """The model's answer, its name, and whether it was cut short; ("", "extractive", False) when it has none. What went
    wrong is added to the notices."""
    try:
        text, cut = await _streamed(model, plan, parts, checked, emit, notices)
    except ModelError as error:
        emit(Reset(error.message))
        notices += [error.message, *error.suggestions]
        return "", "extractive", False
    if text.strip():
        return text, model.name, cut
    emit(Reset(SILENT))  # not a word: as if there were no model
    notices.append(SILENT)
    return "", "extractive", False


async def _streamed(
    model: Model,
    plan: Plan,
    parts: Sequence[Sequence[Hit]],
    sources: CheckedSources,
    emit: Callable[[Event], None],
    notices: list[Message],
) -> tuple[str, bool]:
    """The model's answer with verified markers, and sentences without one marked, sent on as it comes; and whether it
    was cut short."""
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

    async with aclosing(write_answer(model, plan.question, plan.language, parts)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Restart):
                stream, marks, shown, left = CitationStream(sources), SentenceMarks(), [], LONGEST
                emit(Reset(piece.reason))
            elif isinstance(piece, Message):
                notices.append(piece)
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
        notices.append(why)
    return text, bool(cut)


async def _extracted(context: TurnContext, state: State, sources: Sequence[Hit]) -> ExtractiveAnswer:
    plan, evidence = state["plan"], state["evidence"]
    if evidence.overview:
        return ExtractiveAnswer(extract_opening(sources, language=plan.answer_language), 1.0)
    most = 3 if _uncertain(context, evidence) else MOST_SENTENCES  # sentences: what may not hold is said briefly
    terms = history_terms(plan, state["messages"])
    language, foreign = plan.answer_language, NOT_AS_ASKED
    if language is None or language not in {detect_language(hit.text) for hit in sources}:
        language, foreign = language_of(plan.asked, plan.language), FOREIGN
    return await asyncio.to_thread(
        extract, plan.asked, sources, language, context.library.embed_sync, terms, most, foreign
    )


def confidence_of(evidence: Evidence, statements: Sequence[Statement]) -> float:
    """How far to trust the answer: no further than its evidence, nor than the support of its sentences."""
    support = mean_support(statements)
    if support is None:
        return min(evidence.confidence, UNCHECKED) if any(not one.comparable for one in statements) else 0.0
    return min(evidence.confidence, support)
