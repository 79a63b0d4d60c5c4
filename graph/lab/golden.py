"""Answers that were given as cases: kept by a person, or by a thumb."""

from __future__ import annotations

import json
from typing import Any

from evaluation.lab.cases import THUMB_DOWN, LabCase, case_id, case_of
from evaluation.markers import without_markers
from graph.conversations import Turn
from graph.titles import thread_of
from graph.turns import Assistant

GOLDEN = "golden"  # the set that answers are kept in


def case_of_turn(turn: Turn) -> LabCase | None:
    """Its question, what was answered, and the lines that the answer cites and that support it; None without an
    answer."""
    record = turn.record
    if record is None or record.answer is None or not turn.question.strip():
        return None
    answer = record.answer
    cited = [one for statement in answer.statements for one in statement.citations if one.support.supported]
    evidence = [{"document": answer.sources[one.source].document, "quote": one.quote} for one in cited]
    distinct = list({(one["document"], one["quote"]): one for one in evidence}.values())
    row: dict[str, Any] = {"id": case_id(turn.question), "question": turn.question, "evidence": distinct}
    return case_of({**row, "answer": without_markers(answer.text), "tags": [GOLDEN, answer.language]}, turn.question)


async def cases_of_thumbs(assistant: Assistant, user: str | None = None) -> list[LabCase]:
    """A thumb up: the answer is the reference, with its citations where the conversation is still there. A thumb down:
    the question alone, to be completed by a person."""
    cases = []
    for line in list(assistant.feedback.export(user)):
        row = json.loads(line)
        if not row["question"]:
            continue
        turn = await assistant.turn(thread_of(row["user"], row["conversation"]), row["turn"])
        case = case_of_turn(turn) if turn else None
        if row["value"] < 0 or case is None:
            up = row["value"] > 0
            told = {"answer": without_markers(row["answer"])} if up else {}
            tags = ["thumb-up"] if up else [THUMB_DOWN]
            case = case_of({"id": case_id(row["question"]), "question": row["question"], "tags": tags, **told}, "")
        cases.append(case)
    return cases
