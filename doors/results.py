"""From the library's nouns to what the doors give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import schema
from answering.inert import inert
from answering.origins import title_of
from answering.places import link_to, place_of
from doors.forms import Asked, CheckedStatement, Passage, Source, Verdict
from evaluation.citations import UNSUPPORTED
from graph.heard import Answer
from schema import Hit, Language, Message, Statement

NOTES = Message(zh="请注意：", en="Please note:")
SOURCES = Message(zh="来源：", en="Sources:")
BETWEEN = Message(zh="；", en="; ")


def asked_of(answer: Answer, conversation: str = "") -> Asked:
    language = answer.language
    return Asked(
        answer=answer.text,
        statements=statements_of(answer.statements, answer.language),
        sources=list(sources_of(answer)),
        confidence=answer.confidence,
        covered=answer.coverage.covered if answer.coverage else None,
        language=language,
        answered_by=answer.answered_by,
        verdict=verdict_of(answer.verdict, language) if answer.verdict else None,
        notices=[notice.to(language) for notice in answer.notices],
        cut_short=answer.cut_short,
        conversation=conversation,
        seconds=answer.seconds,
    )


def sources_of(answer: schema.Answer) -> Iterator[Source]:
    """One for each passage that a marker points to, by markers and lines."""
    cited = {
        (citation.marker, citation.start, citation.end): citation
        for statement in answer.statements
        for citation in statement.citations
    }
    for _, citation in sorted(cited.items()):
        hit = answer.sources[citation.source]
        yield Source(
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
        )


def verdict_of(found: schema.Verdict, language: Language) -> Verdict:
    return Verdict(
        mean_similarity=found.mean_similarity, max_similarity=found.max_similarity, diversity=found.diversity,
        support=found.support, faithfulness=found.faithfulness, relevance=found.relevance,
        completeness=found.completeness, reasons=list(found.reasons), judged_by=found.judged_by,
        unjudged=found.unjudged and found.unjudged.to(language),
    )  # fmt: skip


def statements_of(statements: Sequence[Statement], language: Language) -> list[CheckedStatement]:
    found = []
    for one in statements:
        if one.checkable:
            best = max((citation.support for citation in one.citations), key=lambda it: it.score, default=None)
            found.append(
                CheckedStatement(
                    text=one.text,
                    supported=one.supported,
                    score=best.score if best else 0.0,
                    markers=sorted({citation.marker for citation in one.citations}),
                    reasons=[reason.to(language) for reason in best.reasons] if best and not one.supported else [],
                )
            )
    return found


def passage_of(hit: Hit, language: Language) -> Passage:
    return Passage(
        document=hit.document,
        doc_set=hit.doc_set,
        title=" › ".join(title_of(hit)),
        text=hit.text,
        score=hit.score,
        lines=(hit.start_line, hit.end_line),
        place=place_of(hit).to(language),
        url=link_to(hit),
    )


def sources_in_words(asked: Asked) -> str:
    """The list below an answer, for programs that show nothing but text; "" where nothing is cited."""
    lines = []
    for marker in sorted({source.marker for source in asked.sources}):
        here = [source for source in asked.sources if source.marker == marker]
        places = list(dict.fromkeys(source.place for source in here))
        mark = UNSUPPORTED if not any(source.supported for source in here) and f"[{marker}]⚠" in asked.answer else ""
        where = " › ".join(filter(None, [inert(here[0].doc_set), here[0].title]))
        told = [f"[{marker}]{mark} {' '.join(where.split())}", BETWEEN.to(asked.language).join(places), here[0].url]
        lines.append("- " + " · ".join(filter(None, told)))
    return "\n".join(["", "", SOURCES.to(asked.language), *lines]) if lines else ""


def notes_in_words(asked: Asked) -> str:
    """What is to be said of the answer, below it; "" where there is nothing."""
    lines = [f"- {UNSUPPORTED} {' '.join(notice.split())}" for notice in asked.notices]
    return "\n".join(["", "", NOTES.to(asked.language), *lines]) if lines else ""


def without_lists(text: str) -> str:
    """An answer as it was before the lists of its sources and notes were added."""
    for heading in (*(f"{one}\n- [" for one in SOURCES), *(f"{one}\n- {UNSUPPORTED} " for one in NOTES)):
        text = text.partition(f"\n\n{heading}")[0]
    return text
