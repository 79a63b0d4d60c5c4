"""Originals in PostgreSQL: the bytes once for each content, and which document was read from which; within a
transaction of the caller's. A file that is nothing but its document's text is not kept twice."""

from __future__ import annotations

from schema import OriginalFile
from stores.originals import blocks_of, bytes_of, whole
from stores.postgres.adapters import Connection


def put_original(connection: Connection, document_id: int, text_digest: str, original: OriginalFile | None) -> None:
    """In place of the one that the document had; the bytes of that go with the last document that has them."""
    query = "SELECT digest FROM document_originals WHERE document_id = %s"
    known = connection.execute(query, [document_id]).fetchone()
    if original is not None and known == (original.digest,):
        return
    connection.execute("DELETE FROM document_originals WHERE document_id = %s", [document_id])
    if original is None:
        return
    query = "SELECT 1 FROM originals WHERE digest = %s LIMIT 1"
    if original.digest != text_digest and connection.execute(query, [original.digest]).fetchone() is None:
        if (data := bytes_of(original)) is None:
            return
        with connection.cursor() as cursor:
            rows = [(original.digest, *block) for block in blocks_of(data)]
            cursor.executemany("INSERT INTO originals (digest, block, data) VALUES (%s, %s, %s)", rows)
    row = [document_id, original.digest, original.size]
    connection.execute("INSERT INTO document_originals (document_id, digest, size) VALUES (%s, %s, %s)", row)


def original_info(connection: Connection, name: str, doc_set: str) -> OriginalFile | None:
    row = connection.execute(
        """SELECT o.digest, o.size FROM document_originals AS o JOIN documents ON id = document_id
        WHERE document_name = %s AND docset_name = %s""",
        [name, doc_set],
    ).fetchone()
    return OriginalFile(*row) if row else None


def original(connection: Connection, name: str, doc_set: str) -> bytes | None:
    info = original_info(connection, name, doc_set)
    if info is None:
        return None
    query = "SELECT id, digest FROM documents WHERE document_name = %s AND docset_name = %s"
    [(document_id, text_digest)] = connection.execute(query, [name, doc_set]).fetchall()
    if info.digest == text_digest:
        query = "SELECT text FROM document_texts WHERE document_id = %s ORDER BY block"
        return whole(info.digest, (text.encode() for (text,) in connection.execute(query, [document_id])))
    rows = connection.execute("SELECT data FROM originals WHERE digest = %s ORDER BY block", [info.digest])
    return whole(info.digest, (bytes(data) for (data,) in rows))
