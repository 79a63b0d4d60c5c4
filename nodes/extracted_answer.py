"""The answer without a model: which sentences of the sources are chosen, in which language, and for which part."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from answering.closest import nearest_sentences
from answering.confidence import is_uncertain
from answering.evidence import held_language
from answering.outline_answer import outline_answer
from evaluation.answer_text import extract_opening
from evaluation.extractive import MOST_SENTENCES, ExtractiveAnswer, extract
from evaluation.scored_units import FOREIGN
from nodes.context import TurnContext
from nodes.state import State, earlier_questions
from planning.follow_up import history_terms
from schema import Hit, Plan, QuestionPart
from text import detect_language, language_of
from translation.gloss import subjects

_NOT_AS_ASKED = 0.1  # how much a sentence counts beside those in the language that was asked for


async def extracted_answer(context: TurnContext, state: State, sources: Sequence[Hit]) -> ExtractiveAnswer:
    """Of an overview how its documents begin, or what is near in meaning; of several parts those of each; else the
    sentences that answer best."""
    plan, evidence = state["plan"], state["evidence"]
    if evidence.overview:
        if any("meaning" in hit.scores for hit in sources):
            listed = await asyncio.to_thread(nearest_sentences, evidence.question, sources)
            return ExtractiveAnswer(listed or extract_opening(sources, 2, plan.answer_language))
        alone = len({hit.document for hit in sources}) == 1
        if alone and (listed := outline_answer(sources)):
            return ExtractiveAnswer(listed)
        of_each = 4 if alone else 2  # sentences
        return ExtractiveAnswer(extract_opening(sources, of_each, plan.answer_language))
    foreign_source = detect_language(sources[0].text) not in (language_of(plan.asked, plan.language), None)
    if len(evidence.parts) > 1 and not foreign_source:
        return await _by_parts(context, plan, evidence.parts, sources)
    most = 3 if is_uncertain(evidence, context.settings) else MOST_SENTENCES  # what may not hold is said briefly
    terms = history_terms(plan, earlier_questions(state))
    question, language, foreign = evidence.question, plan.answer_language, _NOT_AS_ASKED
    about, asked = list[str](), ""
    if language is None or language not in {detect_language(hit.text) for hit in sources}:
        language, foreign = language_of(plan.asked, plan.language), FOREIGN
        if evidence.translated and detect_language(sources[0].text) not in (language, None):
            # its words in the sources' language find the sentence, its own say what kind of answer is asked for
            question, asked = f"{evidence.translated} {question}", question
            if held := held_language(sources, language):
                about = subjects(evidence.question, language, [hit.text for hit in sources])
                language = held
    return await asyncio.to_thread(
        extract, question, sources, language, context.library.embed_sync, terms, most, foreign, about, asked
    )


async def _by_parts(
    context: TurnContext, plan: Plan, parts: Sequence[QuestionPart], sources: Sequence[Hit]
) -> ExtractiveAnswer:
    """The sentences that answer each part best, part by part; what answers two of them is said once."""
    most, embed = max(1, MOST_SENTENCES // len(parts)), context.library.embed_sync
    language = plan.answer_language or language_of(plan.asked, plan.language)
    found = await asyncio.gather(
        *(asyncio.to_thread(extract, part.question, sources, language, embed, (), most) for part in parts)
    )
    told = [one for one in found if one.text]
    paragraphs = dict.fromkeys(
        text for one in told for text in ([one.text] if "```" in one.text else one.text.split("\n\n"))
    )
    return ExtractiveAnswer("\n\n".join(paragraphs), min((one.probability or 0.0 for one in told), default=None))
