"""The truth of the embedded store: SQLite in WAL mode, a document per transaction, many readers beside one writer."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from schema import EVERYWHERE, Document, DocumentInfo, Hit, Scope, Space, Stored, Vectors
from stores.base import Batch, VectorsMissing
from stores.migrations import migrate
from stores.problems import explained, gone_meanwhile
from stores.rows import (
    INFO,
    blob,
    check,
    document_info,
    find,
    ids_json,
    in_scope,
    learned_json,
    next_generation,
    passage,
    serving_id,
    text_key,
    write_chunks,
    write_document,
)

_SPACE = "provider, model, revision, dimensions, payload, fitted_on, calibration"


class Change(NamedTuple):
    """What a transaction did to the chunks, by id: what the derived indexes have to follow."""

    added: Sequence[int] = ()
    removed: Sequence[int] = ()
    generation: int = 0  # of the library after it


class Indexed(NamedTuple):
    """A chunk as the term index wants it."""

    chunk_id: int
    document_id: int
    doc_set: str
    terms: str  # joined by spaces


class Database:
    """Readers may be in any number of threads; writing methods are called by one thread at a time (the store's lock).

    The generation is a clock that never goes back: at least one higher with every change, and microseconds since 1970
    where that is more. Ids of chunks are taken from it, so an id is never used for two chunks, even where a damaged
    WAL took the last commits back. An index that holds the same ids therefore holds the same chunks.
    """

    def __init__(self, path: Path, durable: bool = True) -> None:
        """Raises StoreError when the file cannot be opened, is damaged, or comes from a newer version."""
        self._path = path
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        with explained(path):
            self._writer = self._connect()
            # FULL: the WAL reaches the disk before a commit returns. With NORMAL, which is enough against a killed
            # process, a power cut could take back documents that were already reported saved.
            self._writer.execute("PRAGMA journal_mode = WAL")
            self._writer.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
            migrate(self._writer)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=10)
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection of one's own, with one unchanging view of the library. It never waits for the writer."""
        with explained(self._path):
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.execute("ROLLBACK")
                if self._closed:
                    connection.close()
                else:
                    self._idle.append(connection)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with explained(self._path):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise

    def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().close()
        self._writer.close()

    # --- writing -------------------------------------------------------------------------------------------------

    def put(self, batch: Batch) -> tuple[Stored, Change]:
        check(batch)
        document = batch.document
        with self._writing() as connection:
            old = find(connection, document.name, document.doc_set)
            if batch.replaces is not None and (old is None or old.digest != batch.replaces):
                raise gone_meanwhile(document.name)
            if old and old.digest == document.digest and old.chunking == batch.chunking:
                return Stored("unchanged", old), Change()
            space_id = serving_id(connection, batch.space_key)
            generation = next_generation(connection, len(batch.chunks))
            document_id = write_document(connection, batch, old, generation)
            added, removed = write_chunks(connection, batch, document_id, generation, space_id)
            info = find(connection, document.name, document.doc_set)
            assert info is not None
        stored = Stored("replaced" if old else "added", info, len(batch.chunks) - len(added))
        return stored, Change(added, removed, generation + len(batch.chunks))

    def delete(self, name: str, doc_set: str) -> Change | None:
        """None when there is no such document."""
        with self._writing() as connection:
            old = find(connection, name, doc_set)
            if old is None:
                return None
            removed = [row[0] for row in connection.execute("SELECT id FROM chunks WHERE document_id = ?", [old.id])]
            connection.execute("DELETE FROM documents WHERE id = ?", [old.id])
            generation = next_generation(connection)
        return Change((), removed, generation)

    def swap_space(self, space: Space, chunk_ids: Sequence[int], vectors: Vectors, partial: bool = False) -> None:
        with self._writing() as connection:
            stored = {row[0] for row in connection.execute("SELECT id FROM chunks")}
            if (missing := stored.difference(chunk_ids)) and not partial:
                raise VectorsMissing(sorted(missing))
            connection.execute("DELETE FROM vectors")
            connection.execute("DELETE FROM spaces")
            space_id = connection.execute(
                f"INSERT INTO spaces (key, serving, {_SPACE}) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)",
                [space.key, space.provider, space.model, space.revision, space.dimensions, space.payload,
                 space.fitted_on, learned_json(space)],
            ).lastrowid  # fmt: skip
            connection.executemany(
                "INSERT INTO vectors (chunk_id, space_id, vector) VALUES (?, ?, ?)",
                (
                    (chunk_id, space_id, blob(vector))
                    for chunk_id, vector in zip(chunk_ids, vectors, strict=True)
                    if chunk_id in stored
                ),
            )
            next_generation(connection)

    def add_vectors(self, space_key: str, chunk_ids: Sequence[int], vectors: Vectors) -> list[int]:
        """The ids that have got one."""
        with self._writing() as connection:
            space_id = serving_id(connection, space_key)
            query = "SELECT id FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
            stored = {row[0] for row in connection.execute(query, [ids_json(chunk_ids)])}
            connection.executemany(
                "INSERT OR REPLACE INTO vectors (chunk_id, space_id, vector) VALUES (?, ?, ?)",
                (
                    (chunk_id, space_id, blob(vector))
                    for chunk_id, vector in zip(chunk_ids, vectors, strict=True)
                    if chunk_id in stored
                ),
            )
            next_generation(connection)
        return [chunk_id for chunk_id in chunk_ids if chunk_id in stored]

    def note_learned(self, space: Space) -> None:
        with self._writing() as connection:
            space_id = serving_id(connection, space.key)
            connection.execute(
                "UPDATE spaces SET calibration = ?, fitted_on = ? WHERE id = ?",
                [learned_json(space), space.fitted_on, space_id],
            )

    # --- reading -------------------------------------------------------------------------------------------------

    def generation(self) -> int:
        with self._reading() as connection:
            return int(connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0])

    def documents(self, scope: Scope) -> list[DocumentInfo]:
        where, values = in_scope(scope)
        with self._reading() as connection:
            rows = connection.execute(f"SELECT {INFO} FROM documents WHERE {where} ORDER BY generation DESC", values)
            return [document_info(row) for row in rows]

    def document(self, name: str, doc_set: str) -> Document | None:
        with self._reading() as connection:
            row = connection.execute(
                "SELECT id, kind, language, size, metadata FROM documents WHERE name = ? AND doc_set = ?",
                [name, doc_set],
            ).fetchone()
            if row is None:
                return None
            blocks = connection.execute("SELECT text FROM texts WHERE document_id = ? ORDER BY block", row[:1])
            text = "".join(block for (block,) in blocks)
        kind, language, size = row[1:4]
        return Document(name, text, doc_set, kind, language, size, json.loads(row[4]))

    def chunk_ids(self, scope: Scope = EVERYWHERE) -> list[int]:
        where, values = in_scope(scope)
        chosen = f"WHERE document_id IN (SELECT id FROM documents WHERE {where})" if scope else ""
        with self._reading() as connection:
            return [row[0] for row in connection.execute(f"SELECT id FROM chunks {chosen} ORDER BY id", values)]

    def opening(self, scope: Scope, k: int) -> list[int]:
        where, values = in_scope(scope)
        query = f"""SELECT chunks.id FROM documents JOIN chunks ON document_id = documents.id
            WHERE {where} AND position < ? ORDER BY documents.name, doc_set, position"""
        with self._reading() as connection:
            return [row[0] for row in connection.execute(query, [*values, k])]

    def hits(self, chunk_ids: Sequence[int]) -> list[Hit]:
        query = """SELECT chunks.id, name, doc_set, document_id, start, "end", start_line, end_line, headings
            FROM json_each(?) AS wanted JOIN chunks ON chunks.id = wanted.value
            JOIN documents ON documents.id = document_id ORDER BY wanted.key"""
        with self._reading() as connection:
            return [
                Hit(
                    chunk_id, name, doc_set, passage(connection, document_id, start, end), start, end,
                    start_line, end_line, tuple(json.loads(headings)),
                )
                for chunk_id, name, doc_set, document_id, start, end, start_line, end_line, headings
                in connection.execute(query, [ids_json(chunk_ids)]).fetchall()
            ]  # fmt: skip

    def terms(self, chunk_ids: Sequence[int]) -> dict[int, list[str]]:
        query = "SELECT id, terms FROM chunks WHERE id IN (SELECT value FROM json_each(?))"
        with self._reading() as connection:
            found = connection.execute(query, [ids_json(chunk_ids)]).fetchall() if chunk_ids else []
        return {chunk_id: zlib.decompress(terms).decode().split() for chunk_id, terms in found}

    def vectors(self, chunk_ids: Sequence[int]) -> Vectors:
        """(n, dimensions); (n, 0) where no space serves yet."""
        query = """SELECT wanted.key, vector FROM json_each(?) AS wanted JOIN vectors ON chunk_id = wanted.value
            JOIN spaces ON spaces.id = space_id WHERE serving"""
        with self._reading() as connection:
            row = connection.execute("SELECT dimensions FROM spaces WHERE serving").fetchone()
            vectors = np.zeros((len(chunk_ids), row[0] if row else 0), np.float32)
            for place, blob in connection.execute(query, [ids_json(chunk_ids)]):
                vectors[place] = np.frombuffer(blob, np.float32)
        return vectors

    def known_vectors(self, indexed_texts: Sequence[str]) -> dict[str, Vectors]:
        keys = {text_key(text): text for text in indexed_texts}
        query = """SELECT wanted.value, vector FROM json_each(?) AS wanted
            JOIN chunks ON text_key = wanted.value JOIN vectors ON chunk_id = chunks.id
            JOIN spaces ON spaces.id = space_id WHERE serving"""
        with self._reading() as connection:
            rows = connection.execute(query, [json.dumps(list(keys))])
            return {keys[key]: np.frombuffer(blob, np.float32) for key, blob in rows}

    def without_vectors(self) -> list[int]:
        query = """SELECT id FROM chunks WHERE NOT EXISTS (SELECT 1 FROM vectors JOIN spaces ON spaces.id = space_id
            WHERE chunk_id = chunks.id AND serving) ORDER BY id"""
        with self._reading() as connection:
            return [row[0] for row in connection.execute(query)]

    def space(self) -> Space | None:
        with self._reading() as connection:
            row = connection.execute(f"SELECT {_SPACE} FROM spaces WHERE serving").fetchone()
        if row is None:
            return None
        provider, model, revision, dimensions, payload, fitted_on, calibration = row
        learned = json.loads(calibration) if calibration else None
        return Space(provider, model, revision, dimensions, payload, fitted_on, learned)

    def indexed_texts(self, chunk_ids: Sequence[int] | None) -> Iterator[tuple[int, str]]:
        chosen = "" if chunk_ids is None else "WHERE id IN (SELECT value FROM json_each(?))"
        query = f'SELECT id, document_id, start, "end", headings FROM chunks {chosen} ORDER BY document_id, position'
        with self._reading() as connection:
            for row in connection.execute(query, [] if chunk_ids is None else [ids_json(chunk_ids)]):
                headings = json.loads(row[4])
                text = passage(connection, *row[1:4])
                yield row[0], "\n".join([" > ".join(headings), text]) if headings else text

    def indexed(self, chunk_ids: Sequence[int]) -> Iterator[Indexed]:
        """Terms and places of chunks, for the term index."""
        query = """SELECT chunks.id, document_id, doc_set, terms FROM json_each(?) AS wanted
            JOIN chunks ON chunks.id = wanted.value JOIN documents ON documents.id = document_id"""
        with self._reading() as connection:
            for chunk_id, document_id, doc_set, terms in connection.execute(query, [ids_json(chunk_ids)]):
                yield Indexed(chunk_id, document_id, doc_set, zlib.decompress(terms).decode())

    def document_ids(self, scope: Scope) -> list[int]:
        return [info.id for info in self.documents(scope)]

    def counts(self) -> tuple[int, int]:
        """Documents and chunks."""
        with self._reading() as connection:
            query = "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks)"
            documents, chunks = connection.execute(query).fetchone()
            return documents, chunks
