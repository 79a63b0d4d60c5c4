"""Answers of our own that were made up (`benchmarks/data/faithfulness`): without a model, each is told with what its
source does not say; of the true ones most are believed."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.report import DATA
from evaluation.support import SourceText, judge
from schema import Support
from tests.each_row import each_row

ROWS = {
    row["id"]: row
    for language in ("en", "zh")
    for row in map(json.loads, (DATA / "faithfulness" / f"own_{language}.jsonl").read_text("utf-8").splitlines())
}


def judged(row: dict[str, Any]) -> Support:
    return judge(row["answer"], [SourceText("\n".join(row["context"]))], row["question"]).support


@each_row(
    ("name", "reasons"),
    [
        ("en-00-b", "the number 220 is not in the source; the number two is not in the source"),
        ("en-01-b", "not in the source: gave, nothing"),
        ("en-02-b", "not in the source: stays, liquid"),
        ("en-03-b", "the name “Paris” is not in the source"),
        ("en-04-b", "not in the source: electric, motor, winds, every, night"),
        ("en-05-b", "not in the source: go, first, comes, last"),
        ("en-06-b", "not in the source: grinds, best, rests"),
        ("en-07-b", "the number four is not in the source"),
        ("en-09-b", "not in the source: perfectly, clear"),
        ("en-10-b", "not in the source: locked, away, cellar"),
        ("en-11-b", "not in the source: Half, spent, costumes"),
        ("zh-00-b", "数字 一百二十 不在来源中; 数字 两 不在来源中"),
        ("zh-01-b", "名称“叶子”不在来源中"),
        ("zh-02-b", "来源中没有：为了、刻字"),
        ("zh-03-b", "来源否定了“收”; 数字 三百 不在来源中"),
        ("zh-04-b", "来源中没有：没有、仪器、记录、数据"),
        ("zh-05-b", "数字 两万 不在来源中"),
        ("zh-06-b", "来源中没有：井台、从来、不、停用"),
        ("zh-07-b", "来源否定了“演出”"),
        ("zh-08-b", "来源中没有：那天、划着、进入"),
        ("zh-09-b", "来源中没有：防止、变坏"),
        ("zh-10-b", "来源中没有：封信"),
        ("zh-11-b", "来源中没有：全部、居委会、承担"),
    ],
)
def test_what_a_source_does_not_say_is_named(name: str, reasons: str) -> None:
    row = ROWS[name]
    support = judged(row)
    assert "; ".join(reason.to(row["lang"]) for reason in support.reasons) == reasons
    assert not support.supported


def test_most_of_what_is_true_is_believed() -> None:
    believed = [judged(row).supported for row in ROWS.values() if row["label"] == "faithful"]
    assert (sum(believed), len(believed)) >= (18, 24)
