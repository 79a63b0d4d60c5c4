"""An index over the vectors of a space, made and tried while nobody waits for it; until then, all are compared.

Rows that come once there is an index stay out of it (`indexed` is false) and are compared in full, for to add one to it
takes a hundredth of a second; where they are many, they are brought in a few at a time. Where they are a good part of
all, another index is made, which holds what the table has by then; the old one serves until the new one was tried.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from schema import VectorIndexName, Vectors
from stores.postgres.adapters import Connection, HalfVector
from stores.postgres.rows import number
from stores.postgres.trial import ENOUGH, least_effort, trial_questions

log = logging.getLogger(__name__)

MANY = 20_000  # vectors; fewer are compared with each other sooner than a graph is looked through
_SOME = 1_000  # who asks for an index by name has it from here on
_MOST_DIMENSIONS = 4_000  # of halves in an index
_NEWCOMERS, _AT_ONCE = 2_000, 20  # beside an index; brought into it in one transaction
GROWN = 1.25  # times the chunks that there were when it was tried: it is tried again
_DEARER = 5  # times: to bring a vector into an index, beside making one of all
_MEMORY = 64  # MB, at least, to build an index in
DEEPEST = 1_000  # neighbours that a graph keeps in view, at most


class _Kind(NamedTuple):
    method: str
    setting: str  # of the session: how much of it a search looks at
    efforts: Callable[[int], Sequence[int]]


_KINDS = {
    "hnsw": _Kind(
        "hnsw (embedding halfvec_ip_ops) WITH (m = 16, ef_construction = 128)",  # of 64, twice the effort
        "hnsw.ef_search",
        lambda count: (100, 140, 200, 280, 400, 560, 800, DEEPEST),
    ),
    "ivf": _Kind(
        "ivfflat (embedding halfvec_ip_ops) WITH (lists = {lists})",
        "ivfflat.probes",
        lambda count: [_lists(count) * share // 16 or 1 for share in (1, 2, 4, 8, 16)],
    ),
}


class SpaceIndex(NamedTuple):
    """What is known of a serving space's index; effort 0: it is not there yet."""

    space_id: int
    dimensions: int
    kind: str  # "" before it was thought of, "flat" where one was tried in vain
    effort: int
    recall: float
    tried: int  # chunks that the library had when the effort was chosen
    last: int  # chunk that was there when it was made: those up to it are in it as well, and are not marked

    @property
    def holds(self) -> str:
        """The condition of rows that are in it, as it was made with."""
        return f"(indexed OR chunk_id <= {self.last})" if self.last else "indexed"

    @property
    def lacks(self) -> str:
        return f"NOT indexed AND chunk_id > {self.last}"

    @property
    def table(self) -> str:
        return f"vectors_{self.space_id}"

    def most(self, count: int) -> int:
        """Of the effort that a search may make."""
        return DEEPEST if self.kind == "hnsw" else _lists(count)


def index_of(connection: Connection) -> SpaceIndex | None:
    """Of the serving space; None where there is none."""
    query = "SELECT id, dimensions, index_kind, effort, recall, tried, last FROM spaces WHERE serving"
    row = connection.execute(query).fetchone()
    return SpaceIndex._make(row) if row else None


def look_through(connection: Connection, index: SpaceIndex, vector: Vectors, k: int) -> list[tuple[Any, ...]]:
    """k near chunks of those in the index, with their cosines, and k of the newcomers, which are all compared."""
    effort = index.effort if index.kind != "hnsw" else min(max(index.effort, 2 * k), DEEPEST)
    setting = _KINDS[index.kind].setting
    query = f"""SELECT chunk_id, -(embedding <#> %(vector)s) FROM {index.table} WHERE {index.holds}
        ORDER BY embedding <#> %(vector)s LIMIT %(k)s"""
    newcomers = f"""SELECT chunk_id, -(embedding <#> %(vector)s) FROM {index.table} WHERE {index.lacks}
        ORDER BY (embedding <#> %(vector)s) + 0, chunk_id LIMIT %(k)s"""
    # Whatever the planner takes it to cost: it knows nothing of the effort.
    settings = "SELECT set_config(%s, %s, true), set_config('enable_seqscan', 'off', true)"
    values = {"vector": HalfVector(vector), "k": k}
    with connection.pipeline(), connection.transaction():
        connection.execute(settings, [setting, str(effort)])
        cursors = [connection.execute(one, values, binary=True) for one in (query, newcomers)]
    return [row for cursor in cursors for row in cursor.fetchall()]


def is_due(connection: Connection, wanted: VectorIndexName) -> bool:
    """Whether the serving space wants an index, or the one it has is to take in more or to be tried again."""
    index = index_of(connection)
    if index is None or wanted == "flat" or index.kind == "flat" or index.dimensions > _MOST_DIMENSIONS:
        return False
    if not _serves(index, wanted):
        return _chunks(connection) >= (MANY if wanted == "auto" else _SOME)
    return _newcomers(connection, index) >= _NEWCOMERS or _has_outgrown(connection, index)


