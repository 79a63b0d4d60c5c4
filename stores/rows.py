"""Documents and chunks as rows of SQLite, and back."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
import zlib
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from schema import Chunking, DocumentInfo, Scope, Space, Vectors
from stores.base import Batch, SpaceChanged

BLOCK = 16_384  # characters of a document's text in one row
INFO = "id, name, doc_set, kind, language, size, chunks, chunking, digest, updated"


def find(connection: sqlite3.Connection, name: str, doc_set: str) -> DocumentInfo | None:
    query = f"SELECT {INFO} FROM documents WHERE name = ? AND doc_set = ?"
    row = connection.execute(query, [name, doc_set]).fetchone()
    return row and document_info(row)


def document_info(row: Sequence[Any]) -> DocumentInfo:
    document_id, name, doc_set, kind, language, size, chunks, chunking, digest, updated = row
    how = Chunking.model_validate_json(chunking)
    return DocumentInfo(document_id, name, doc_set, kind, language, size, chunks, how, digest, updated)


def in_scope(scope: Scope) -> tuple[str, list[Any]]:
    """A condition on documents and its values: these names, within these sets."""
    conditions, values = ["true"], []
    for column, wanted in (("name", scope.documents), ("doc_set", scope.doc_sets)):
        if wanted:
            conditions.append(f"{column} IN (SELECT value FROM json_each(?))")
            values.append(json.dumps(wanted))
    return " AND ".join(conditions), values


def next_generation(connection: sqlite3.Connection, ids: int = 0) -> int:
    """Advance the clock past `ids` ids; the first of them."""
    last = connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0]
    first = max(int(last) + 1, time.time_ns() // 1000)
    connection.execute("UPDATE meta SET value = ? WHERE key = 'generation'", [first + ids])
    return first


def serving_id(connection: sqlite3.Connection, space_key: str) -> int:
    """Raises SpaceChanged when another space serves by now."""
    serving = connection.execute("SELECT id, key FROM spaces WHERE serving").fetchone()
    if serving is None or serving[1] != space_key:
        raise SpaceChanged(serving and serving[1])
    return int(serving[0])


def learned_json(space: Space) -> str | None:
    return None if space.calibration is None else json.dumps(space.calibration)


def write_document(connection: sqlite3.Connection, batch: Batch, old: DocumentInfo | None, generation: int) -> int:
    document = batch.document
    row = {
        "name": document.name,
        "doc_set": document.doc_set,
        "kind": document.kind,
        "language": document.language,
        "size": document.size,
        "metadata": json.dumps(document.metadata, ensure_ascii=False, default=str),
        "digest": document.digest,
        "chunking": batch.chunking.model_dump_json(exclude_none=True),
        "chunks": len(batch.chunks),
        "updated": datetime.now(UTC).isoformat(timespec="seconds"),
        "generation": generation,
    }
    if old is None:
        marks = ", ".join(f":{column}" for column in row)
        inserted = connection.execute(f"INSERT INTO documents ({', '.join(row)}) VALUES ({marks})", row)
        document_id = int(inserted.lastrowid or 0)
    else:
        document_id = old.id
        pairs = ", ".join(f"{column} = :{column}" for column in row)
        connection.execute(f"UPDATE documents SET {pairs} WHERE id = :id", {**row, "id": document_id})
        connection.execute("DELETE FROM texts WHERE document_id = ?", [document_id])
    connection.executemany(
        "INSERT INTO texts VALUES (?, ?, ?)",
        (
            (document_id, place // BLOCK, document.text[place : place + BLOCK])
            for place in range(0, len(document.text), BLOCK)
        ),
    )
    return document_id


def write_chunks(
    connection: sqlite3.Connection, batch: Batch, document_id: int, first_id: int, space_id: int
) -> tuple[list[int], list[int]]:
    """Ids added and removed. A chunk that was there before keeps its id, and with it its vector."""
    spare: dict[tuple[str, bytes], list[int]] = defaultdict(list)
    stored = "SELECT id, text_key, terms FROM chunks WHERE document_id = ? ORDER BY position DESC"
    for chunk_id, key, terms in connection.execute(stored, [document_id]):
        spare[key, terms].append(chunk_id)
    added = []
    for position, (chunk, words, vector) in enumerate(zip(batch.chunks, batch.terms, batch.vectors, strict=True)):
        key, terms = text_key(chunk.indexed_text), zlib.compress(" ".join(words).encode(), 1)
        place = [position, chunk.start, chunk.end, chunk.start_line, chunk.end_line,
                 json.dumps(chunk.headings, ensure_ascii=False)]  # fmt: skip
        if same := spare[key, terms]:
            connection.execute(
                """UPDATE chunks SET position = ?, start = ?, "end" = ?, start_line = ?, end_line = ?, headings = ?
                WHERE id = ?""",
                [*place, same.pop()],
            )
            continue
        chunk_id = first_id + position
        added.append(chunk_id)
        row = [chunk_id, document_id, *place, key, terms]
        connection.execute("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        if position not in batch.missing:
            connection.execute("INSERT INTO vectors VALUES (?, ?, ?)", [chunk_id, space_id, blob(vector)])
    removed = [chunk_id for ids in spare.values() for chunk_id in ids]
    connection.execute("DELETE FROM chunks WHERE id IN (SELECT value FROM json_each(?))", [ids_json(removed)])
    return added, removed


def check(batch: Batch) -> None:
    """Chunks are stored as places in the text and found by their terms: a batch that says otherwise is a defect."""
    for chunk, terms in zip(batch.chunks, batch.terms, strict=True):
        if batch.document.text[chunk.start : chunk.end] != chunk.text:
            raise ValueError(f"chunk at {chunk.start} of {batch.document.name!r} is not the text at its place")
        if any(term.split() != [term] for term in terms):
            raise ValueError(f"a search term of {batch.document.name!r} is empty or holds white space")


def passage(connection: sqlite3.Connection, document_id: int, start: int, end: int) -> str:
    first = start // BLOCK
    blocks = connection.execute(
        "SELECT text FROM texts WHERE document_id = ? AND block BETWEEN ? AND ? ORDER BY block",
        [document_id, first, max(start, end - 1) // BLOCK],
    )
    return "".join(block for (block,) in blocks)[start - first * BLOCK : end - first * BLOCK]


def text_key(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def blob(vector: Vectors) -> bytes:
    return np.asarray(vector, np.float32).tobytes()


def ids_json(ids: Sequence[int]) -> str:
    return json.dumps([int(number) for number in ids])
