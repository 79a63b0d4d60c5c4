"""Looking up the names of a question: a cuckoo filter beside a walk over all names, Bloom filters, a dictionary,
SQLite, an automaton of all names, and vectors. Each method runs in a process of its own; times are medians, warm.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import multiprocessing
import os
import random
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.report import DATA, Bar, Report, progress
from benchmarks.retrieval import read, upload
from entities import folded, possible_names
from library import Library
from retrieval.lookups import LOOKUPS, AhoCorasick, NameLookup, known_places
from settings import Settings
from text import fold

_FEW, _MANY = 3, 100  # questions for what looks at all names each time, and for the others
_ROUNDS = 3
_SLOW = {"walk", "bloom", "ann"}
_OUTSIDE = {"sqlite", "ann", "aho_corasick"}  # in the memory of a library
_SLOWER, _SMALLER = 3.0, 1 / 3  # the walk against the cuckoo filter, its bytes against the dictionary's
_UNKEYED = 0.004  # of unknown names that may be taken for known ones


class Figures(NamedTuple):
    """Of one method; times in microseconds."""

    build: float  # seconds
    bytes: float  # a name
    hit: float
    miss: float
    question: float
    add: float
    remove: float
    found: list[dict[str, list[int]]]  # in each question


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--names", type=int, nargs="+", default=[10_000], help="how many names are known")
    parser.add_argument("--data", type=Path, default=DATA / "retrieval", help="whose words names are made of (ours)")


def run(options: argparse.Namespace) -> Report:
    metrics: dict[str, dict[str, float]] = {}
    bars: dict[str, Bar] = {}
    texts = list(read(options.data).documents.values())
    turn = asyncio.run(_search_seconds(options.data))
    for count in options.names:
        names, questions = made_up(texts, count)
        rows = {method: _apart(method, names, questions) for method in progress(LOOKUPS, f"{count:,} names")}
        wrong = {method: _wrong(row, rows["dict"], questions) for method, row in rows.items()}
        for method, row in rows.items():
            metrics[f"{count:,} {method}"] = {
                "build s": row.build, "bytes": row.bytes, "hit us": row.hit, "miss us": row.miss,
                "question us": row.question, "share of a search": row.question / 1e6 / turn,
                "add us": row.add, "remove us": row.remove, "wrong": wrong[method],
            }  # fmt: skip
        bars |= {f"{count:,} {key}": bar for key, bar in _bars(rows, wrong).items()}
    note = "a dictionary is faster than any filter in Python: a filter saves memory, or a slower disk"
    return Report(metrics, bars, [f"a search of our own texts takes {1000 * turn:.1f} ms", note])


def made_up(texts: Sequence[str], count: int) -> tuple[list[str], list[str]]:
    """So many names of two to four words, and questions of about 20 words or 40 characters with one to ten of them."""
    chance, words = random.Random(0), {"en": list[str](), "zh": list[str]()}
    for word in sorted({word for text in texts for word in possible_names(text) if " " not in word}):
        words["en" if word.isascii() else "zh"].append(word)
    names: dict[str, None] = {}
    while len(names) < count:
        language = "zh" if len(names) % 2 and words["zh"] else "en"
        made = ("" if language == "zh" else " ").join(chance.choices(words[language], k=chance.randint(2, 4)))
        if name := folded(made if chance.random() < 0.3 else f"{made} {chance.randint(1, 999)}"):
            names[name] = None
    known = list(names)
    return known, [_question(chance, known, words["en"]) for _ in range(_MANY)]


def _question(chance: random.Random, known: Sequence[str], words: Sequence[str]) -> str:
    parts = [*chance.choices(known, k=chance.randint(1, 10)), *chance.choices(words, k=12)]
    chance.shuffle(parts)
    return " ".join(parts)[:160]


def _apart(method: str, names: list[str], questions: list[str]) -> Figures:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (method, names, questions))


def measure(method: str, names: list[str], questions: list[str]) -> Figures:
    """All keys are made before, so that what is measured is the lookup and nothing else."""
    chance, few = random.Random(1), _FEW if method in _SLOW else _MANY
    asked, absent = [possible_names(question) for question in questions[:few]], [f"{name} 0" for name in names[-few:]]
    grown = _bytes(method, names)
    began = time.perf_counter()
    lookup = _filled(method, names)
    build = time.perf_counter() - began
    present = chance.sample(names, few)
    ask, given = _asking(lookup, questions[:few], asked)
    found = [ask(one) for one in given]
    fresh = [f"{name} new" for name in present]
    return Figures(
        build, grown / len(names),
        _each(lookup.places, present), _each(lookup.places, absent),
        _each(ask, given),
        _each(lambda name: lookup.add(name, 7), fresh, 1), _each(lookup.remove, fresh, 1), found,
    )  # fmt: skip


def _asking(
    lookup: NameLookup, questions: Sequence[str], asked: Sequence[Sequence[str]]
) -> tuple[Callable[..., dict[str, list[int]]], Sequence[object]]:
    """How a whole question is looked up, and what is given for each: its possible names, or, to what finds the names of
    a text in one pass, the text."""
    if isinstance(lookup, AhoCorasick):
        return lookup.found_in, [fold(question).lower() for question in questions]
    return lambda words: known_places(lookup, words), asked


def _each(work: Callable[..., object], given: Sequence[object], rounds: int = _ROUNDS) -> float:
    """Microseconds for one of them: the median of some rounds over all."""
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        for one in given:
            work(one)
        times.append((time.perf_counter() - began) / len(given))
    return 1e6 * statistics.median(times)


def _filled(method: str, names: Sequence[str]) -> NameLookup:
    lookup = LOOKUPS[method](len(names))
    for place, name in enumerate(names):
        lookup.add(name, place)
    return lookup


def _bytes(method: str, names: Sequence[str]) -> int:
    """What it holds on to, names of its own included; of what does not lie in Python's memory, what the process grows
    by."""
    copies = (name.encode().decode() for name in names)  # else those who keep names would not pay for them
    before, outside = _resident(), method in _OUTSIDE
    if not outside:  # what is traced takes memory itself
        tracemalloc.start()
    lookup = LOOKUPS[method](len(names))
    for place, name in enumerate(copies):
        lookup.add(name, place)
    gc.collect()  # what nothing holds on to is not held
    held = _resident() - before if outside else tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    lookup.remove(names[0])  # it has to live until here
    return held


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _wrong(row: Figures, right: Figures, questions: Sequence[str]) -> float:
    """The share of the names asked for of which it says something else than the dictionary."""
    asked = [possible_names(question) for question in questions[: len(row.found)]]
    rows = zip(row.found, right.found, asked, strict=False)
    pairs = [(found.get(name), known.get(name)) for found, known, names in rows for name in names]
    return sum(mine != its for mine, its in pairs) / len(pairs)


def _bars(rows: dict[str, Figures], wrong: dict[str, float]) -> dict[str, Bar]:
    exact = [name for name in rows if name not in ("none", "cuckoo_unkeyed")]
    return {
        "walk's time in the cuckoo filter's": Bar(rows["walk"].question / rows["cuckoo"].question, _SLOWER),
        "cuckoo filter's bytes in the dictionary's": Bar(
            rows["cuckoo"].bytes / rows["dict"].bytes, _SMALLER, most=True
        ),
        "wrong, of the exact ones": Bar(max(wrong[name] for name in exact), 0.0, most=True),
        "wrong, without keys": Bar(wrong["cuckoo_unkeyed"], _UNKEYED, most=True),
    }


async def _search_seconds(data: Path) -> float:
    """The median of what a search by the default takes, without a model."""
    dataset = read(data, 20)
    with tempfile.TemporaryDirectory(prefix="citewise-lookup-") as folder:
        async with await Library.open(Settings.from_mapping({"CITEWISE_DATA_DIR": folder})) as library:
            await upload(library, dataset.documents)
            await library.settle()
            return statistics.median(
                [(await library.search(question)).seconds for question in dataset.queries.values()]
            )
