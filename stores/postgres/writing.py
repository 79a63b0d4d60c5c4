"""Documents and their chunks into PostgreSQL and out of it, within a transaction of the caller's."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from entities import ChunkNames
from schema import Document, DocumentInfo, StoreOutcome, StructuredSummary, Vectors
from stores.base import DocumentBatch
from stores.postgres.adapters import Connection, json_value
from stores.postgres.chunk_removal import remove_chunks, remove_documents
from stores.postgres.doc_sets import make_set
from stores.postgres.names import replace_places
from stores.postgres.originals import put_original
from stores.postgres.postings import add_segment
from stores.postgres.reading import document_id
from stores.postgres.rows import find, next_generation, number, require_serving
from stores.postgres.sources import as_its_source_says
from stores.postgres.spaces import write_vectors
from stores.postgres.tables import has_tables, write_tables
from stores.postgres.tasks import finish_tasks, note_ends
from stores.problems import gone_meanwhile
from stores.sql.names import packed_names
from stores.sql.rows import (
    BLOCK,
    chunking_json,
    now,
    origin_json,
    places_json,
    strict_json,
    structured_json,
    structured_of,
    text_key,
)
from stores.sql.writing import place_of, require_literal

NewTerms = list[tuple[int, Sequence[str]]]  # of chunks, by ordinal


def put_all(connection: Connection, owner: str, batches: Sequence[DocumentBatch]) -> list[StoreOutcome]:
    """Raises SpaceChanged, TaskGone, and StoreError where what a batch was made from is gone."""
    for batch in batches:
        require_literal(batch)
    new_terms: NewTerms = []
    outcomes = [_put(connection, batch, new_terms) for batch in finish_tasks(connection, owner, batches)]
    pairs = zip(batches, outcomes, strict=True)
    note_ends(connection, {batch.task: outcome for batch, outcome in pairs if batch.task is not None})
    add_segment(connection, new_terms)
    return outcomes


def _put(connection: Connection, batch: DocumentBatch, new_terms: NewTerms) -> StoreOutcome:
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
    space_id = require_serving(connection, batch.space_key)
    make_set(connection, document.doc_set)
    generation = next_generation(connection, len(batch.chunks))
    info = _write_document(connection, batch, old, generation)
    if batch.replaces is None:
        put_original(connection, info.id, info.digest, batch.original)
    written = _write_chunks(connection, batch, info.id, space_id, generation, is_new=old is None)
    new_terms += written.new_terms
    connection.execute("UPDATE documents SET missing = %s WHERE id = %s", [written.missing, info.id])
    info = replace(info, missing=written.missing)
    return StoreOutcome("replaced" if old else "added", info, len(batch.chunks) - len(written.new_terms))


def _unchanged(connection: Connection, document: Document, old: DocumentInfo) -> StoreOutcome:
    """The same text; where it comes from may have changed, such as the file's time, and what is said about it."""
    if document.structured:
        note_structured(connection, document.name, document.doc_set, old.digest, document.structured)
    values = [json_value(strict_json(document.metadata)), json_value(origin_json(document.origin))]
    changed = connection.execute(
        """UPDATE documents SET metadata = %s::jsonb, origin = %s::jsonb WHERE id = %s
        AND NOT (metadata = %s::jsonb AND origin = %s::jsonb)""",
        [*values, old.id, *values],
    )
    if newly_typed := bool(document.tables) and not has_tables(connection, old.id):  # stored by a version without them
        write_tables(connection, old.id, document.tables or ())
    if not changed.rowcount and not newly_typed:
        return StoreOutcome("unchanged", old)
    next_generation(connection)
    return StoreOutcome("unchanged", replace(old, origin=document.origin))


def note_structured(
    connection: Connection, name: str, doc_set: str, digest: str, structured: StructuredSummary
) -> bool:
    """Statistics never take the place of what a model has said of the same text."""
    changed = connection.execute(
        """UPDATE documents SET structured = %s::jsonb WHERE document_name = %s AND docset_name = %s AND digest = %s
        AND (%s = 'model' OR coalesce(structured ->> 'made_by', '') != 'model')""",
        [json_value(structured_json(structured)), name, doc_set, digest, structured.made_by],
    )
    connection.execute("UPDATE library SET said = said + 1")
    return changed.rowcount > 0


def delete_all(connection: Connection, documents: Iterable[tuple[str, str]]) -> int:
    ids = {found for name, doc_set in documents if (found := document_id(connection, name, doc_set))}
    if ids:
        remove_documents(connection, list(ids))
        next_generation(connection)
    return len(ids)


