"""The nouns as rows of SQLite, and back."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import numpy as np

from schema import UNTOLD, Chunking, DocumentInfo, Message, Origin, Place, Scope, StructuredSummary, Vectors
from stores.problems import SpaceChanged

BLOCK = 16_384  # characters of a document's text in one row
INFO = "id, name, doc_set, kind, language, size, chunks, chunking, digest, updated, origin, tokens, missing"


def find(connection: sqlite3.Connection, name: str, doc_set: str) -> DocumentInfo | None:
    query = f"SELECT {INFO} FROM documents WHERE name = ? AND doc_set = ?"
    row = connection.execute(query, [name, doc_set]).fetchone()
    return row and document_info(row)


@lru_cache(20_000)  # while files stream in, the list is asked for after each change
def document_info(row: tuple[Any, ...]) -> DocumentInfo:
    document_id, name, doc_set, kind, language, size, chunks, chunking, digest, updated, origin, tokens, missing = row
    return DocumentInfo(
        document_id, name, doc_set, kind, language, size, chunks,
        chunking_of(chunking), digest, updated, origin_of(origin), tokens, missing,
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
    told = ((name, getattr(origin, name), usual) for name, usual in UNTOLD_FIELDS.items())
    return json.dumps({name: value for name, value, usual in told if value != usual})


UNTOLD_FIELDS = asdict(UNTOLD)
OF_ORIGIN = [name for name in UNTOLD_FIELDS if name not in ("code_language", "stamp", "source", "title", "reader")]
_IN_PLACE = {  # of what the origin does not say, as `Hit.metadata` has it
    "file_path": "CASE WHEN json_extract(origin, '$.source_type') IS NULL THEN name ELSE '' END",
    "timestamp": "updated",
}


OF_STRUCTURED = ("title", "keywords", "entities", "topics")  # as they are asked for in a scope


def message_json(message: Message | None) -> str | None:
    return None if message is None else json.dumps(message, ensure_ascii=False)


def message_of(written: str | None) -> Message | None:
    return Message(*json.loads(written)) if written else None


def places_of(written: str | None) -> tuple[Place, ...]:
    return tuple(place_of_json(fields) for fields in json.loads(written)) if written else ()


def place_of_json(fields: Iterable[Any]) -> Place:
    """JSON has lists where a place has tuples."""
    values: list[Any] = [tuple(field) if isinstance(field, list) else field for field in fields]
    return Place(*values)


def places_json(places: Iterable[Place]) -> str | None:
    """None for no places."""
    written = json.dumps(
        [place if place.box else place[: 4 if place.part else 3] for place in places], ensure_ascii=False
    )
    return None if written == "[]" else written


def places_within(places: Sequence[Place], starts: Sequence[int], start: int, end: int) -> Sequence[Place]:
    """The places that document[start:end] stands at; the first may begin before it. `starts` are those of `places`."""
    return places[max(bisect_right(starts, start) - 1, 0) : bisect_left(starts, end)]


def in_scope(scope: Scope) -> tuple[str, list[Any]]:
    """A condition on documents and its values. Whatever a person has written, names as well, is a value of it."""
    conditions, values = ["true"], []
    for column, wanted in (("name", scope.documents), ("doc_set", scope.doc_sets), ("kind", scope.kinds)):
        if wanted:
            conditions.append(f"{column} IN (SELECT value FROM json_each(?))")
            values.append(names_json(wanted))
    if scope.without:
        conditions.append("name NOT IN (SELECT value FROM json_each(?))")
        values.append(names_json(scope.without))
    if scope.metadata:
        pairs_by_name: dict[str, list[Any]] = {}
        for name, value in scope.metadata:
            pairs_by_name.setdefault(name, []).append(value)
        conditions.append(_TELLS.format(known=_metadata_json(pairs_by_name)))
        values.append(strict_json(pairs_by_name, ascii_only=True))
    return " AND ".join(conditions), values


# As `Hit.metadata` has it: a page may call its own "zh-CN" and is found by "zh" as well.
_LANGUAGE = "coalesce(json_extract(origin, '$.code_language'), language)"

# For every wanted name one of its values is what is told, or in the list that is told. SQLite takes true for 1, JSON
# does not. No path into the JSON is ever written, so a name may hold whatever it likes.
_IS_ONE = """SELECT 1 FROM json_each(wanted.value) AS one
    WHERE one.atom = {0}.atom AND (one.type IN ('true', 'false')) = ({0}.type IN ('true', 'false'))"""
_TELLS = f"""NOT EXISTS (SELECT 1 FROM json_each(?) AS wanted WHERE NOT EXISTS (
    SELECT 1 FROM json_each({{known}}) AS told WHERE told.key = wanted.key AND (
        EXISTS ({_IS_ONE.format("told")}) OR EXISTS (
            SELECT 1 FROM json_each(CASE told.type WHEN 'array' THEN told.value ELSE '[]' END) AS part
            WHERE EXISTS ({_IS_ONE.format("part")})))) AND NOT (wanted.key = 'language' AND EXISTS (
                SELECT 1 FROM json_each(wanted.value) AS one WHERE one.atom = {_LANGUAGE})))"""


def _metadata_json(names: Collection[str]) -> str:
    """What a document says by these names, as JSON: its own metadata, and where they are silent its origin, and what
    was found that it is about."""
    pairs = [
        f"'{name}', coalesce(json_extract(origin, '$.{name}'), {_IN_PLACE.get(name, repr(UNTOLD_FIELDS[name]))})"
        for name in OF_ORIGIN
        if name in names
    ]
    pairs += [f"'{name}', json_extract(structured, '$.{name}')" for name in OF_STRUCTURED if name in names]
    return f"json_patch(json_object({', '.join(pairs)}), metadata)" if pairs else "metadata"


def structured_of(written: str) -> StructuredSummary | None:
    return None if written == "{}" else StructuredSummary.model_validate_json(written)


def structured_json(structured: StructuredSummary | None) -> str:
    return "{}" if structured is None else strict_json(structured.model_dump())


def strict_json(value: Any, ascii_only: bool = False) -> str:
    """As SQLite reads it: what JSON does not know becomes text, NaN too."""
    try:
        return json.dumps(value, ensure_ascii=ascii_only, default=str, allow_nan=False)
    except ValueError:
        known = json.loads(json.dumps(value, default=str), parse_constant=str)
        return json.dumps(known, ensure_ascii=ascii_only)


def last_generation(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0])


def next_generation(connection: sqlite3.Connection, ids: int = 0) -> int:
    """Advance the clock past `ids` ids; the first of them."""
    first = max(last_generation(connection) + 1, time.time_ns() // 1000)
    connection.execute("UPDATE meta SET value = ? WHERE key = 'generation'", [first + ids])
    return first


def require_serving(connection: sqlite3.Connection, space_key: str) -> None:
    """Raises SpaceChanged when another space serves by now."""
    serving = connection.execute("SELECT key FROM spaces WHERE serving").fetchone()
    if serving is None or serving[0] != space_key:
        raise SpaceChanged(serving and serving[0])


def passage(connection: sqlite3.Connection, document_id: int, start: int, end: int) -> str:
    first = start // BLOCK
    blocks = connection.execute(
        "SELECT text FROM texts WHERE document_id = ? AND block BETWEEN ? AND ? ORDER BY block",
        [document_id, first, max(start, end - 1) // BLOCK],
    )
    return "".join(block for (block,) in blocks)[start - first * BLOCK : end - first * BLOCK]


def text_key(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def halved(vectors: Vectors) -> Vectors:
    """As they are once they are stored: a cosine is right to 0.0005, at half the space."""
    return np.asarray(vectors, np.float16).astype(np.float32)


def blob(vector: Vectors) -> bytes:
    return np.asarray(vector, np.float16).tobytes()


def vectors_of(packed: Sequence[bytes], dimensions: int) -> Vectors:
    """(n, dimensions)"""
    return np.frombuffer(b"".join(packed), np.float16).reshape(len(packed), dimensions).astype(np.float32)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def names_json(names: Sequence[str]) -> str:
    """Without those that no name can be: SQLite's JSON takes them for what stands before their NUL."""
    return json.dumps([name for name in names if "\0" not in name])


def ids_json(ids: Sequence[int]) -> str:
    return json.dumps([int(number) for number in ids])
