"""Kill a process (SIGKILL) at a random moment of its work on a library: acknowledged work is whole, nothing is half."""

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

_FIRST_GUESS = 0.03  # seconds that an operation takes
_LATER = 1.5  # the moment to kill lies between an operation's begin and this many times its usual length
_AGAIN = 0.4  # how often the process that opens the library after a kill is killed as well, and the next one again
_DOCUMENTS, _OLD_DOCUMENTS = 24, 72  # of the libraries to begin with; of 12 documents one is large


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trials", type=int, default=100, help="how often to kill (100)")
    parser.add_argument("--seed", type=int, default=7, help="of the work and of the moments")


def run(options: argparse.Namespace) -> Report:
    begun, failed = time.perf_counter(), list[str]()
    place = Path(tempfile.mkdtemp(prefix="citewise-crash-"))
    trials, begins = Trials(place, options.seed), _libraries(place)
    kinds = list(begins)
    for number in progress(range(options.trials), "killing"):
        kind = kinds[number % len(kinds)]
        if problems := list(trials.problems(number, kind, *begins[kind])):
            failed.append(f"trial {number} of seed {options.seed} ({kind}), kept in {place}/{number}: {problems[:3]}")
    if not failed:
        shutil.rmtree(place)
    metrics = {
        "acknowledged": trials.acknowledged,
        "killed during": dict(trials.hit.most_common()),
        "killed again while it was opened": trials.again,
        "seconds": round(time.perf_counter() - begun, 1),
    }
    return Report(metrics, {"whole after a kill": Bar(options.trials - len(failed), options.trials)}, failed)


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
        from benchmarks.crash_work import look, reopen

        folder, seed = self._place / str(number), f"{self._seed} {number}"
        chance = random.Random(seed)
        shutil.copytree(begin, folder)
        try:
            states = self._work_and_kill(folder, kind, seed, state, chance)
            while chance.random() < _AGAIN:
                process = Process(answer, reopen, folder)
                time.sleep(chance.uniform(0, _LATER * self._usual("open")))
                process.kill()
                process.ended()
                self.again += 1
            found = told(look, folder, states)
        except (RuntimeError, TimeoutError) as error:
            found = [str(error)]
        yield from found
        if not found:
            shutil.rmtree(folder)

    def _usual(self, kind: str) -> float:
        return mean(self._lasts[kind] or [_FIRST_GUESS])

    def _work_and_kill(self, folder: Path, kind: str, seed: str, state: State, chance: random.Random) -> list[State]:
        """What the library may hold by now."""
        from benchmarks.crash_work import work

        wanted = "open" if kind.startswith("migrate") else kind
        process, states, doing, killed = Process(work, folder, seed, state, wanted), [state], "", False
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
