"""The lab's benchmark: seeded defects are caught and named, the measures are those of others."""

import pytest

from benchmarks.__main__ import parsed
from benchmarks.lab_checks import readable_answers
from benchmarks.lab_defects import quote_of
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.usefixtures("ingested_here")


def test_seeded_defects_are_caught_with_their_cause():
    report = measured(
        "lab", "--defect", "vectors", "file", "reranker", "--repeats", "1", "--questions", "20", "--chunks", "40",
        "--kills", "1",
    )  # fmt: skip
    assert report.metrics["a vector index of noise"]["not_found"] == 80
    assert report.metrics["a file that is not there"]["not_in_library"] == 10
    caught = {name: bar.ok for name, bar in report.bars.items() if name != "run / searches alone"}
    assert list(caught.values()) == [True] * 6
    assert report.metrics["run that is killed"] == {"kills": 1, "asked again": 0, "results": 20, "cases": 20}
    assert report.metrics["CPU, seconds"]["questions"] == 20


def test_the_measures_are_those_of_others():
    _, module, options = parsed(["lab", "--check", "--pairs", "50", "--simulations", "2"])
    report = module.run(options)
    assert report.bars["ir-measures"].ok
    for script in ("squad", "cmrc"):
        assert report.bars[f"{script}, counted by hand"].ok
        assert report.metrics[f"{script}, counted by hand"]["rows"] == 100
    assert 0 <= report.metrics["false alarms of the paired test"] <= 0.2


def test_answers_of_problems_are_read(tmp_path):
    path = tmp_path / "gsm8k.jsonl"
    path.write_text(
        '{"question": "2+2?", "answer": "4\\n#### 4"}\n{"question": "Half?", "answer": "so\\n#### 1,000"}\n'
    )
    assert readable_answers(path) == (2, 2)


def test_a_quote_is_the_sentence_of_the_answer():
    assert quote_of("The ferry is late. The mill is old.", ["old"]) == "The mill is old."
    assert quote_of("The ferry is late.", ["old"]) == "The ferry is late."
