"""The nouns as rows of SQLite, and back."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from schema import UNTOLD, Chunking, DocumentInfo, Origin, Place, Scope, Vectors
from stores.base import SpaceChanged

BLOCK = 16_384  # characters of a document's text in one row
INFO = "id, name, doc_set, kind, language, size, chunks, chunking, digest, updated, origin, tokens"


def find(connection: sqlite3.Connection, name: str, doc_set: str) -> DocumentInfo | None:
    query = f"SELECT {INFO} FROM documents WHERE name = ? AND doc_set = ?"
    row = connection.execute(query, [name, doc_set]).fetchone()
    return row and document_info(row)


@lru_cache(20_000)  # while files stream in, the list is asked for after each change
def document_info(row: tuple[Any, ...]) -> DocumentInfo:
    document_id, name, doc_set, kind, language, size, chunks, chunking, digest, updated, origin, tokens = row
    return DocumentInfo(
        document_id, name, doc_set, kind, language, size, chunks,
        chunking_of(chunking), digest, updated, origin_of(origin), tokens,
    )  # fmt: skip


@lru_cache(1_000)  # ten thousand documents are cut in a handful of ways
def chunking_of(written: str) -> Chunking:
    return Chunking.model_validate_json(written)


def chunking_json(chunking: Chunking) -> str:
    return json.dumps(chunking.model_dump(exclude_none=True))


def origin_of(written: str) -> Origin:
    return Origin(**json.loads(written)) if written != "{}" else UNTOLD


def origin_json(origin: Origin) -> str:
    """Without what is as usual."""
    usual = _FIELDS_UNTOLD
    return json.dumps({name: value for name, value in asdict(origin).items() if value != usual[name]})


_FIELDS_UNTOLD = asdict(UNTOLD)


def places_of(written: str | None) -> tuple[Place, ...]:
    return tuple(Place(*fields) for fields in json.loads(written)) if written else ()


def places_json(places: Iterable[Place]) -> str | None:
    """None for no places."""
    written = json.dumps([place[: 4 if place.part else 3] for place in places], ensure_ascii=False)
    return None if written == "[]" else written


def touched(places: Sequence[Place], starts: Sequence[int], start: int, end: int) -> Sequence[Place]:
    """The places that document[start:end] stands at; the first may begin before it. `starts` are those of `places`."""
    return places[max(bisect_right(starts, start) - 1, 0) : bisect_left(starts, end)]


def in_scope(scope: Scope) -> tuple[str, list[Any]]:
    """A condition on documents and its values: these names, within these sets."""
    conditions, values = ["true"], []
    for column, wanted in (("name", scope.documents), ("doc_set", scope.doc_sets)):
        if wanted:
            conditions.append(f"{column} IN (SELECT value FROM json_each(?))")
            values.append(json.dumps(wanted))
    return " AND ".join(conditions), values


def last_generation(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0])


def next_generation(connection: sqlite3.Connection, ids: int = 0) -> int:
    """Advance the clock past `ids` ids; the first of them."""
    first = max(last_generation(connection) + 1, time.time_ns() // 1000)
    connection.execute("UPDATE meta SET value = ? WHERE key = 'generation'", [first + ids])
    return first


def serving_id(connection: sqlite3.Connection, space_key: str) -> int:
    """Raises SpaceChanged when another space serves by now."""
    serving = connection.execute("SELECT id, key FROM spaces WHERE serving").fetchone()
    if serving is None or serving[1] != space_key:
        raise SpaceChanged(serving and serving[1])
    return int(serving[0])


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
