import json

from benchmarks.coverage import bars_of
from tests.benchmarks.benchmark_commands import measured
from tests.each_row import each_row

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


def test_questions_of_titles_left_out_score_lower(tmp_path, monkeypatch):
    def write(name, rows):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    write("corpus.jsonl", [{"id": title, "title": title, "text": text} for title, text in TEXTS.items()])
    write("queries.jsonl", [{"id": title, "text": text} for title, text in QUESTIONS.items()])
    write("unanswerable.jsonl", [{"id": "u", "text": "Who climbed the northern cliff?"}])
    grades = "".join(f"{title}\t{title}\t1\n" for title in TEXTS)
    (tmp_path / "qrels.tsv").write_text("query_id\tdoc_id\trelevance\n" + grades, encoding="utf-8")

    monkeypatch.setattr("benchmarks.coverage_small._STRANGERS", 40)
    report = measured("coverage", "--data", str(tmp_path), "--seeds", "2", "--manuals", "2")
    assert report.ok
    assert not report.bars
    small = [f"covered by 2 manuals in {languages}" for languages in ("en", "zh", "en and zh")]
    assert list(report.metrics) == ["seed 0", "seed 1", "mean", *small]
    assert report.metrics["mean"]["auroc"] == report.metrics["mean"]["fetched by default"] == 1.0
    assert report.metrics["mean"]["needless by default"] == 0.0
    assert 0 <= report.metrics["mean"]["hard auroc"] <= 1
    for shares in (report.metrics[name] for name in small):
        assert shares["own language"] > 0.9
        assert shares["translated"] >= shares["other language"]
        assert shares["about other things"] == shares["and imagined"] == 0.0


@each_row(("default", "ok"), [(0.87, True), (0.85, True), (0.89, False), (0.83, False)])
def test_the_default_threshold_is_near_the_one_for_five_percent(default, ok):
    bars = bars_of("squad_en", {"fetched": 0.86, "fetched by default": default})
    assert bars["fetched at 5 % needless"].ok
    assert bars["fetched by default, away from that"].ok == ok
    assert not bars_of("squad_en", {"fetched": 0.84, "fetched by default": 0.84})["fetched at 5 % needless"].ok
