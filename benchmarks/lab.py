"""Whether the evaluation lab can be trusted: seeded defects that its gate has to catch, what a run costs beside its
searches; with `--check` its measures and statistics beside those of others."""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path
from typing import Any

from benchmarks.lab_checks import false_alarms, measures_apart, readable_answers, replaced
from benchmarks.lab_defects import Corpus, caught, corpus_of, defects, laboratory_of
from benchmarks.lab_kills import killed_run
from benchmarks.lab_wordings import counted_apart
from benchmarks.report import DATA, Bar, Report, progress
from benchmarks.retrieval import read
from evaluation.lab.cases import LabCase, case_of
from evaluation.lab.comparing import compare_runs, parse_gate
from evaluation.lab.retrieval_figures import DEPTH
from graph.lab.laboratory import Laboratory
from planning.question_parts import question_parts
from schema import SearchRequest

_SAME = 1e-6  # of two figures that are equal
_WORDS = ("harbour", "engine", "mill", "river", "tower", "garden", "archive", "bridge", "market", "station")
_SECTION = 400  # characters, which is a chunk
_MANY = 8  # candidates beside the default
_ROUNDS = 3  # of searches alone and of runs, in turn; the fastest of each counts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=DATA / "retrieval", help="a BEIR-style folder with answers (ours)")
    parser.add_argument("--defect", nargs="*", choices=[one.key for one in defects()], help="only these")
    parser.add_argument("--check", action="store_true", help="the measures and statistics instead")
    parser.add_argument(
        "--problems", type=Path, nargs="*", default=[], help="files of GSM8K, CMATH: are all answers read?"
    )
    parser.add_argument("--repeats", type=int, default=20, help="runs over the unchanged library")
    parser.add_argument("--questions", type=int, default=1_000, help="of the run whose cost is measured")
    parser.add_argument("--chunks", type=int, default=2_000, help="of the library that it is measured over")
    parser.add_argument("--kills", type=int, default=10, help="of the same run, which goes on after each")
    parser.add_argument("--pairs", type=int, default=5_000, help="equal pairs that the paired test is given")
    parser.add_argument("--simulations", type=int, default=200, help="choices")


def run(options: argparse.Namespace) -> Report:
    return _check(options) if options.check else asyncio.run(_measure(options))


def _check(options: argparse.Namespace) -> Report:
    dataset = read(options.data)
    metrics: dict[str, Any] = {
        "furthest from ir-measures": measures_apart(dataset),
        "false alarms of the paired test": false_alarms(options.pairs),
        "replaced by an equal": replaced(options.simulations, 0.0),
        "replaced by one of eight equals": replaced(options.simulations, 0.0, _MANY),
        "replaced by one that is .05 better": replaced(options.simulations, 0.05),
        "replaced where one of eight is .05 better": replaced(options.simulations, 0.05, _MANY),
    }
    alarms = metrics["false alarms of the paired test"]
    bars = {
        "ir-measures": Bar(metrics["furthest from ir-measures"], _SAME, most=True),
        "false alarms, at least": Bar(alarms, 0.04),
        "false alarms, at most": Bar(alarms, 0.06, most=True),
        "replaced by an equal": Bar(metrics["replaced by an equal"], 0.05, most=True),
        "replaced by one of eight equals": Bar(metrics["replaced by one of eight equals"], 0.05, most=True),
        "replaced by one that is .05 better": Bar(metrics["replaced by one that is .05 better"], 0.80),
    }
    for script, (told, apart) in counted_apart().items():
        metrics[f"{script}, counted by hand"] = {"rows": told, "furthest": apart}
        bars[f"{script}, counted by hand"] = Bar(apart, _SAME, most=True)
    for path in options.problems:
        found, total = readable_answers(path)
        metrics[path.name] = {"read": found, "of": total}
        bars[f"answers of {path.name}"] = Bar(found / max(total, 1), 1.0)
    return Report(metrics, bars)


