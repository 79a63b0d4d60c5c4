import argparse
import json

import pytest

from benchmarks.hyde import _KINDS, _Rankings, _sampled, _words, _Writer, run
from benchmarks.retrieval import Dataset, read
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.usefixtures("ingested_here")

TEXTS = {
    "d/0": "The lighthouse on the northern cliff was built in 1874. Fishermen paid for its lamp and its oil.",
    "d/1": "Bread needs flour, water, salt and time. The dough rises overnight in a cool place.",
    "d/2": "灯塔建于1874年，位于北面的悬崖上。灯里烧的是鲸油。",
    "d/3": "A configuration file is read once. The server starts only when it is complete.",
    "d/4": "",
}
QUESTIONS = {"q1": "When was the lighthouse built?", "q2": "Which monument is oldest?"}


@pytest.fixture
def folder(tmp_path):
    def write(name, rows):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    write("corpus.jsonl", [{"id": key, "text": text} for key, text in TEXTS.items()])
    write("queries.jsonl", [{"id": key, "text": text} for key, text in QUESTIONS.items()])
    (tmp_path / "qrels.tsv").write_text("query_id\tdoc_id\trelevance\nq1\td/0\t1\nq2\td/0\t1\n", encoding="utf-8")
    return tmp_path


def test_passages_come_through_the_client_and_help_where_the_question_is_weak(folder):
    report = run(argparse.Namespace(data=folder, limit=10))
    assert report.metrics["always"]["asked"] == 1
    assert report.metrics["weak"]["asked"] == report.metrics["strong"]["asked"] == 0.5
    assert report.metrics["weak"]["helpful"] > report.metrics["default"]
    assert report.metrics["strong"]["helpful"] == report.metrics["default"]
    assert report.metrics["weak"].keys() == {"asked", "gain a call", *_KINDS, "25% rivals", "50% rivals"}


def test_passages_are_what_they_are_called_and_the_same_every_time(folder):
    dataset = read(folder)
    write = _Writer(dataset, {"q1": ["d/0", "d/1"], "q2": []}).passage
    right, rival = (set(_words(TEXTS[key])[0]) for key in ("d/0", "d/1"))
    assert write("copied rival", "q1") == TEXTS["d/1"]
    assert write("wrong", "q1") in {TEXTS[key] for key in ("d/1", "d/3")} | {"".join(_words(TEXTS["d/2"])[0])}
    assert 0 < len(right & set(_words(write("helpful", "q1"))[0])) < len(right)
    assert rival & set(_words(write("rival", "q1"))[0])
    assert all(write(kind, key) == write(kind, key) for kind in _KINDS for key in QUESTIONS)


def test_the_command_asks_for_every_kind():
    report = measured("hyde", "--limit", "2")
    assert {"always", "weak", "strong", "rm3", "default"} <= report.metrics.keys()
    assert report.metrics["always"]["asked"] == 1


def test_rivals_among_helpful_passages_and_questions_that_are_not_asked():
    default = {str(key): ["default"] for key in range(100)}
    hyde = {kind: {key: [kind] for key in default} for kind in _KINDS}
    found = _Rankings({"default": default}, {key: int(key) / 100 for key in default}, hyde, hyde, below=0.4)
    assert {policy: len(asked) for policy, asked in found.asked().items()} == {"always": 100, "weak": 40, "strong": 30}
    strong = found.ranked("strong")
    assert [key for key, one in strong["helpful"].items() if one == ["helpful"]] == [str(key) for key in range(70, 100)]
    mixed = found.ranked("always")["25% rivals"].values()
    assert 10 < sum(one == ["rival"] for one in mixed) < 40


def test_a_sample_keeps_the_library_whole():
    dataset = Dataset(TEXTS, QUESTIONS, {"q1": {"d/0": 1}, "q2": {"d/0": 1}})
    assert len(_sampled(dataset, 1).queries) == len(_sampled(dataset, 1).relevant) == 1
    assert _sampled(dataset, 1).documents == TEXTS
