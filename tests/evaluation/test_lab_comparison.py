"""A comparison of two runs as it is read: every line of it, in both languages."""

from __future__ import annotations

from evaluation.lab.comparing import RunInfo, compare_runs, parse_gate
from evaluation.lab.report import comparison_report
from evaluation.lab.results import CaseResult
from schema import Language, Message
from tests.each_row import each_row

CHINESE = """# 运行对比：old → new

⚠ 两次运行之间知识库有变化。

## 门槛

| 门槛 | 差 |  |
| --- | --- | --- |
| recall@5 >= -0.02 | -0.125 | 未达到，但可能是偶然 |

## 差

| 指标 | 差 | 95% 区间 | p | 结论 |
| --- | --- | --- | --- | --- |
| recall@5 | -0.125 | -0.500 … +0.250 | 1.0000 | 8 题还分不出差别；能分出的最小差别是 0.634 |

## 错在哪里

|  | 之前 | 之后 |
| --- | --- | --- |
| 没有检索到 | 1 | 2 |

变好的题：1，变差的题：2，不变的题：5

## 变差的题

| 问题 | 变化 | 错在哪里 |
| --- | --- | --- |
| How many 0? | -1.00 | 没有检索到 |
| How many 1? | -1.00 | 没有检索到 |

## 变好的题

| 问题 | 变化 | 错在哪里 |
| --- | --- | --- |
| How many 7? | +1.00 |  |
"""
ENGLISH = """# Comparison of runs: old → new

⚠ The library has changed between the runs.

## gate

| gate | difference |  |
| --- | --- | --- |
| recall@5 >= -0.02 | -0.125 | missed, but it may be chance |

## difference

| figure | difference | 95 % interval | p | which means |
| --- | --- | --- | --- | --- |
| recall@5 | -0.125 | -0.500 … +0.250 | 1.0000 | no difference can be told with 8 questions; 0.634 could be |

## where it went wrong

|  | before | after |
| --- | --- | --- |
| not found | 1 | 2 |

wins: 1, losses: 2, ties: 5

## losses

| question | change | where it went wrong |
| --- | --- | --- |
| How many 0? | -1.00 | not found |
| How many 1? | -1.00 | not found |

## wins

| question | change | where it went wrong |
| --- | --- | --- |
| How many 7? | +1.00 |  |
"""


def run_of(name: str, generation: int, *missed: int) -> tuple[RunInfo, list[CaseResult]]:
    cases = [
        CaseResult(
            case=f"c{n}", question=f"How many {n}?", figures={"recall@5": float(n not in missed)},
            went_wrong="not_found" if n in missed else None,
        )
        for n in range(8)
    ]  # fmt: skip
    return RunInfo(name=name, set_digest="a", generation=generation), cases


@each_row(("language", "report"), [("zh", CHINESE), ("en", ENGLISH)])
def test_a_comparison_is_read_in_one_language(language: Language, report: str) -> None:
    found = compare_runs(*run_of("old", 1, 7), *run_of("new", 2, 0, 1), [parse_gate("recall@5 >= -0.02")])
    page, text = comparison_report(found, language)
    assert text == report
    for line in report.splitlines():  # the page says the same
        for cell in line.lstrip("#⚠ ").strip("| ").split(" | "):
            assert cell.replace(">", "&gt;") in page or set(cell) <= {"-", "|", " "}, cell


def test_lost_evidence_is_told_of_each_run_in_both_languages() -> None:
    (old, first), (new, second) = run_of("old", 1), run_of("new", 1)
    first[0] = first[0].model_copy(update={"stale": True})
    second[:3] = [one.model_copy(update={"stale": True}) for one in second[:3]]
    [told] = compare_runs(old, first, new, second, []).notices
    assert told == Message(
        zh="依据已不在知识库中的题：之前 1，之后 3。",
        en="Cases whose evidence is no longer in the library: 1 before, 3 after.",
    )
