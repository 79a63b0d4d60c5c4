import json
import random

import numpy as np
import pytest

from benchmarks import fusion
from benchmarks.fusion import Row, _answers, _harder, _strength
from benchmarks.retrieval import Dataset, evaluate, read
from benchmarks.synthetic import Quality, Truth
from tests.benchmarks.benchmark_commands import measured

WORDS = "amber birch copper delta ember falcon granite harbour island juniper kettle lantern marble needle".split()
HAN = "琥珀桦树红铜三角余烬猎鹰花岗港湾岛屿松柏水壶灯笼大理石针叶河流山谷铁路桥梁"


def _sentence(chance, language):
    if language == "zh":
        return "".join(chance.choice(HAN) for _ in range(20)) + "。"
    return " ".join(f"{chance.choice(WORDS)}{chance.randint(0, 30)}" for _ in range(10)) + "."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path, chance = tmp_path_factory.mktemp("both"), random.Random(0)
    documents, questions, grades = [], [], ["query_id\tdoc_id\tgrade"]
    for number in range(64):  # some sentences make no question, and which do depends on the order of storing
        language = "zh" if number % 2 else "en"
        sentences = [_sentence(chance, language) for _ in range(3)]
        documents.append({"id": f"d{number}", "text": " ".join(sentences)})
        cut = sentences[0][:8] if language == "zh" else " ".join(sentences[0].split()[:3])
        questions.append({"id": f"q{number}", "text": f"{cut}？" if language == "zh" else f"Which {cut}?"})
        grades.append(f"q{number}\td{number}\t1")
    for name, rows in (("corpus", documents), ("queries", questions)):
        (path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (path / "qrels.tsv").write_text("\n".join(grades), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def dataset(folder):
    return read(folder)


@pytest.fixture(scope="module")
def truth(dataset):
    return Truth({text: key for key, text in dataset.documents.items()}, _answers(dataset))


def _found(truth, dataset, quality):
    """nDCG@10 of the vectors alone."""
    passages = list(truth.passages)
    cosines = truth.vectors(list(dataset.queries.values()), quality) @ truth.vectors(passages, quality).T
    ranking = {
        key: [truth.passages[passages[place]] for place in np.argsort(-row)[:10]]
        for key, row in zip(dataset.queries, cosines, strict=True)
    }
    return evaluate(ranking, dataset)["ndcg@10"]


def test_the_truth_is_as_good_as_wanted(truth, dataset):
    found = [_found(truth, dataset, Quality(strength)) for strength in (0.0, 0.1, 0.2, 0.8)]
    assert found == sorted(found)
    assert found[0] < 0.2
    assert found[-1] > 0.99
    assert _found(truth, dataset, Quality(_strength(truth, dataset, 0.7))) == pytest.approx(0.7, abs=0.05)


def test_part_of_a_sentence_is_near_its_passage_and_nothing_else(truth, dataset):
    text = dataset.documents["d3"]
    for part in (text[2:9], text[2] + text[5] + text[9] + text[14] + text[17]):
        near = truth.vectors([part], Quality(0.7)) @ truth.vectors(list(truth.passages), Quality(0.7)).T
        assert list(truth.passages)[int(near.argmax())] == text
        assert near.max() == pytest.approx(0.7, abs=0.4)
    unknown = truth.vectors(["zeppelin"], Quality(0.9)) @ truth.vectors(list(truth.passages), Quality(0.9)).T
    assert unknown.max() < 0.25


def test_between_passages_of_the_same_words():
    truth = Truth({"It rains today. Bread rises.": "a", "It rains today. Ships sail.": "b"}, {})
    near = truth.vectors(["rains today"], Quality(0.6)) @ truth.vectors(list(truth.passages), Quality(0.6)).T
    assert near.min() > 0.15


def test_one_language_alone_is_understood(truth, dataset):
    for language, other in (("zh", "en"), ("en", "zh")):
        of = {name: {f"q{n}": dataset.queries[f"q{n}"] for n in range(name == "zh", 44, 2)} for name in ("zh", "en")}
        parts = {
            name: Dataset(dataset.documents, kept, {key: dataset.relevant[key] for key in kept})
            for name, kept in of.items()
        }
        quality = Quality(0.8, reads=language)
        assert _found(truth, parts[language], quality) > 0.99
        assert _found(truth, parts[other], quality) < 0.3


def test_questions_made_of_sentences_can_be_nearer_or_farther(truth, dataset):
    part, text = [dataset.documents["d0"][:30]], [dataset.documents["d0"]]
    near = [
        float((truth.vectors(part, Quality(0.4, made)) @ truth.vectors(text, Quality(0.4)).T)[0, 0])
        for made in (0.5, 1.0, 2.0)
    ]
    assert near == sorted(near)


def test_harder_questions_are_parts_of_the_questions(dataset):
    harder = _harder(dataset)
    assert harder.queries == _harder(dataset).queries
    assert harder.queries != dataset.queries
    for key, question in harder.queries.items():
        rest = iter(dataset.queries[key].replace(" ", ""))
        assert question
        assert all(letter in rest for letter in question.replace(" ", ""))


def test_the_gain_asked_for_is_never_more_than_there_is():
    assert Row(0.89, 0.90, 0.93, {}).gain == pytest.approx(0.015)
    assert Row(0.99, 0.98, 0.998, {}).gain == pytest.approx(0.0075)


def test_every_row_through_the_real_library(folder, monkeypatch):
    for several in ("_SHARES", "_MADE", "_MISSES"):
        monkeypatch.setattr(fusion, several, getattr(fusion, several)[:1])
    report = measured("fusion", "--data", str(folder), "--limit", "8")
    rows = report.metrics
    assert {"tfidf", "hashing", "truth, useless", "truth, reads English only"} <= rows.keys()
    assert len(rows) == 10
    for row in rows.values():
        assert {"weight zh", "weight en"} <= row.keys()
    assert rows["truth, useless"]["vector"] < 0.3
    assert all(bar in report.bars for bar in rows)
