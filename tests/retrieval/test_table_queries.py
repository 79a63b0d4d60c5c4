"""Queries over the rows of stored tables: what they may do, and which rows they use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from errors import CitewiseError
from ingestion.readers import read_document
from retrieval.table_queries import run_table_query
from retrieval.table_rows import cited_rows
from retrieval.table_sql import statements_of_used_rows
from schema import Message, TableQuery
from stores.base import Store
from stores.embedded import EmbeddedStore
from tests.each_row import each_row
from tests.stores import store_cases as cases

DIFFERENCE = """SELECT (SELECT SUM("pay") FROM "t.csv" WHERE "team" = 'b')
    - (SELECT MAX("pay") FROM "t.csv" WHERE name = 'Ann')"""
ROWS = "name,team,pay\nAnn,a,10\nBob,b,20\nCid,a,\nDan,b,40\n"


@pytest.fixture
def store() -> Iterator[Store]:
    opened = EmbeddedStore()
    cases.serve(opened)
    put(opened, "t.csv", ROWS)
    yield opened
    opened.close()


def put(store: Store, name: str, content: str) -> None:
    document = read_document(name, content.encode(), max_bytes=10**7)
    made = cases.batch(name, ["x"])
    chunk = replace(made.chunks[0], text=document.text[:1], start=0, end=1)
    store.put(replace(made, document=document, chunks=[chunk]))


def query(sql: str, name: str = "t.csv") -> TableQuery:
    return TableQuery(document=name, sql=sql)


@pytest.mark.parametrize(
    ("sql", "rows", "used"),
    [
        ('SELECT COUNT(*) FROM "t.csv"', ((4,),), (1, 2, 3, 4)),
        ("""SELECT COUNT(*) FROM "t.csv" WHERE "team" = 'a'""", ((2,),), (1, 3)),
        ('SELECT AVG("pay") FROM "t.csv"', ((70 / 3,),), (1, 2, 4)),
        ('SELECT "team", MEDIAN("pay") FROM "t.csv" GROUP BY 1', (("a", 10), ("b", 30)), (1, 2, 4)),
        ('SELECT "name" FROM "t.csv" ORDER BY "pay" DESC LIMIT 1;', (("Dan",),), (4,)),
        ('SELECT "team", SUM("pay") FROM "t.csv" GROUP BY 1 ORDER BY 2', (("a", 10), ("b", 60)), (1, 2, 4)),
        (DIFFERENCE, ((50,),), (1, 2, 4)),
        ('SELECT * FROM "t.csv" WHERE pay > 15', (("Bob", "b", 20), ("Dan", "b", 40)), (2, 4)),
        ('SELECT a.name FROM "t.csv" a JOIN "t.csv" b ON a.pay < b.pay AND b.pay = 20', (("Ann",),), (1, 2, 3, 4)),
    ],
)
def test_a_query_runs_over_all_rows_and_knows_which_it_used(
    store: Store, sql: str, rows: tuple[object, ...], used: tuple[int, ...]
) -> None:
    result = run_table_query(store, query(sql))
    assert (result.rows, result.used, result.rows_read) == (rows, used, 4)
    found = cited_rows(store, result)
    assert found is not None
    text = "".join(citation.quote for citation in found[1])
    assert [name in text for name in ("Ann", "Bob", "Cid", "Dan")] == [number in used for number in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("sql", "rows", "used"),
    [
        ('SELECT SUM(minutes("takes")) FROM "u.csv"', ((120,),), (1, 2)),
        ('SELECT "job", "takes" FROM "u.csv" WHERE minutes("takes") > 60', (("Bread", "1 h 30 min"),), (1,)),
        ("""SELECT "job" FROM "u.csv" WHERE clock("at") < '10:00'""", (("Bread",), ("Tea",)), (1, 2)),
        ('SELECT "job" FROM "u.csv" ORDER BY clock("at") DESC LIMIT 1', (("Soup",),), (3,)),
        ('SELECT "job" FROM "u.csv" WHERE allows("ages", 7)', (("Bread",), ("Soup",)), (1, 3)),
        ("""SELECT clock("job"), minutes(3), allows("ages", 'x'), allows("job", 7) FROM "u.csv" LIMIT 1""",
         ((None, None, None, None),), (1,)),
    ],
)  # fmt: skip
def test_cells_in_words_are_computed_with(
    store: Store, sql: str, rows: tuple[tuple[object, ...], ...], used: tuple[int, ...]
) -> None:
    put(store, "u.csv", "job,takes,at,ages\nBread,1 h 30 min,9:45,6-12\nTea,30 min,9:05,8+\nSoup,,10:30,up to 7\n")
    result = run_table_query(store, query(sql, "u.csv"))
    assert (result.rows, result.used) == (rows, used)


def test_the_title_of_a_table_stands_over_its_rows(store: Store) -> None:
    put(store, "pay.md", "## Pay of the team\n\n| name | pay |\n|---|---|\n| Ann | 10 |\n| Bob | 20 |\n| Cid | 30 |\n")
    found = cited_rows(store, run_table_query(store, query('SELECT "pay" FROM "pay.md Pay of the team"', "pay.md")))
    assert found is not None
    assert found[0].headings == ("Pay of the team",)


def test_a_quoted_name_of_no_column_is_an_error_and_no_text(store: Store) -> None:
    with pytest.raises(CitewiseError, match="no such column"):
        run_table_query(store, query("""SELECT COUNT(*) FROM "t.csv" WHERE "wage" = 'x'"""))
    named = query("""SELECT "team" AS "the team", COUNT(*) AS n FROM "t.csv" GROUP BY "the team" ORDER BY "n", 1""")
    assert run_table_query(store, named).rows == (("a", 2), ("b", 2))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM sqlite_master",
        'INSERT INTO "t.csv" VALUES (1)',
        'DROP TABLE "t.csv"',
        'DELETE FROM "t.csv"',
        "ATTACH DATABASE '/tmp/x' AS y",
        "PRAGMA user_version",
        "SELECT 1; SELECT 2",
        "SELECT load_extension('x')",
        "SELECT hex(randomblob(100))",
        "SELECT zeroblob(100000000)",
        "SELECT printf('%1000000d', 1)",
        "VACUUM INTO '/tmp/x'",
        "SELECT * FROM pragma_table_info('t.csv')",
        'SELECT nothing FROM "t.csv"',
        "SELECT * FROM other",
        "",
        "SELECT",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c",
        "x" * 30_000,
        "SELECT '\0'",
    ],
)
def test_anything_but_reading_the_table_is_refused(store: Store, sql: str) -> None:
    with pytest.raises(CitewiseError) as refused:
        run_table_query(store, query(sql))
    told = refused.value
    assert told.kind == "settings"
    assert (told.message.zh[:9], told.message.en[:23]) == ("这个查询不能执行：", "The query cannot be run")
    assert "SELECT" in told.suggestions[0].zh
    assert "SELECT" in told.suggestions[0].en


def test_what_takes_too_long_is_stopped(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.table_queries.SECONDS", 0.05)
    put(store, "big.csv", "n,m\n" + "".join(f"{n},{n % 7}\n" for n in range(1500)))
    with pytest.raises(CitewiseError) as stopped:
        run_table_query(store, query('SELECT COUNT(*) FROM "big.csv" a, "big.csv" b, "big.csv" c', "big.csv"))
    told = stopped.value
    assert told.kind == "settings"
    assert told.message == Message(zh="这个查询超过了 0.05 秒，已停止。", en="The query took longer than 0.05 seconds.")
    assert told.suggestions == (Message(zh="请加上条件，或简化查询。", en="Add conditions, or make it simpler."),)


def test_a_table_that_is_gone_is_told(store: Store) -> None:
    with pytest.raises(CitewiseError, match="not in"):
        run_table_query(store, query("SELECT 1", "none.csv"))


def test_names_that_are_sql_are_names(store: Store) -> None:
    put(store, "odd.csv", '"a""); DROP TABLE x; --","b\'c",rowid\n1,2,3\n4,5,6\n')
    assert run_table_query(store, query('SELECT SUM("a""); DROP TABLE x; --") FROM "odd.csv"', "odd.csv")).rows == (
        (5,),
    )


def test_words_within_quotation_marks_are_no_clauses() -> None:
    [statement] = statements_of_used_rows("""SELECT COUNT(*) FROM "t" WHERE "a" = ' GROUP BY ( LIMIT 5'""", '"t"')
    assert statement.endswith("""WHERE ("a" = ' GROUP BY ( LIMIT 5')""")


@each_row(
    ("sql", "rows"),
    [
        ('SELECT "a" FROM "t"', ""),
        ('SELECT "a" FROM t;', ""),
        ('SELECT COUNT(*) FROM "t" LIMIT 1', ""),  # of all rows
        ('SELECT DISTINCT "a" FROM "t" ORDER BY "a" LIMIT 2', ""),
        ('SELECT "a" FROM "t" WHERE "b" > 1 ORDER BY "a" LIMIT 5', ' WHERE ("b" > 1) ORDER BY "a" LIMIT 5'),
        ('SELECT "a" FROM "t" LIMIT 5', " LIMIT 5"),
        ('SELECT MAX("a") FROM "t" WHERE "b" > 1 OR "c" = 2', ' WHERE ("b" > 1 OR "c" = 2)'),
        ('SELECT SUM("a") FROM "t"', ' WHERE "a" IS NOT NULL'),
        ('SELECT AVG("a") FROM "t" WHERE "b" > 1', ' WHERE ("b" > 1) AND "a" IS NOT NULL'),
        ('SELECT SUM("a"), SUM("b") FROM "t"', ""),
        ('SELECT SUM("a") / SUM("a") FROM "t"', ' WHERE "a" IS NOT NULL'),
        ('SELECT SUM(CASE WHEN "b" THEN "a" END) FROM "t"', ""),
        ('SELECT "c", SUM("a") FROM "t" GROUP BY "c" ORDER BY 2 LIMIT 1', ' WHERE "a" IS NOT NULL'),
        ('SELECT "a" FROM "t" WHERE "a" = (SELECT MAX("a") FROM "t")', ' WHERE ("a" = (SELECT MAX("a") FROM "t"))'),
        ('SELECT COUNT(*) FROM (SELECT DISTINCT "a" FROM "t" WHERE "b" > 1)', ' WHERE ("b" > 1)'),
        ('SELECT "a" FROM "t" UNION SELECT "a" FROM "t"', None),
        ('SELECT "a" FROM "t" JOIN "u"', None),
        ('SELECT "a" FROM "u"', None),
        ("DELETE FROM t", None),
    ],
)
def test_the_rows_that_a_statement_is_made_of(sql: str, rows: str | None) -> None:
    told = [" ".join(one.split()) for one in statements_of_used_rows(sql, '"t"')]
    assert told == ([] if rows is None else [f'SELECT _rowid_ FROM "t"{rows}'])
