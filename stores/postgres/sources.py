"""Websites and repositories of document sets, in PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from schema import Document, Source
from stores.postgres.adapters import Connection, json_value
from stores.postgres.doc_sets import make_set
from stores.postgres.rows import next_generation
from stores.problems import require_text, source_gone
from stores.sql.rows import chunking_json, message_json, strict_json
from stores.sql.sources import source_of

_FIELDS = "doc_set, kind, address, prefix, patterns, ref, chunking, refreshed_at, commit_id, pages, problem, metadata"
_MARKS = ", ".join(["%s"] * 12)


def sources(connection: Connection, doc_set: str | None) -> list[Source]:
    query = f"SELECT id, {_FIELDS} FROM sources WHERE doc_set = coalesce(%s, doc_set) ORDER BY doc_set, address"
    return [source_of(row) for row in connection.execute(query, [doc_set])]


def put_source(connection: Connection, source: Source) -> Source:
    """Its id comes from the clock, as that of a set does: none is used twice."""
    for name in (source.doc_set, source.address):
        require_text(name)
    query = "SELECT id FROM sources WHERE doc_set = %s AND address = %s"
    there = connection.execute(query, [source.doc_set, source.address]).fetchone()
    if source.id and not connection.execute("SELECT 1 FROM sources WHERE id = %s", [source.id]).fetchone():
        raise source_gone(source.address)
    if source.id and there and there[0] != source.id:
        raise ValueError(f"{source.address} is another source of its set")
    make_set(connection, source.doc_set)
    source_id = source.id or (there[0] if there else next_generation(connection))
    put = replace(source, id=source_id)
    values = [
        put.doc_set, put.kind, put.address, put.prefix, json.dumps(put.patterns, ensure_ascii=False), put.ref,
        chunking_json(put.chunking), put.refreshed_at, put.commit, put.pages, message_json(put.problem),
        strict_json(put.metadata),
    ]  # fmt: skip
    before = _metadata_of(connection, source_id)
    connection.execute(
        f"""INSERT INTO sources (id, {_FIELDS}) VALUES (%s, {_MARKS})
        ON CONFLICT (id) DO UPDATE SET ({_FIELDS}) = ({_MARKS})""",
        [source_id, *values, *values],
    )
    if strict_json(before) != strict_json(put.metadata) and _say(connection, put, before):
        next_generation(connection)
    return put


def as_its_source_says(connection: Connection, document: Document) -> Document:
    """With the metadata that were given with the source it is from."""
    said = _metadata_of(connection, document.origin.source) if document.origin.source else {}
    return replace(document, metadata={**document.metadata, **said}) if said else document


def _metadata_of(connection: Connection, source_id: int) -> dict[str, Any]:
    row = connection.execute("SELECT metadata FROM sources WHERE id = %s", [source_id]).fetchone()
    return dict(json.loads(row[0])) if row else {}


def _say(connection: Connection, source: Source, before: Mapping[str, Any]) -> bool:
    """Its stored documents say what it says now and no longer what it said; whether there are any."""
    query = "SELECT id, metadata FROM documents WHERE docset_name = %s AND origin -> 'source' = to_jsonb(%s::bigint)"
    own = connection.execute(query, [source.doc_set, source.id]).fetchall()
    for document_id, metadata in own:
        kept = {name: value for name, value in json.loads(metadata).items() if name not in before}
        said = json_value(strict_json({**kept, **source.metadata}))
        connection.execute("UPDATE documents SET metadata = %s::jsonb WHERE id = %s", [said, document_id])
    return bool(own)


def delete_source(connection: Connection, source_id: int) -> bool:
    return connection.execute("DELETE FROM sources WHERE id = %s", [source_id]).rowcount > 0
