"""How well an answer holds, how the conversation does, and what people say of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import gradio as gr

from answering.doubts import plain_sentence
from graph.conversations import Turn
from graph.turns import Assistant
from schema import Answer, Language, Statement, Verdict
from stores.feedback import Feedback
from ui.markup import literal
from ui.scripted_html import scripted_html
from ui.texts import text

JUDGED = ("faithfulness", "relevance", "completeness")  # 1-5, by a model
MEASURED = {
    "support": "support",
    "similarity": "mean_similarity",
    "maximum": "max_similarity",
    "diversity": "diversity",
}
PLOTTED = ("support", "similarity")  # of what is measured
_TURNS = 50  # of a conversation, the last ones, that are plotted


class EvaluationPanel:
    """`connect` of ui/feedback.py gives its buttons and its clock their work."""

    def __init__(self, label: dict[str, Any], assistant: Assistant) -> None:
        self._assistant = assistant
        self.turn = gr.State("")  # whose evaluation it shows
        self.figures = scripted_html("evaluation", elem_id="evaluation", elem_classes="told")
        with gr.Column(visible=False, elem_id="feedback") as self.asked:
            gr.Markdown(label["f_ask"], elem_classes="section")
            with gr.Row(elem_classes="thumbs"):
                self.up = gr.Button(label["f_up"], size="sm", elem_id="feedback-up")
                self.down = gr.Button(label["f_down"], size="sm", elem_id="feedback-down")
            with gr.Row(visible=False, elem_classes="why", equal_height=True) as self.row:
                self.word = gr.Textbox(
                    label=label["f_why"], lines=1, max_lines=3, max_length=1000, scale=5, elem_id="feedback-word"
                )
                self.save = gr.Button(label["f_save"], size="sm", scale=0, min_width=70, elem_id="feedback-save")
            self.note = gr.Markdown(elem_id="feedback-note", elem_classes="hint")
        self.clock = gr.Timer(1, active=False)  # only while a verdict is on its way

    @property
    def feedback_parts(self) -> list[Any]:
        """What shows a thumb and its word."""
        return [self.asked, self.up, self.down, self.row, self.word, self.note]

    @property
    def parts(self) -> list[Any]:
        return [self.turn, self.figures, self.clock, *self.feedback_parts]

    async def show(self, turn: Turn | None, number: int, language: Language) -> list[Any]:
        turns = await self._assistant.turns(turn.thread) if turn else []
        rated = turn is not None and turn.record is not None and turn.record.answer is not None
        given = await asyncio.to_thread(self._assistant.feedback.of, turn.thread) if turn and rated else {}
        return [
            turn.id if turn else "",
            evaluation_value(turn, turns, language),
            gr.update(active=bool(turn and turn.running)),
            *self.thumb(given.get(turn.id) if turn else None, language, rated),
        ]

    def thumb(self, given: Feedback | None, language: Language, rated: bool = True, note: str = "") -> list[Any]:
        """Of `said`: the thumb that was given stands out, and only then a word is asked for."""
        value = given.value if given else 0
        return [
            gr.update(visible=rated),
            gr.update(variant="primary" if value == 1 else "secondary"),
            gr.update(variant="primary" if value == -1 else "secondary"),
            gr.update(visible=given is not None),
            given.word if given else "",
            literal(note) or (text("f_kept", language) if given else ""),
        ]


def evaluation_value(turn: Turn | None, turns: Sequence[Turn], language: Language) -> dict[str, Any]:
    """What evaluation.js draws; `turns` are those of the conversation."""
    record = turn.record if turn else None
    if turn is None or record is None or record.answer is None or not record.answer.sources:
        return {"empty": text("e_none", language), "sections": []}
    verdict = record.verdict or Verdict()
    figures = [
        _figures("e_judged", [_judged(name, verdict, language) for name in JUDGED], language),
        _figures("e_measured", [_measured(name, verdict, language) for name in MEASURED], language),
    ]
    sections = [*figures, _sentences(record.answer, verdict, language), _history(turn, turns, language)]
    return {
        "lead": _by(verdict, turn.running, language),
        "pending": turn.running,
        "sections": [one for one in sections if one],
    }


def _by(verdict: Verdict, running: bool, language: Language) -> str:
    if verdict.judged_by is not None:
        return text("e_by", language).format(verdict.judged_by)
    if verdict.unjudged is not None:
        return text("e_unjudged", language).format(verdict.unjudged.to(language))
    return text("e_pending" if running else "e_no_judge", language)


def _figures(title: str, rows: list[dict[str, Any] | None], language: Language) -> dict[str, Any] | None:
    shown = [row for row in rows if row]
    return {"kind": "figures", "title": text(title, language), "rows": shown} if shown else None


def _judged(name: str, verdict: Verdict, language: Language) -> dict[str, Any] | None:
    score = getattr(verdict, name)
    if score is None:
        return None
    why = dict(zip(JUDGED, verdict.reasons, strict=False)).get(name, "")
    return _row(name, f"{score} / 5", (score - 1) / 4, why, language)


def _measured(name: str, verdict: Verdict, language: Language) -> dict[str, Any] | None:
    value = getattr(verdict, MEASURED[name])
    return None if value is None else _row(name, f"{value:.2f}", min(1.0, max(0.0, value)), "", language)


def _row(name: str, value: str, share: float, why: str, language: Language) -> dict[str, Any]:
    explained = text(f"e_{name}_is", language)
    return {"name": text(f"e_{name}", language), "said": value, "share": share, "is": explained, "why": why}


def _sentences(answer: Answer, verdict: Verdict, language: Language) -> dict[str, Any] | None:
    """Each with what the judge finds and how far its citations hold."""
    found = {finding.statement: finding for finding in verdict.findings}
    rows = []
    for number, statement in enumerate(answer.statements):
        if not statement.checkable:
            continue
        finding = found.get(number)
        holds = statement.supported if finding is None else finding.supported
        unsure = finding is None and not statement.comparable
        table_rows = []
        if finding is not None and finding.lacking:
            table_rows.append(text("e_lacking", language).format(finding.lacking))
        table_rows.append(_cited(statement, language))
        table_rows += [why.to(language) for one in statement.citations for why in one.support.reasons]
        state = "unsure" if unsure else "yes" if holds else "no"
        rows.append(
            {
                "state": state,
                "mark": {"yes": "✓", "no": "✗", "unsure": "–"}[state],
                "label": text("e_across" if unsure and statement.across else f"e_{state}", language),
                "text": plain_sentence(statement),
                "more": "；".join(dict.fromkeys(table_rows))
                if language == "zh"
                else "; ".join(dict.fromkeys(table_rows)),
            }
        )
    return {"kind": "sentences", "title": text("e_sentences", language), "rows": rows} if rows else None


def _cited(statement: Statement, language: Language) -> str:
    """ "cites [1] 0.92, [3] 0.40": with the support of each."""
    if not statement.citations:
        return text("e_uncited", language)
    cited = [f"[{one.source + 1}] {one.support.score:.2f}" for one in statement.citations]
    return f"{text('e_cited', language)} {'、'.join(cited) if language == 'zh' else ', '.join(cited)}"


def _history(shown: Turn, turns: Sequence[Turn], language: Language) -> dict[str, Any] | None:
    """Figures of the conversation's turns as lines, and as a table; from two turns on."""
    all_turns = turns if any(one.id == shown.id for one in turns) else [*turns, shown]
    known = [
        (number, one.id == shown.id, one.record.verdict)
        for number, one in enumerate(all_turns, 1)
        if one.record is not None and one.record.verdict is not None
    ][-_TURNS:]
    if len(known) < 2:
        return None
    series: dict[str, list[float | None]] = {
        name: [getattr(verdict, MEASURED.get(name, name)) for _, _, verdict in known] for name in (*JUDGED, *PLOTTED)
    }
    series = {name: values for name, values in series.items() if any(value is not None for value in values)}

    def plot(title: str, names: Sequence[str], ticks: Sequence[float]) -> dict[str, Any]:
        lines = [{"name": text(f"e_{name}", language), "values": series[name]} for name in names if name in series]
        return {"title": text(title, language), "ticks": ticks, "lines": lines}

    here = text("e_now", language)
    plots = [plot("e_judged", JUDGED, [1, 2, 3, 4, 5]), plot("e_measured", PLOTTED, [0, 0.5, 1])]
    return {
        "kind": "history", "title": text("e_history", language), "axis": text("e_turn", language),
        "plots": [one for one in plots if one["lines"]],
        "labels": [str(number) for number, _, _ in known],
        "heads": [text("e_turn", language), *(text(f"e_{name}", language) for name in series)],
        "rows": [
            {
                "kept": now,
                "cells": [f"{number}{here if now else ''}", *(_figure(values[at]) for values in series.values())],
            }
            for at, (number, now, _) in enumerate(known)
        ],
    }  # fmt: skip


def _figure(value: float | None) -> str:
    return "–" if value is None else str(value) if isinstance(value, int) else f"{value:.2f}"
