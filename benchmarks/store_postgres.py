"""The store in PostgreSQL, through its contract; the folder names its database."""

from __future__ import annotations

import sys

import psycopg
import psycopg_pool  # noqa: F401  # the store imports it when it is opened; imports are not counted

from benchmarks.store_ours import Ours
from benchmarks.store_work import serve
from stores.postgres.store import PostgresStore


class InPostgres(Ours):
    def opened(self) -> PostgresStore:
        return PostgresStore((self.folder / "address").read_text())

    def sizes(self) -> dict[str, float]:
        """MB on the server's disk: of everything, and of what searches read, which its memory should hold."""
        query = """SELECT coalesce(sum(pg_total_relation_size(oid)) FILTER (WHERE relname ~ '^vectors_[0-9]+$'), 0),
            coalesce(sum(pg_total_relation_size(oid)) FILTER (WHERE relname = 'postings'), 0)
            FROM pg_class WHERE relkind = 'r'"""
        with psycopg.connect((self.folder / "address").read_text()) as connection:
            [(vectors, postings)] = connection.execute(query).fetchall()
        return {
            "disk, MB": self.store.stats().bytes / 1e6,
            "of it vectors and their index, MB": float(vectors) / 1e6,
            "of it postings, MB": float(postings) / 1e6,
        }


if __name__ == "__main__":
    serve(InPostgres, sys.argv[1:])
