"""Documents and chunks out of SQLite."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from schema import EVERYWHERE, Document, DocumentInfo, Hit, Language, Scope, StructuredSummary
from stores.sql.rows import (
    BLOCK,
    INFO,
    document_info,
    ids_json,
    in_scope,
    origin_of,
    passage,
    places_of,
    structured_of,
)
from stores.sql.sqlite import IndexedChunk


def documents(connection: sqlite3.Connection, scope: Scope) -> list[DocumentInfo]:
    where, values = in_scope(scope)
    rows = connection.execute(f"SELECT {INFO} FROM documents WHERE {where} ORDER BY generation DESC", values)
    return [document_info(row) for row in rows]


def languages(connection: sqlite3.Connection, scope: Scope) -> dict[Language, int]:
    where, values = in_scope(scope)
    return dict(connection.execute(f"SELECT language, count(*) FROM documents WHERE {where} GROUP BY language", values))


def document_ids(connection: sqlite3.Connection, scope: Scope) -> list[int]:
    where, values = in_scope(scope)
    return [row[0] for row in connection.execute(f"SELECT id FROM documents WHERE {where} ORDER BY id", values)]


def document(connection: sqlite3.Connection, name: str, doc_set: str) -> Document | None:
    row = connection.execute(
        """SELECT id, kind, language, size, metadata, origin, places, structured FROM documents
        LEFT JOIN places ON document_id = id WHERE name = ? AND doc_set = ?""",
        [name, doc_set],
    ).fetchone()
    if row is None:
        return None
    blocks = connection.execute("SELECT text FROM texts WHERE document_id = ? ORDER BY block", row[:1])
    text = "".join(block for (block,) in blocks)
    kind, language, size, metadata, origin, places, structured = row[1:]
    stood = places_of(zlib.decompress(places).decode()) if places else ()
    about = structured_of(structured)
    return Document(name, text, doc_set, kind, language, size, json.loads(metadata), origin_of(origin), stood, about)


def structured(connection: sqlite3.Connection, scope: Scope) -> dict[tuple[str, str], StructuredSummary]:
    where, values = in_scope(scope)
    query = f"SELECT name, doc_set, structured FROM documents WHERE structured != '{{}}' AND {where}"
    rows = connection.execute(query, values)
    return {(name, doc_set): StructuredSummary.model_validate_json(written) for name, doc_set, written in rows}


def without_structured(connection: sqlite3.Connection, k: int) -> list[tuple[str, str]]:
    query = "SELECT name, doc_set FROM documents WHERE structured = '{}' ORDER BY generation DESC LIMIT ?"
    return connection.execute(query, [max(k, 0)]).fetchall()


def document_id(connection: sqlite3.Connection, name: str, doc_set: str) -> int | None:
    row = connection.execute("SELECT id FROM documents WHERE name = ? AND doc_set = ?", [name, doc_set]).fetchone()
    return row and int(row[0])


def chunk_ids(connection: sqlite3.Connection, scope: Scope = EVERYWHERE) -> list[int]:
    where, values = in_scope(scope)
    chosen = f"WHERE document_id IN (SELECT id FROM documents WHERE {where})" if scope else ""
    return [row[0] for row in connection.execute(f"SELECT id FROM chunks {chosen} ORDER BY id", values)]


def opening(connection: sqlite3.Connection, scope: Scope, k: int) -> list[int]:
    where, values = in_scope(scope)
    query = f"""SELECT chunks.id FROM documents JOIN chunks ON document_id = documents.id
        WHERE {where} AND position < ? ORDER BY documents.name, doc_set, position"""
    return [row[0] for row in connection.execute(query, [*values, k])]


# --- chunks as they are shown ------------------------------------------------------------------------------------

# With what it says in the block of text that it begins in: one more statement for each would give way to other threads
# each time. Few go on in another block.
_HIT = f"""chunks.id, name, doc_set, start, "end", start_line, end_line, headings, position, origin, chunks.places,
    updated, language, chunks.document_id,
    (SELECT substr(text, start % {BLOCK} + 1, "end" - start) FROM texts
        WHERE texts.document_id = chunks.document_id AND block = start / {BLOCK})"""


def hits(connection: sqlite3.Connection, chunk_ids: Sequence[int]) -> list[Hit]:
    query = f"""SELECT {_HIT} FROM json_each(?) AS wanted JOIN chunks ON chunks.id = wanted.value
        JOIN documents ON documents.id = document_id ORDER BY wanted.key"""
    return _hits(connection, connection.execute(query, [ids_json(chunk_ids)]))


def chunks(connection: sqlite3.Connection, name: str, doc_set: str, first: int, k: int) -> list[Hit]:
    query = f"""SELECT {_HIT} FROM documents JOIN chunks ON document_id = documents.id
        WHERE name = ? AND doc_set = ? AND position >= ? ORDER BY position LIMIT ?"""
    return _hits(connection, connection.execute(query, [name, doc_set, first, max(k, 0)]))


def _hits(connection: sqlite3.Connection, rows: Iterable[Sequence[Any]]) -> list[Hit]:
    """What is shorter than it should be goes on in another block, or has the character 0 in it, at which SQLite takes a
    text to end: it is cut in Python."""
    found = []
    for *told, document_id, text in rows:
        start, end = told[3:5]
        if text is None or len(text) < end - start:
            text = passage(connection, document_id, start, end)
        found.append(hit_of(told, text))
    return found


def around(connection: sqlite3.Connection, chunk_ids: Sequence[int], reach: int) -> dict[int, list[Hit]]:
    query = """SELECT centre.id, near.id FROM json_each(?) AS wanted JOIN chunks AS centre ON centre.id = wanted.value
        JOIN chunks AS near ON near.document_id = centre.document_id
        AND near.position BETWEEN centre.position - ? AND centre.position + ? ORDER BY near.position"""
    wanted = list(dict.fromkeys(chunk_ids))
    pairs = connection.execute(query, [ids_json(wanted), reach, reach]).fetchall()
    found = {hit.chunk_id: hit for hit in hits(connection, list({near for _, near in pairs}))}
    neighbours: dict[int, list[Hit]] = {}
    for centre, near in pairs:
        neighbours.setdefault(centre, []).append(found[near])
    return {chunk_id: neighbours[chunk_id] for chunk_id in wanted if chunk_id in neighbours}


def hit_of(told: Sequence[Any], text: str) -> Hit:
    (
        chunk_id, name, doc_set, start, end, start_line, end_line, headings, position, origin, places, updated, language
    ) = told  # fmt: skip
    return Hit(
        chunk_id, name, doc_set, text, start, end, start_line, end_line,
        tuple(json.loads(headings)) if headings != "[]" else (), position=position, origin=origin_of(origin),
        places=places_of(places), updated=updated, language=language,
    )  # fmt: skip


# --- chunks as they are indexed ----------------------------------------------------------------------------------


def terms(connection: sqlite3.Connection, chunk_ids: Sequence[int]) -> dict[int, str]:
    query = "SELECT id, terms FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
    found = connection.execute(query, [ids_json(chunk_ids)]) if chunk_ids else []
    return {chunk_id: zlib.decompress(packed).decode() for chunk_id, packed in found}


def indexed_texts(connection: sqlite3.Connection, chunk_ids: Sequence[int] | None) -> Iterator[tuple[int, str]]:
    chosen = "" if chunk_ids is None else "WHERE id IN (SELECT value FROM json_each(?))"
    query = f'SELECT id, document_id, start, "end", headings FROM chunks {chosen} ORDER BY document_id, position'
    held, blocks = (0, 0, 0), ""  # what was read last: most chunks begin in the block that the one before ended in
    for chunk_id, document_id, start, end, headings in connection.execute(
        query, [] if chunk_ids is None else [ids_json(chunk_ids)]
    ):
        wanted = document_id, start // BLOCK, max(start, end - 1) // BLOCK
        offset = wanted[1] * BLOCK
        if wanted != held:
            held, blocks = wanted, passage(connection, document_id, offset, (wanted[2] + 1) * BLOCK)
        text = blocks[start - offset : end - offset]
        yield chunk_id, "\n".join([" > ".join(json.loads(headings)), text]) if headings != "[]" else text


def indexed(connection: sqlite3.Connection, chunk_ids: Sequence[int]) -> Iterator[IndexedChunk]:
    """Terms and places of chunks, for the term index."""
    query = """SELECT chunks.id, document_id, doc_sets.id, terms FROM json_each(?) AS wanted
        JOIN chunks ON chunks.id = wanted.value JOIN documents ON documents.id = document_id
        JOIN doc_sets ON doc_sets.name = doc_set"""
    for chunk_id, document_id, set_id, packed in connection.execute(query, [ids_json(chunk_ids)]):
        yield IndexedChunk(chunk_id, document_id, set_id, zlib.decompress(packed).decode())


def chunks_by_set(connection: sqlite3.Connection) -> dict[int, int]:
    """The id of its document set for every chunk."""
    query = """SELECT chunks.id, doc_sets.id FROM chunks JOIN documents ON documents.id = document_id
        JOIN doc_sets ON doc_sets.name = doc_set"""
    return dict(connection.execute(query).fetchall())


def counts(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Documents, chunks, and tokens of their texts."""
    query = "SELECT count(*), coalesce(sum(chunks), 0), coalesce(sum(tokens), 0) FROM documents"
    documents, chunks, tokens = connection.execute(query).fetchone()
    return documents, chunks, tokens
