"""Questions over the rows of tables: planned by rules without a model, computed, held against known answers; and
questions about texts, none of which may be taken for one."""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import DATA, Bar, Report, progress
from benchmarks.tables_large import ROWS, write_large
from ingestion.readers import read_document
from library import Library
from nodes.compute import table_query
from schema import EVERYWHERE, Chunk, Chunking, Document, Space, TableResult
from settings import Settings
from stores.base import DocumentBatch

_QUESTIONS, _LARGE = "questions.jsonl", "orders_large.csv"
_RIGHT, _WRONG, _SECONDS, _ALARMS = 0.85, 0.02, 1.0, 0.01
_LIMIT = 200_000_000  # bytes of a file
_CLOSE = 1e-4  # of a number
_SCALES = {"万": 1e4, "亿": 1e8}  # an answer may be told in the unit of the head or in full


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, default=DATA / "tables" / "first",
        help=f"a folder of table files and {_QUESTIONS}: question, answer (a value, a list, groups with their values, "
        "null where no table answers), file, kind (ours); without table files those of the folder above are asked",
    )  # fmt: skip
    parser.add_argument(
        "--false-alarms", type=Path, nargs="+", default=[], metavar="DIR",
        help="folders with queries.jsonl (text): questions that none of the tables answers",
    )  # fmt: skip
    parser.add_argument("--show", action="store_true", help="print what was not answered, or wrong")


def run(options: argparse.Namespace) -> Report:
    return asyncio.run(_run(options))


async def _run(options: argparse.Namespace) -> Report:
    asked = [json.loads(line) for line in (options.data / _QUESTIONS).read_text("utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory(prefix="citewise-tables-") as folder:
        settings = Settings.from_mapping({"CITEWISE_DATA_DIR": f"{folder}/library"})
        async with await Library.open(settings, warm=False) as library:
            with tempfile.TemporaryDirectory(prefix="citewise-tables-") as made:
                files = _table_files(options.data) or _table_files(options.data.parent)
                if any(one["file"] == _LARGE for one in asked) and not (options.data / _LARGE).exists():
                    write_large(Path(made) / _LARGE)
                    files.append(Path(made) / _LARGE)
                store_tables(library, files)
            report = await _answered(library, asked, options.show)
            for data in options.false_alarms:
                await _count_alarms(library, data, report, options.show)
    return report


def _table_files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if path.name != _QUESTIONS and path.is_file()]


def store_tables(library: Library, files: Sequence[Path]) -> None:
    read = (read_document(path.name, path.read_bytes(), max_bytes=_LIMIT) for path in progress(files, "reading"))
    store_documents(library, read)


def store_documents(library: Library, documents: Iterable[Document]) -> None:
    """As a file is stored, but for its chunks: they are not searched here."""
    space = Space("hashing", "none", "", 8)
    library.store.swap_space(space, [], iter(()))
    nothing = np.zeros((1, space.dimensions), np.float32)
    made = ((one, [Chunk(one.text[:1], 0, 1, 1, 1)]) for one in documents)
    library.store.put_all([DocumentBatch(one, Chunking(), chunk, ["x"], nothing, space.key) for one, chunk in made])


async def _answered(library: Library, asked: Sequence[dict[str, Any]], show: bool) -> Report:
    outcomes: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = {}
    seconds: list[float] = []
    slowest_large = 0.0
    for one in progress(asked, "asking"):
        started = time.perf_counter()
        query = await table_query(library, one["question"], EVERYWHERE)
        result = await library.run_table_query(query) if query else None
        seconds.append(time.perf_counter() - started)
        if result is not None and result.rows_read >= ROWS:
            slowest_large = max(slowest_large, seconds[-1])
        outcome = judged(one, result)
        outcomes[outcome] += 1
        kinds.setdefault(str(one.get("kind", "")), Counter())[outcome] += 1
        if show and outcome != "right":
            print(f"{outcome}: {one['question']} -> {query.sql if query else '-'} {result.rows[:3] if result else ''}")
    total = len(asked)
    metrics: dict[str, Any] = {
        "questions": total,
        **{name: outcomes[name] for name in ("right", "unanswered", "wrong")},
    }
    metrics["median ms"] = 1000 * float(np.median(seconds))
    metrics |= {kind: {**counts} for kind, counts in sorted(kinds.items())}
    bars = {
        "answered and right": Bar(outcomes["right"] / total, _RIGHT),
        "wrong but confident": Bar(outcomes["wrong"] / total, _WRONG, most=True),
    }
    if slowest_large:
        bars[f"seconds over {ROWS:,} rows"] = Bar(slowest_large, _SECONDS, most=True)
    return Report(metrics, bars)


async def _count_alarms(library: Library, data: Path, report: Report, show: bool) -> None:
    lines = (data / "queries.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line)["text"] for line in lines if line.strip()]
    taken = [one for one in progress(questions, data.name) if await table_query(library, one, EVERYWHERE)]
    if show:
        print(*(f"false alarm: {one}" for one in taken), sep="\n")
    report.metrics[f"{data.name} false alarms"] = len(taken)
    report.bars[f"{data.name} false alarms"] = Bar(len(taken) / len(questions), _ALARMS, most=True)


def judged(one: dict[str, Any], result: TableResult | None) -> str:
    """ "right", "unanswered" or "wrong"."""
    if result is None:
        return "right" if one["answer"] is None else "unanswered"
    right = one["answer"] is not None and result.query.document == one["file"] and _is_right(one["answer"], result)
    return "right" if right else "wrong"


def _is_right(answer: Any, result: TableResult) -> bool:
    rows, unit = result.rows, result.query.unit
    if isinstance(answer, dict):
        pairs = {str(row[0]): row[-1] for row in rows}
        return len(rows) == len(answer) and all(
            _same(value, pairs.get(str(key)), unit) for key, value in answer.items()
        )
    if isinstance(answer, list):
        if answer and isinstance(answer[0], list):
            return _is_right({pair[0]: pair[-1] for pair in answer}, result)
        return len(rows) == len(answer) and all(any(_says(row, value, unit) for row in rows) for value in answer)
    return len(rows) == 1 and _says(rows[0], answer, unit)


def _says(row: Sequence[Any], value: Any, unit: str) -> bool:
    return any(_same(value, cell, unit) for cell in row)


def _same(wanted: Any, cell: Any, unit: str) -> bool:
    if isinstance(wanted, int | float) and isinstance(cell, int | float):
        return any(abs(wanted - told) <= _CLOSE * max(1, abs(wanted)) for told in _told(float(cell), unit))
    return str(wanted).strip().casefold() == str(cell).strip().casefold()


def _told(value: float, unit: str) -> Iterator[float]:
    yield value
    if unit == "%":
        yield value * 100
    if unit[:1] in _SCALES:
        yield value * _SCALES[unit[:1]]
