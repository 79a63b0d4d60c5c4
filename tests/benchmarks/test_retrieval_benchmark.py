import argparse
import json

import numpy as np
import pytest

from benchmarks.retrieval import Dataset, RankBM25, as_in_taiwan, evaluate, read, run
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.usefixtures("ingested_here")

TEXTS = {
    "d/0": "The lighthouse on the northern cliff was built in 1874 by fishermen.",
    "d/1": "Bread needs flour, water, salt and time. Bread rises overnight.",
    "d/2": "灯塔建于1874年，位于北面的悬崖上。",
    "d/3": "A configuration file is read once, when the server starts.",
    "d/4": "",
}


@pytest.fixture
def folder(tmp_path):
    def write(name, rows):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    write("corpus.jsonl", [{"id": key, "title": "unseen", "text": text, "lang": "en"} for key, text in TEXTS.items()])
    write(
        "queries.jsonl", [{"id": "q1", "text": "When was the lighthouse built?"}, {"id": "q2", "text": "灯塔在哪里？"}]
    )
    grades = "query_id\tdoc_id\trelevance\nq1\td/0\t2\nq1\td/1\t0\nq2\td/2\t1\n"
    (tmp_path / "qrels.tsv").write_text(grades, encoding="utf-8")
    return tmp_path


def test_the_folder_is_read_without_grades_of_zero(folder):
    dataset = read(folder)
    assert dataset.relevant == {"q1": {"d/0": 2}, "q2": {"d/2": 1}}
    assert read(folder, limit=1).queries.keys() == {"q1"}


def test_figures_by_hand():
    relevant = {"a": {"x": 1, "y": 3}, "b": {"z": 1}}
    found = evaluate({"a": ["n", "y", "m", "o", "p", "x"], "b": []}, Dataset({}, {}, relevant))
    assert found["recall@1"] == 0
    assert found["recall@5"] == pytest.approx((0.5 + 0) / 2)
    assert found["recall@10"] == pytest.approx((1 + 0) / 2)
    assert found["mrr@10"] == pytest.approx(0.5 / 2)
    gain, best = 3 / np.log2(3) + 1 / np.log2(7), 3 + 1 / np.log2(3)
    assert found["ndcg@10"] == pytest.approx(gain / best / 2)


def test_all_strategies_through_the_real_library_of_either_store():
    report = measured("retrieval", "--limit", "6", "--backend", "postgres")
    names = ("keyword", "vector", "hybrid", "default")
    assert report.metrics.keys() == {*names, *(f"{name}, PostgreSQL" for name in names), "rank_bm25"}
    assert report.metrics["default"]["recall@1"] == 1
    assert report.bars.keys() == {"default", *(f"{name}, PostgreSQL from embedded" for name in names)}
    assert report.ok


def test_one_strategy_alone_has_no_bar_of_another(folder):
    report = run(
        argparse.Namespace(
            data=folder, strategy="keyword", limit=1, titles=False, typos=True, taiwan=None, backend=None
        )
    )
    assert report.metrics.keys() == {"keyword", "rank_bm25"}
    assert not report.bars


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_baseline_is_langchains():
    retrievers = pytest.importorskip("langchain_community.retrievers")
    texts = {f"{key}{n}": f"{text} {'word ' * n}{n % 7}" for n in range(12) for key, text in TEXTS.items()}
    theirs = retrievers.BM25Retriever.from_texts(list(texts.values()), metadatas=[{"id": key} for key in texts], k=10)
    ours = RankBM25(texts)
    for question in ("The bread and the server word", "lighthouse 3 5", "灯塔 in time.", "nothing known", ""):
        assert ours.top(question) == [found.metadata["id"] for found in theirs.invoke(question)]
        np.testing.assert_allclose(ours.scores(question), theirs.vectorizer.get_scores(question.split()), rtol=1e-12)


def test_questions_and_documents_with_the_words_of_taiwan():
    dataset = Dataset({"a": "软件", "b": "硬盘"}, {"1": "什么软件？", "2": "什么？"}, {"1": {"a": 1}, "2": {"b": 1}})
    assert as_in_taiwan(dataset, "nothing") == Dataset(dataset.documents, {"1": "什么软件？"}, {"1": {"a": 1}})
    assert as_in_taiwan(dataset, "questions").queries == {"1": "什麼軟體？"}
    assert as_in_taiwan(dataset, "half").documents == {"a": "軟體", "b": "硬盘"}
    assert as_in_taiwan(dataset, "documents").documents == {"a": "軟體", "b": "硬碟"}
