"""What the rules understand of messages: the whole plan, and what other modules read of the same message."""

from __future__ import annotations

import json
from collections.abc import Iterator
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

# What is kept back is never read here: everyday_second, everyday_fourth, named_second, daily_seventh_blind,
# small_libraries/second.
SHOWN = (
    *(f"daily_{number}" for number in "first second third fourth fifth sixth seventh".split()),
    *("everyday_first", "everyday_third", "named_first", "plain_words", "utterances", "documentation", "wording_rows"),
)
SMALL = "first third fourth fifth sixth seventh eighth ninth tenth eleventh".split()
SETS = ("manuals", "规章")
SAID = ("message", "uploads", "library", "titles", "earlier", "words")  # that a plan is made of


def messages_of(language: str) -> Iterator[Json]:
    """The messages of the benchmarks in one language. Every other one has a conversation before it, and every third is
    said where sizes are counted in words."""
    for name in SHOWN:
        for number, row in enumerate(rows_of(name)):
            if language_of(row["text"], "zh") == language:
                yield said_in(row, number)


def questions_of_libraries() -> Iterator[Json]:
    """The questions of small libraries, where the titles of the files are known too, and the newest."""
    for name in SMALL:
        for library in yaml.safe_load((DATA / "small_libraries" / f"{name}.yaml").read_text("utf-8")):
            titles = {file: text.strip().partition("\n")[0].strip("# ") for file, text in library["documents"].items()}
            for number, question in enumerate(one["question"] for one in library["asked"]):
                yield {**said_in({"text": question}, number), "titles": titles}


def said_in(row: dict[str, Any], number: int) -> dict[str, Json]:
    """A message and all that it is said beside."""
    uploads = [UPLOAD, "second.md"][: 1 + (number % 4 == 0)] if row.get("has_upload") else []
    said = {"uploads": uploads, "library": row.get("library"), "earlier": number % 2 == 1, "words": number % 3 == 0}
    return {"message": row["text"], **told(said)}


@cache
def rows_of(name: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines() if line.strip()]
    return [{"text": row["said"]} if "said" in row else row for row in rows]


def planned_message(said: Json) -> dict[str, Json]:
    """What the rules make of a message, and what else is read of it."""
    message, uploads, titles = said["message"], said.get("uploads", []), said.get("titles", {})
    words = said.get("words", False)
    plan = plan_by_rules(
        message,
        uploads=uploads,
        library=said.get("library", [*titles]),
        doc_sets=SETS,
        history=said.get("earlier", False),
        fallback_language="zh" if words else "en",
        default_size=200 if words else 1000,
        default_unit="words" if words else "characters",
        known=KnownFiles(titles, [*reversed(titles)]) if titles else NOTHING_KNOWN,
    )
    read = {
        "notices": missing_name_notices(plan),
        "cut": describe_chunking(plan.chunking_for([*uploads, *plan.scope.documents, ""][0]))
        if "save" in plan.actions
        else "",
        "leans": history_terms(plan, ["病假有几天？ How long is sick leave?"]),
    }
    return {
        **told({**plain(plan, {}), "origin": ""}),
        **told(plain(read, {})),
        **told(plain(dict(_read(message)), {})),
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


def told(value: dict[str, Json]) -> dict[str, Json]:
    """Only what is told: most of a plan is unset."""
    kept = {name: told(one) if isinstance(one, dict) else one for name, one in value.items()}
    return {name: one for name, one in kept.items() if one not in ("", None, [], {}) and one is not False}