async def _measure(options: argparse.Namespace) -> Report:
    corpus = corpus_of(read(options.data), options.data)
    metrics: dict[str, Any] = {}
    bars: dict[str, Bar] = {}
    async with laboratory_of(corpus) as sound:
        wanted = [one for one in defects() if not options.defect or one.key in options.defect]
        for defect in progress(wanted, "defects"):
            found = await caught(corpus, sound, defect)
            cause = max(found.lost_to, key=lambda name: found.lost_to[name], default="")
            stopped, right = any(one.sure for one in found.gates), cause in defect.went_wrong
            worst = min((one.difference for one in found.gates), key=lambda one: one.mean)
            metrics[defect.name] = {"difference": worst.mean, "p": worst.p, **found.lost_to}
            bars[defect.name] = Bar(float(stopped and right), 1.0)
        bars["unchanged, status 0"] = Bar(await _unchanged(sound, corpus, options.repeats), 1.0)
    made = _made(options.questions, options.chunks)
    metrics["CPU, seconds"] = cost = await _cost(made)
    bars["run / searches alone"] = Bar(cost["run"] / cost["searches"], 1.3, most=True)
    metrics["run that is killed"] = killed = await asyncio.to_thread(killed_run, made, options.kills)
    bars["asked again after a kill"] = Bar(killed["asked again"], 0, most=True)
    bars["results of the killed run, of its cases"] = Bar(killed["results"] / killed["cases"], 1.0)
    return Report(metrics, bars, [f"{len(corpus.cases)} questions, {len(corpus.files)} files"])


async def _unchanged(laboratory: Laboratory, corpus: Corpus, repeats: int) -> float:
    """The share of runs over the same library that the strictest gate lets pass."""
    gates = [parse_gate("recall@5 >= 0"), parse_gate("ndcg@10 >= 0")]
    first = await laboratory.run("unchanged", "corpus", corpus.cases)
    passed = 0
    for number in progress(range(repeats), "unchanged"):
        again = await laboratory.run(f"unchanged {number}", "corpus", corpus.cases)
        passed += not compare_runs(first.info, first.results, again.info, again.results, gates).missed
    return passed / max(repeats, 1)


def _made(questions: int, chunks: int) -> Corpus:
    """A question on each of some of its sections, each of which is a chunk."""
    names = [f"{_WORDS[n % 10]} {n:04}" for n in range(chunks)]
    sections = [_section(name) for name in names]
    files = {f"{first:05}.md": "\n".join(sections[first : first + 20]) for first in range(0, chunks, 20)}
    cases = [_question(names[n * chunks // questions], n * chunks // questions) for n in range(questions)]
    return Corpus(files, cases)


async def _cost(made: Corpus) -> dict[str, float]:
    """Seconds of processor time of a run, and of the same searches without a lab."""
    cases = made.cases
    async with laboratory_of(made) as laboratory:
        library = laboratory.assistant.library
        stored = library.stats().chunks

        async def searches() -> None:
            for case in cases:
                request = SearchRequest(case.question, top_k=DEPTH, parts=question_parts(case.question))
                await library.evidence_for(request)

        await searches()
        spent: dict[str, list[float]] = {"searches": [], "run": []}
        for number in range(_ROUNDS):
            began = time.process_time()
            await searches()
            spent["searches"].append(time.process_time() - began)
            began = time.process_time()
            done = await laboratory.run(f"cost {number}", "made", cases)
            spent["run"].append(time.process_time() - began)
            assert not any(one.stale or one.failure for one in done.results)
    return {name: min(seconds) for name, seconds in spent.items()} | {"chunks": stored, "questions": len(cases)}


def _section(name: str) -> str:
    said = f"The {name} was opened by keeper {name[-4:]} after a long winter. "
    filling = "It is painted every spring, and nobody lives there. "
    return f"# The {name}\n\n{said}{filling * ((_SECTION - len(said)) // len(filling))}\n"


def _question(name: str, place: int) -> LabCase:
    quote = f"The {name} was opened by keeper {name[-4:]} after a long winter."
    evidence = [{"document": f"{place // 20 * 20:05}.md", "quote": quote}]
    return case_of({"question": f"Who opened the {name}?", "evidence": evidence}, name)
