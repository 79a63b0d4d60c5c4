"""What the rules understand of messages: the whole plan, and what other modules read of the same message."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import yaml

from benchmarks.report import DATA
from benchmarks.routing import UPLOAD
from planning.agreement import read_agreement
from planning.answer_language import read_answer_language
from planning.chunking_words import describe_chunking
from planning.commands import asks_for_files
from planning.follow_up import history_terms, looks_like_follow_up
from planning.known_files import NOTHING_KNOWN, KnownFiles
from planning.missing_names import missing_name_notices
from planning.new_answer import read_new_answer_wish
from planning.overview import asks_for_library, asks_for_overview, means_this_file
from planning.question_parts import question_parts
from planning.rules import plan_by_rules
from schema import EVERYWHERE
from tests.recorded.normal import Json, plain
from text import language_of

# What is kept back is never read here: everyday_second, named_second, daily_seventh_blind, small_libraries/second.
SHOWN = (
    *(f"daily_{number}" for number in "first second third fourth fifth sixth seventh".split()),
    *("everyday_first", "named_first", "plain_words", "utterances", "documentation", "wording_rows"),
)
SMALL = "first third fourth fifth sixth seventh eighth ninth tenth eleventh".split()
SETS = ("manuals", "规章")


def messages_of(name: str, language: str) -> list[Json]:
    """The messages of one set in one language. Every other one has a conversation before it, and every third is said
    where sizes are counted in words."""
    return [
        {"message": row["text"], **_planned(row, number)}
        for number, row in enumerate(rows_of(name))
        if language_of(row["text"], "zh") == language
    ]


def questions_of_library(name: str) -> list[Json]:
    """The questions of one set of small libraries, where the titles of the files are known too, and the newest."""
    return [
        {"message": question, **_planned({"text": question, "library": files}, number, known)}
        for library in yaml.safe_load((DATA / "small_libraries" / f"{name}.yaml").read_text("utf-8"))
        for files, known in [_files(library["documents"])]
        for number, question in enumerate(one["question"] for one in library["asked"])
    ]


def _files(documents: dict[str, str]) -> tuple[list[str], KnownFiles]:
    titles = {name: text.strip().partition("\n")[0].strip("# ") for name, text in documents.items()}
    return [*documents], KnownFiles(titles, [*reversed(documents)])


@cache
def rows_of(name: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines() if line.strip()]
    return [{"text": row["said"]} if "said" in row else row for row in rows]


def _planned(row: dict[str, Any], number: int, known: KnownFiles = NOTHING_KNOWN) -> Json:
    uploads = [UPLOAD, "second.md"][: 1 + (number % 4 == 0)] if row.get("has_upload") else []
    library: Sequence[str] = row.get("library", ())
    plan = plan_by_rules(
        row["text"],
        uploads=uploads,
        library=library,
        doc_sets=SETS,
        history=number % 2 == 1,
        fallback_language="en" if number % 3 else "zh",
        default_size=1000 if number % 3 else 200,
        default_unit="characters" if number % 3 else "words",
        known=known,
    )
    said = {
        "notices": missing_name_notices(plan),
        "cut": describe_chunking(plan.chunking_for([*uploads, *plan.scope.documents, ""][0]))
        if "save" in plan.actions
        else "",
        "leans": history_terms(plan, ["病假有几天？ How long is sick leave?"]),
    }
    return {
        **told({**plain(plan, {}), "origin": ""}),
        **told(plain(said, {})),
        **told(plain(dict(_read(row["text"])), {})),
    }


def _read(message: str) -> Iterator[tuple[str, Any]]:
    """What else is read of a message as it was typed."""
    if (wish := read_answer_language(message)).language:
        yield "answer in", wish
    if (again := read_new_answer_wish(message)).anew:
        yield "again", again
    yield "agrees", str(read_agreement(message)).replace("None", "")
    asked = {
        "follow-up": looks_like_follow_up(message),
        "this file": means_this_file(message),
        "overview": asks_for_overview(message, EVERYWHERE),
        "library": asks_for_library(message),
        "files": asks_for_files(message),
    }
    yield "seems", " ".join(name for name, so in asked.items() if so)
    yield "parts as typed", question_parts(message)


def told(value: dict[str, Json]) -> Json:
    """Only what is told: most of a plan is unset."""
    kept = {name: told(one) if isinstance(one, dict) else one for name, one in value.items()}
    return {name: one for name, one in kept.items() if one not in ("", None, [], {}) and one is not False}
