"""Websites and repositories of document sets, in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from schema import Document, Source
from stores.problems import require_text, source_gone
from stores.sql.doc_sets import make_set
from stores.sql.rows import chunking_json, chunking_of, message_json, message_of, next_generation, strict_json
from stores.sql.sqlite import Change

_FIELDS = "doc_set, kind, address, prefix, patterns, ref, chunking, refreshed_at, commit_id, pages, problem, metadata"


def sources(connection: sqlite3.Connection, doc_set: str | None) -> list[Source]:
    query = f"SELECT id, {_FIELDS} FROM sources WHERE doc_set = coalesce(?, doc_set) ORDER BY doc_set, address"
    return [source_of(row) for row in connection.execute(query, [doc_set])]


def put_source(connection: sqlite3.Connection, source: Source) -> tuple[Source, Change]:
    """Its id comes from the clock, as that of a set does: none is used twice."""
    for name in (source.doc_set, source.address):
        require_text(name)
    query = "SELECT id FROM sources WHERE doc_set = ? AND address = ?"
    there = connection.execute(query, [source.doc_set, source.address]).fetchone()
    if source.id and not connection.execute("SELECT 1 FROM sources WHERE id = ?", [source.id]).fetchone():
        raise source_gone(source.address)
    if source.id and there and there[0] != source.id:
        raise ValueError(f"{source.address} is another source of its set")
    generation = make_set(connection, source.doc_set)
    source_id = source.id or (there[0] if there else 0)
    if not source_id:
        source_id = generation = next_generation(connection)
    put = replace(source, id=source_id)
    values = [
        put.id, put.doc_set, put.kind, put.address, put.prefix, json.dumps(put.patterns, ensure_ascii=False), put.ref,
        chunking_json(put.chunking), put.refreshed_at, put.commit, put.pages, message_json(put.problem),
        strict_json(put.metadata),
    ]  # fmt: skip
    before = _metadata_of(connection, source_id)
    connection.execute(f"INSERT OR REPLACE INTO sources (id, {_FIELDS}) VALUES ({', '.join('?' * 13)})", values)
    if strict_json(before) != strict_json(put.metadata) and _say(connection, put, before):
        generation = next_generation(connection)
    return put, Change(generation)


def as_its_source_says(connection: sqlite3.Connection, document: Document) -> Document:
    """With the metadata that were given with the source it is from."""
    said = _metadata_of(connection, document.origin.source) if document.origin.source else {}
    return replace(document, metadata={**document.metadata, **said}) if said else document


def _metadata_of(connection: sqlite3.Connection, source_id: int) -> dict[str, Any]:
    row = connection.execute("SELECT metadata FROM sources WHERE id = ?", [source_id]).fetchone()
    return dict(json.loads(row[0])) if row else {}


def _say(connection: sqlite3.Connection, source: Source, before: Mapping[str, Any]) -> bool:
    """Its stored documents say what it says now and no longer what it said; whether there are any."""
    query = """SELECT id, metadata FROM documents WHERE doc_set = ? AND json_extract(origin, '$.source') = ?"""
    own = connection.execute(query, [source.doc_set, source.id]).fetchall()
    for document_id, metadata in own:
        kept = {name: value for name, value in json.loads(metadata).items() if name not in before}
        said = strict_json({**kept, **source.metadata})
        connection.execute("UPDATE documents SET metadata = ? WHERE id = ?", [said, document_id])
    return bool(own)


def delete_source(connection: sqlite3.Connection, source_id: int) -> bool:
    return connection.execute("DELETE FROM sources WHERE id = ?", [source_id]).rowcount > 0


def source_of(row: tuple[Any, ...]) -> Source:
    source_id, doc_set, kind, address, prefix, patterns, ref, chunking, refreshed_at, commit, pages, problem, said = row
    return Source(
        source_id, doc_set, kind, address, prefix, tuple(json.loads(patterns)), ref, chunking_of(chunking),
        refreshed_at, commit, pages, message_of(problem), json.loads(said),
    )  # fmt: skip
