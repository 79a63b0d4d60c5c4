"""Documents and chunks out of PostgreSQL."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from schema import Document, DocumentInfo, Hit, Language, Scope, StructuredSummary
from stores.postgres.adapters import Connection
from stores.postgres.rows import INFO, UPDATED, in_scope, number
from stores.sql.reading import hit_of
from stores.sql.rows import BLOCK, document_info, origin_of, places_of, structured_of


def documents(connection: Connection, scope: Scope) -> list[DocumentInfo]:
    where, values = in_scope(scope)
    rows = connection.execute(f"SELECT {INFO} FROM documents WHERE {where} ORDER BY generation DESC", values)
    return [document_info(row) for row in rows]


def languages(connection: Connection, scope: Scope) -> dict[Language, int]:
    where, values = in_scope(scope)
    query = f"SELECT language, count(*) FROM documents WHERE {where} GROUP BY language"
    return dict(connection.execute(query, values).fetchall())


def document_ids(connection: Connection, scope: Scope) -> list[int]:
    where, values = in_scope(scope)
    return [row[0] for row in connection.execute(f"SELECT id FROM documents WHERE {where} ORDER BY id", values)]


def document(connection: Connection, name: str, doc_set: str) -> Document | None:
    row = connection.execute(
        """SELECT id, kind, language, size, metadata, origin, places, structured FROM documents
        LEFT JOIN document_places ON document_id = id WHERE document_name = %s AND docset_name = %s""",
        [name, doc_set],
    ).fetchone()
    if row is None:
        return None
    query = "SELECT text FROM document_texts WHERE document_id = %s ORDER BY block"
    text = "".join(block for (block,) in connection.execute(query, row[:1]))
    kind, language, size, metadata, origin, places, structured = row[1:]
    stood = places_of(zlib.decompress(places).decode()) if places else ()
    about = structured_of(structured)
    return Document(name, text, doc_set, kind, language, size, json.loads(metadata), origin_of(origin), stood, about)


def structured(connection: Connection, scope: Scope) -> dict[tuple[str, str], StructuredSummary]:
    where, values = in_scope(scope)
    query = f"SELECT document_name, docset_name, structured FROM documents WHERE structured != '{{}}' AND {where}"
    rows = connection.execute(query, values)
    return {(name, doc_set): StructuredSummary.model_validate_json(written) for name, doc_set, written in rows}


def without_structured(connection: Connection, k: int) -> list[tuple[str, str]]:
    query = """SELECT document_name, docset_name FROM documents WHERE structured = '{}'
        ORDER BY generation DESC LIMIT %s"""
    return [(name, doc_set) for name, doc_set in connection.execute(query, [max(k, 0)])]


def document_id(connection: Connection, name: str, doc_set: str) -> int:
    """0 where there is none of that name."""
    query = "SELECT id FROM documents WHERE document_name = %s AND docset_name = %s"
    return number(connection, query, [name, doc_set])


def opening(connection: Connection, scope: Scope, k: int) -> list[int]:
    where, values = in_scope(scope)
    query = f"""SELECT c.id FROM (SELECT id, document_name, docset_name FROM documents WHERE {where}) AS d
        JOIN chunk_rows AS c ON c.document_id = d.id AND c.position < %s
        ORDER BY document_name, docset_name, position"""
    return [row[0] for row in connection.execute(query, [*values, k])]


# --- chunks as they are shown ------------------------------------------------------------------------------------

# With the blocks of text that a chunk lies in. They are cut in Python, where NUL is one character.
_BLOCKS = f"""(SELECT string_agg(text, '' ORDER BY block) FROM document_texts AS t
    WHERE t.document_id = c.document_id
    AND block BETWEEN c.start / {BLOCK} AND greatest(c.start, c."end" - 1) / {BLOCK})"""
_HIT = f"""c.id, d.document_name, d.docset_name, c.start, c."end", c.start_line, c.end_line, c.headings, c.position,
    d.origin, c.places, {UPDATED}, d.language, {_BLOCKS}"""


def hits(connection: Connection, chunk_ids: Sequence[int]) -> list[Hit]:
    query = f"""SELECT {_HIT} FROM unnest(%s::bigint[]) WITH ORDINALITY AS wanted (id, place)
        JOIN chunk_rows AS c ON c.id = wanted.id JOIN documents AS d ON d.id = c.document_id ORDER BY wanted.place"""
    return [_hit(row) for row in connection.execute(query, [_ids(chunk_ids)])] if len(chunk_ids) else []


def _hit(row: Sequence[Any]) -> Hit:
    *told, blocks = row
    start, end = told[3:5]
    first = start - start % BLOCK
    return hit_of(told, blocks[start - first : end - first] if blocks else "")


def chunks(connection: Connection, name: str, doc_set: str, first: int, k: int) -> list[Hit]:
    query = f"""SELECT {_HIT} FROM documents AS d JOIN chunk_rows AS c ON c.document_id = d.id
        WHERE document_name = %s AND docset_name = %s AND position >= %s ORDER BY position LIMIT %s"""
    return [_hit(row) for row in connection.execute(query, [name, doc_set, first, max(k, 0)])]


def around(connection: Connection, chunk_ids: Sequence[int], reach: int) -> dict[int, list[Hit]]:
    query = """SELECT centre.id, near.id FROM chunk_rows AS centre JOIN chunk_rows AS near
        ON near.document_id = centre.document_id AND near.position BETWEEN centre.position - %s AND centre.position + %s
        WHERE centre.id = ANY(%s) ORDER BY near.position"""
    wanted = list(dict.fromkeys(_ids(chunk_ids)))
    pairs = connection.execute(query, [reach, reach, wanted]).fetchall()
    found = {hit.chunk_id: hit for hit in hits(connection, list({near for _, near in pairs}))}
    neighbours: dict[int, list[Hit]] = {}
    for centre, near in pairs:
        neighbours.setdefault(centre, []).append(found[near])
    return {chunk_id: neighbours[chunk_id] for chunk_id in wanted if chunk_id in neighbours}


def passage(connection: Connection, name: str, doc_set: str, start: int, end: int) -> str:
    start = max(start, 0)
    if end <= start:
        return ""
    first = start // BLOCK
    blocks = connection.execute(
        """SELECT text FROM document_texts JOIN documents ON id = document_id
        WHERE document_name = %s AND docset_name = %s AND block BETWEEN %s AND %s ORDER BY block""",
        [name, doc_set, first, (end - 1) // BLOCK],
    )
    return "".join(block for (block,) in blocks)[start - first * BLOCK : end - first * BLOCK]


# --- chunks as they are indexed ----------------------------------------------------------------------------------


def terms(connection: Connection, chunk_ids: Sequence[int]) -> dict[int, str]:
    if not len(chunk_ids):
        return {}
    query = "SELECT id, terms FROM chunk_rows WHERE id = ANY(%s)"
    found = connection.execute(query, [_ids(chunk_ids)], binary=True)
    return {chunk_id: zlib.decompress(packed).decode() for chunk_id, packed in found}


def indexed_texts(connection: Connection, chunk_ids: Sequence[int] | None) -> Iterator[tuple[int, str]]:
    """Within a transaction: the server hands them out as they are read."""
    chosen = "" if chunk_ids is None else "WHERE c.id = ANY(%s)"
    query = f"""SELECT c.id, c.start, c."end", c.headings, {_BLOCKS} FROM chunk_rows AS c {chosen}
        ORDER BY c.document_id, c.position"""
    with connection.cursor(name="indexed_texts") as cursor:
        cursor.itersize = 500
        cursor.execute(query, None if chunk_ids is None else [_ids(chunk_ids)])
        for chunk_id, start, end, written, blocks in cursor:
            first, headings = start - start % BLOCK, json.loads(written)
            text = (blocks or "")[start - first : end - first]
            yield chunk_id, "\n".join([" > ".join(headings), text]) if headings else text


def counts(connection: Connection) -> tuple[int, int, int]:
    """Documents, chunks, and tokens of their texts."""
    query = "SELECT count(*), coalesce(sum(chunks), 0)::bigint, coalesce(sum(tokens), 0)::bigint FROM documents"
    row: Any = connection.execute(query).fetchone()
    return row[0], row[1], row[2]


def chunk_ordinals(connection: Connection, document_ids: Sequence[int]) -> list[tuple[Any, ...]]:
    """Id and ordinal of the chunks of these documents."""
    query = "SELECT id, ordinal FROM chunk_rows WHERE document_id = ANY(%s)"
    return connection.execute(query, [list(document_ids)], binary=True).fetchall()


def _ids(chunk_ids: Sequence[int]) -> list[int]:
    return [int(chunk_id) for chunk_id in chunk_ids]
