import json

import pytest

from benchmarks import abstract_cost
from benchmarks.abstract import IN_PARTS, NAMES, STEPS, figures, figures_of
from benchmarks.report import DATA
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.usefixtures("ingested_here")


def test_figures_of_a_question_by_hand():
    one = figures_of(["x", "a", "y", "z", "b"], {"a": 1, "b": 1})
    assert (one.recall2, one.recall5, one.all5) == (0.5, 1.0, 1.0)
    assert figures_of(["x", "a"], {"a": 1, "b": 1})[:3] == (0.5, 0.5, 0.0)
    assert figures_of(["a", "b"], {"a": 1, "b": 1}).ndcg10 == pytest.approx(1)


def test_differences_are_paired():
    first, second = [figures_of(["a"], {"a": 1}), figures_of(["x"], {"a": 1})], [figures_of(["a"], {"a": 1})] * 2
    written = figures({"by score": first, "default": second})
    assert written["by score"]["recall@5"] == "0.5000"
    assert written["default"]["recall@5"] == "1.0000 (+0.5000 ±0.5000)"


def test_sets_of_both_kinds_have_their_bars(tmp_path):
    texts = {"a": "Otto Brandt built the mill at Arden.", "b": "Otto Brandt was born in Lund.", "c": "Bees hum."}
    for name, rows in {
        "corpus": [{"id": key, "title": key.upper(), "text": text} for key, text in texts.items()],
        "queries": [{"id": n, "text": "Where was the builder of the mill at Arden born?"} for n in ("q1", "q2")],
    }.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    relevant = "".join(f"{query}\t{document}\t1\n" for query in ("q1", "q2") for document in "ab")
    (tmp_path / "qrels.tsv").write_text(f"query\tdocument\tgrade\n{relevant}", encoding="utf-8")
    report = measured("abstract", "--data", str(tmp_path))
    assert "default, ndcg@10" in report.bars
    assert report.metrics[f"{tmp_path.name}, by score"].keys() == set(NAMES)


def test_our_own_texts_gain():
    report = measured("abstract", "--limit", "12")
    assert {f"two_passages, {step}" for step in [*STEPS, *IN_PARTS]} <= report.metrics.keys()
    assert report.bars["abstract, recall@5"].ok


def test_where_one_passage_answers_nothing_may_be_lost(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(abstract_cost, "_QUESTIONS", 8)
    monkeypatch.setattr(abstract_cost, "_ROUNDS", 1)
    report = measured("abstract", "--data", str(DATA / "retrieval"), "--limit", "12", "--sizes", "200")
    steps = ("default", "abstract", "default in parts", "abstract in parts", "taken apart")
    assert report.bars.keys() == {*(f"retrieval, {step}" for step in steps), "retrieval in pairs, all@5 by parts"}
    assert report.ok
    assert report.metrics["200 chunks"]["CPU ms more"] > 0
    assert report.metrics["200 chunks"]["bytes a chunk more"] > 0
