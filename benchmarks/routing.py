"""What messages ask for, by rules alone: utterances with the plan that they should lead to."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.report import DATA, Bar, Report, progress
from planning.rules import plan_by_rules
from schema import Plan

FIELDS = ("intent", "chunking", "chunk_size", "chunk_overlap", "strategy", "files", "question")
UPLOAD = "attached-upload.md"  # rows do not name their upload; no library has this one


class Judged(NamedTuple):
    """One row's plan beside what it should be. `right[F]` and `stated[F]`: field F is right, is set in the row."""

    row: dict[str, Any]
    plan: Plan
    got: dict[str, Any]
    right: dict[str, bool]
    stated: dict[str, bool]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=DATA / "utterances.jsonl", help="messages and their plans (ours)")
    parser.add_argument("--verbose", action="store_true", help="list the rows that are wrong")


def run(options: argparse.Namespace) -> Report:
    lines = options.data.read_text(encoding="utf-8").splitlines()
    judged = [judge(json.loads(line)) for line in progress([line for line in lines if line.strip()], "routing")]
    metrics = measure(judged)
    bars = {"rows": Bar(metrics["rows"], 0.90)}
    bars |= {f"field {name}": Bar(value, 0.95) for name, value in metrics["fields"].items()}
    bars |= {f"false alarms {name}": Bar(value, 0.03, most=True) for name, value in metrics["false_alarms"].items()}
    return Report(metrics, bars, list(_wrong(judged)) if options.verbose else [])


def judge(row: dict[str, Any]) -> Judged:
    """The plan of one row. Chunking is the wish for the upload, or for the first file that is cut again."""
    uploads = [UPLOAD] if row["has_upload"] else []
    plan = plan_by_rules(row["text"], uploads=uploads, library=row["library"])
    chunking = plan.chunking_for([*uploads, *plan.scope.documents, ""][0])
    got = {
        "intent": intent_of(plan),
        "chunking": chunking.strategy,
        "chunk_size": chunking.size,
        "chunk_overlap": chunking.overlap,
        "strategy": plan.strategy,
        "files": sorted(plan.scope.documents),
        "question": plan.question,
    }
    right = {name: got[name] == row[name] for name in FIELDS[:5]}
    right["files"] = got["files"] == sorted(row["files"])
    question = plan.question.lower()
    right["question"] = all(piece.lower() in question for piece in row["question_keeps"]) and not any(
        piece.lower() in question for piece in row["question_drops"]
    )
    stated = {name: row[name] is not None for name in FIELDS[:5]}
    stated |= {"files": bool(row["files"]), "question": bool(row["question_keeps"] or row["question_drops"])}
    return Judged(row, plan, got, right, stated)


def intent_of(plan: Plan) -> str:
    """The row format's one word for a plan's actions."""
    if "fetch_web" in plan.actions:
        return "fetch_web"
    if {"save", "retrieve"} <= set(plan.actions):
        return "save_retrieve"
    return plan.actions[0] if plan.actions else "unknown"


def measure(judged: list[Judged]) -> dict[str, Any]:
    """Share of rows with everything right; per field the share right where set, and set where it should not be."""
    fields: dict[str, list[bool]] = defaultdict(list)
    alarms: dict[str, list[bool]] = defaultdict(list)
    for one in judged:
        for name in FIELDS:
            if one.stated[name]:
                fields[name].append(one.right[name])
            elif name != "question":
                alarms[name].append(not one.right[name])
    return {
        "rows": _share(all(one.right.values()) for one in judged),
        "fields": {name: _share(values) for name, values in fields.items()},
        "false_alarms": {name: _share(values) for name, values in alarms.items()},
    }


def _share(values: Iterable[bool]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def _wrong(judged: Iterable[Judged]) -> Iterable[str]:
    for one in judged:
        for name in FIELDS:
            if not one.right[name]:
                wanted = (
                    f"with {one.row['question_keeps']} without {one.row['question_drops']}"
                    if name == "question"
                    else one.row[name]
                )
                yield f"{one.row['id']}: {one.row['text']!r}: {name} is {one.got[name]!r}, not {wanted!r}"
