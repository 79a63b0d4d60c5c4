"""From the library's nouns to what the doors give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import schema
from answering.document_titles import title_of
from answering.inert_markdown import neutralise_markdown
from answering.places import link_to, place_of
from doors.result_forms import AnswerSource, AnswerVerdict, AskResult, CheckedStatement, ComputedResult, PassageResult
from evaluation.citations import UNSUPPORTED
from graph.turn_result import TurnAnswer
from schema import Citation, Hit, Language, Message, Statement

Passage = tuple[int, int, int]  # marker, start and end of what a citation points to

NOTES = Message(zh="请注意：", en="Please note:")
SOURCES = Message(zh="来源：", en="Sources:")
BETWEEN = Message(zh="；", en="; ")


def ask_result(answer: TurnAnswer, conversation: str = "") -> AskResult:
    language, sources = answer.language, sources_of(answer)
    return AskResult(
        answer=answer.text,
        statements=statements_of(answer.statements, language, {passage: at for at, passage in enumerate(sources)}),
        sources=list(sources.values()),
        confidence=answer.confidence,
        covered=answer.coverage.covered if answer.coverage else None,
        language=language,
        answered_by=answer.answered_by,
        verdict=verdict_of(answer.verdict, language) if answer.verdict else None,
        notices=[notice.to(language) for notice in answer.notices],
        table=computed_result(answer.table, language) if answer.table else None,
        cut_short=answer.cut_short,
        conversation=conversation,
        seconds=answer.seconds,
    )


def computed_result(found: schema.TableResult, language: Language) -> ComputedResult:
    query = found.query
    return ComputedResult(
        document=query.document, doc_set=query.doc_set, words=query.words.to(language), sql=query.sql, by=query.by,
        columns=list(found.columns), rows=[list(row) for row in found.rows], cut=found.cut, rows_read=found.rows_read,
        rows_used=found.rows_used, used=list(found.used),
    )  # fmt: skip


def sources_of(answer: schema.Answer) -> dict[Passage, AnswerSource]:
    """One for each passage that a marker points to, by markers and lines."""
    cited = {_passage(citation): citation for statement in answer.statements for citation in statement.citations}
    return {passage: _source(answer, citation) for passage, citation in sorted(cited.items())}


def _passage(citation: Citation) -> Passage:
    return citation.marker, citation.start, citation.end


def _source(answer: schema.Answer, citation: Citation) -> AnswerSource:
    hit = answer.sources[citation.source]
    return AnswerSource(
        marker=citation.marker,
        document=hit.document,
        doc_set=hit.doc_set,
        title=" › ".join(title_of(hit)),
        lines=(citation.start_line, citation.end_line),
        place=place_of(hit, [citation]).to(answer.language),
        quote=citation.quote,
        url=link_to(hit, [citation]),
        supported=citation.support.supported,
        score=citation.support.score,
        across=citation.support.across,
    )


def verdict_of(found: schema.Verdict, language: Language) -> AnswerVerdict:
    return AnswerVerdict(
        mean_similarity=found.mean_similarity, max_similarity=found.max_similarity, diversity=found.diversity,
        support=found.support, faithfulness=found.faithfulness, relevance=found.relevance,
        completeness=found.completeness, reasons=list(found.reasons), judged_by=found.judged_by,
        unjudged=found.unjudged and found.unjudged.to(language),
    )  # fmt: skip


def statements_of(
    statements: Sequence[Statement], language: Language, sources: Mapping[Passage, int] = MappingProxyType({})
) -> list[CheckedStatement]:
    """Those that can be checked; with `sources`, where each passage stands in the list of an answer's sources."""
    found = []
    for one in statements:
        if one.checkable:
            best = max((citation.support for citation in one.citations), key=lambda it: it.score, default=None)
            found.append(
                CheckedStatement(
                    text=one.text,
                    supported=one.supported,
                    score=best.score if best else 0.0,
                    across=one.across,
                    markers=sorted({citation.marker for citation in one.citations}),
                    sources=sorted({sources[_passage(citation)] for citation in one.citations} if sources else ()),
                    reasons=[reason.to(language) for reason in best.reasons] if best and not one.supported else [],
                    gloss=dict(one.gloss),
                )
            )
    return found


def passage_of(hit: Hit, language: Language) -> PassageResult:
    return PassageResult(
        document=hit.document,
        doc_set=hit.doc_set,
        title=" › ".join(title_of(hit)),
        text=hit.text,
        score=hit.score,
        lines=(hit.start_line, hit.end_line),
        place=place_of(hit).to(language),
        url=link_to(hit),
    )


def sources_in_words(asked: AskResult) -> str:
    """The list below an answer, for programs that show nothing but text; "" where nothing is cited."""
    lines = []
    for marker in sorted({source.marker for source in asked.sources}):
        here = [source for source in asked.sources if source.marker == marker]
        places = list(dict.fromkeys(source.place for source in here))
        mark = UNSUPPORTED if not any(source.supported for source in here) and f"[{marker}]⚠" in asked.answer else ""
        where = " › ".join(filter(None, [neutralise_markdown(here[0].doc_set), here[0].title]))
        source_lines = [
            f"[{marker}]{mark} {' '.join(where.split())}",
            BETWEEN.to(asked.language).join(places),
            here[0].url,
        ]
        lines.append("- " + " · ".join(filter(None, source_lines)))
    return "\n".join(["", "", SOURCES.to(asked.language), *lines]) if lines else ""


def notes_in_words(asked: AskResult) -> str:
    """What is to be said of the answer, below it; "" where there is nothing."""
    lines = [f"- {UNSUPPORTED} {' '.join(notice.split())}" for notice in asked.notices]
    return "\n".join(["", "", NOTES.to(asked.language), *lines]) if lines else ""


def without_lists(text: str) -> str:
    """An answer as it was before the lists of its sources and notes were added."""
    for heading in (*(f"{one}\n- [" for one in SOURCES), *(f"{one}\n- {UNSUPPORTED} " for one in NOTES)):
        text = text.partition(f"\n\n{heading}")[0]
    return text
