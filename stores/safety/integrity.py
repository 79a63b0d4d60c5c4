"""Whether what SQLite holds is what the store wrote: its own rules, which SQLite's check of a file knows nothing of."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from schema import Message
from stores.problems import DamagedFileError
from stores.sql import spaces
from stores.sql.rows import BLOCK, last_generation

_AT_ONCE = 1_000  # vectors in memory


class Flaw(NamedTuple):
    message: Message
    document: int | None = None  # which it is of


def database_flaws(connection: sqlite3.Connection) -> Iterator[Flaw]:
    """Of the file: pages, indexes, keys. Raises sqlite3.DatabaseError where not even that can be read."""
    for (verdict,) in connection.execute("PRAGMA integrity_check(20)").fetchall():
        if verdict != "ok":
            yield Flaw(Message(zh=f"数据库文件：{verdict}", en=f"The database file: {verdict}"))
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        tables = ", ".join(sorted({row[0] for row in broken}))
        yield Flaw(Message(zh=f"有些行没有所属的文件：{tables}", en=f"Rows of documents that are not there: {tables}"))


def content_flaws(connection: sqlite3.Connection) -> Iterator[Flaw]:
    """Of documents, spaces and vectors. The schema is the present one."""
    for document_id, name in connection.execute("SELECT id, name FROM documents").fetchall():
        try:
            verify_document(connection, document_id)
        except DamagedFileError as error:
            yield Flaw(Message(zh=f"文件“{name}”：{error}", en=f"{name}: {error}"), document_id)
    yield from _space_flaws(connection)
    yield from _set_flaws(connection)
    highest = connection.execute("SELECT coalesce(max(id), 0) FROM chunks").fetchone()[0]
    if highest > last_generation(connection):
        yield Flaw(
            Message(
                zh="切片的编号比知识库的版本号还大，新的切片可能与它重号。",
                en="An id of a chunk is above the generation of the library: a new chunk could get the same.",
            )
        )


def verify_document(connection: sqlite3.Connection, document_id: int) -> None:
    """Its text is what it was, its chunks are whole and stand in it. Raises Damaged."""
    try:
        digest, chunks = connection.execute(
            "SELECT digest, chunks FROM documents WHERE id = ?", [document_id]
        ).fetchone()
        blocks = connection.execute(
            "SELECT block, text FROM texts WHERE document_id = ? ORDER BY block", [document_id]
        ).fetchall()
        text = "".join(block for _, block in blocks)
        if [number for number, _ in blocks] != list(range(-(-len(text) // BLOCK))):
            raise DamagedFileError("a part of its text is missing")
        if hashlib.sha256(text.encode()).hexdigest() != digest:
            raise DamagedFileError("its text is not what was stored")
        query = 'SELECT position, start, "end", headings, places, terms FROM chunks WHERE document_id = ? ORDER BY 1'
        rows = connection.execute(query, [document_id]).fetchall()
        if [row[0] for row in rows] != list(range(chunks)):
            raise DamagedFileError(f"it has {len(rows)} chunks in order, not {chunks}")
        for _, start, end, headings, places, terms in rows:
            if not 0 <= start <= end <= len(text):
                raise DamagedFileError("a chunk stands outside its text")
            json.loads(headings), json.loads(places or "[]"), zlib.decompress(terms).decode()
        packed = connection.execute("SELECT places FROM places WHERE document_id = ?", [document_id]).fetchall()
        for (places,) in packed:
            json.loads(zlib.decompress(places))
        if not packed and any(row[4] for row in rows):
            raise DamagedFileError("the places of its text are missing")
    except (sqlite3.DatabaseError, zlib.error, ValueError, TypeError) as error:
        raise DamagedFileError(str(error)) from error


def _space_flaws(connection: sqlite3.Connection) -> Iterator[Flaw]:
    [served] = connection.execute("SELECT count(*) FROM spaces WHERE serving").fetchone()
    if served > 1:
        yield Flaw(Message(zh=f"有 {served} 个向量空间同时在用。", en=f"{served} embedding spaces serve at once."))
    broken, ids = 0, spaces.with_vectors(connection)
    if ids and not served:
        yield Flaw(Message(zh="有向量，但没有在用的向量空间。", en="There are vectors, but no embedding space serves."))
        return
    for place in range(0, len(ids), _AT_ONCE):
        some = ids[place : place + _AT_ONCE]
        try:
            broken += int((~np.isfinite(spaces.vectors(connection, some)).all(axis=1)).sum())
        except ValueError:  # not of the space's dimensions
            broken += len(some)
    if broken:
        yield Flaw(Message(zh=f"约有 {broken} 个向量已损坏。", en=f"About {broken} vectors are damaged."))


def _set_flaws(connection: sqlite3.Connection) -> Iterator[Flaw]:
    for table in ("documents", "tasks", "sources"):
        query = f"SELECT DISTINCT doc_set FROM {table} WHERE doc_set NOT IN (SELECT name FROM doc_sets)"
        for (name,) in connection.execute(query).fetchall():
            yield Flaw(Message(zh=f"文档集“{name}”没有登记。", en=f'The document set "{name}" is not known.'))
