import argparse
import json

import numpy as np
import pytest

from benchmarks.coverage import auroc, run

TEXTS = {
    "Lighthouse": "The lighthouse on the northern cliff was built in 1874 by fishermen.",
    "Bread": "Sourdough needs flour, water, salt and a starter. Dough rises overnight.",
    "Tides": "At new moon the Sun and the Moon pull along one line: spring tides are high.",
    "Chess": "Castling moves the king two squares towards a rook on its first rank.",
}
QUESTIONS = {
    "Lighthouse": "When was the lighthouse on the northern cliff built?",
    "Bread": "What does sourdough dough need beside flour and salt?",
    "Tides": "Why are spring tides high at new moon?",
    "Chess": "How does castling move the king and the rook?",
}


def test_questions_of_titles_left_out_score_lower(tmp_path):
    def write(name, rows):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    write("corpus.jsonl", [{"id": title, "title": title, "text": text} for title, text in TEXTS.items()])
    write("queries.jsonl", [{"id": title, "text": text} for title, text in QUESTIONS.items()])
    write("unanswerable.jsonl", [{"id": "u", "text": "Who climbed the northern cliff?"}])
    grades = "".join(f"{title}\t{title}\t1\n" for title in TEXTS)
    (tmp_path / "qrels.tsv").write_text("query_id\tdoc_id\trelevance\n" + grades, encoding="utf-8")

    report = run(argparse.Namespace(data=tmp_path, seeds=2, limit=None))
    assert report.ok
    assert not report.bars
    assert set(report.metrics) == {"seed 0", "seed 1", "mean"}
    assert report.metrics["mean"]["auroc"] == report.metrics["mean"]["fetched by default"] == 1.0
    assert report.metrics["mean"]["needless by default"] == 0.0
    assert 0 <= report.metrics["mean"]["hard auroc"] <= 1


@pytest.mark.parametrize(
    ("higher", "lower", "expected"), [([2, 3], [0, 1], 1.0), ([0], [1], 0.0), ([1, 1], [1], 0.5), ([1, 3], [2], 0.5)]
)
def test_auroc(higher, lower, expected):
    assert auroc(np.array(higher), np.array(lower)) == expected