def tend(connection: Connection, wanted: VectorIndexName, go_on: Callable[[], bool]) -> bool:
    """One piece of what is due, outside of any transaction; whether there was any."""
    index = index_of(connection)
    if index is None or not is_due(connection, wanted):
        return False
    count = number(connection, f"SELECT count(*) FROM {index.table}", [])
    newcomers = _newcomers(connection, index)
    if not _serves(index, wanted) or newcomers * _DEARER >= count:
        _make(connection, index, _kind(wanted), count, go_on)
    elif newcomers >= _NEWCOMERS:
        _bring_in(connection, index)
    else:
        effort, recall = _tried(connection, index, count, go_on)
        if recall < ENOUGH and go_on():
            _make(connection, index, index.kind, count, go_on)
        elif go_on():
            _note(connection, index, effort, recall)
    return go_on()


def _serves(index: SpaceIndex, wanted: VectorIndexName) -> bool:
    return index.kind == _kind(wanted) and index.effort > 0


def _chunks(connection: Connection) -> int:
    return number(connection, "SELECT chunks FROM library", [])


def _newcomers(connection: Connection, index: SpaceIndex) -> int:
    return number(connection, f"SELECT count(*) FROM {index.table} WHERE {index.lacks}", [])


def _has_outgrown(connection: Connection, index: SpaceIndex) -> bool:
    """What was enough effort for fewer vectors finds less among more."""
    return _chunks(connection) > index.tried * GROWN


def _kind(wanted: VectorIndexName) -> str:
    return "hnsw" if wanted == "auto" else wanted


def _bring_in(connection: Connection, index: SpaceIndex) -> None:
    query = f"SELECT chunk_id FROM {index.table} WHERE {index.lacks}"
    ids = [row[0] for row in connection.execute(query).fetchall()]
    for place in range(0, len(ids), _AT_ONCE):
        some = ids[place : place + _AT_ONCE]
        connection.execute(f"UPDATE {index.table} SET indexed = true WHERE chunk_id = ANY(%s)", [some])


def _make(connection: Connection, old: SpaceIndex, name: str, count: int, go_on: Callable[[], bool]) -> None:
    kind, last = _KINDS[name], number(connection, f"SELECT max(chunk_id) FROM {old.table}", [])
    log.info("an index of kind %s is made over %d vectors", name, count)
    new, serves = old._replace(kind=name, last=last), old.kind == name and old.effort > 0 and old.last < last
    if not serves:
        _note(connection, new, 0, 0.0)  # from now on, what comes is left out of it
    _drop_others(connection, old if serves else None, old.table)
    memory = max(_MEMORY, count * (2 * old.dimensions + 500) // 1_000_000)
    connection.execute("SELECT set_config('maintenance_work_mem', %s, false)", [f"{memory}MB"])
    method = kind.method.format(lists=_lists(count))
    where = f"{old.table} USING {method} WHERE {new.holds}"
    connection.execute(f"CREATE INDEX CONCURRENTLY {_name(new)} ON {where}")
    effort, recall = _tried(connection, new, count, go_on)
    if not go_on():
        return
    if recall < ENOUGH:
        log.warning("the index finds %.3f of the nearest vectors, which is too little: all are compared", recall)
        _note(connection, new._replace(kind="flat"), 0, 1.0)
    else:
        _note(connection, new, effort, recall)
    _drop_others(connection, new if recall >= ENOUGH else None, old.table)


def _name(index: SpaceIndex) -> str:
    return f"{index.table}_nearest_{index.last}" if index.last else f"{index.table}_nearest"


def _drop_others(connection: Connection, keep: SpaceIndex | None, table: str) -> None:
    """Of the indexes that were made, also by a program that ended over it, all but this one."""
    query = "SELECT indexname FROM pg_indexes WHERE tablename = %s AND starts_with(indexname, %s)"
    for (name,) in connection.execute(query, [table, f"{table}_nearest"]).fetchall():
        if keep is None or name != _name(keep):
            connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")


def _note(connection: Connection, index: SpaceIndex, effort: int, recall: float) -> None:
    query = "UPDATE spaces SET (index_kind, effort, recall, tried, last) = (%s, %s, %s, %s, %s) WHERE id = %s"
    connection.execute(query, [index.kind, effort, recall, _chunks(connection), index.last, index.space_id])


def _tried(connection: Connection, index: SpaceIndex, count: int, go_on: Callable[[], bool]) -> tuple[int, float]:
    """The effort that is enough, and the recall with it."""
    questions = trial_questions(connection, index.space_id, index.holds, go_on)
    return least_effort(
        questions,
        _KINDS[index.kind].efforts(count),
        lambda effort, vector, k: look_through(connection, index._replace(effort=effort), vector, k),
        go_on,
    )


def _lists(count: int) -> int:
    return max(int(math.sqrt(count)), 1)
