"""Documents and their chunks into SQLite and out of it, within a transaction of the caller's."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from entities import ChunkNames
from schema import Chunk, Document, DocumentInfo, StoreOutcome, StructuredSummary, Vectors
from stores.base import DocumentBatch
from stores.problems import gone_meanwhile, require_text
from stores.sql.doc_sets import make_set
from stores.sql.names import packed_names, replace_places
from stores.sql.originals import put_original
from stores.sql.reading import document_id
from stores.sql.rows import (
    BLOCK,
    blob,
    chunking_json,
    find,
    halved,
    ids_json,
    next_generation,
    now,
    origin_json,
    places_json,
    places_within,
    require_serving,
    strict_json,
    structured_json,
    structured_of,
    text_key,
)
from stores.sql.sources import as_its_source_says
from stores.sql.sqlite import Change
from stores.sql.tables import has_tables, write_tables
from stores.sql.tasks import finish_tasks


def put_all(connection: sqlite3.Connection, batches: Sequence[DocumentBatch]) -> tuple[list[StoreOutcome], Change]:
    """Raises SpaceChanged, TaskGone, and StoreError where what a batch was made from is gone."""
    for batch in batches:
        require_literal(batch)
    outcomes = [_put(connection, batch) for batch in finish_tasks(connection, batches)]
    return [stored for stored, _ in outcomes], _merged([change for _, change in outcomes])


def _merged(changes: Sequence[Change]) -> Change:
    """One for all. Of a document that comes twice, the second may have removed what the first brought."""
    removed = {chunk_id for change in changes for chunk_id in change.removed}
    added = [chunk_id for change in changes for chunk_id in change.added]
    rows = {
        chunk_id: row
        for change in changes
        if change.vectors is not None
        for chunk_id, row in zip(change.embedded, change.vectors, strict=True)
        if chunk_id not in removed
    }
    return Change(
        max((change.generation for change in changes), default=0),
        [chunk_id for chunk_id in added if chunk_id not in removed],
        list(rows),
        np.stack(list(rows.values())) if rows else None,
        sorted(removed.difference(added)),
        told=[told for change in changes for told in change.told],
    )


def _put(connection: sqlite3.Connection, batch: DocumentBatch) -> tuple[StoreOutcome, Change]:
    document = as_its_source_says(connection, batch.document)
    batch = replace(batch, document=document)
    old = find(connection, document.name, document.doc_set)
    if batch.replaces is not None and (old is None or old.digest != batch.replaces):
        raise gone_meanwhile(document.name)
    as_read = (document.digest, batch.chunking, document.origin.reader)  # another reader has found other places
    if old and (old.digest, old.chunking, old.origin.reader) == as_read:
        if batch.replaces is None:
            put_original(connection, old.id, old.digest, batch.original)
        return _unchanged(connection, document, old)
    require_serving(connection, batch.space_key)
    make_set(connection, document.doc_set)
    generation = next_generation(connection, len(batch.chunks))
    info = _write_document(connection, batch, old, generation)
    if batch.replaces is None:
        put_original(connection, info.id, info.digest, batch.original)
    written = _write_chunks(connection, batch, info.id, generation, new=old is None)
    connection.execute("UPDATE documents SET missing = ? WHERE id = ?", [written.missing, info.id])
    info = replace(info, missing=written.missing)
    outcome = StoreOutcome("replaced" if old else "added", info, len(batch.chunks) - len(written.added))
    last, rows = generation + len(batch.chunks), list(written.embedded.values())
    return outcome, Change(
        last, written.added, list(written.embedded), np.stack(rows) if rows else None, written.removed,
        told=[(outcome.outcome, document.doc_set, document.name)],
    )  # fmt: skip


def _unchanged(connection: sqlite3.Connection, document: Document, old: DocumentInfo) -> tuple[StoreOutcome, Change]:
    """The same text; where it comes from may have changed, such as the file's time, and what is said about it."""
    values = [strict_json(document.metadata), origin_json(document.origin)]
    known = connection.execute("SELECT metadata, origin FROM documents WHERE id = ?", [old.id]).fetchone()
    if document.structured:
        note_structured(connection, document.name, document.doc_set, old.digest, document.structured)
    if newly_typed := bool(document.tables) and not has_tables(connection, old.id):  # stored by a version without them
        write_tables(connection, old.id, document.tables or ())
    if values == list(known) and not newly_typed:
        return StoreOutcome("unchanged", old), Change()
    generation = next_generation(connection)
    connection.execute("UPDATE documents SET metadata = ?, origin = ? WHERE id = ?", [*values, old.id])
    return StoreOutcome("unchanged", replace(old, origin=document.origin)), Change(generation)


