"""Differences between runs: the tests, the intervals, wins and losses, gates."""

from __future__ import annotations

import math

import numpy as np
import pytest

from errors import CitewiseError
from evaluation.lab.comparing import RunInfo, compare_runs, parse_gate, verdict
from evaluation.lab.report import comparison_report
from evaluation.lab.results import CaseResult
from evaluation.lab.significance import PairedDifference, detectable, holm, lower_bound, paired


def test_the_paired_test_agrees_with_scipy() -> None:
    from scipy import stats  # half a second, which each worker would pay

    chance = np.random.default_rng(1)
    before = chance.normal(size=40)
    after = before + chance.normal(0.25, 0.8, 40)
    mine = paired(after, before)
    theirs = stats.permutation_test(
        (after, before), lambda a, b, axis: (a - b).mean(axis), permutation_type="samples", n_resamples=9999,
        vectorized=True, rng=np.random.default_rng(2),
    )  # fmt: skip
    assert mine.p == pytest.approx(theirs.pvalue, abs=0.02)
    assert mine.low < mine.mean < mine.high
    assert mine == paired(after, before)
    assert mine.detectable == pytest.approx(2.8 * np.std(after - before, ddof=1) / np.sqrt(40))


def test_nothing_to_tell() -> None:
    same = paired([1.0, 0.0, 1.0], [1.0, 0.0, 1.0])
    assert (same.mean, same.p) == (0, 1)
    assert paired([], []).p == 1
    assert detectable([1.0]) == float("inf")
    assert lower_bound([0.1, 0.2, 0.3]) > 0 > lower_bound([-0.5, 0.6, -0.1])


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def row(n: int, value: float, **more: object) -> CaseResult:
    return CaseResult(case=f"c{n}", question=f"q{n}", figures={"recall@5": value}, **more)


BEFORE = [row(n, 1.0) for n in range(30)]
WORSE = [row(n, float(n >= 12), went_wrong="not_found" if n < 12 else None) for n in range(30)]
RUN = RunInfo(name="before", set_digest="a")


def test_what_was_lost_and_why() -> None:
    found = compare_runs(RUN, BEFORE, RUN, WORSE, [parse_gate("recall@5 >= -0.02")])
    assert (len(found.wins), len(found.losses), found.ties, found.lost_to) == (0, 12, 18, {"not_found": 12})
    assert found.went_wrong == {"not_found": (0, 12)}
    assert [(one.holds, one.sure) for one in found.gates] == [(False, True)]
    assert "worse" in verdict(found.differences["recall@5"]).en
    same = compare_runs(RUN, BEFORE, RUN, BEFORE, [parse_gate("recall@5 >= 0")])
    assert same.gates[0].holds
    assert verdict(same.differences["recall@5"]).en == "no difference"


def test_a_miss_that_may_be_chance_is_no_sure_one() -> None:
    little = [row(n, float(n >= 2)) for n in range(30)]
    outcome = compare_runs(RUN, BEFORE, RUN, little, [parse_gate("recall@5 >= -0.02")]).gates[0]
    assert (outcome.holds, outcome.sure) == (False, False)
    assert "30" in verdict(outcome.difference).zh


def test_a_case_that_lost_its_evidence_counts_nothing_there() -> None:
    lost = [CaseResult(case=f"c{n}", stale=True, went_wrong="not_in_library") for n in range(8)]
    found = compare_runs(
        RUN, BEFORE, RUN.model_copy(update={"set_digest": "b", "generation": 2}), [*lost, *BEFORE[8:20]]
    )
    assert found.cases == 20
    assert found.lost_to == {"not_in_library": 8}
    assert found.differences["recall@5"].mean == pytest.approx(-0.4)
    assert len(found.notices) == 3
    both = compare_runs(RUN, lost, RUN, [*lost, *BEFORE[8:]])
    assert both.cases == 0
    assert both.differences == {}


def test_gates_are_read() -> None:
    assert parse_gate("refusal>=0") == ("refusal", 0)
    assert parse_gate("recall@5 >= −0.02").least == -0.02
    for wrong in ("recall", "recall@5 <= 1"):
        with pytest.raises(CitewiseError):
            parse_gate(wrong)
    with pytest.raises(CitewiseError, match="recall@5"):
        compare_runs(RUN, BEFORE, RUN, BEFORE, [parse_gate("nonsense >= 0")])


def test_a_gate_on_refusal_is_one_on_both_rates() -> None:
    """Who refuses everything refuses rightly as well, and is caught all the same."""
    before = [CaseResult(case=f"r{n}", figures={"refused_rightly": 0.0}, refuse=True) for n in range(20)]
    before += [CaseResult(case=f"a{n}", figures={"not_refused": 1.0}) for n in range(20)]
    after = [CaseResult(case=f"r{n}", figures={"refused_rightly": 1.0}, refuse=True) for n in range(20)]
    after += [CaseResult(case=f"a{n}", figures={"not_refused": 0.0}) for n in range(20)]
    gates = compare_runs(RUN, before, RUN, after, [parse_gate("refusal >= 0")]).gates
    assert [(one.gate.figure, one.sure) for one in gates] == [("refused_rightly", False), ("not_refused", True)]


def test_of_no_questions_nothing_is_told_and_of_two_something():
    assert paired([], []) == PairedDifference(0.0, 1.0, 0.0, 0.0, math.inf, 0)
    assert detectable([1.0]) == math.inf
    assert 0 < detectable([1.0, 0.0]) < math.inf


def test_a_report_has_the_signs_of_its_language() -> None:
    found = compare_runs(RUN, BEFORE, RUN, WORSE)
    lost = len(found.losses)
    (_, chinese), (_, english) = comparison_report(found, "zh"), comparison_report(found, "en")
    assert f"# 运行对比：{RUN.name} → {RUN.name}\n" in chinese
    assert f"变好的题：0，变差的题：{lost}，不变的题：{30 - lost}\n" in chinese
    assert f"# Comparison of runs: {RUN.name} → {RUN.name}\n" in english
    assert f"wins: 0, losses: {lost}, ties: {30 - lost}\n" in english
