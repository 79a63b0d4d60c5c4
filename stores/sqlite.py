"""The truth of the embedded store: SQLite in WAL mode, a document per transaction, many readers beside one writer."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from errors import StoreError
from schema import EVERYWHERE, Chunking, Document, DocumentInfo, Hit, Message, Scope, Space, Stored, Vectors
from stores.base import Batch, SpaceChanged, VectorsMissing
from stores.migrations import migrate

BLOCK = 16_384  # characters of a document's text in one row
_INFO = "id, name, doc_set, kind, language, size, chunks, chunking, digest, updated"
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
        with _explained(path):
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
        with _explained(self._path):
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
        with _explained(self._path):
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
        _check(batch)
        document = batch.document
        with self._writing() as connection:
            old = _find(connection, document.name, document.doc_set)
            if old and old.digest == document.digest and old.chunking == batch.chunking:
                return Stored("unchanged", old), Change()
            serving = connection.execute("SELECT id, key FROM spaces WHERE serving").fetchone()
            if serving is None or serving[1] != batch.space_key:
                raise SpaceChanged(serving and serving[1])
            generation = _next_generation(connection, len(batch.chunks))
            document_id = _write_document(connection, batch, old, generation)
            added, removed = _write_chunks(connection, batch, document_id, generation, serving[0])
            info = _find(connection, document.name, document.doc_set)
            assert info is not None
        stored = Stored("replaced" if old else "added", info, len(batch.chunks) - len(added))
        return stored, Change(added, removed, generation + len(batch.chunks))

    def delete(self, name: str, doc_set: str) -> Change | None:
        """None when there is no such document."""
        with self._writing() as connection:
            old = _find(connection, name, doc_set)
            if old is None:
                return None
            removed = [row[0] for row in connection.execute("SELECT id FROM chunks WHERE document_id = ?", [old.id])]
            connection.execute("DELETE FROM documents WHERE id = ?", [old.id])
            generation = _next_generation(connection)
        return Change((), removed, generation)

    def swap_space(self, space: Space, chunk_ids: Sequence[int], vectors: Vectors) -> None:
        with self._writing() as connection:
            stored = {row[0] for row in connection.execute("SELECT id FROM chunks")}
            if missing := stored.difference(chunk_ids):
                raise VectorsMissing(sorted(missing))
            connection.execute("DELETE FROM vectors")
            connection.execute("DELETE FROM spaces")
            calibration = None if space.calibration is None else json.dumps(space.calibration)
            space_id = connection.execute(
                f"INSERT INTO spaces (key, serving, {_SPACE}) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)",
                [space.key, space.provider, space.model, space.revision, space.dimensions, space.payload,
                 space.fitted_on, calibration],
            ).lastrowid  # fmt: skip
            connection.executemany(
                "INSERT INTO vectors (chunk_id, space_id, vector) VALUES (?, ?, ?)",
                (
                    (chunk_id, space_id, _blob(vector))
                    for chunk_id, vector in zip(chunk_ids, vectors, strict=True)
                    if chunk_id in stored
                ),
            )
            _next_generation(connection)

    # --- reading -------------------------------------------------------------------------------------------------

    def generation(self) -> int:
        with self._reading() as connection:
            return int(connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0])

    def documents(self, scope: Scope) -> list[DocumentInfo]:
        where, values = _in_scope(scope)
        with self._reading() as connection:
            rows = connection.execute(f"SELECT {_INFO} FROM documents WHERE {where} ORDER BY generation DESC", values)
            return [_info(row) for row in rows]

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
        where, values = _in_scope(scope)
        chosen = f"WHERE document_id IN (SELECT id FROM documents WHERE {where})" if scope else ""
        with self._reading() as connection:
            return [row[0] for row in connection.execute(f"SELECT id FROM chunks {chosen} ORDER BY id", values)]

    def opening(self, scope: Scope, k: int) -> list[int]:
        where, values = _in_scope(scope)
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
                    chunk_id, name, doc_set, _passage(connection, document_id, start, end), start, end,
                    start_line, end_line, tuple(json.loads(headings)),
                )
                for chunk_id, name, doc_set, document_id, start, end, start_line, end_line, headings
                in connection.execute(query, [_json(chunk_ids)]).fetchall()
            ]  # fmt: skip

    def vectors(self, chunk_ids: Sequence[int]) -> Vectors:
        """(n, dimensions); (n, 0) where no space serves yet."""
        query = """SELECT wanted.key, vector FROM json_each(?) AS wanted JOIN vectors ON chunk_id = wanted.value
            JOIN spaces ON spaces.id = space_id WHERE serving"""
        with self._reading() as connection:
            row = connection.execute("SELECT dimensions FROM spaces WHERE serving").fetchone()
            vectors = np.zeros((len(chunk_ids), row[0] if row else 0), np.float32)
            for place, blob in connection.execute(query, [_json(chunk_ids)]):
                vectors[place] = np.frombuffer(blob, np.float32)
        return vectors

    def known_vectors(self, indexed_texts: Sequence[str]) -> dict[str, Vectors]:
        keys = {_text_key(text): text for text in indexed_texts}
        query = """SELECT wanted.value, vector FROM json_each(?) AS wanted
            JOIN chunks ON text_key = wanted.value JOIN vectors ON chunk_id = chunks.id
            JOIN spaces ON spaces.id = space_id WHERE serving"""
        with self._reading() as connection:
            rows = connection.execute(query, [json.dumps(list(keys))])
            return {keys[key]: np.frombuffer(blob, np.float32) for key, blob in rows}

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
            for row in connection.execute(query, [] if chunk_ids is None else [_json(chunk_ids)]):
                headings = json.loads(row[4])
                text = _passage(connection, *row[1:4])
                yield row[0], "\n".join([" > ".join(headings), text]) if headings else text

    def indexed(self, chunk_ids: Sequence[int]) -> Iterator[Indexed]:
        """Terms and places of chunks, for the term index."""
        query = """SELECT chunks.id, document_id, doc_set, terms FROM json_each(?) AS wanted
            JOIN chunks ON chunks.id = wanted.value JOIN documents ON documents.id = document_id"""
        with self._reading() as connection:
            for chunk_id, document_id, doc_set, terms in connection.execute(query, [_json(chunk_ids)]):
                yield Indexed(chunk_id, document_id, doc_set, zlib.decompress(terms).decode())

    def document_ids(self, scope: Scope) -> list[int]:
        return [info.id for info in self.documents(scope)]

    def counts(self) -> tuple[int, int]:
        """Documents and chunks."""
        with self._reading() as connection:
            query = "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks)"
            documents, chunks = connection.execute(query).fetchone()
            return documents, chunks


# --- rows --------------------------------------------------------------------------------------------------------


def _find(connection: sqlite3.Connection, name: str, doc_set: str) -> DocumentInfo | None:
    query = f"SELECT {_INFO} FROM documents WHERE name = ? AND doc_set = ?"
    row = connection.execute(query, [name, doc_set]).fetchone()
    return row and _info(row)


def _info(row: Sequence[Any]) -> DocumentInfo:
    document_id, name, doc_set, kind, language, size, chunks, chunking, digest, updated = row
    how = Chunking.model_validate_json(chunking)
    return DocumentInfo(document_id, name, doc_set, kind, language, size, chunks, how, digest, updated)


def _in_scope(scope: Scope) -> tuple[str, list[Any]]:
    """A condition on documents and its values: these names, within these sets."""
    conditions, values = ["true"], []
    for column, wanted in (("name", scope.documents), ("doc_set", scope.doc_sets)):
        if wanted:
            conditions.append(f"{column} IN (SELECT value FROM json_each(?))")
            values.append(json.dumps(wanted))
    return " AND ".join(conditions), values


def _next_generation(connection: sqlite3.Connection, ids: int = 0) -> int:
    """Advance the clock past `ids` ids; the first of them."""
    last = connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0]
    first = max(int(last) + 1, time.time_ns() // 1000)
    connection.execute("UPDATE meta SET value = ? WHERE key = 'generation'", [first + ids])
    return first


def _write_document(connection: sqlite3.Connection, batch: Batch, old: DocumentInfo | None, generation: int) -> int:
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


def _write_chunks(
    connection: sqlite3.Connection, batch: Batch, document_id: int, first_id: int, space_id: int
) -> tuple[list[int], list[int]]:
    """Ids added and removed. A chunk that was there before keeps its id, and with it its vector."""
    spare: dict[tuple[str, bytes], list[int]] = defaultdict(list)
    stored = "SELECT id, text_key, terms FROM chunks WHERE document_id = ? ORDER BY position DESC"
    for chunk_id, key, terms in connection.execute(stored, [document_id]):
        spare[key, terms].append(chunk_id)
    added = []
    for position, (chunk, words, vector) in enumerate(zip(batch.chunks, batch.terms, batch.vectors, strict=True)):
        key, terms = _text_key(chunk.indexed_text), zlib.compress(" ".join(words).encode(), 1)
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
        connection.execute("INSERT INTO vectors VALUES (?, ?, ?)", [chunk_id, space_id, _blob(vector)])
    removed = [chunk_id for ids in spare.values() for chunk_id in ids]
    connection.execute("DELETE FROM chunks WHERE id IN (SELECT value FROM json_each(?))", [_json(removed)])
    return added, removed


def _check(batch: Batch) -> None:
    """Chunks are stored as places in the text and found by their terms: a batch that says otherwise is a defect."""
    for chunk, terms in zip(batch.chunks, batch.terms, strict=True):
        if batch.document.text[chunk.start : chunk.end] != chunk.text:
            raise ValueError(f"chunk at {chunk.start} of {batch.document.name!r} is not the text at its place")
        if any(term.split() != [term] for term in terms):
            raise ValueError(f"a search term of {batch.document.name!r} is empty or holds white space")


def _passage(connection: sqlite3.Connection, document_id: int, start: int, end: int) -> str:
    first = start // BLOCK
    blocks = connection.execute(
        "SELECT text FROM texts WHERE document_id = ? AND block BETWEEN ? AND ? ORDER BY block",
        [document_id, first, max(start, end - 1) // BLOCK],
    )
    return "".join(block for (block,) in blocks)[start - first * BLOCK : end - first * BLOCK]


def _text_key(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _blob(vector: Vectors) -> bytes:
    return np.asarray(vector, np.float32).tobytes()


def _json(ids: Sequence[int]) -> str:
    return json.dumps([int(number) for number in ids])


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """What a person can do something about, as a StoreError; a wrong statement stays the defect that it is."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is None or code & 0xFF in (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISUSE):
            raise
        raise StoreError(
            Message(zh=f"知识库 {path} 无法读写：{error}。", en=f"The library {path} cannot be used: {error}."),
            *_REMEDIES.get(code & 0xFF, (_FOLDER_REMEDY,)),
        ) from error


_FOLDER_REMEDY = Message(
    zh="请检查文件夹的权限和磁盘空间，或用 CITEWISE_DATA_DIR 换一个数据文件夹。",
    en="Check its permissions and the disk, or choose another data folder with CITEWISE_DATA_DIR.",
)
_DAMAGE_REMEDY = Message(
    zh="文件已损坏：请从备份恢复这个文件夹，或把它移走后重新上传文件。",
    en="The file is damaged: restore this folder from a backup, or move it away and upload the files again.",
)
_REMEDIES = {
    sqlite3.SQLITE_FULL: (
        Message(
            zh="磁盘已满：请腾出空间后重试。已保存的内容没有受影响。",
            en="The disk is full: free some space and try again. What was saved is unharmed.",
        ),
    ),
    sqlite3.SQLITE_CORRUPT: (_DAMAGE_REMEDY,),
    sqlite3.SQLITE_NOTADB: (_DAMAGE_REMEDY,),
}
