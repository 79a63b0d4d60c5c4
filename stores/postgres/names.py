"""Names in PostgreSQL: of each chunk those that it holds, and where each of them stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from entities import ChunkNames, ConnectedName, NamePlace
from schema import EVERYWHERE, Scope
from stores.postgres.adapters import Connection
from stores.postgres.rows import in_scope
from stores.sql.names import MOST_HOMES, connected, name_key, place_rows, unpacked_names


def replace_places(connection: Connection, by_chunk: Mapping[int, ChunkNames], known: Sequence[int]) -> None:
    """Where the names of these chunks stand; `known` are those that had names before, which they lose."""
    if known:
        connection.execute("DELETE FROM name_places WHERE chunk_id = ANY(%s)", [list(known)])
    with connection.cursor() as cursor, cursor.copy("COPY name_places FROM STDIN (FORMAT BINARY)") as copy:
        copy.set_types(["int8", "bool", "int8"])
        for row in place_rows(by_chunk):
            copy.write_row(row)


def names(connection: Connection, chunk_ids: Sequence[int]) -> dict[int, ChunkNames]:
    query = "SELECT id, names FROM chunk_rows WHERE id = ANY(%s)"
    rows = connection.execute(query, [[int(chunk_id) for chunk_id in chunk_ids]], binary=True)
    return {chunk_id: unpacked_names(packed) for chunk_id, packed in rows}


def name_places(
    connection: Connection, wanted: Iterable[str], most: int, scope: Scope = EVERYWHERE
) -> dict[str, list[NamePlace]]:
    keys = {name_key(name): name for name in wanted}
    where, values = in_scope(scope)
    within = f"""AND chunk_id IN (SELECT c.id FROM chunk_rows AS c JOIN documents ON documents.id = c.document_id
        WHERE c.id = chunk_id AND {where})"""
    query = f"""SELECT k.key, p.chunk_id, p.home FROM unnest(%s::bigint[]) AS k (key) CROSS JOIN LATERAL (
        SELECT chunk_id, home FROM name_places WHERE key = k.key {within if scope else ""}
        ORDER BY home DESC, chunk_id DESC LIMIT %s) AS p"""
    found: dict[str, list[NamePlace]] = {}
    for key, chunk_id, home in connection.execute(query, [list(keys), *(values if scope else []), max(most, 0)]):
        found.setdefault(keys[key], []).append(NamePlace(chunk_id, home))
    return found


def connected_names(connection: Connection, k: int) -> list[ConnectedName]:
    rows = connection.execute(
        """SELECT key, count(*), max(chunk_id) FILTER (WHERE home), coalesce(max(asked.count), 0)
        FROM name_places LEFT JOIN asked_names AS asked USING (key) GROUP BY key
        HAVING (count(*) > 1 OR max(asked.count) > 0) AND count(*) FILTER (WHERE home) BETWEEN 1 AND %s
        ORDER BY 4 DESC, 2 DESC, key LIMIT %s""",
        [MOST_HOMES, max(k, 0)],
    ).fetchall()
    return connected(rows, names(connection, [home for _, _, home, _ in rows]))


def note_asked(connection: Connection, asked: Iterable[str]) -> None:
    connection.execute(
        """INSERT INTO asked_names (key, count) SELECT DISTINCT key, 1 FROM unnest(%s::bigint[]) AS k (key)
        WHERE EXISTS (SELECT 1 FROM name_places AS p WHERE p.key = k.key AND home)
        ON CONFLICT (key) DO UPDATE SET count = asked_names.count + 1""",
        [[name_key(name) for name in asked]],
    )
