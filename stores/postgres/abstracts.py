"""Abstracts of pairs of chunks, in PostgreSQL. They belong to texts."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from schema import PairAbstract, Relation
from stores.postgres.adapters import Connection


def abstracts(connection: Connection, keys: Sequence[str]) -> dict[str, PairAbstract]:
    query = "SELECT key, text, relations FROM abstracts WHERE key = ANY(%s)"
    return {
        key: PairAbstract(text, tuple(Relation(*one) for one in json.loads(relations)))
        for key, text, relations in connection.execute(query, [list(keys)])
    }


def put_abstracts(connection: Connection, given: Mapping[str, PairAbstract]) -> None:
    statement = """INSERT INTO abstracts (key, text, relations) VALUES (%s, %s, %s)
        ON CONFLICT (key) DO UPDATE SET text = excluded.text, relations = excluded.relations"""
    rows = [(key, one.text, json.dumps(one.relations, ensure_ascii=False)) for key, one in given.items()]
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows)


def keep_abstracts(connection: Connection, keys: Collection[str]) -> int:
    return connection.execute("DELETE FROM abstracts WHERE key != ALL(%s)", [list(keys)]).rowcount
