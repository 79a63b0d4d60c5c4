"""The store in PostgreSQL with Milvus as its search side, through its contract; the folder names both."""

from __future__ import annotations

import sys

import pymilvus  # noqa: F401  # the store imports it in the background; imports are not counted

from benchmarks.store_postgres import InPostgres
from benchmarks.store_work import serve
from stores.postgres import search_side
from stores.postgres.milvus import MilvusAddress
from stores.postgres.store import PostgresStore

_MANY = 5_000  # vectors from which on Milvus is asked: a quarter of the program's own, so that 10,000 can be compared


class InMilvus(InPostgres):
    def opened(self) -> PostgresStore:
        setattr(search_side, "MANY", _MANY)  # noqa: B010 - it is a constant to all others
        milvus = MilvusAddress((self.folder / "milvus").read_text())
        return PostgresStore((self.folder / "address").read_text(), vector_index="flat", milvus=milvus)

    def open(self) -> float:
        """Until the first hit, which is PostgreSQL's: Milvus is reached meanwhile, and asked by what comes after."""
        first = super().open()
        assert isinstance(self.store, PostgresStore)
        self.store.settle()
        return first


if __name__ == "__main__":
    serve(InMilvus, sys.argv[1:])
