"""One read-only query over all rows of a stored table, in a database of its own that holds nothing else.

The SQL may come from a person or a model: an authorizer allows reading this table and pure functions, a limit ends what
takes too long, and whatever it does is done to a copy in memory.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from statistics import median
from typing import NamedTuple

from errors import CitewiseError
from retrieval.table_sql import statements_of_used_rows
from schema import Message, Scope, TableInfo, TableQuery, TableResult
from stores.base import Store
from tables.clocks import clock_of
from tables.durations import minutes_of
from tables.ranges import holds
from tables.sql import name_of_table, quoted

MOST_RESULTS = 1_000  # rows of a result
MOST_USED = 1_000  # rows whose numbers are kept
SECONDS = 2.0
_LONGEST_SQL = 20_000  # characters
_FUNCTIONS = frozenset(
    """count sum avg median min max total abs round length lower upper substr substring instr replace trim ltrim rtrim
    coalesce ifnull nullif iif like strftime date julianday group_concat minutes clock allows""".split()
)
_LIMITS = (
    (sqlite3.SQLITE_LIMIT_LENGTH, 1_000_000),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 2 * _LONGEST_SQL),
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 10),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100),
    (sqlite3.SQLITE_LIMIT_VDBE_OP, 25_000),
)
_quoted = re.compile(r"'(?:[^']|'')*+(?:'|\Z)|(\"(?:[^\"]|\"\")*+\")")
_alias = re.compile(r"\bas\s{1,5}(\"[^\"]{1,60}\"|[^\W\d]\w{0,60})", re.IGNORECASE)
_all_columns = re.compile(r"(?<!count\()(?<!count\( )\*", re.IGNORECASE)


class _Median:
    """Of the numbers of a group, as SQL knows none."""

    def __init__(self) -> None:
        self._numbers: list[int | float] = []

    def step(self, value: object) -> None:
        if isinstance(value, int | float):
            self._numbers.append(value)

    def finalize(self) -> int | float | None:
        return median(self._numbers) if self._numbers else None


def _of_text(read: Callable[[str], str | float | None]) -> Callable[[object], str | float | None]:
    """What is read of a cell; NULL of a blank one."""
    return lambda cell: read(cell) if isinstance(cell, str) else None


def _allows(cell: object, number: object) -> bool | None:
    """Whether a number lies in the stretch that a cell tells."""
    return holds(cell, number) if isinstance(cell, str) and isinstance(number, int | float) else None


class _Statement(NamedTuple):
    rows: list[tuple[str | int | float | None, ...]]
    columns: tuple[str, ...]
    cut: bool


def run_table_query(store: Store, query: TableQuery) -> TableResult:
    """Raises CitewiseError where the table is gone, or the SQL is refused, wrong or takes too long."""
    table = _table(store, query)
    if (unknown := _unknown_name(table, query.sql)) is not None:
        raise _refused(query, ValueError(f"no such column: {unknown}"))
    needed = _needed(table, query.sql)
    cells = store.table_cells(table.id, needed)
    if len(cells) < len(needed):
        raise _gone(query)
    with closing(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)) as database:
        name = quoted(name_of_table(table))
        names = [quoted(table.columns[at].name) for at in needed]
        try:
            database.execute("PRAGMA temp_store=FILE")
            database.execute("PRAGMA trusted_schema=OFF")
            database.execute(f"CREATE TABLE {name} ({', '.join(names)})")
            database.execute("BEGIN")
            rows = zip(*cells, strict=True) if cells else ()
            database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(names))})", rows)
            database.execute("COMMIT")
            _guard(database, name_of_table(table))
            result = _fetched(database, query.sql, MOST_RESULTS)
            used = [*_used_rows(database, query.sql, name, table.rows)]
        except (sqlite3.Error, sqlite3.Warning, MemoryError, OverflowError, UnicodeError, ValueError) as error:
            raise _refused(query, error) from error
    return TableResult(
        query, result.columns, tuple(result.rows), result.cut, table.rows, len(used), tuple(used[:MOST_USED]),
        table.left_out,
        tuple((table.columns[at].name, table.columns[at].unread) for at in needed if table.columns[at].unread),
    )  # fmt: skip


def _table(store: Store, query: TableQuery) -> TableInfo:
    if len(query.sql) > _LONGEST_SQL:
        raise _refused(query, ValueError("too long"))
    listed = store.tables(Scope(documents=(query.document,), doc_sets=(query.doc_set,)))
    table = next((one for one in listed if one.position == query.position), None)
    if table is None:
        raise _gone(query)
    return table


def _unknown_name(table: TableInfo, sql: str) -> str | None:
    """A quoted name of nothing that there is: SQLite would read it as a text, and answer."""
    known = {quoted(name).lower() for name in (name_of_table(table), *(one.name for one in table.columns))}
    known |= {quoted(alias.strip('"')).lower() for alias in _alias.findall(sql)}
    return next((name for name in _quoted.findall(sql) if name and name.lower() not in known), None)


def _needed(table: TableInfo, sql: str) -> list[int]:
    """The columns that the SQL may speak of; one at least, so that there are rows to count."""
    lower = sql.lower()
    if _all_columns.search(lower):
        return [*range(len(table.columns))]
    found = [at for at, one in enumerate(table.columns) if quoted(one.name)[1:-1].lower() in lower]
    return found or [0]


def _guard(database: sqlite3.Connection, name: str) -> None:
    database.create_aggregate("median", 1, _Median)  # type: ignore[arg-type]
    database.create_function("minutes", 1, _of_text(minutes_of), deterministic=True)
    database.create_function("clock", 1, _of_text(clock_of), deterministic=True)
    database.create_function("allows", 2, _allows, deterministic=True)
    for limit, most in _LIMITS:
        database.setlimit(limit, most)

    def allowed(action: int, one: str | None, other: str | None, *_: str | None) -> int:
        reads = action == sqlite3.SQLITE_READ and one in (name, "")
        calls = action == sqlite3.SQLITE_FUNCTION and (other or "").lower() in _FUNCTIONS
        return sqlite3.SQLITE_OK if action == sqlite3.SQLITE_SELECT or reads or calls else sqlite3.SQLITE_DENY

    database.set_authorizer(allowed)


def _fetched(database: sqlite3.Connection, sql: str, most: int) -> _Statement:
    end = time.monotonic() + SECONDS
    database.set_progress_handler(lambda: time.monotonic() > end, 10_000)
    cursor = database.execute(sql)
    rows = cursor.fetchmany(most + 1)
    if any(isinstance(cell, bytes) for row in rows for cell in row):
        raise ValueError("binary")
    columns = tuple(column[0] for column in cursor.description or ())
    if not columns:
        raise ValueError("no result")
    return _Statement(rows[:most], columns, len(rows) > most)


def _used_rows(database: sqlite3.Connection, sql: str, name: str, rows: int) -> Iterator[int]:
    """The rows that the result is made of: those that meet its conditions; all of them where that cannot be told."""
    statements = statements_of_used_rows(sql, name)
    if not statements:
        yield from range(1, rows + 1)
        return
    found: set[int] = set()
    for statement in statements:
        found.update(int(number or 0) for (number,) in _fetched(database, statement, rows).rows)
    yield from sorted(found)


def _gone(query: TableQuery) -> CitewiseError:
    return CitewiseError(
        "not_found",
        Message(zh=f"“{query.document}”里已经没有这张表。", en=f"The table is not in {query.document} any more."),
        Message(zh="请重新提问。", en="Ask the question again."),
    )


def _refused(query: TableQuery, error: Exception) -> CitewiseError:
    slow = "interrupted" in str(error)
    if slow:
        return CitewiseError(
            "settings",
            Message(
                zh=f"这个查询超过了 {SECONDS:g} 秒，已停止。", en=f"The query took longer than {SECONDS:g} seconds."
            ),
            Message(zh="请加上条件，或简化查询。", en="Add conditions, or make it simpler."),
        )
    why = str(error)[:200].rstrip(".")
    return CitewiseError(
        "settings",
        Message(zh=f"这个查询不能执行：{why}。", en=f"The query cannot be run: {why}."),
        Message(
            zh="只能用一条 SELECT 读取这张表；请检查列名和写法。",
            en="Only one SELECT that reads this table is allowed: check the names of its columns and its form.",
        ),
    )
