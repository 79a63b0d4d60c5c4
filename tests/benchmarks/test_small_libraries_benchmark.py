"""The benchmark of small libraries: what counts as right, at once, offered, doubted; and that it runs."""

from __future__ import annotations

import pytest
import yaml

from benchmarks.report import DATA
from benchmarks.small_libraries import AskedQuestion, Outcome, figures_of
from schema import Answer, Citation, Statement, Support
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.usefixtures("ingested_here")

CITATION = Citation(1, 0, 0, 8, 1, 1, "At noon.", Support(1.0, supported=True))


def outcome(*statements, gold=("noon",), offered=False):
    said = tuple(Statement(one, () if one.startswith("|") else (CITATION,)) for one in statements)
    return Outcome(
        "first", "en", AskedQuestion(question="When?", gold=gold), Answer(" ".join(statements), said, (), 0.9), offered
    )


def test_each_figure_counts_its_own_questions():
    found = figures_of([
        outcome("At noon."), outcome("Never.", "At noon.", offered=True), outcome("Never."), outcome(),
        outcome("Never.", gold=()), outcome("Never.", gold=(), offered=True), outcome(gold=()),
    ])  # fmt: skip
    assert found["questions"] == 7
    assert found["right"] == 0.5
    assert found["first sentence right"] == 0.25
    assert found["offered though right"] == 0.5
    assert found["offered, nothing answers"] == pytest.approx(1 / 3)
    assert found["undoubted, nothing answers"] == pytest.approx(1 / 3)


def test_the_header_of_a_table_is_not_its_first_sentence():
    assert figures_of([outcome("| When | Who |", "At noon.")])["first sentence right"] == 1
    assert figures_of([outcome("| Noon | Who |")])["first sentence right"] == 0


def test_a_small_library_is_asked(tmp_path):
    asked = [{"question": "When is the pool cleaned?", "gold": ["Tuesday"]}, {"question": "Who is the mayor?"}]
    documents = {"rules.txt": "The pool is cleaned on Tuesday.\n\nGuests pay eight euros.\n"}
    library = [{"language": "en", "documents": documents, "asked": asked}]
    (tmp_path / "first.yaml").write_text(yaml.safe_dump(library), encoding="utf-8")
    report = measured("small_libraries", "--mistakes", "--data", str(tmp_path))
    assert report.metrics["all"]["right"] == report.metrics["first, en"]["first sentence right"] == 1
    assert report.metrics["all"]["questions"] == 2


def test_each_set_has_questions_in_both_languages_with_and_without_an_answer():
    for path in (DATA / "small_libraries").glob("*.yaml"):
        libraries = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert {one["language"] for one in libraries} == {"en", "zh"}
        for one in libraries:
            text = "".join("\n".join(one["documents"].values()).lower().split())
            asked = [AskedQuestion.model_validate(each) for each in one["asked"]]
            assert sum(not each.gold for each in asked) >= 3
            for gold in (gold for each in asked for gold in each.gold):
                assert "".join(gold.lower().split()) in text, gold
