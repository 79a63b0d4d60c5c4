"""What every store must do: the typed tables of documents come and go with them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from store_cases import FORMS_BY_WORDS

from schema import Chunking, Scope, TableColumn, TypedTable
from stores.base import Store
from tests.stores import store_cases as cases

pytestmark = pytest.mark.parametrize("store", FORMS_BY_WORDS, indirect=True)

PAY = TypedTable(
    "工资",
    (TableColumn("姓名", "text", "", ("张三", "李四"), 2), TableColumn("月薪", "number", "元", (), 2, 0, 1)),
    (["张三", "李四", "王五"], [12000, 9000.5, None]),
    [(0, 4), (5, 9), (10, 14)],
    1,
)
RAIN = TypedTable("", (TableColumn("city"), TableColumn("day", "date")), (["Oslo"], ["2024-05-03"]), [(0, 4)])


def put(store: Store, name: str, *tables: TypedTable, doc_set: str = "", **changes: object) -> str:
    made = cases.batch(name, ["one two", "three"], doc_set)
    stored = store.put(replace(made, document=replace(made.document, tables=tables or None), **changes))  # type: ignore[arg-type]
    return stored.outcome


def test_tables_are_stored_with_their_document(store: Store) -> None:
    cases.serve(store)
    put(store, "b.csv", RAIN, doc_set="more")
    put(store, "a.csv", PAY, RAIN)
    listed = store.tables()
    assert [(one.document, one.doc_set, one.position, one.title, one.rows) for one in listed] == [
        ("a.csv", "", 0, "工资", 3),
        ("a.csv", "", 1, "", 1),
        ("b.csv", "more", 0, "", 1),
    ]
    assert (listed[0].columns, listed[0].left_out) == (PAY.columns, 1)
    assert store.table_cells(listed[0].id, [1, 0, 7]) == [PAY.cells[1], PAY.cells[0]]
    assert store.table_spans(listed[0].id) == PAY.spans
    assert [one.document for one in store.tables(Scope(doc_sets=("more",)))] == ["b.csv"]
    assert store.tables(Scope(documents=("none.csv",))) == []
    assert (store.table_cells(10**9, [0]), store.table_spans(10**9)) == ([], [])


def test_a_text_that_is_cut_anew_keeps_its_tables_and_another_text_does_not(store: Store) -> None:
    cases.serve(store)
    put(store, "a.csv", PAY)
    known = store.tables()
    assert put(store, "a.csv", chunking=Chunking(strategy="fixed", size=50)) == "replaced"
    assert store.tables() == known
    put(store, "a.csv", RAIN, chunking=Chunking(strategy="fixed", size=60))
    assert [one.title for one in store.tables()] == [""]
    store.put(cases.batch("a.csv", ["something else"]))
    assert store.tables() == []
    assert store.table_cells(known[0].id, [0]) == []
    put(store, "a.csv", PAY)
    store.delete("a.csv")
    assert store.tables() == []


def test_a_document_that_had_none_gets_its_tables_without_a_new_text(store: Store) -> None:
    cases.serve(store)
    put(store, "a.csv")
    generation = store.generation()
    assert put(store, "a.csv", PAY) == "unchanged"
    assert [one.title for one in store.tables()] == ["工资"]
    assert store.generation() > generation
