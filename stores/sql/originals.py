"""Originals in SQLite: the bytes once for each content, and which document was read from which; within a transaction of
the caller's. A file that is nothing but its document's text is not kept twice."""

from __future__ import annotations

import sqlite3

from schema import OriginalFile
from stores.originals import blocks_of, bytes_of, whole


def put_original(
    connection: sqlite3.Connection, document_id: int, text_digest: str, original: OriginalFile | None
) -> None:
    """In place of the one that the document had; the bytes of that go with the last document that has them."""
    query = "SELECT digest FROM document_originals WHERE document_id = ?"
    known = connection.execute(query, [document_id]).fetchone()
    if original is not None and known == (original.digest,):
        return
    connection.execute("DELETE FROM document_originals WHERE document_id = ?", [document_id])
    if original is None:
        return
    query = "SELECT EXISTS (SELECT 1 FROM originals WHERE digest = ?)"
    if original.digest != text_digest and not connection.execute(query, [original.digest]).fetchone()[0]:
        if (data := bytes_of(original)) is None:
            return
        rows = ((original.digest, *block) for block in blocks_of(data))
        connection.executemany("INSERT INTO originals (digest, block, data) VALUES (?, ?, ?)", rows)
    row = [document_id, original.digest, original.size]
    connection.execute("INSERT INTO document_originals (document_id, digest, size) VALUES (?, ?, ?)", row)


def original_info(connection: sqlite3.Connection, name: str, doc_set: str) -> OriginalFile | None:
    row = connection.execute(
        """SELECT o.digest, o.size FROM document_originals AS o JOIN documents ON id = document_id
        WHERE name = ? AND doc_set = ?""",
        [name, doc_set],
    ).fetchone()
    return OriginalFile(*row) if row else None


def original(connection: sqlite3.Connection, name: str, doc_set: str) -> bytes | None:
    info = original_info(connection, name, doc_set)
    if info is None:
        return None
    query = "SELECT id, digest FROM documents WHERE name = ? AND doc_set = ?"
    document_id, text_digest = connection.execute(query, [name, doc_set]).fetchone()
    if info.digest == text_digest:
        blocks = connection.execute("SELECT text FROM texts WHERE document_id = ? ORDER BY block", [document_id])
        return whole(info.digest, (text.encode() for (text,) in blocks))
    rows = connection.execute("SELECT data FROM originals WHERE digest = ? ORDER BY block", [info.digest])
    return whole(info.digest, (data for (data,) in rows))