def _about_same_text(
    connection: sqlite3.Connection, document: Document, old: DocumentInfo | None
) -> StructuredSummary | None:
    """What the document was said to be about, if it says the same still, cut in another way."""
    if old is None or old.digest != document.digest:
        return None
    [written] = connection.execute("SELECT structured FROM documents WHERE id = ?", [old.id]).fetchone()
    return structured_of(written)


def note_structured(
    connection: sqlite3.Connection, name: str, doc_set: str, digest: str, structured: StructuredSummary
) -> bool:
    """Statistics never take the place of what a model has said of the same text."""
    changed = connection.execute(
        """UPDATE documents SET structured = ? WHERE name = ? AND doc_set = ? AND digest = ?
        AND (? = 'model' OR coalesce(json_extract(structured, '$.made_by'), '') != 'model')""",
        [structured_json(structured), name, doc_set, digest, structured.made_by],
    )
    return changed.rowcount > 0


def delete_all(connection: sqlite3.Connection, documents: Iterable[tuple[str, str]]) -> tuple[int, Change]:
    removed, log_rows = [], []
    for name, doc_set in documents:
        if old := document_id(connection, name, doc_set):
            removed += [row[0] for row in connection.execute("SELECT id FROM chunks WHERE document_id = ?", [old])]
            connection.execute("DELETE FROM documents WHERE id = ?", [old])
            log_rows.append(("deleted", doc_set, name))
    return len(log_rows), Change(next_generation(connection), removed=removed, told=log_rows) if log_rows else Change()


def require_literal(batch: DocumentBatch) -> None:
    """Chunks are stored as places in the text: a batch whose chunks say otherwise is a defect, and raises
    ValueError."""
    require_text(batch.document.name)
    for chunk in batch.chunks:
        if batch.document.text[chunk.start : chunk.end] != chunk.text:
            raise ValueError(f"chunk at {chunk.start} of {batch.document.name!r} is not the text at its place")


def _write_document(
    connection: sqlite3.Connection, batch: DocumentBatch, old: DocumentInfo | None, generation: int
) -> DocumentInfo:
    document = batch.document
    row: dict[str, Any] = {
        "name": document.name,
        "doc_set": document.doc_set,
        "kind": document.kind,
        "language": document.language,
        "size": document.size,
        "metadata": strict_json(document.metadata),
        "digest": document.digest,
        "chunking": chunking_json(batch.chunking),
        "chunks": len(batch.chunks),
        "updated": now(),
        "generation": generation,
        "origin": origin_json(document.origin),
        "tokens": batch.tokens,
        "structured": structured_json(document.structured or _about_same_text(connection, document, old)),
    }
    if old is None:
        marks = ", ".join(f":{column}" for column in row)
        inserted = connection.execute(f"INSERT INTO documents ({', '.join(row)}) VALUES ({marks})", row)
        document_id = int(inserted.lastrowid or 0)
    else:
        document_id = old.id
        pairs = ", ".join(f"{column} = :{column}" for column in row)
        connection.execute(f"UPDATE documents SET {pairs} WHERE id = :id", {**row, "id": document_id})
        for table in ("texts", "places"):
            connection.execute(f"DELETE FROM {table} WHERE document_id = ?", [document_id])
    _write_text(connection, document, document_id)
    if document.tables is not None or old is None or old.digest != document.digest:
        write_tables(connection, document_id, document.tables or ())
    return DocumentInfo(
        document_id, document.name, document.doc_set, document.kind, document.language, document.size,
        row["chunks"], batch.chunking, row["digest"], row["updated"], document.origin, batch.tokens,
    )  # fmt: skip


