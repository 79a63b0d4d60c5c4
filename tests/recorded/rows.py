"""The rows that the ingestion of 1,000 made files leaves: a digest of every column for each document."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from schema import Chunking, IncomingFile
from tests.recorded.made_files import made_files
from tests.recorded.names import COLUMNS, TABLES
from tests.recorded.normal import Json, differences, plain
from tests.recorded.packed import path_of, read
from tests.recorded.product import opened, settings_of, settled

PATH = path_of("rows")
FILES = 1000
SETS = ("", "规章", "manuals")
CHUNKINGS = (
    Chunking(),
    Chunking(strategy="fixed", size=300, overlap=30),
    Chunking(strategy="recursive", size=120, unit="tokens"),
    Chunking(strategy="markdown"),
    Chunking(strategy="semantic", size=400),
    Chunking(strategy="code", size=500, unit="words"),
)
# ids, times, and what depends on the order in which files come to their end
_LEFT_OUT = {
    "id",
    "document_id",
    "chunk_id",
    "space_id",
    "updated",
    "generation",
    "path",
    "vector",
    "payload",
    "revision",
}
_LEFT_OUT |= {"calibration", "key", "structured"}  # the last is found out at leisure
_PACKED = {"terms", "places"}  # zlib: what it holds is compared, not how it is packed


def now() -> list[Json]:
    """The rows as they are made now."""
    with tempfile.TemporaryDirectory(prefix="recorded-") as place:
        folder = Path(place) / "library"
        states = asyncio.run(_ingested(folder))
        with closing(sqlite3.connect(folder / "library.db")) as connection:
            return [states, *_tables(connection), *_documents(connection)]


def compared(lines: Sequence[Json]) -> list[str]:
    before, after = ({_name(line): line for line in side} for side in (read(PATH), lines))
    return differences(before, after)


def counted(lines: Sequence[Json]) -> str:
    return f"{sum('document' in line for line in lines)} documents, {len(lines)} lines"


def _name(line: Json) -> str:
    return f"document {line['document']}" if "document" in line else str(line["table"])


async def _ingested(folder: Path) -> Json:
    """Everything submitted at once, then once more a part of it, cut in another way; what became of the tasks."""
    files = [
        IncomingFile(
            one.name, one.data, doc_set=SETS[number % 7 % 3], chunking=CHUNKINGS[number % 11 % 6], metadata=one.metadata
        )
        for number, one in enumerate(made_files(FILES))
    ]
    async with opened(settings_of(folder, CITEWISE_EMBEDDING="hashing")) as assistant:
        library = assistant.library
        tasks = await library.submit(files)
        outcomes = await library.finished([task.id for task in tasks])
        again = [(d.name, d.doc_set, CHUNKINGS[1]) for d in library.documents() if len(d.name) % 10 == 0]
        cut = await library.finished([task.id for task in await library.submit_rechunk(again)])
        await settled(assistant)
        said = sorted(json.dumps(_outcome(one), ensure_ascii=False) for one in (*outcomes.values(), *cut.values()))
        counts = {one: said.count(one) for one in dict.fromkeys(said)}
        sets = [plain(one, {}) for one in library.doc_set_infos()]
        return {"table": "outcomes", "counts": counts, "sets": sorted(sets, key=str)}


def _outcome(one: Any) -> Json:
    if one is None or hasattr(one, "outcome"):
        return getattr(one, "outcome", None)
    return plain(one, {})["message"]


def _tables(connection: sqlite3.Connection) -> Iterator[Json]:
    """How many rows each has; in full those that stand for no document."""
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall():
        if table.startswith("sqlite_"):
            continue
        columns, rows = _rows(connection, f'SELECT * FROM "{table}"')
        line = {"table": TABLES.get(table, table), "rows": len(rows), "columns": sorted(columns)}
        if table in ("tasks", "doc_sets", "spaces", "sources"):
            kept = [
                {column: plain(value, {}) for column, value in row.items() if column not in _LEFT_OUT} for row in rows
            ]
            line["held"] = sorted(kept, key=str)
        yield line


def _documents(connection: sqlite3.Connection) -> Iterator[Json]:
    """Each with a digest of every column of its row, of its chunks, its text and its places."""
    _, documents = _rows(connection, "SELECT * FROM documents ORDER BY doc_set, name")
    tables = {
        "chunks": "SELECT * FROM chunks WHERE document_id = ? ORDER BY position",
        "texts": "SELECT * FROM texts WHERE document_id = ? ORDER BY block",
        "places": "SELECT * FROM places WHERE document_id = ?",
        "vectors": "SELECT * FROM vectors WHERE chunk_id IN (SELECT id FROM chunks WHERE document_id = ?)",
    }
    for document in documents:
        held = {"documents": _digests([document])}
        for table, query in tables.items():
            _, rows = _rows(connection, query, document["id"])
            held[TABLES.get(table, table)] = {"rows": len(rows), **_digests(rows)}
        yield {"document": f"{document['doc_set']}/{document['name']}", **held}


def _rows(connection: sqlite3.Connection, query: str, *values: Any) -> tuple[list[str], list[dict[str, Any]]]:
    cursor = connection.execute(query, values)
    names = [COLUMNS.get(column[0], column[0]) for column in cursor.description]
    return names, [dict(zip(names, row, strict=True)) for row in cursor]


def _digests(rows: Sequence[dict[str, Any]]) -> dict[str, str]:
    columns = [column for column in (rows[0] if rows else ()) if column not in _LEFT_OUT]
    return {column: _digest([_value(column, row[column]) for row in rows]) for column in columns}


def _value(column: str, value: Any) -> Any:
    if isinstance(value, bytes):
        return (zlib.decompress(value) if column in _PACKED else value).hex()
    if column == "origin":
        return {key: held for key, held in json.loads(value).items() if key not in ("timestamp", "stamp")}
    return plain(value, {})  # a document of Word that names no time has that of its reading


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]
