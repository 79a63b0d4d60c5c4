"""The bytes of files on their way, in PostgreSQL, where every program reaches them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from stores.postgres.adapters import Connection
from stores.tasks import is_by_chance

_PART = 1 << 20  # bytes of a row


def take_uploads(connection: Connection, paths: Iterable[str]) -> dict[str, str]:
    """Keep the bytes that are at these paths, and are not kept already; the names of those that are kept, by path."""
    names = {path: os.path.basename(path) for path in paths if is_by_chance(path)}
    query = "SELECT DISTINCT name FROM uploads WHERE name = ANY(%s)"
    known = {row[0] for row in connection.execute(query, [list(names.values())])}
    copying = "COPY uploads (name, part, data) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(copying) as copy:
        copy.set_types(["text", "int4", "bytea"])
        for path, name in names.items():
            if name not in known and os.path.isfile(path):
                known.add(name)
                for number, part in enumerate(_parts_of(path)):
                    copy.write_row((name, number, part))
    return {path: name for path, name in names.items() if name in known}


def _parts_of(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        yield file.read(_PART)  # also of a file without bytes
        while part := file.read(_PART):
            yield part


def parts(connection: Connection, path: str) -> Iterator[bytes]:
    query = "SELECT data FROM uploads WHERE name = %s AND part = %s"
    number = 0
    while row := connection.execute(query, [os.path.basename(path), number], binary=True).fetchone():
        yield bytes(row[0])
        number += 1
