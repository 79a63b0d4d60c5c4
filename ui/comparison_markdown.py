"""Strategies side by side, as Markdown: what each answers, their figures, how far they found the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from answering.document_titles import title_of
from answering.places import place_of
from graph.comparison import ComparedPassage, Comparison, ComparisonColumn, Overlap
from schema import Answer, Citation, Language
from ui.markup import literal, safe_markdown
from ui.render import describe_error
from ui.texts import text

QUOTE = 160  # characters of a source
NAMED = 5  # passages that only one has found


def column_markdown(one: ComparisonColumn, language: Language, stopped: bool = False) -> str:
    """What one strategy has come to so far, its sources with the lines that carry the answer."""
    parts = [f"**{_name(one, language)}**  \n*{_state(one, language, stopped)}*"]
    if one.evidence is not None and one.evidence.strategy != one.strategy and one.strategy != "default":
        ran = text(f"s_{one.evidence.strategy}", language)
        parts.append(f"> ⚠ {literal(text('x_instead', language).format(ran))}")
    if one.error is not None:
        parts.append(describe_error(one.error).to(language))
    parts.append(safe_markdown(one.text))
    if one.answer is not None:
        parts += [f"> ⚠ {literal(notice.to(language))}" for notice in one.answer.notices]
        parts += _sources(one.answer, language)
    return "\n\n".join(part for part in parts if part)


def figures_markdown(state: Comparison, language: Language) -> str:
    """A row for each figure that any of them has."""
    columns = state.columns
    rows = [(key, [rows_shown(one) for one in columns]) for key, rows_shown in _FIGURES.items()]
    rows_shown = [[literal(text(key, language)), *figures] for key, figures in rows if any(f != "–" for f in figures)]
    return _table(["", *(_name(one, language) for one in columns)], rows_shown) if rows_shown else ""


def overlap_markdown(state: Comparison, language: Language) -> str:
    """How far every two have found the same."""
    pairs = {(one.first, one.second): one for one in state.overlaps}
    rows = []
    for row in state.columns:
        cells = [
            _shared(pairs.get((row.strategy, other.strategy)) or pairs.get((other.strategy, row.strategy)))
            for other in state.columns
        ]
        rows.append([f"**{_name(row, language)}**", *cells])
    return _table(["", *(_name(one, language) for one in state.columns)], rows) if pairs else ""


def alone_markdown(state: Comparison, language: Language) -> str:
    """For each, what none of the others found."""
    if not state.overlaps:
        return ""
    lines = []
    for one in state.columns:
        found = state.found_alone(one.strategy) if one.evidence is not None else ()
        lines.append(f"- **{_name(one, language)}**" + ("" if found else f" · {text('x_none', language)}"))
        lines += [f"    - {_passage(passage, language)}" for passage in found[:NAMED]]
        if len(found) > NAMED:
            lines.append(f"    - … +{len(found) - NAMED}")
    return "\n".join(lines)


def _name(one: ComparisonColumn, language: Language) -> str:
    return literal(text(f"s_{one.strategy}", language))


def _state(one: ComparisonColumn, language: Language, stopped: bool) -> str:
    if one.over and one.answer is not None:
        return f"{text('x_confidence', language)} {one.answer.confidence:.0%} · {_seconds(one.seconds)}"
    if one.over or stopped:
        return text("x_stopped", language)
    if one.answer is not None:
        return text("x_judging", language)
    stage = "x_waiting" if not one.begun else "x_searching" if one.evidence is None else "x_answering"
    return f"⏳ {text(stage, language)}"


def _sources(answer: Answer, language: Language) -> list[str]:
    """The cited ones, by their numbers."""
    cited: dict[int, list[Citation]] = {}
    for statement in answer.statements:
        for citation in statement.citations:
            cited.setdefault(citation.source, []).append(citation)
    shown = []
    for source, citations in sorted(cited.items()):
        hit = answer.sources[source]
        where = literal(place_of(hit, citations).to(language))
        title = literal(" › ".join(filter(None, [hit.doc_set, *title_of(hit)])))
        placed = f"（{where}）" if language == "zh" else f" ({where})"
        quote = " … ".join(dict.fromkeys(" ".join(one.quote.split()) for one in citations))
        shortened = quote if len(quote) <= QUOTE else f"{quote[:QUOTE]} …"
        shown.append(f"**\\[{source + 1}\\]** {title}{placed}\n\n> {literal(shortened)}")
    return shown


def _passage(passage: ComparedPassage, language: Language) -> str:
    lines = str(passage.start_line)
    if passage.end_line != passage.start_line:
        lines += f"-{passage.end_line}"
    where = f"（行 {lines}）" if language == "zh" else f" (line{'s' * ('-' in lines)} {lines})"
    named = " › ".join(filter(None, [passage.doc_set, passage.document]))
    return f"{literal(named)}{where}{'：' if language == 'zh' else ': '}{literal(passage.begins)} …"


def _shared(overlap: Overlap | None) -> str:
    """ "33% (2 · 1)": the share, and how many passages and documents both found."""
    if overlap is None or overlap.jaccard is None:
        return "–"
    return f"{overlap.jaccard:.0%} ({overlap.passages} · {overlap.documents})"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} s"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _score(value: int | None) -> str:
    return "–" if value is None else f"{value} / 5"


def _count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _cited(answer: Answer) -> int:
    return len({citation.source for statement in answer.statements for citation in statement.citations})


_FIGURES: dict[str, Callable[[ComparisonColumn], str]] = {
    "x_seconds": lambda one: _seconds(one.seconds),
    "x_first": lambda one: _seconds(one.first_word),
    "x_confidence": lambda one: f"{one.answer.confidence:.0%}" if one.answer else "–",
    "x_support": lambda one: _share(one.verdict.support if one.verdict else None),
    "x_mean": lambda one: _share(one.verdict.mean_similarity if one.verdict else None),
    "x_max": lambda one: _share(one.verdict.max_similarity if one.verdict else None),
    "x_faithfulness": lambda one: _score(one.verdict.faithfulness if one.verdict else None),
    "x_relevance": lambda one: _score(one.verdict.relevance if one.verdict else None),
    "x_completeness": lambda one: _score(one.verdict.completeness if one.verdict else None),
    "x_passages": lambda one: _count(len(one.passages) if one.evidence else None),
    "x_cited": lambda one: _count(_cited(one.answer) if one.answer else None),
    "x_calls": lambda one: _count(one.calls if one.trace else None),
    "x_tokens": lambda one: _count(one.tokens),
}
