import json
from pathlib import Path

import pytest

from benchmarks.routing import judge
from planning.rules import plan_by_rules
from tests.each_row import each_row
from tests.growth import assert_growth

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("utterances.jsonl").read_text(encoding="utf-8").splitlines()
]  # fmt: skip


@pytest.fixture(scope="module")
def judged():
    return [judge(row) for row in ROWS]


def test_every_message_leads_to_its_plan(judged):
    wrong = [(one.row["text"], name, one.got[name]) for one in judged for name, right in one.right.items() if not right]
    assert wrong == []


def test_a_question_loses_only_the_words_that_order(judged):
    """A row's "question" is the message without those; rows where what is left reads oddly have none."""
    held = [one for one in judged if "question" in one.row or one.got["question"] == one.row["text"]]
    assert len(held) >= 690
    got = [one.got["question"] for one in held]
    assert got == [one.row.get("question", one.row["text"]) for one in held]


def test_a_model_is_asked_only_where_it_could_do_better(judged):
    wrong = [one.row["text"] for one in judged if one.plan.certain != one.row.get("certain", True)]
    assert wrong == []


def test_what_a_message_does_not_name_is_not_in_its_plan(judged):
    """Only exceptions stand in the rows; the language is Chinese where Han are."""
    for one in judged:
        row, plan, text = one.row, one.plan, one.row["text"]
        han = any("\u4e00" <= c <= "\u9fff" for c in text)
        assert plan.language == row.get("language", "zh" if han else "en"), text
        assert bool(plan.urls) == ("://" in text or "www." in text), text
        assert list(plan.missing_files) == row.get("missing_files", []), text
        assert plan.every_file == row.get("every_file", False), text
        assert bool(plan.actions) == (plan.unclear is None), text
        assert plan.unclear in {row.get("unclear"), "noise"}, text
        assert (plan.doc_set, plan.scope.doc_sets, plan.missing_sets, plan.per_file) == (None, (), (), ()), text


def test_both_languages_are_equals():
    han = sum(any("\u4e00" <= c <= "\u9fff" for c in row["text"]) for row in ROWS)
    assert min(han, len(ROWS) - han) >= 400


@each_row(
    "unit",
    [
        "请", " ", "hyde, ", "x.md", ".md ", "用", "，", "《", "把", "a-", "1,", "一", "and ", "http://", "保存 ",
        "a.md ", "在手册.md里 ", "300字 ",
        "only in rust ", "不要", "please ", "？", "“", "search the ", "除了", "the ", "重叠", "a.md和", "fixed 500, ",
        "using hyde ", "\n", "什么", "é", "保存到", "save to ", "docset ", "文档集", "in the docset ",
    ],
)  # fmt: skip
@each_row("uploads", [[], ["a.md"]])
def test_time_grows_with_the_length_not_with_its_square(unit, uploads):
    def plan(message):
        plan_by_rules(message, uploads=uploads, library=["a.md", "手册.md", "rust.md"], doc_sets=["hr"])

    short, long = (unit * (size // len(unit)) for size in (400, 3_200))
    assert_growth(plan, short, long, 24)  # 8 where linear, 64 where quadratic
