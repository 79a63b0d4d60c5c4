"""Differences between runs: the tests, the intervals, wins and losses, gates."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from errors import CitewiseError
from evaluation.lab.charts import CurvePoint, line_chart, wrong_bar
from evaluation.lab.comparing import RunInfo, compare_runs, parse_gate, verdict
from evaluation.lab.report import comparison_report, run_body, run_report
from evaluation.lab.results import CaseResult
from evaluation.lab.significance import PairedDifference, detectable, holm, lower_bound, paired
from schema import Language, Message


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


def test_as_many_wins_as_losses_are_no_proof_that_nothing_changed() -> None:
    before = [row(n, float(n % 2)) for n in range(30)]
    after = [row(n, float(n % 2 == 0)) for n in range(30)]
    found = compare_runs(RUN, before, RUN, after)
    assert (len(found.wins), len(found.losses)) == (15, 15)
    told = verdict(found.differences["recall@5"])
    assert told.en.startswith("no difference can be told with 30 questions; ")
    assert told.zh.startswith("30 题还分不出差别；")


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


SPRING = RunInfo(
    name="spring", set_name="people", set_digest="a1", generation=7, version="3.1", began="2026-01-02T03:04:05Z",
    settings={"top_k": 5, "rerank_top_k": 3, "reranker": None},
)  # fmt: skip
OF_SPRING = [
    CaseResult(case="c1", question="How long is the leave?", figures={"recall@5": 1.0}, seconds=0.1),
    CaseResult(
        case="c2", question="a|b <i>?", figures={"recall@5": 0.0}, went_wrong="not_found", answer="x" * 201, seconds=0.3
    ),
    CaseResult(
        case="c3",
        question="年假？",
        figures={"recall@5": 0.0},
        went_wrong="failed",
        self_made=True,
        calls=2,
        tokens=90,
        failure=Message(zh="没有连上。", en="No connection."),
        cost=0.5,
    ),
    CaseResult(case="c4", stale=True, went_wrong="not_in_library", self_made=True),
]
SAID_OF_SPRING: dict[Language, str] = {
    "zh": f"""# 评测报告：spring
| 问题集 | people (a1) |
| 开始时间 | 2026-01-02T03:04:05Z |
| 知识库版本 | 7 |
| 程序版本 | 3.1 |
| 设置 | top_k=5, rerank_top_k=3 |
## 人提的问题
| 指标 | 值 |
| 题数 | 2 |
| recall@5 | 0.500 |
| p50, ms | 200 |
| p95, ms | 290 |
| 没有检索到 | 1 |
## 程序出的问题
| 指标 | 值 |
| 题数 | 2 |
| 依据已失效 | 1 |
| 出错 | 1 |
| recall@5 | 0.000 |
| p50, ms | 0 |
| p95, ms | 0 |
| 模型调用次数 | 2 |
| 词元 | 90 |
| 费用 | 0.5000 |
| 运行出错 | 1 |
| 知识库里已没有依据 | 1 |
## 错在哪里
| 问题 | 错在哪里 |  |
| a\\|b <i>? | 没有检索到 | {"x" * 200} |
| 年假？ | 运行出错 | 没有连上。 |
|  | 知识库里已没有依据 |  |""",
    "en": f"""# Evaluation report: spring
| set | people (a1) |
| began | 2026-01-02T03:04:05Z |
| library generation | 7 |
| program | 3.1 |
| settings | top_k=5, rerank_top_k=3 |
## people's questions
| figure | value |
| cases | 2 |
| recall@5 | 0.500 |
| p50, ms | 200 |
| p95, ms | 290 |
| not found | 1 |
## self-made questions
| figure | value |
| cases | 2 |
| stale | 1 |
| failures | 1 |
| recall@5 | 0.000 |
| p50, ms | 0 |
| p95, ms | 0 |
| calls of the model | 2 |
| tokens | 90 |
| cost | 0.5000 |
| it failed | 1 |
| not in the library | 1 |
## where it went wrong
| question | where it went wrong |  |
| a\\|b <i>? | not found | {"x" * 200} |
| 年假？ | it failed | No connection. |
|  | not in the library |  |""",
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_run_is_told_in_one_language_with_people_s_questions_apart(language: Language) -> None:
    _, told = run_report(SPRING, OF_SPRING, language)
    lines = [line for line in told.splitlines() if set(line) - set("|- ")]
    assert lines == SAID_OF_SPRING[language].splitlines()


def test_the_questions_of_a_run_lead_to_their_cases_on_the_page_alone() -> None:
    page, (alone, _) = run_body(SPRING, OF_SPRING, "en"), run_report(SPRING, OF_SPRING, "en")
    assert '<a href="#case" data-case="c2" data-run="spring">a|b &lt;i&gt;?</a>' in page
    assert "<td>a|b &lt;i&gt;?</td>" in alone
    assert "<title>Evaluation report: spring</title>" in alone
    assert "<!doctype" not in page


def test_a_bar_is_as_long_as_its_cases() -> None:
    bar = wrong_bar({"not_found": 1, "failed": 2}, 4, "en")
    parts = re.findall(r'<rect x="(.+?)" .*?width="(.+?)".*?<title>(.+?)</title>', bar)
    assert parts == [
        ("0.0", "160.0", "right: 1"),
        ("160.0", "320.0", "it failed: 2"),
        ("480.0", "160.0", "not found: 1"),
    ]
    assert "<title>正确: 0</title>" in wrong_bar({}, 0, "zh")


def test_a_curve_goes_from_left_to_right_and_stays_within_its_bounds() -> None:
    chart = line_chart([CurvePoint("a<b", 0.25), CurvePoint("too much", 2.0), CurvePoint("nothing", -1.0)])
    lines = {text: float(y) for y, text in re.findall(r'y2="(.+?)".*?>(\d\.\d\d)</text>', chart)}
    assert [*lines] == ["0.00", "0.50", "1.00"]
    places = [tuple(map(float, place.split(","))) for place in re.findall(r'points="(.+?)"', chart)[0].split()]
    assert [y for _, y in places] == pytest.approx([(lines["0.00"] + lines["0.50"]) / 2, lines["1.00"], lines["0.00"]])
    (left, middle, right), (width, height) = (x for x, _ in places), map(int, re.findall(r"0 0 (\d+) (\d+)", chart)[0])
    assert 0 < left < middle < right < width
    assert right - middle == middle - left
    assert 0 < lines["1.00"] < lines["0.00"] < height
    dots = re.findall(r'cx="(.+?)" cy="(.+?)".*?<title>(.+?)</title>', chart)
    assert [(float(x), float(y)) for x, y, _ in dots] == places
    assert [said for *_, said in dots] == ["a&lt;b: 0.250", "too much: 2.000", "nothing: -1.000"]
    assert re.findall(r'points="(.+?)"', line_chart([CurvePoint("one", 1.0)])) == [f"{left},{lines['1.00']}"]
