import json
from pathlib import Path

import pytest

from benchmarks.routing import judge, measure
from planning.rules import plan_by_rules
from tests.growth import assert_growth

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("utterances.jsonl").read_text(encoding="utf-8").splitlines()
]  # fmt: skip


@pytest.fixture(scope="module")
def judged():
    return [judge(row) for row in ROWS]


@pytest.fixture(scope="module")
def metrics(judged):
    return measure(judged)


def test_most_messages_lead_to_the_right_plan(metrics):
    assert metrics["rows"] >= 0.97


def test_each_field_is_found_where_it_was_said(metrics):
    assert {name: value for name, value in metrics["fields"].items() if value < 0.97} == {}


def test_nothing_is_found_where_nothing_was_said(metrics):
    assert {name: value for name, value in metrics["false_alarms"].items() if value > 0.01} == {}


def test_both_languages_are_equals(judged):
    by_language = {"zh": [], "en": []}
    for one in judged:
        han = any("\u4e00" <= c <= "\u9fff" for c in one.row["text"])
        by_language["zh" if han else "en"].append(one)
    assert min(map(len, by_language.values())) >= 100
    assert all(measure(some)["rows"] >= 0.95 for some in by_language.values())


@pytest.mark.parametrize(
    "unit",
    [
        "请", " ", "hyde, ", "x.md", ".md ", "用", "，", "《", "把", "a-", "1,", "一", "and ", "http://", "保存 ",
        "a.md ", "在手册.md里 ", "300字 ",
        "only in rust ", "不要", "please ", "？", "“", "search the ", "除了", "the ", "重叠", "a.md和", "fixed 500, ",
        "using hyde ", "\n", "什么", "é", "保存到", "save to ", "docset ", "文档集", "in the docset ",
    ],
)  # fmt: skip
@pytest.mark.parametrize("uploads", [[], ["a.md"]], ids=["asked", "uploaded"])
def test_time_grows_with_the_length_not_with_its_square(unit, uploads):
    def plan(message):
        plan_by_rules(message, uploads=uploads, library=["a.md", "手册.md", "rust.md"], doc_sets=["hr"])

    short, long = (unit * (size // len(unit)) for size in (400, 3_200))
    assert_growth(plan, short, long, 24)  # 8 where linear, 64 where quadratic