def _write_text(connection: sqlite3.Connection, document: Document, document_id: int) -> None:
    connection.executemany(
        "INSERT INTO texts VALUES (?, ?, ?)",
        (
            (document_id, place // BLOCK, document.text[place : place + BLOCK])
            for place in range(0, len(document.text), BLOCK)
        ),
    )
    if written := places_json(document.places):  # all of them, for when the text is cut again
        connection.execute("INSERT INTO places VALUES (?, ?)", [document_id, zlib.compress(written.encode(), 1)])


class _ChunkChange(NamedTuple):
    added: list[int]
    embedded: dict[int, Vectors]  # those that have got a vector, with it
    removed: list[int]
    missing: int  # how many have no vector


def _write_chunks(
    connection: sqlite3.Connection, batch: DocumentBatch, document_id: int, first_id: int, new: bool
) -> _ChunkChange:
    """A chunk that was there before keeps its id, and with it its vector."""
    spare = defaultdict(list) if new else _known_chunks(connection, document_id)
    starts = [place.start for place in batch.document.places]
    rows, kept, added, missing = [], [], [], 0
    with_vector: dict[int, int] = {}  # of a chunk that gets one, its position
    names = batch.names or [ChunkNames()] * len(batch.chunks)
    named: dict[int, ChunkNames] = {}
    for position, (chunk, joined) in enumerate(zip(batch.chunks, batch.terms, strict=True)):
        key, packed = text_key(chunk.indexed_text), zlib.compress(joined.encode(), 1)
        at = *place_of(batch, starts, position, chunk), packed_names(names[position])
        if same := spare[key, packed]:
            chunk_id, has_vector, *known_at = same.pop()
            if tuple(known_at) != at:
                kept.append((*at, chunk_id))
                named[chunk_id] = names[position]
        else:
            chunk_id, has_vector = first_id + position, False
            added.append(chunk_id)
            rows.append((chunk_id, document_id, key, packed, *at))
            named[chunk_id] = names[position]
        if not has_vector and position not in batch.missing:
            with_vector[chunk_id] = position
        elif not has_vector:
            missing += 1
    connection.executemany(f"INSERT INTO chunks (id, document_id, text_key, terms, {_PLACE}) VALUES ({_MARKS})", rows)
    embedded = dict(zip(with_vector, halved(batch.vectors[list(with_vector.values())]), strict=True))
    connection.executemany(
        "INSERT INTO vectors VALUES (?, ?)", [(chunk_id, blob(row)) for chunk_id, row in embedded.items()]
    )
    connection.executemany(f"UPDATE chunks SET ({_PLACE}) = (?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?", kept)
    replace_places(connection, named, [row[-1] for row in kept])
    removed = [known[0] for ids in spare.values() for known in ids]
    if removed:
        connection.execute("DELETE FROM chunks WHERE id IN (SELECT value FROM json_each(?))", [ids_json(removed)])
    return _ChunkChange(added, embedded, removed, missing)


def _known_chunks(connection: sqlite3.Connection, document_id: int) -> dict[tuple[str, bytes], list[tuple[Any, ...]]]:
    """By text and terms the chunks that the document has: id, whether it has a vector, place; the first one last."""
    spare = defaultdict(list)
    query = f"""SELECT text_key, terms, id, EXISTS (SELECT 1 FROM vectors WHERE chunk_id = chunks.id), {_PLACE}
        FROM chunks WHERE document_id = ? ORDER BY position DESC"""
    for key, terms, *known in connection.execute(query, [document_id]):
        spare[key, terms].append(tuple(known))
    return spare


_PLACE = 'position, start, "end", start_line, end_line, headings, places, names'
_MARKS = ", ".join("?" * 12)


def place_of(batch: DocumentBatch, starts: Sequence[int], position: int, chunk: Chunk) -> tuple[Any, ...]:
    headings = json.dumps(chunk.headings, ensure_ascii=False) if chunk.headings else "[]"
    places = places_json(places_within(batch.document.places, starts, chunk.start, chunk.end)) if starts else None
    return position, chunk.start, chunk.end, chunk.start_line, chunk.end_line, headings, places
