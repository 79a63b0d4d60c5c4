"""Of the rows that a result used, the words that may have been misread in the columns that it is about."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from retrieval.table_rows import misread_cells
from schema import Document, Place, Scope, TableColumn, TableInfo, TableQuery, TableResult
from tests.each_row import each_row

TEXT = "| Part | Price |\n| --- | --- |\n| Valve | 8,000 |\n| Pu\\|mp | 70 |\n"
DOUBTS = {"Valve": "Valve 0.50", "8,000": "8,000 0.62", "Pu": "Pu|mp 0.40", "70": "70 0.55"}
DOCUMENT = Document("scan.md", TEXT, places=tuple(
    Place(TEXT.index(word), "picture", 1, doubts=(doubt,)) for word, doubt in DOUBTS.items()
))  # fmt: skip
SPANS = [(TEXT.index(f"| {word}"), TEXT.index("\n", TEXT.index(f"| {word}"))) for word in ("Valve", "Pu")]


def held(document: Document | None = DOCUMENT, position: int = 0) -> Any:
    columns = (TableColumn("Part", "text"), TableColumn("Price", "number"))
    table = TableInfo(7, "scan.md", "", position, "", columns, 2)
    return SimpleNamespace(
        document=lambda name, doc_set: document if (name, doc_set) == ("scan.md", "") else None,
        tables=lambda scope: [table] if scope == Scope(documents=("scan.md",), doc_sets=("",)) else [],
        table_spans=lambda number: {7: SPANS}[number],
    )


def result(sql: str, used: tuple[int, ...]) -> TableResult:
    return TableResult(TableQuery(document="scan.md", sql=sql), ("x",), ((1,),), False, 2, len(used), used)


@each_row(
    ("sql", "used", "misread"),
    [
        ('SELECT SUM("Price") FROM "scan.md"', (1, 2), ["8,000 0.62", "70 0.55"]),
        ('SELECT SUM("Price") FROM "scan.md"', (), ["8,000 0.62", "70 0.55"]),  # all rows
        ('SELECT "PRICE" FROM "scan.md"', (2,), ["70 0.55"]),
        ('SELECT "Part", "Price" FROM "scan.md"', (1,), ["Valve 0.50", "8,000 0.62"]),
        ('SELECT "Part" FROM "scan.md"', (2,), ["Pu|mp 0.40"]),
        ('SELECT COUNT(*) FROM "scan.md"', (1, 2), [*DOUBTS.values()]),  # names no column: any may matter
        ('SELECT "Part" FROM "scan.md"', (3,), []),  # there is no such row
    ],
)
def test_words_of_the_rows_and_columns_that_were_used(sql: str, used: tuple[int, ...], misread: list[str]) -> None:
    assert misread_cells(held(), result(sql, used)) == misread


def test_without_the_document_its_table_or_a_doubt_there_are_none() -> None:
    asked = result('SELECT SUM("Price") FROM "scan.md"', (1, 2))
    assert misread_cells(held(None), asked) == []
    assert misread_cells(held(position=1), asked) == []
    assert misread_cells(held(Document("scan.md", TEXT, places=(Place(0, "page", 1),))), asked) == []
