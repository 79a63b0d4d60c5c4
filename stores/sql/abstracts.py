"""Abstracts of pairs of chunks, within a transaction of the caller's. They belong to texts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence

from schema import PairAbstract, Relation


def abstracts(connection: sqlite3.Connection, keys: Sequence[str]) -> dict[str, PairAbstract]:
    query = "SELECT key, text, relations FROM abstracts WHERE key IN (SELECT value FROM json_each(?))"
    return {
        key: PairAbstract(text, tuple(Relation(*one) for one in json.loads(relations)))
        for key, text, relations in connection.execute(query, [json.dumps(list(keys))])
    }


def put_abstracts(connection: sqlite3.Connection, given: Mapping[str, PairAbstract]) -> None:
    rows = [(key, one.text, json.dumps(one.relations, ensure_ascii=False)) for key, one in given.items()]
    connection.executemany("INSERT OR REPLACE INTO abstracts VALUES (?, ?, ?)", rows)


def keep_abstracts(connection: sqlite3.Connection, keys: Collection[str]) -> int:
    query = "DELETE FROM abstracts WHERE key NOT IN (SELECT value FROM json_each(?))"
    return connection.execute(query, [json.dumps(list(keys))]).rowcount
