"""What is recorded of evidence, of answers and of claims: short rows of plain JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from evaluation.blocks import SourceUnit
from evaluation.scored_units import ScoredUnit
from evaluation.support import SupportJudgement
from schema import Answer, ConsideredPassage, Coverage, Evidence, Hit, Message, Statement, Support, Verdict
from tests.recorded.normal import Json, plain

_DIGITS = 4
_TOLD = 8  # ranks up to which the scores of passages that were too many are recorded
_LIKELY = 0.002  # probability of a sentence that is recorded


def evidence_row(found: Evidence) -> Json:
    """What a search has found, in which words, and what became of all that it considered."""
    return {
        "searched": found.question,
        "strategy": found.strategy,
        "confidence": rounded(found.confidence),
        "translated": found.translated,
        "imagined": found.hypothetical,
        "overview": found.overview,
        "parts": [list(one) for one in found.parts],
        "notices": told(found.notices),
        "found by": told([found.found_by] if found.found_by else []),
        "hits": [_hit(one) for one in found.hits],
        "considered": [_considered(one) for one in found.considered],
        "contexts": [[one.text, rounded(one.similarity), one.fate] for one in found.contexts],
        "steps": [[one.name, *told([one.note] if one.note else [])] for one in found.steps],
    }


def coverage_row(found: Coverage) -> Json:
    return [rounded(found.score), rounded(found.threshold), found.covered]


def answer_row(answer: Answer) -> Json:
    """What is said, and how each sentence of it stands by its lines."""
    return {
        "text": answer.text,
        "language": answer.language,
        "confidence": rounded(answer.confidence),
        "by": [answer.answered_by, answer.fallback_used, answer.quoted, answer.cut_short],
        "notices": told(answer.notices),
        "found by": told([answer.found_by] if answer.found_by else []),
        "statements": [statement_row(one) for one in answer.statements],
        "sources": [_where(one) for one in answer.sources],
        "table": plain(answer.table, {}) if answer.table else None,
    }


def statement_row(statement: Statement) -> Json:
    """The length of a sentence, whether it can be checked, the words that are explained, and its citations."""
    cited = [
        [one.marker, one.start, one.end, one.start_line, one.end_line, *_support(one.support)]
        for one in statement.citations
    ]
    gloss = [" = ".join(one) for one in statement.gloss]
    return [len(statement.text), statement.checkable, statement.across, gloss, *cited]


def judgement_row(found: SupportJudgement) -> Json:
    place = [found.source, found.start, found.end]
    return [*_support(found.support), place, [rounded(one) for one in found.agreement], rounded(found.left)]


def verdict_row(found: Verdict) -> Json:
    figures = (found.mean_similarity, found.max_similarity, found.diversity, found.support)
    unjudged = told([found.unjudged] if found.unjudged else [])
    return [*(None if one is None else rounded(one) for one in figures), *unjudged]


def source_unit_row(unit: SourceUnit) -> Json:
    """A sentence as it is read of a file, with what it stands under."""
    place = [unit.hit, unit.kind, unit.group, unit.bullet, unit.answers]
    return [*place, unit.text, unit.context, unit.header, " > ".join(unit.headings)]


def scored_rows(scored: Sequence[ScoredUnit]) -> Json:
    """The sentences that may answer, each by its number, with what speaks for it."""
    return [
        [number, rounded(one.share), rounded(one.score), one.itself, one.led, one.foreign, sorted(one.own)]
        for number, one in enumerate(scored)
        if max(one.share, one.score) >= _LIKELY
    ]


def told(messages: Iterable[Message]) -> list[str]:
    """In both languages."""
    return [f"{one.zh} | {one.en}" for one in messages]


def rounded(value: float) -> float:
    return round(float(value), _DIGITS)


def _support(support: Support) -> list[Any]:
    judged = [rounded(support.score), support.supported, support.comparable, support.across]
    return [*judged, told(support.reasons)]


def _where(hit: Hit) -> str:
    return f"{hit.document} {hit.start_line}-{hit.end_line}"


def _hit(hit: Hit) -> Json:
    scores = {name: rounded(score) for name, score in sorted(hit.scores.items())}
    return [_where(hit), hit.start, hit.end, rounded(hit.score), scores, " > ".join(hit.headings), list(hit.also_in)]


def _considered(one: ConsideredPassage) -> Json:
    scores = {name: rounded(score) for name, score in sorted(one.scores.items())}
    row: list[Any] = [one.rank, one.place, one.fate, f"{one.document} {one.start_line}-{one.end_line}", one.of]
    row += [one.name, one.part]
    told = one.fate != "kept" and (one.fate != "limit" or one.rank <= _TOLD)
    return [*row, scores, one.begins[-20:]] if told else row
