"""How an answer came about: what the search considered, what the model was given, who was asked, what took how long."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import gradio as gr

from answering.places import place_of
from answering.prompts import ANSWER, from_sources, source_text
from graph.conversations import Turn
from graph.turns import Assistant
from nodes.state import Record
from providers.notices import without_repeats
from schema import Answer, Call, ConsideredPassage, Hit, Language, Message, Trace, read_contexts
from text import count_tokens
from ui.call_costs import cost_of, tokens_of
from ui.scripted_html import scripted_html
from ui.steps import coverage_message, name_of
from ui.texts import text

_SCORES = ("bm25", "keyword", "cosine", "pair", "expanded", "names", "fused", "meaning", "rerank")
_STEP = {"refine": "answer"}  # of which step a call is, by its purpose, where that is another word


class TracePanel:
    def __init__(self, label: dict[str, Any], assistant: Assistant) -> None:
        self.parts: list[gr.components.Component] = [scripted_html("trace", elem_id="trace", elem_classes="told")]

    async def show(self, turn: Turn | None, number: int, language: Language) -> list[Any]:
        return [trace_value(turn.record if turn else None, language)]


def trace_value(record: Record | None, language: Language) -> dict[str, Any]:
    """What trace.js draws."""
    if record is None or (record.trace is None and record.answer is None):
        return {"empty": text("t_none", language), "sections": []}
    trace, answer = record.trace or Trace(), record.answer
    remembered = answer is not None and answer.remembered is not None
    sections = [
        _steps(trace, language),
        *([] if remembered else _candidates(trace, answer, language)),
        None if remembered else _contexts(trace, language),
        None if remembered else _prompt(record, trace, language),
        None if remembered else _calls(trace, language),
        _notices(record, language),
    ]
    lead = text("t_remembered", language) if remembered else _lead(trace, answer, language)
    return {"lead": lead, "sections": [one for one in sections if one]}


def _lead(trace: Trace, answer: Answer | None, language: Language) -> str:
    """Who answered, how long it took, what was asked for it."""
    zh, calls = language == "zh", trace.calls
    parts = []
    if answer is not None and answer.sources:
        who = answer.answered_by
        by = Message(zh=f"由 {who} 回答", en=f"answered by {who}")
        if answer.fallback_used:
            by = Message(zh="由原文句子摘录而成", en="taken from the sources, sentence by sentence")
        parts += [by.to(language), _seconds(answer.seconds)]
    parts.append(f"{len(calls)} 次模型调用" if zh else f"{len(calls)} call{'s' * (len(calls) != 1)} to a model")
    if tokens := tokens_of(calls):
        parts.append(f"{tokens} 词元" if zh else f"{tokens} tokens")
    if cost := cost_of(calls, language):
        parts.append(cost)
    return " · ".join(parts)


# --- what took how long ------------------------------------------------------------------------------------------


def _steps(trace: Trace, language: Language) -> dict[str, Any] | None:
    longest = max((step.seconds for step in trace.steps), default=0.0)
    by_step: defaultdict[str, list[Call]] = defaultdict(list)
    for call in trace.calls:
        by_step[_STEP.get(call.purpose, call.purpose)].append(call)
    bars = []
    for step in trace.steps:
        note = without_repeats([step.note] if step.note else [], trace.calls, _failures(trace))
        calls = by_step.pop(step.name, [])
        count = Message(zh=f"{len(calls)} 次调用", en=f"{len(calls)} call{'s' * (len(calls) != 1)}").to(language)
        tokens = tokens_of(calls)
        details = [count] * bool(calls) + [f"{tokens} {'词元' if language == 'zh' else 'tokens'}"] * bool(tokens)
        bars.append(
            {
                "label": name_of(step.name, language),
                "said": _seconds(step.seconds),
                "share": step.seconds / longest if longest > 0 else 0.0,
                "calls": " · ".join(details),
                "note": note[0].to(language) if note else "",
            }
        )
    return {"kind": "bars", "title": text("t_steps", language), "bars": bars} if bars else None


def _failures(trace: Trace) -> list[Message]:
    """Why calls failed: that stands beside the calls, each reason once."""
    return list(dict.fromkeys(call.error for call in trace.calls if call.error))


# --- what the search considered ----------------------------------------------------------------------------------


def _candidates(trace: Trace, answer: Answer | None, language: Language) -> list[dict[str, Any]]:
    """Of the question, then of each of its parts."""
    title = text("t_candidates", language)
    if not trace.considered:
        return [{"kind": "note", "title": title, "note": text("t_no_candidates", language)}]
    by_part: defaultdict[str, list[ConsideredPassage]] = defaultdict(list)
    for one in trace.considered:
        by_part[one.part].append(one)
    return [
        _candidates_of(title if not part else text("t_part", language).format(part), among, answer, language)
        for part, among in by_part.items()
    ]


def _candidates_of(
    title: str, considered: Sequence[ConsideredPassage], answer: Answer | None, language: Language
) -> dict[str, Any]:
    scores = [name for name in _SCORES if any(name in one.scores for one in considered)]
    heads = [_head("rank", language, True), _head("passage", language), _head("fate", language)]
    rows: list[dict[str, Any]] = []
    for one in considered:
        number = number_of(one, answer.sources if answer else ())
        fate = fate_of(one, number, answer, language)
        place = f"{one.doc_set} › {one.document}" if one.doc_set else one.document
        lines = Message(
            zh=f"行 {_range(one.start_line, one.end_line)}",
            en=f"line{'s' * (one.start_line != one.end_line)} {_range(one.start_line, one.end_line)}",
        )
        cells: list[dict[str, Any]] = [
            {"text": str(one.rank or "–"), "sort": one.rank or None},
            {"text": f"{place} · {lines.to(language)}", "more": one.begins},
            {"text": fate, "sort": f"{number:05}" if number else f"~{one.fate}"},
        ]
        cells += [_score(one.scores.get(name)) for name in scores]
        rows.append({"kept": bool(number) if answer else one.fate == "kept", "cells": cells})
    kept = sum(row["kept"] for row in rows)
    count = Message(zh=f"{len(rows)} 个候选，采用 {kept} 个", en=f"{len(rows)} candidates, {kept} used").to(language)
    heads += [_head(name, language, True) for name in scores]
    return {
        "kind": "table", "name": "candidates", "title": title, "heads": heads, "rows": rows, "sortable": True,
        "note": f"{count}{'。' if language == 'zh' else '. '}{text('t_sort', language)}",
    }  # fmt: skip


def _contexts(trace: Trace, language: Language) -> dict[str, Any] | None:
    """What stands above and beneath the names of the question, read or not."""
    rows = [
        {
            "kept": one.fate == "kept",
            "cells": [
                {"text": one.text},
                {"text": text(f"t_context_{one.fate}", language)},
                _score(one.similarity),
            ],
        }
        for one in trace.contexts
    ]
    heads = [_head("context", language), _head("fate", language), _head("cosine", language, True)]
    return {
        "kind": "table", "name": "contexts", "title": text("t_contexts", language), "heads": heads, "rows": rows,
        "note": text("t_contexts_note", language),
    } if rows else None  # fmt: skip


def number_of(one: ConsideredPassage, sources: Sequence[Hit]) -> int:
    """The source of the answer that holds it, from 1; 0: none does."""
    if one.fate not in ("kept", "joined"):
        return 0
    return next(
        (
            number
            for number, hit in enumerate(sources, 1)
            if (hit.document, hit.doc_set) == (one.document, one.doc_set)
            and hit.start_line <= one.start_line <= hit.end_line
        ),
        0,
    )


def fate_of(one: ConsideredPassage, number: int, answer: Answer | None, language: Language) -> str:
    if one.fate == "kept":
        key = "t_kept" if answer is None else "t_source" if number else "t_budget" if answer.sources else "t_unused"
        became = text(key, language).format(number)
        return f"{became} · {text('t_led', language).format(one.of or '?', one.name)}" if one.name else became
    return text(f"t_{one.fate}", language).format(one.of or "?")


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


# --- what the model was given ------------------------------------------------------------------------------------


def _prompt(record: Record, trace: Trace, language: Language) -> dict[str, Any] | None:
    """The passages in the order of the prompt; the prompt itself where it was one, made again of the same parts."""
    answer = record.answer
    if answer is None or not answer.sources:
        return None
    sizes = [count_tokens(source_text(hit, record.plan.language)) for hit in answer.sources]
    rows = [
        {
            "kept": True,
            "cells": [
                {"text": f"[{number}]"},
                {"text": hit.document, "more": place_of(hit).to(language)},
                {"text": f"{size:,}"},
            ],
        }
        for number, (hit, size) in enumerate(zip(answer.sources, sizes, strict=True), 1)
    ]
    parts = [call for call in trace.calls if call.purpose == "refine" and call.error is None]
    note, prompt = "", ""
    if answer.fallback_used:
        note = text("t_extracted", language)
    elif parts:
        note = text("t_parts", language).format(len(parts))
    else:
        numbered = list(enumerate(answer.sources, 1))
        asked = from_sources(
            ANSWER, record.plan.question, record.plan.language, numbered, read_contexts(trace.contexts)
        )
        prompt = "\n\n".join(f"{role}:\n{content}" for role, content in asked)
    total = count_tokens(prompt) if prompt else sum(sizes)
    heads = [_head("number", language), _head("passage", language), _head("tokens", language, True)]
    foot = ["", text("t_total", language), f"{total:,}"]
    return {
        "kind": "table", "name": "prompt", "title": text("t_prompt", language), "heads": heads, "rows": rows,
        "foot": foot, "note": note, "folded": {"title": text("t_text", language), "text": prompt} if prompt else None,
    }  # fmt: skip


# --- who was asked -----------------------------------------------------------------------------------------------


def _calls(trace: Trace, language: Language) -> dict[str, Any]:
    title = text("t_calls", language)
    if not trace.calls:
        return {"kind": "note", "title": title, "note": text("t_no_calls", language)}
    costs = any(call.cost is not None for call in trace.calls)
    names = ["purpose", "model", "time", "first", "tokens", *(["cost"] if costs else []), "result"]
    rows = []
    untold = _failures(trace)
    for call in trace.calls:
        problem = call.error.to(language) if call.error in untold else ""
        untold = [one for one in untold if one != call.error]
        cells = [
            {"text": name_of(call.purpose, language)},
            {"text": call.model, "more": call.provider},
            {"text": _seconds(call.seconds)},
            {"text": _seconds(call.first_token)},
            {"text": tokens_of([call]) or "–"},
            *([{"text": cost_of([call], language) or "–"}] if costs else []),
            {"text": text("t_failed" if call.error else "t_answered", language)},
        ]
        rows.append({"failed": call.error is not None, "cells": cells, "said": problem})
    heads = [_head(name, language, name in ("time", "first", "tokens", "cost")) for name in names]
    return {"kind": "table", "name": "calls", "title": title, "heads": heads, "rows": rows}


def _notices(record: Record, language: Language) -> dict[str, Any] | None:
    trace = record.trace or Trace()
    steps = [step.note for step in trace.steps if step.note]
    given = record.answer.notices if record.answer else ()
    notices = [one.to(language) for one in without_repeats(given, trace.calls, [*_failures(trace), *steps])]
    if record.coverage is not None:
        notices.append(coverage_message(record.coverage).to(language))
    return {"kind": "list", "title": text("t_notices", language), "items": notices} if notices else None


# --- cells -------------------------------------------------------------------------------------------------------


def _head(name: str, language: Language, number: bool = False) -> dict[str, Any]:
    return {"key": name, "label": text(f"t_{name}", language), "number": number}


def _score(value: float | None) -> dict[str, Any]:
    return {"text": "–" if value is None else f"{value:.2f}" if value >= 10 else f"{value:.3f}", "sort": value}


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} s"
