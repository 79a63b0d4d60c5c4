"""Names: of each chunk those that it holds, and where each of them stands; within a transaction of the caller's."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b

from entities import ChunkNames, ConnectedName, NamePlace, names_of
from schema import EVERYWHERE, Chunk, Document, Scope
from stores.sql.rows import ids_json, in_scope

MOST_HOMES = 5


def packed_names(names: ChunkNames) -> bytes:
    """b"" for none."""
    return zlib.compress("\f".join(map("\n".join, names)).encode(), 1) if any(names) else b""  # no name holds these


def unpacked_names(packed: bytes) -> ChunkNames:
    if not packed:
        return ChunkNames()
    halves = zlib.decompress(packed).decode().split("\f")
    return ChunkNames(*(tuple(half.split("\n")) if half else () for half in halves))


def replace_places(connection: sqlite3.Connection, by_chunk: Mapping[int, ChunkNames], known: Iterable[int]) -> None:
    """Where the names of these chunks stand; `known` are those that had names before, which they lose."""
    connection.executemany("DELETE FROM name_places WHERE chunk_id = ?", [(chunk_id,) for chunk_id in known])
    connection.executemany("INSERT INTO name_places VALUES (?, ?, ?)", place_rows(by_chunk))


def place_rows(by_chunk: Mapping[int, ChunkNames]) -> list[tuple[int, bool, int]]:
    """Key, whether the chunk is about the name, chunk: in the order of the table."""
    return sorted(
        (name_key(name), home, chunk_id)
        for chunk_id, (about, says) in by_chunk.items()
        for home, some in ((True, about), (False, says))
        for name in some
    )


def connected(rows: Iterable[tuple[int, int, int, int]], held: Mapping[int, ChunkNames]) -> list[ConnectedName]:
    """From key, chunks, home and how often it was asked about; `held` are the names of the homes."""
    return [
        ConnectedName(name, chunks, home, asked)
        for key, chunks, home, asked in rows
        for name in held[home].about
        if name_key(name) == key
    ]


def names(connection: sqlite3.Connection, chunk_ids: Sequence[int]) -> dict[int, ChunkNames]:
    query = "SELECT id, names FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
    return {chunk_id: unpacked_names(packed) for chunk_id, packed in connection.execute(query, [ids_json(chunk_ids)])}


def name_places(
    connection: sqlite3.Connection, wanted: Iterable[str], most: int, scope: Scope = EVERYWHERE
) -> dict[str, list[NamePlace]]:
    where, values = in_scope(scope)
    within = f"JOIN chunks ON chunks.id = chunk_id JOIN documents ON documents.id = document_id AND {where}"
    query = f"""SELECT chunk_id, name_places.home FROM name_places {within if scope else ""} WHERE key = ?
        ORDER BY name_places.home DESC, chunk_id DESC LIMIT ?"""
    keys = {name_key(name): name for name in wanted}
    known = "SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM name_places WHERE key = value)"
    found = {}
    for (key,) in connection.execute(known, [ids_json(list(keys))]).fetchall():  # most that are asked for are none
        if rows := connection.execute(query, [*values, key, max(most, 0)]).fetchall():
            found[keys[key]] = [NamePlace(chunk_id, bool(home)) for chunk_id, home in rows]
    return found


def connected_names(connection: sqlite3.Connection, k: int) -> list[ConnectedName]:
    rows = connection.execute(
        """SELECT key, count(*) AS chunks, max(CASE WHEN home THEN chunk_id END), coalesce(asked.count, 0) AS asked
        FROM name_places LEFT JOIN asked_names AS asked USING (key) GROUP BY key
        HAVING (chunks > 1 OR asked > 0) AND sum(home) BETWEEN 1 AND ?
        ORDER BY asked DESC, chunks DESC, key LIMIT ?""",
        [MOST_HOMES, max(k, 0)],
    ).fetchall()
    return connected(rows, names(connection, [home for _, _, home, _ in rows]))


def note_asked(connection: sqlite3.Connection, asked: Iterable[str]) -> None:
    connection.execute(
        """INSERT INTO asked_names SELECT DISTINCT value, 1 FROM json_each(?)
        WHERE EXISTS (SELECT 1 FROM name_places WHERE key = value AND home)
        ON CONFLICT (key) DO UPDATE SET count = count + 1""",
        [ids_json([name_key(name) for name in asked])],
    )


def find_all_names(connection: sqlite3.Connection) -> None:
    """Of every chunk anew, from the texts."""
    documents = connection.execute("SELECT id, name FROM documents").fetchall()
    for document_id, name in documents:
        blocks = connection.execute("SELECT text FROM texts WHERE document_id = ? ORDER BY block", [document_id])
        text = "".join(block for (block,) in blocks)
        rows = connection.execute(_CHUNKS, [document_id]).fetchall()
        chunks = [
            Chunk(text[start:end], start, end, first, last, tuple(json.loads(headings)))
            for _, start, end, first, last, headings in rows
        ]
        found = names_of(Document(name, text), chunks)
        packed = [(packed_names(names), row[0]) for row, names in zip(rows, found, strict=True)]
        connection.executemany("UPDATE chunks SET names = ? WHERE id = ?", packed)
        named = {row[0]: names for row, names in zip(rows, found, strict=True)}
        replace_places(connection, named, named)


_CHUNKS = (
    """SELECT id, start, "end", start_line, end_line, headings FROM chunks WHERE document_id = ? ORDER BY position"""
)


@lru_cache(20_000)  # a name that one chunk says, the next ones say too
def name_key(name: str) -> int:
    """63 bits: two of a million names have the same one once in ten million libraries."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) >> 1
