"""What the Lab tab shows of runs: a table, a plot over time, and a case with the trace of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from evaluation.lab.charts import CurvePoint, line_chart, wrong_bar, wrong_label
from evaluation.lab.comparing import MAIN
from evaluation.lab.report import GROUP_NAMES, labelled
from evaluation.lab.results import CaseResult, summary
from graph.lab.case_trace import OpenedCase
from graph.lab.running import FinishedRun
from schema import Language
from ui.texts import text
from ui.trace_panel import trace_value

_LONGEST = 2_000  # characters of a question or an answer that are shown


class ShownCase(NamedTuple):
    about: str  # HTML
    trace: dict[str, Any]  # as trace.js draws it


def inert(markup: str) -> str:
    """Markup in which words of questions and documents are no template: gr.HTML knows "${...}" and "{{...}}"."""
    return markup.replace("$", "&#36;").replace("{", "&#123;")


def shown_case(opened: OpenedCase, language: Language) -> ShownCase:
    """What one run has of a case: right or where it went wrong, the answer, the passages that were found first."""
    result = opened.result
    wrong = wrong_label(result.went_wrong or "right", language)
    lines = [
        f"<h3>{escape(labelled(opened.run, wrong, language))}</h3>",
        f"<p>{escape(result.question[:_LONGEST])}</p>",
    ]
    if said := result.said(language):
        lines.append(f"<blockquote>{escape(said[:_LONGEST])}</blockquote>")
    lines += _places(result, language)
    if opened.again:
        lines.append(f'<p class="hint">{escape(text("l_again", language))}</p>')
    return ShownCase(inert("".join(lines)), trace_value(opened.record, language))


def _places(result: CaseResult, language: Language) -> list[str]:
    if not result.places:
        return []
    rows = [
        f"<li>{'✓ ' if one.right else ''}{escape(f'{one.doc_set} › ' if one.doc_set else '')}{escape(one.document)} · "
        f"{one.start_line}–{one.end_line}</li>"
        for one in result.places
    ]
    return [f"<p>{escape(text('l_places', language))}</p><ol>", *rows, "</ol>"]


def runs_table(finished: Sequence[FinishedRun], language: Language) -> str:
    """Each run with where its cases went wrong and its main figures, below a plot of the newest set's."""
    if not finished:
        return f"<p>{escape(text('l_nothing', language))}</p>"
    lines = []
    for info, results in finished:
        for group, found in summary(results).items():
            figures = " · ".join(f"{name} {found.figures[name]:.3f}" for name in MAIN if name in found.figures)
            bar = wrong_bar(found.went_wrong, found.cases, language)
            tag = "" if group == "people" else f" · {escape(GROUP_NAMES[group].to(language))}"
            lines.append(f"<tr><td>{escape(info.name)}{tag}</td><td>{escape(figures)}</td><td>{bar}</td></tr>")
    return inert("".join([_plot(finished), '<table class="lab-runs"><tbody>', *lines, "</tbody></table>"]))


def _plot(finished: Sequence[FinishedRun]) -> str:
    """The main figure of the runs over the set of the newest one, oldest first."""
    newest, points = finished[0].info.set_name, []
    for info, results in reversed(finished):
        figures = next(iter(summary(results).values())).figures if results else {}
        name = next((one for one in MAIN if one in figures), None)
        if info.set_name == newest and name:
            points.append(CurvePoint(f"{info.name} ({name})", figures[name]))
    return line_chart(points) if len(points) > 1 else ""
