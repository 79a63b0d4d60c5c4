"""Questions over tables are asked, and what comes of them is judged."""

import pytest

from benchmarks.report import DATA
from benchmarks.tables import judged
from benchmarks.tables_large import large_rows
from schema import TableQuery, TableResult
from tests.benchmarks.benchmark_commands import measured

pytestmark = pytest.mark.usefixtures("ingested_here")


def result(*rows: tuple[str | float, ...], unit: str = "") -> TableResult:
    query = TableQuery(document="a.csv", sql="", unit=unit)
    return TableResult(query, ("x",), rows, False, 3, 3, (1, 2, 3))


def asked(answer: object, file: str = "a.csv") -> dict[str, object]:
    return {"question": "?", "answer": answer, "file": file, "kind": "x"}


def test_answers_are_judged() -> None:
    assert judged(asked(12), result(("Ann", 12.0))) == "right"
    assert judged(asked(3_200_000), result((320.0,), unit="万元")) == "right"
    assert judged(asked({"a": 1}), result(("a", 1))) == "right"
    assert judged(asked(["a", "b"]), result(("b",), ("a",))) == "right"
    assert judged(asked(["a", "b"]), result(("b",), ("c",))) == "wrong"
    assert judged(asked(12), result((13,))) == "wrong"
    assert judged(asked(12, "b.csv"), result((12,))) == "wrong"
    assert judged(asked(None), result((12,))) == "wrong"
    assert judged(asked(12), None) == "unanswered"
    assert judged(asked(None), None) == "right"
    assert [*large_rows(3)] == [*large_rows(3)]


def test_tables_are_asked() -> None:
    report = measured("tables", "--data", str(DATA / "tables" / "fourteenth"))
    assert report.metrics["questions"] == 25
    assert report.ok