def _write_document(
    connection: Connection, batch: DocumentBatch, old: DocumentInfo | None, generation: int
) -> DocumentInfo:
    document, digest, at = batch.document, batch.document.digest, now()
    about = document.structured
    if about is None and old is not None and old.digest == digest:  # it says the same still, cut in another way
        known: Any = connection.execute("SELECT structured FROM documents WHERE id = %s", [old.id]).fetchone()
        about = structured_of(known[0])
    row: dict[str, Any] = {
        "document_name": document.name,
        "docset_name": document.doc_set,
        "kind": document.kind,
        "language": document.language,
        "size": document.size,
        "metadata": json_value(strict_json(document.metadata)),
        "digest": digest,
        "chunking": chunking_json(batch.chunking),
        "chunks": len(batch.chunks),
        "embedding_updated_at": at,
        "generation": generation,
        "origin": json_value(origin_json(document.origin)),
        "tokens": batch.tokens,
        "structured": json_value(structured_json(about)),
    }
    columns, marks = ", ".join(row), ", ".join(f"%({column})s" for column in row)
    if old is None:
        statement = f"INSERT INTO documents ({columns}) VALUES ({marks}) RETURNING id"
        document_id = int(connection.execute(statement, row).fetchall()[0][0])
    else:
        document_id = old.id
        statement = f"UPDATE documents SET ({columns}) = ROW ({marks}) WHERE id = %(id)s"
        connection.execute(statement, {**row, "id": document_id})
        for table in ("document_texts", "document_places"):
            connection.execute(f"DELETE FROM {table} WHERE document_id = %s", [document_id])
    _write_text(connection, document, document_id)
    if document.tables is not None or old is None or old.digest != document.digest:
        write_tables(connection, document_id, document.tables or ())
    return DocumentInfo(
        document_id, document.name, document.doc_set, document.kind, document.language, document.size,
        len(batch.chunks), batch.chunking, digest, at, document.origin, batch.tokens,
    )  # fmt: skip


def _write_text(connection: Connection, document: Document, document_id: int) -> None:
    blocks = range(0, len(document.text), BLOCK)
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO document_texts VALUES (%s, %s, %s)",
            [(document_id, place // BLOCK, document.text[place : place + BLOCK]) for place in blocks],
        )
    if written := places_json(document.places):  # all of them, for when the text is cut again
        packed = zlib.compress(written.encode(), 1)
        connection.execute("INSERT INTO document_places VALUES (%s, %s)", [document_id, packed])


class _ChunkOutcome(NamedTuple):
    new_terms: NewTerms
    missing: int  # how many have no vector


def _write_chunks(
    connection: Connection, batch: DocumentBatch, document_id: int, space_id: int, first_id: int, is_new: bool
) -> _ChunkOutcome:
    """A chunk that was there before keeps its id, and with it its vector."""
    spare = defaultdict(list) if is_new else _known_chunks(connection, document_id, space_id)
    starts = [place.start for place in batch.document.places]
    names = batch.names or [ChunkNames()] * len(batch.chunks)
    query = "UPDATE library SET ordinals = ordinals + %s RETURNING ordinals"
    first_ordinal = number(connection, query, [len(batch.chunks)]) - len(batch.chunks)
    rows: list[tuple[Any, ...]] = []
    kept: list[tuple[Any, ...]] = []
    new_terms: NewTerms = []
    embedded: list[tuple[int, int, Vectors]] = []
    named: dict[int, ChunkNames] = {}
    missing = 0
    for position, (chunk, joined) in enumerate(zip(batch.chunks, batch.terms, strict=True)):
        key, terms = text_key(chunk.indexed_text), zlib.compress(joined.encode(), 1)
        at = *place_of(batch, starts, position, chunk), packed_names(names[position])
        if same := spare[key, terms]:
            chunk_id, has_vector, *known_at = same.pop()
            if tuple(known_at) != at:
                kept.append((*at, chunk_id))
                named[chunk_id] = names[position]
        else:
            chunk_id, has_vector, ordinal = first_id + position, False, first_ordinal + position
            words = joined.split()
            rows.append((chunk_id, document_id, key, terms, len(words), ordinal, *at))
            new_terms.append((ordinal, words))
            named[chunk_id] = names[position]
        if not has_vector and position not in batch.missing:
            embedded.append((chunk_id, document_id, batch.vectors[position]))
        elif not has_vector:
            missing += 1
    columns = f"id, document_id, text_key, terms, term_count, ordinal, {_PLACE}"
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY chunk_rows ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        cursor.executemany(f"UPDATE chunk_rows SET ({_PLACE}) = ({', '.join(['%s'] * 8)}) WHERE id = %s", kept)
    write_vectors(connection, space_id, embedded)
    replace_places(connection, named, [row[-1] for row in kept])
    remove_chunks(connection, [known[0] for same in spare.values() for known in same])
    return _ChunkOutcome(new_terms, missing)


def _known_chunks(
    connection: Connection, document_id: int, space_id: int
) -> dict[tuple[str, bytes], list[tuple[Any, ...]]]:
    """By text and terms the chunks that the document has: id, whether it has a vector, place; the first one last."""
    spare = defaultdict(list)
    query = f"""SELECT text_key, terms, id, EXISTS (SELECT 1 FROM vectors_{space_id} WHERE chunk_id = id), {_PLACE}
        FROM chunk_rows WHERE document_id = %s ORDER BY position DESC"""
    for key, terms, *known in connection.execute(query, [document_id], binary=True):
        spare[key, terms].append(tuple(known))
    return spare


_PLACE = 'position, start, "end", start_line, end_line, headings, places, names'
