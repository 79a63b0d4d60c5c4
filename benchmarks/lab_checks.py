"""The lab's measures and statistics held against what others have defined, and against chance."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.report import progress
from benchmarks.retrieval import Dataset
from evaluation.lab.cases import LabCase, case_of
from evaluation.lab.choosing import Score, choose
from evaluation.lab.comparing import SURE
from evaluation.lab.numerals import final_answer, quantities
from evaluation.lab.reading import read_set
from evaluation.lab.retrieval_figures import ranking_figures
from evaluation.lab.significance import paired

_SPREAD = 0.2  # standard deviation of a question's difference between two settings
_BETTER = 0.05  # by which a better setting is better
_QUESTIONS = 300


def measures_apart(dataset: Dataset, seed: int = 0) -> float:
    """The largest difference between our figures and those of ir-measures, over made rankings of each question."""
    import ir_measures
    from ir_measures import RR, R, nDCG

    chance = random.Random(seed)
    documents = list(dataset.documents)
    names = {R @ 1: "recall@1", R @ 5: "recall@5", R @ 10: "recall@10", RR @ 10: "mrr@10", nDCG @ 10: "ndcg@10"}
    run, ours = [], {}
    for query, grades in dataset.relevant.items():
        ranked = chance.sample(documents, min(12, len(documents)))
        for key in list(grades)[: chance.randint(0, 2)]:
            ranked = [key, *(one for one in ranked if one != key)]
            chance.shuffle(ranked)
        ours[query] = ranking_figures(ranked, grades)
        run += [ir_measures.ScoredDoc(query, key, float(-place)) for place, key in enumerate(ranked)]
    grades_of = dataset.relevant.items()
    truth = [ir_measures.Qrel(query, key, grade) for query, grades in grades_of for key, grade in grades.items()]
    theirs = ir_measures.iter_calc(list(names), truth, run)
    return max(abs(one.value - ours[one.query_id][names[one.measure]]) for one in theirs)


def false_alarms(pairs: int, questions: int = 100, rounds: int = 2_000) -> float:
    """Of pairs of equal settings those that the paired test takes for different at p < .05."""
    chance = np.random.default_rng(0)
    found = 0
    for number in progress(range(pairs), "equal pairs"):
        one = np.clip(chance.normal(0.7, 0.25, questions), 0, 1)
        noise = chance.normal(0, _SPREAD, questions)
        found += paired(one + noise, one, rounds, seed=number).p < SURE
    return found / pairs


def replaced(simulations: int, better: float, others: int = 1) -> float:
    """Of simulated choices those that replace the default, where one of the candidates is so much better than it and
    the others are its equals."""
    cases = [
        case_of({"question": f"q{n}", "evidence": [{"document": f"d{n % 60}"}]}, "") for n in range(_QUESTIONS)
    ]  # fmt: skip
    seeds = progress(range(simulations), f"choices among {others + 1}, +{better}")
    return sum(asyncio.run(_simulated(cases, better, others, seed)) for seed in seeds) / simulations


async def _simulated(cases: Sequence[LabCase], better: float, others: int, seed: int) -> bool:
    chance = np.random.default_rng(seed)
    base = {case.id: float(chance.normal(0.7, 0.2)) for case in cases}
    noise = {
        name: {case.id: float(chance.normal(better * (name == 1), _SPREAD)) for case in cases}
        for name in range(1, others + 1)
    }

    async def evaluate(name: int, some: Sequence[LabCase]) -> list[Score]:
        return [Score(base[case.id] + (noise[name][case.id] if name else 0.0)) for case in some]

    return (await choose(0, list(range(1, others + 1)), cases, evaluate, seed=seed)).replaced


def readable_answers(path: Path) -> tuple[int, int]:
    """How many of the gold answers of a set of problems are read as numbers, of how many."""
    cases = read_set(path)
    answers = [case.references[0] for case in cases]
    return sum(next(quantities(final_answer(one)[0]), None) is not None for one in answers), len(answers)
