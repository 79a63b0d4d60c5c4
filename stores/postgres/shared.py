"""What the instances of a library share beside it, in PostgreSQL."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from functools import partial

from stores.attempts import OF_ADDRESS, OF_NAME, OF_USER, REMEMBERED, WINDOW, name_key
from stores.feedback import FeedbackStore
from stores.lab import LabStore
from stores.postgres.adapters import Connection
from stores.postgres.locks import ATTEMPTS
from stores.postgres.pages import PageTable
from stores.postgres.side_tables import SideTables
from stores.shared import SecretName, SharedStores, new_secret
from stores.unanswered import UnansweredStore

_FRESH = 0.5  # seconds for which what is known of a session is not asked again
_PATIENCE = 1.0  # seconds that a page waits for it: while the server is away nobody can log out
_SESSIONS = 10_000


def stores_in_database(url: str, page_limit_mb: float) -> SharedStores:
    tables = SideTables(url)
    return SharedStores(
        FeedbackStore(tables), UnansweredStore(tables), LabStore(tables), PageTable(tables, page_limit_mb),
        LogoutTable(tables), AttemptTable(tables), partial(_secret, tables), tables.check,
    )  # fmt: skip


def _secret(tables: SideTables, name: SecretName) -> str:
    def work(connection: Connection) -> str:
        made = "INSERT INTO secrets VALUES (%s, %s) ON CONFLICT DO NOTHING"
        connection.execute(made, [name, new_secret()])
        row = connection.execute("SELECT value FROM secrets WHERE name = %s", [name]).fetchone()
        assert row is not None
        return str(row[0])

    return tables.run(work)


class LogoutTable:
    """Those of all instances."""

    def __init__(self, tables: SideTables) -> None:
        self._tables = tables
        self._ended: dict[str, int] = {}
        self._looks: OrderedDict[str, tuple[float, asyncio.Task[None]]] = OrderedDict()

    def known(self, session: str) -> bool:
        return session in self._ended

    async def refresh(self, session: str) -> None:
        """All who ask within half a second wait for the same look; one that takes long is waited for no longer."""
        at, look = self._looks.get(session, (0.0, None))
        if look is None or (look.done() and time.monotonic() - at > _FRESH):
            look = asyncio.create_task(self._look(session))
            self._looks[session] = time.monotonic(), look
            self._looks.move_to_end(session)
            while len(self._looks) > _SESSIONS:
                self._looks.popitem(last=False)
        if not look.done():
            await asyncio.wait({look}, timeout=_PATIENCE)

    async def _look(self, session: str) -> None:
        query = "SELECT until FROM logouts WHERE session = ?"
        row = await asyncio.to_thread(
            self._tables.read, lambda database: database.execute(query, [session]).fetchone(), None
        )
        if row is not None:
            self._remember(session, row[0])

    async def note(self, session: str, until: int) -> None:
        self._remember(session, until)

        def work(connection: Connection) -> int:
            connection.execute("DELETE FROM logouts WHERE until < extract(epoch FROM now())")
            noted = "INSERT INTO logouts VALUES (%s, %s) ON CONFLICT DO NOTHING"
            return connection.execute(noted, [session, until]).rowcount

        await asyncio.to_thread(self._tables.run, work)

    def _remember(self, session: str, until: int) -> None:
        self._ended = {key: at for key, at in self._ended.items() if at > time.time()} | {session: until}


class AttemptTable:
    """Logins at all instances, by the server's clock."""

    def __init__(self, tables: SideTables) -> None:
        self._tables = tables

    def begin(self, address: str, name: str) -> float:
        return self._tables.run(partial(_begin, address=address, name=name_key(name)))

    def knows(self, address: str, name: str) -> bool:
        return self._tables.run(partial(_is_home, address=address, name=name_key(name)))

    def forgive(self, address: str, name: str) -> None:
        name = name_key(name)

        def work(connection: Connection) -> None:
            last = "SELECT max(id) FROM failed_logins WHERE address = %s AND name = %s"
            connection.execute(f"DELETE FROM failed_logins WHERE id = ({last})", [address, name])
            connection.execute(
                """INSERT INTO login_homes (address, name) VALUES (%s, %s)
                ON CONFLICT (address, name) DO UPDATE SET at = excluded.at""",
                [address, name],
            )
            connection.execute(
                "DELETE FROM login_homes WHERE at < (SELECT at FROM login_homes ORDER BY at DESC LIMIT 1 OFFSET %s)",
                [REMEMBERED - 1],
            )

        self._tables.run(work)


def _begin(connection: Connection, address: str, name: str) -> float:
    connection.execute("SELECT pg_advisory_xact_lock(%s)", [ATTEMPTS])
    connection.execute("DELETE FROM failed_logins WHERE at <= clock_timestamp() - make_interval(secs => %s)", [WINDOW])
    tried = partial(_age, connection, address, name)
    limit = OF_USER
    if not _is_home(connection, address, name) and tried(OF_NAME, "name = %(name)s") is not None:
        limit = 1
    ages = [
        tried(OF_ADDRESS, "address = %(address)s"),
        tried(limit, "address = %(address)s AND name = %(name)s"),
    ]
    if waits := [WINDOW - age for age in ages if age is not None]:
        return max(waits)
    connection.execute("INSERT INTO failed_logins (address, name) VALUES (%s, %s)", [address, name])
    return 0.0


def _age(connection: Connection, address: str, name: str, limit: int, where: str) -> float | None:
    """Seconds since the failure that was so many ago; None where there were fewer."""
    row = connection.execute(
        f"""SELECT extract(epoch FROM clock_timestamp() - at)::float8 FROM failed_logins WHERE {where}
        ORDER BY id DESC LIMIT 1 OFFSET %(before)s""",
        {"address": address, "name": name, "before": limit - 1},
    ).fetchone()
    return None if row is None else float(row[0])


def _is_home(connection: Connection, address: str, name: str) -> bool:
    query = "SELECT 1 FROM login_homes WHERE address = %s AND name = %s"
    return connection.execute(query, [address, name]).fetchone() is not None
