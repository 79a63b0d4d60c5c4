"""The store in PostgreSQL, through its contract; the folder names its database."""

from __future__ import annotations

import sys

import psycopg_pool  # noqa: F401  # the store imports it when it is opened; imports are not counted

from benchmarks.store_ours import Ours
from benchmarks.store_work import serve
from stores.postgres.store import PostgresStore


class InPostgres(Ours):
    def opened(self) -> PostgresStore:
        return PostgresStore((self.folder / "address").read_text())

    def size(self) -> float:
        """MB on the server's disk."""
        return self.store.stats().bytes / 1e6


if __name__ == "__main__":
    serve(InPostgres, sys.argv[1:])
