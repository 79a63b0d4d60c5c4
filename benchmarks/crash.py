"""Kill a process (SIGKILL) at a random moment of its work on a library: acknowledged work is whole, nothing is half.

A process of its own looks, that opens the library by itself and may be killed at that as well. Then the faults: damaged
and missing files, no space, what may only be read, a second process. It heals, or says what to do.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from benchmarks.crash_model import State, after
from benchmarks.crash_process import Process, answer, told
from benchmarks.report import Bar, Report, progress
from schema import VectorIndexName

PARTS = ["kill", "faults", "forest"]
_FIRST_GUESS = 0.03  # seconds that an operation takes
_LATER = 1.5  # the moment to kill lies between an operation's begin and this many times its usual length
_AGAIN = 0.4  # how often the process that opens the library after a kill is killed as well, and the next one again
_INDEXES: list[VectorIndexName] = ["ivf", "auto", "hnsw", "flat", "ivf"]  # as many as no kind of work comes round in
_MOST_TOLD = 5  # problems of one fault
_DOCUMENTS, _OLD_DOCUMENTS = 24, 72  # of the libraries to begin with; of 12 documents one is large


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trials", type=int, default=100, help="how often to kill (100)")
    parser.add_argument("--operations", type=int, default=100, help="on the forest, in all (100)")
    parser.add_argument("--seed", type=int, default=7, help="of the work and of the moments")
    backends = ["embedded", "postgres"]
    parser.add_argument("--backend", choices=backends, help="postgres: page, worker and server are killed")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this; may be repeated")


def run(options: argparse.Namespace) -> Report:
    parts, report = options.part or PARTS, Report({})
    if options.backend == "postgres":
        from benchmarks import crash_postgres

        crash_postgres.run(options.trials, options.seed, report)
        return report
    place = Path(tempfile.mkdtemp(prefix="citewise-crash-"))
    place.chmod(0o755)  # an unprivileged process looks at a library that it may only read
    if "forest" in parts:
        from benchmarks.crash_forest import kill_forest

        kill_forest(place, options.operations, options.seed, report)
    begins = _libraries(place) if {"kill", "faults"}.intersection(parts) else {}
    if "kill" in parts:
        _kill(place, begins, options.trials, options.seed, report)
    if "faults" in parts:
        _faults(place, *begins["close"], options.seed, report)
    if report.ok:
        shutil.rmtree(place)
    return report


def _kill(place: Path, begins: dict[str, tuple[Path, State]], count: int, seed: int, report: Report) -> None:
    begun, trials, kinds = time.perf_counter(), Trials(place, seed), list(begins)
    failed = 0
    for number in progress(range(count), "killing"):
        kind = kinds[number % len(kinds)]
        problems = list(trials.problems(number, kind, *begins[kind]))
        failed += bool(problems)
        told = [f"trial {number} of --seed {seed} ({kind}), kept in {place}/{number}: {one}" for one in problems]
        report.notes += told[:_MOST_TOLD]
    report.metrics["acknowledged"] = trials.acknowledged
    report.metrics["killed during"] = dict(trials.hit.most_common())
    report.metrics["killed again while it was opened"] = trials.again
    report.metrics["seconds of a trial"] = (time.perf_counter() - begun) / max(count, 1)
    report.bars["whole after a kill"] = Bar(count - failed, count)


def _faults(place: Path, begin: Path, state: State, seed: int, report: Report) -> None:
    from benchmarks.crash_disk import NoSmallDisk
    from benchmarks.crash_faults import FAULTS

    for name in progress(FAULTS, "faults"):
        folder = place / name / "library"
        shutil.copytree(begin, folder)
        try:
            problems = list(FAULTS[name](folder, state, random.Random(f"{seed} {name}")))
        except NoSmallDisk as error:  # no bar: it would hold whatever the store does
            report.notes.append(f"{name}: {error}")
            continue
        report.bars[name] = Bar(len(problems), 0, most=True)
        report.notes += [f"{name} (--seed {seed}): {problem}" for problem in problems[:_MOST_TOLD]]


def _libraries(place: Path) -> dict[str, tuple[Path, State]]:
    """For each kind of work the library that it begins with, and what that holds."""
    from benchmarks.crash_work import KINDS, first_state, make, make_old

    now, old = first_state("now", _DOCUMENTS), first_state("old", _OLD_DOCUMENTS)
    told(make, place / "now", now)
    begins = dict.fromkeys(KINDS, (place / "now", now))
    for version in (1, 2):
        told(make_old, place / f"old {version}", old, version)
        begins[f"migrate from {version}"] = place / f"old {version}", old
    return begins


class Trials:
    """Kills, each of a process with a library of its own, and what became of them."""

    def __init__(self, place: Path, seed: int) -> None:
        self._place, self._seed = place, seed
        self._lasts: dict[str, list[float]] = defaultdict(list)  # seconds of an operation, by kind
        self.hit: Counter[str] = Counter()
        self.acknowledged = self.again = 0

    def problems(self, number: int, kind: str, begin: Path, state: State) -> Iterator[str]:
        from benchmarks.crash_look import look, reopen

        folder, seed = self._place / str(number), f"{self._seed} {number}"
        index = _INDEXES[number % len(_INDEXES)]
        chance = random.Random(seed)
        shutil.copytree(begin, folder)
        try:
            states = self._work_and_kill(folder, index, kind, seed, state, chance)
            while chance.random() < _AGAIN:
                process = Process(answer, reopen, folder, index)
                time.sleep(chance.uniform(0, _LATER * self._usual("open")))
                process.kill()
                process.ended()
                self.again += 1
            found = told(look, folder, states, False, index)
        except (RuntimeError, TimeoutError) as error:
            found = [str(error)]
        yield from found
        if not found:
            shutil.rmtree(folder)

    def _usual(self, kind: str) -> float:
        return mean(self._lasts[kind] or [_FIRST_GUESS])

    def _work_and_kill(
        self, folder: Path, index: VectorIndexName, kind: str, seed: str, state: State, chance: random.Random
    ) -> list[State]:
        """What the library may hold by now."""
        from benchmarks.crash_work import work

        wanted = "open" if kind.startswith("migrate") else kind
        process, states, doing, killed = Process(work, folder, index, seed, state, wanted), [state], "", False
        for event, operation, seconds in process.heard():
            if event == "begins":
                states, doing = [state, after(state, operation)], operation.kind
                if doing == wanted and not killed:
                    time.sleep(chance.uniform(0, _LATER * self._usual(kind)))
                    process.kill()
                    killed = True
            else:
                self._lasts[kind if doing == wanted else doing].append(seconds)
                self.acknowledged += 1
                state, doing = states[-1], ""
                states = [state]
        if process.ended() >= 0:
            raise RuntimeError("the process at work ended by itself; its message is above")
        self.hit[kind if doing == wanted else doing or "nothing"] += 1
        return states
