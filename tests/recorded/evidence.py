"""The recording of evidence: what small libraries find and answer, what speaks for it, and how claims are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from tests.recorded.asked_libraries import (
    LIBRARIES,
    AskedLibrary,
    asked_library,
    files_and_questions,
    search_rows,
    sentence_rows,
    turn_rows,
)
from tests.recorded.changed_claims import answer_rows, claim_rows, pair_rows, translated_rows
from tests.recorded.corner_rows import corner_rows
from tests.recorded.error_rows import error_rows, published_rows
from tests.recorded.lab_rows import run_rows, set_rows, wording_rows
from tests.recorded.lookup_rows import lookup_rows
from tests.recorded.normal import Json, differences
from tests.recorded.packed import path_of, read
from tests.recorded.prompt_rows import model_rows, verdict_rows

PATH = path_of("evidence")
_NEAR = 1e-3  # scores that differ by less are the same: machines add up in different orders

OF_A_LIBRARY: Mapping[str, Callable[[AskedLibrary], Iterator[Json]]] = {
    "turns": turn_rows,
    "searches": search_rows,
    "sentences": sentence_rows,
    "lab": run_rows,
    "models": model_rows,
}
_ENOUGH = {"tenth and eleventh": ("sentences", "lab")}  # that two libraries are asked for
CLAIMS: Mapping[str, Callable[[], Iterator[Json]]] = {
    "changed": lambda: claim_rows(files_and_questions("first")[0], 2),
    "of many files": lambda: claim_rows(files_and_questions("fourth", "sixth", "seventh", "eighth")[0], 9),
    "across languages": lambda: translated_rows(files_and_questions("first")[0]),
    "answers": lambda: answer_rows(files_and_questions("third")[0]),
    "corners": corner_rows,
    "pairs": pair_rows,
    "verdicts": verdict_rows,
    "lookups": lookup_rows,
    "errors": error_rows,
    "published sets": published_rows,
    "question sets": lambda: set_rows("first", "third"),
    "wordings": lambda: wording_rows("fifth"),
}


def now() -> list[Json]:
    """All rows as they are now."""
    found = [rows_of_library(name) for name in LIBRARIES] + [rows_of(subject) for subject in CLAIMS]
    return [row for rows in found for row in rows]


def rows_of_library(name: str) -> list[Json]:
    """Of all that one is asked for."""
    subjects = [subject for subject in OF_A_LIBRARY if subject not in _ENOUGH.get(name, ())]
    with asked_library(name) as library:
        return [row for subject in subjects for row in rows_of(subject, library)]


def rows_of(subject: str, library: AskedLibrary | None = None) -> list[Json]:
    """Of one subject, and how many they are."""
    rows = [*(OF_A_LIBRARY[subject](library) if library else CLAIMS[subject]())]
    return [*rows, {"row": f"count of {subject}, {library.name if library else 'claims'}", "rows": len(rows)}]


def recorded() -> dict[str, Json]:
    """By the name of the row."""
    return _by_name(read(PATH))


def compared(rows: Sequence[Json]) -> list[str]:
    """Differences between the recording and all rows as they are now."""
    before, after = recorded(), _by_name(rows)
    return [*_missing(before, after), *row_differences(before, rows)]


def row_differences(before: Mapping[str, Json], rows: Iterable[Json]) -> list[str]:
    """Of these rows alone."""
    return [
        line
        for row in rows
        for line in (
            differences(before[row["row"]], row, row["row"], _NEAR)
            if row["row"] in before
            else [f"{row['row']}: not in the recording"]
        )
    ]


def counted(rows: Sequence[Json]) -> str:
    kinds = [row["row"].split(",")[0].split(" ")[0] for row in rows]
    return ", ".join(f"{kinds.count(kind)} of {kind}" for kind in dict.fromkeys(kinds))


def _missing(before: Mapping[str, Json], after: Mapping[str, Json]) -> list[str]:
    return [f"{name}: not there now" for name in before if name not in after]


def _by_name(rows: Iterable[Json]) -> dict[str, Json]:
    return {row["row"]: row for row in rows}
