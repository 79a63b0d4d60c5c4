"""Messages made to be slow: repeats of every word that a pattern knows, 20,000 characters long, each read in no time.

A pattern that tries all the ways to read a run of its own words takes time that grows with the square of the run. One
such message would hold the processor for everybody. The words are taken from the patterns themselves, so that a new
pattern is measured without a word about it here. Outside planning, which reads a bounded part of a message, each
expression is also measured alone.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks.redos_expressions import expressions, growth, modules
from benchmarks.redos_work import SHAPES, WORK
from benchmarks.report import Bar, Report, progress

MOST = 0.1  # seconds of the processor for one message
_TRIES = 3  # of a slow one: noise only ever adds
_frames = (("x", "!"), ("年假有", "天？"), ("please save ", " x"), ("", ""))  # around a run, mostly to make it fail
_NAMES = ("x.md", "抓取x.md", "重新x.md", "员工手册.md", "《员工手册》", "hr", "https://a.org/x", "www.a.org", "保存【")
ROOMS = (
    "text question_words printed_headings translation entities tables evaluation ingestion web answering nodes ui "
    "doors graph library retrieval stores providers schema settings config_file"
).split()
_words = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*|[^\w\s]")
_han = re.compile("[\u3400-\u9fff]")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--messages", type=int, default=5_000, help="for the planning; of the others a fifth each")
    parser.add_argument("--characters", type=int, default=20_000, help="of a message")
    parser.add_argument("--only", choices=["expressions", *WORK], help="one kind of work instead of all")


class Slow(NamedTuple):
    """How long the slowest message of a kind of work took, in seconds of the processor, and how it begins."""

    seconds: float
    beginning: str


def run(options: argparse.Namespace) -> Report:
    metrics: dict[str, Any] = {}
    bars: dict[str, Bar] = {}
    notes: list[str] = []
    if options.only in (None, "expressions"):
        every = expressions(list(modules(ROOMS)))
        square = [grown for one in progress(every, "expressions") if (grown := growth(one, options.messages))]
        metrics["expressions"] = {"expressions": len(every), "not linear": len(square)}
        bars["expressions that are not linear"] = Bar(len(square), 0, most=True)
        notes += [f"{one.expression.place}: {one.times:.0f} times for {one.beginning!r}…" for one in square]
    for kind in [options.only] if options.only else WORK:
        if kind == "expressions":
            continue
        packages, works = WORK[kind]
        count = options.messages if kind == "planning" else options.messages // 5
        given = list(messages(literals(packages), count, options.characters))
        if not kind.startswith("planning"):
            given += repeated(shapes(options.messages // 10), options.characters)
        spent(works, "年假有 5 天。 Pumps run.")  # loads what it needs,
        gc.freeze()  # and then the collector need not walk through it, as in the program
        slow = [Slow(spent(works, text), text[:40]) for text in progress(given, kind)]
        worst = sorted(slow, reverse=True)[:3]
        metrics[kind] = {
            "messages": len(given),
            "mean_ms": sum(one.seconds for one in slow) / len(slow) * 1000,
            "slowest_ms": worst[0].seconds * 1000,
        }
        bars[f"{kind}: seconds of the slowest"] = Bar(worst[0].seconds, MOST, most=True)
        notes += [f"{kind}: {one.seconds * 1000:.0f} ms for {one.beginning!r}…" for one in worst]
    notes.append(
        "load of the machine, of the last 1, 5 and 15 minutes: " + " ".join(f"{one:.1f}" for one in os.getloadavg())
    )
    return Report(metrics, bars, notes)


def spent(works: list[Callable[[str], object]], text: str) -> float:
    """Seconds of the processor for all works together; what looks slow is tried again."""
    least = float("inf")
    for _ in range(_TRIES):
        least = min(least, sum(_seconds(work, text) for work in works))
        if least < MOST / 2:
            break
    return least


def _seconds(work: Callable[[str], object], text: str) -> float:
    """Of what is done step by step, so that others come in between, the slowest step."""
    start, slowest = time.thread_time(), 0.0
    done = work(text)
    if not isinstance(done, Iterator):
        return time.thread_time() - start
    for _ in done:
        slowest, start = max(slowest, time.thread_time() - start), time.thread_time()
    return slowest


def messages(words: list[str], count: int, characters: int) -> Iterator[str]:
    """Runs of one word, tight or spaced, and of two words in turn; as many of each kind as the count gives room for."""
    chosen = random.Random(0)
    for number, word in islice(enumerate(cycle(words)), count):
        kind = number // len(words)
        before, after = _frames[(number + kind) % len(_frames)]
        unit = (word, f"{word} ", word + chosen.choice(words), f"{word} {chosen.choice(words)} ")[
            (kind + (word.isascii() and word.isalpha())) % 4
        ]
        room = characters - len(before) - len(after)
        yield before + (unit * (room // len(unit) + 1))[:room] + after


def shapes(most: int) -> list[str]:
    """Small sentences, items, rows, numbers and markers, and then two of them in turn."""
    chosen = random.Random(0)
    return [*SHAPES, *("".join(chosen.choices(SHAPES, k=2)) for _ in range(most - len(SHAPES)))][:most]


def repeated(units: Sequence[str], characters: int) -> list[str]:
    """Each unit over and over."""
    return [(unit * (characters // len(unit) + 1))[:characters] for unit in units]


def literals(packages: list[str]) -> list[str]:
    """The words and signs in the patterns of some packages, and each Han character of them alone, in random order."""
    found: dict[str, None] = {}
    for module in modules(packages):
        for source in sources(module):
            for word in _words.findall(source):
                found |= dict.fromkeys([word, *_han.findall(word)])
    words = sorted(found) + list(_NAMES)
    random.Random(0).shuffle(words)
    return words


def sources(module: ModuleType) -> Iterator[str]:
    """What the patterns of a module are made of: the compiled ones, and those written where they are used."""
    yield from _compiled(list(vars(module).values()))
    for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text("utf-8"))):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=[pattern, *_]):
                parts = (part.value for part in ast.walk(pattern) if isinstance(part, ast.Constant))
                yield from (part for part in parts if isinstance(part, str))


def _compiled(values: Any) -> Iterator[str]:
    for value in values:
        if isinstance(value, re.Pattern):
            yield value.pattern if isinstance(value.pattern, str) else value.pattern.decode("latin-1")
        elif isinstance(value, (list, tuple)):
            yield from _compiled(value)
        elif isinstance(value, dict):
            yield from _compiled(value.values())
