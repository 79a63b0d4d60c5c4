import pytest

from benchmarks import lookup
from benchmarks.lookup import made_up, measure
from benchmarks.report import DATA
from benchmarks.retrieval import read
from retrieval.lookups import LOOKUPS
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.usefixtures("ingested_here")


def test_names_are_made_up_of_both_languages_and_asked_for():
    names, questions = made_up(list(read(DATA / "retrieval").documents.values()), 400)
    assert len(set(names)) == 400
    assert any(name.isascii() for name in names)
    assert any(not name.isascii() for name in names)
    assert made_up(list(read(DATA / "retrieval").documents.values()), 400) == (names, questions)
    found = measure("dict", names, questions).found
    assert sum(map(bool, found)) > len(found) / 2  # a name of several Chinese words may be cut otherwise in a question


def test_every_method_is_measured_and_the_exact_ones_agree(monkeypatch: pytest.MonkeyPatch):
    apart = lookup._apart  # a process takes longer than a method with so few names: one of them shows it
    monkeypatch.setattr(lookup, "_apart", lambda of, *given: (apart if of == "cuckoo" else measure)(of, *given))
    monkeypatch.setattr(lookup, "_MANY", 25)
    monkeypatch.setattr(lookup, "_ROUNDS", 1)
    report = measured("lookup", "--names", "300")
    assert report.metrics.keys() == {f"300 {method}" for method in LOOKUPS}
    assert report.bars["300 wrong, of the exact ones"].ok
    assert all(row["hit us"] > 0 for row in report.metrics.values())
