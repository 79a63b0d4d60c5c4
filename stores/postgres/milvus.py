"""Milvus as a client sees it: collections of vectors, known by the ids of their chunks, and nothing else of a library.

No name, text or metadata goes there: what a scope holds is decided in PostgreSQL. pymilvus takes seconds to be
imported, so that nobody waits for it but the thread that feeds Milvus.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from schema import Vectors

T = TypeVar("T")

MOST_FOUND = 16_384  # of one search, which is Milvus's own limit
PATIENCE, SEARCH_PATIENCE = 20.0, 2.0  # seconds for a change, for a search
_LONG = 600.0  # for what takes longer with each vector
_ID, _DOCUMENT, _VECTOR = "chunk_id", "document_id", "embedding"
_GRAPH = {"M": 16, "efConstruction": 200}

logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # what it raises is told once, and not with its whole stack


class MilvusAddress(NamedTuple):
    url: str
    token: str = ""

    @property
    def shown(self) -> str:
        """Host and port, and nothing that is secret."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}:{parts.port or 19530}"


class MilvusError(Exception):
    """Milvus is not reached, or does not do what it is told; with a line that says why."""


class Milvus:
    """One connection; from any thread. Whatever fails is raised as MilvusError."""

    def __init__(self, address: MilvusAddress) -> None:
        self._client = _explained(_connected, address)

    def close(self) -> None:
        self._client.close()

    def collections(self) -> list[str]:
        return list(_explained(lambda: self._client.list_collections(timeout=PATIENCE)))

    def make(self, name: str, dimensions: int) -> None:
        _explained(self._make, name, dimensions)

    def _make(self, name: str, dimensions: int) -> None:
        from pymilvus import DataType

        schema = self._client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field(_ID, DataType.INT64, is_primary=True)
        schema.add_field(_DOCUMENT, DataType.INT64)
        schema.add_field(_VECTOR, DataType.FLOAT_VECTOR, dim=dimensions)
        index = self._client.prepare_index_params()
        index.add_index(_VECTOR, index_type="HNSW", metric_type="IP", params=_GRAPH)
        self._client.create_collection(name, schema=schema, index_params=index, timeout=PATIENCE)

    def load(self, name: str) -> None:
        """What a server has not in memory, as after its restart, it cannot search."""
        _explained(lambda: self._client.load_collection(name, timeout=PATIENCE))

    def drop(self, name: str) -> None:
        _explained(lambda: self._client.drop_collection(name, timeout=PATIENCE))

    def put(self, name: str, rows: Sequence[tuple[int, int, Vectors]]) -> None:
        """Chunk, document and vector, in place of those with the same chunk."""
        given = [{_ID: chunk_id, _DOCUMENT: document_id, _VECTOR: vector} for chunk_id, document_id, vector in rows]
        _explained(lambda: self._client.upsert(name, given, timeout=PATIENCE))

    def seal(self, name: str) -> None:
        """All that was put goes to the disk and gets its index: what has none is compared in full by each search. For
        when much has come."""
        _explained(lambda: self._client.flush(name, timeout=_LONG))

    def remove(self, name: str, chunk_ids: Sequence[int]) -> None:
        """Those that are not there are left out."""
        _explained(lambda: self._client.delete(name, ids=list(chunk_ids), timeout=PATIENCE))

    def count(self, name: str) -> int:
        """Of all that was put and not removed."""
        rows = _explained(
            lambda: self._client.query(
                name, filter="", output_fields=["count(*)"], consistency_level="Strong", timeout=PATIENCE
            )
        )
        return int(rows[0]["count(*)"])

    def nearest(
        self, name: str, vector: Vectors, k: int, effort: int, documents: Sequence[int] | None = None,
        patience: float | None = None, last_word: bool = False,
    ) -> list[int]:  # fmt: skip
        """Ids of the nearest chunks, best first, of these documents or of all, within so many seconds. It may be behind
        by the seconds that a server allows itself (Bounded): to wait for the `last_word` costs more than a search."""
        within = "" if documents is None else f"{_DOCUMENT} in {[int(one) for one in documents]}"
        [found] = _explained(
            lambda: self._client.search(
                name, [vector], filter=within, limit=k, output_fields=[_ID],
                consistency_level="Strong" if last_word else "Bounded",
                search_params={"metric_type": "IP", "params": {"ef": max(effort, k)}},
                timeout=SEARCH_PATIENCE if patience is None else patience,
            )
        )  # fmt: skip
        return [int(one[_ID]) for one in found]


def _connected(address: MilvusAddress) -> Any:
    from pymilvus import MilvusClient

    return MilvusClient(address.url, token=address.token, timeout=PATIENCE, dedicated=True)


def _explained(work: Callable[..., T], *given: Any) -> T:
    """pymilvus raises its own errors, grpc's, and ValueError for a channel that was closed."""
    try:
        return work(*given)
    except Exception as error:
        details = getattr(error, "details", None)
        said = str(getattr(error, "message", None) or (details() if callable(details) else None) or error).strip()
        raise MilvusError((said.splitlines() or [type(error).__name__])[0].rstrip(".。")) from error
