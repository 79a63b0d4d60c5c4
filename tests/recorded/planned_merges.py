"""What becomes of a plan when a model has filled in its form: as the row of a benchmark has it, and with each field
wrong in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.routing import UPLOAD
from planning.model_plan import FilledFile, FilledPlan, PastTurn, merge, plan_messages
from planning.rules import plan_by_rules
from schema import EVERYWHERE, Chunking, Plan
from tests.recorded.normal import Json, plain
from tests.recorded.planned_messages import SETS, rows_of, told
from text import language_of

_SHOWN = ("daily_first", "daily_second", "daily_fourth", "daily_sixth", "everyday_first", "named_first", "utterances")
_EVERY = 4  # which row
Row = dict[str, Any]

# What is wrong with a form, beside what should be filled in; another row is what a model mistakes the message for.
_SLIPS: tuple[Callable[[Row, Row], Row], ...] = (
    lambda row, other: {},
    lambda row, other: {"intent": "unknown", "question": ""},
    lambda row, other: {"intent": "save"},
    lambda row, other: {"intent": "save and retrieve", "save_to": SETS[1]},
    lambda row, other: {"intent": "fetch_web", "urls": ["https://example.com/a", *row["text"].split()]},
    lambda row, other: {"intent": None, "language": "zh"},
    lambda row, other: {"question": other["text"], "translation": other["text"]},
    lambda row, other: {"question": "", "parts": [row["text"], other["text"]]},
    lambda row, other: {"translation": "年假有几天？" if row["text"].isascii() else "How many days of leave?"},
    lambda row, other: {"parts": [row["text"][: len(row["text"]) // 2], row["text"][len(row["text"]) // 2 :]]},
    lambda row, other: {"strategy": other["strategy"] or "hybrid search", "chunking": other["chunking"] or "fixed"},
    lambda row, other: {"chunk_size": "300 characters", "chunk_overlap": other["chunk_overlap"]},
    lambda row, other: {"files": row["library"], "doc_sets": [*SETS, "none"], "language": "en"},
    lambda row, other: {"files": [name.rpartition(".")[0] for name in row["library"]], "save_to": "new"},
    lambda row, other: {
        "per_file": [FilledFile(file=name, chunking="fixed", chunk_size=300) for name in (UPLOAD, *row["library"])]
    },
)


def merged(language: str) -> list[Json]:
    """What the merged plan has otherwise than the rules' own, and what the person is told."""
    rows = [row for name in _SHOWN for row in rows_of(name)[::_EVERY] if language_of(row["text"], "zh") == language]
    return [
        {"message": row["text"], **_merged(row, rows[at - 1], _SLIPS[at % len(_SLIPS)], at)}
        for at, row in enumerate(rows)
    ]


def prompts(language: str) -> list[Json]:
    """What a model is asked about a few messages."""
    rows = [row for name in _SHOWN for row in rows_of(name)[3::40] if language_of(row["text"], "zh") == language]
    return [{"message": row["text"], "prompt": _prompt(row, at)} for at, row in enumerate(rows)]


def _merged(row: Row, other: Row, slip: Callable[[Row, Row], Row], at: int) -> Json:
    uploads, past = _uploads(row), _past(other, at)
    rules = _less_sure(_rules(row, uploads, past), at)
    right = {
        "intent": row["intent"], "question": rules.question, "language": rules.language, "strategy": row["strategy"],
        "files": row["files"], "chunking": row["chunking"], "chunk_size": row["chunk_size"],
        "chunk_overlap": row["chunk_overlap"],
    }  # fmt: skip
    filled = FilledPlan.model_validate({**right, **slip(row, other)})
    library = row["library"]
    plan, notices = merge(rules, filled, row["text"], uploads=uploads, library=library, doc_sets=SETS, history=past)
    before = plain(rules, {})
    changed = {name: one for name, one in plain(plan, {}).items() if one != before[name]}
    return {"changed": changed, **told({"notices": plain([one.en for one in notices], {})})}


def _less_sure(rules: Plan, at: int) -> Plan:
    """Of three plans of the rules one as it is, one that they are not certain of, and one that has missed most."""
    missed = {
        "certain": False,
        "strategy": None,
        "scope": EVERYWHERE,
        "chunking": Chunking(),
        "per_file": (),
        "urls": (),
    }
    return rules.model_copy(update=({}, {"certain": False}, missed)[at % 3])


def _prompt(row: Row, at: int) -> Json:
    uploads, past = _uploads(row), _past(row, at)
    rules = _rules(row, uploads, past) if at % 3 else None
    library = [*row["library"], *(f"{number}.md" for number in range(40 * (at == 5)))]
    asked = plan_messages(
        row["text"], uploads=uploads, library=library, doc_sets=SETS, history=past, rules=rules,
        translate_to=(None, "en", "zh")[at % 3],
    )  # fmt: skip
    return [text if role == "user" or at < 3 else text[-400:] for role, text in asked]


def _rules(row: Row, uploads: Sequence[str], past: Sequence[PastTurn]) -> Plan:
    return plan_by_rules(row["text"], uploads=uploads, library=row["library"], doc_sets=SETS, history=bool(past))


def _uploads(row: Row) -> list[str]:
    return [UPLOAD] if row["has_upload"] else []


def _past(other: Row, at: int) -> list[PastTurn]:
    """Every other message has a conversation before it, which names a file and a set."""
    if at % 2:
        return []
    return [
        PastTurn("user", f"{other['text']} {other['library'][0]} {SETS[0]}"),
        PastTurn("assistant", f"See {other['library'][-1]}.", quotes=at % 4 == 0),
    ]
