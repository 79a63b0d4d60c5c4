"""What the search side has to be told: rows of PostgreSQL, written in the transaction of the change itself.

`search_side` has a row for the space that is fed. While it is there, triggers of the table of vectors note in `outbox`
each chunk whose vector came or went. The feeder looks how it is by now, tells the search side, and notes that it did:
to do it twice does no harm, so that it may be killed at any moment.

A search never waits for the feeder. It reads the outbox first: what stands there it compares in PostgreSQL, and what
the search side finds counts only as far as PostgreSQL still has it. Rows stay for some seconds after they were told,
since a search side may show a change later than it says so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from schema import Vectors
from stores.postgres.adapters import Connection, HalfVector
from stores.postgres.rows import number

AT_ONCE = 1_000  # vectors that are told together
LATE = 15.0  # seconds for which a row stays: three times what Milvus allows itself to be behind
_FORGOTTEN = "7 days"  # without a feeder, after which it is not told any more

OUTBOX_TABLES = (
    """CREATE TABLE search_side (
        space_id bigint PRIMARY KEY, copied bigint NOT NULL DEFAULT 0, complete boolean NOT NULL DEFAULT false,
        generation bigint NOT NULL DEFAULT 0, effort int NOT NULL DEFAULT 0, recall float8 NOT NULL DEFAULT 0,
        tried bigint NOT NULL DEFAULT 0, fed_at timestamptz NOT NULL DEFAULT now())""",
    """CREATE TABLE outbox (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, chunk_id bigint NOT NULL, told_at timestamptz)""",
    "ALTER TABLE library ADD COLUMN token text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '')",
    """CREATE FUNCTION note_vectors() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT 1 FROM search_side WHERE space_id = TG_ARGV[0]::bigint) THEN
            INSERT INTO outbox (chunk_id) SELECT chunk_id FROM changed;
        END IF;
        RETURN NULL; END $$""",
)


def outbox_triggers(space_id: int) -> list[str]:
    """For the table of a space's vectors."""
    return [
        f"""CREATE TRIGGER vectors_{event} AFTER {event} ON vectors_{space_id} REFERENCING {rows} TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION note_vectors('{space_id}')"""
        for event, rows in (("insert", "NEW"), ("delete", "OLD"))
    ]


class FeedState(NamedTuple):
    """How far the search side of the serving space is."""

    space_id: int
    dimensions: int
    name: str  # of its collection
    copied: int | None  # the last chunk of those that were there at the beginning; None: it has not begun
    complete: bool  # all of them are there
    effort: int  # of a search; 0: not tried yet, or not enough however much it is
    recall: float
    tried: int  # chunks that the library had then
    chunks: int  # that it has

    @property
    def prefix(self) -> str:
        """Of the collections of this database."""
        return self.name.rpartition("_")[0] + "_"

    @property
    def serves(self) -> bool:
        return self.complete and self.effort > 0

    @property
    def table(self) -> str:
        return f"vectors_{self.space_id}"


def fed(connection: Connection) -> FeedState | None:
    """None where no space serves. A collection is of one database as it is: a copy that was restored has others."""
    query = """SELECT s.id, s.dimensions, concat_ws('_', 'citewise', l.token,
            (SELECT oid FROM pg_database WHERE datname = current_database()), 'outbox'::regclass::oid, s.id),
        f.copied, coalesce(f.complete, false), coalesce(f.effort, 0), coalesce(f.recall, 0), coalesce(f.tried, 0),
        l.chunks
        FROM spaces AS s CROSS JOIN library AS l LEFT JOIN search_side AS f ON f.space_id = s.id WHERE s.serving"""
    row = connection.execute(query).fetchone()
    return FeedState._make(row) if row else None


def begin(connection: Connection, space_id: int) -> None:
    """From now on changes of this space's vectors are noted, and all that are there are to be copied. Within a change
    of the library, so that none is on its way meanwhile."""
    connection.execute("DELETE FROM search_side")
    connection.execute("DELETE FROM outbox")
    connection.execute("INSERT INTO search_side (space_id) SELECT id FROM spaces WHERE id = %s AND serving", [space_id])


def forget(connection: Connection) -> None:
    """Where nobody has fed it for days, there is none any more; whoever feeds it again begins anew."""
    query = "DELETE FROM search_side WHERE fed_at < now() - %s::interval"
    if connection.execute(query, [_FORGOTTEN]).rowcount:
        connection.execute("DELETE FROM outbox")


# --- feeding -----------------------------------------------------------------------------------------------------


class FeedBatch(NamedTuple):
    """What to tell the search side."""

    outbox: list[int]  # rows of it
    put: list[tuple[int, int, Vectors]]  # chunk, document, vector
    gone: list[int]  # chunks
    generation: int  # of the library that it is of


def to_copy(connection: Connection, side: FeedState) -> list[tuple[int, int, Vectors]]:
    query = f"""SELECT chunk_id, document_id, embedding FROM {side.table} WHERE chunk_id > %s
        ORDER BY chunk_id LIMIT %s"""
    return connection.execute(query, [side.copied or 0, AT_ONCE], binary=True).fetchall()


def note_copied(connection: Connection, side: FeedState, last: int | None) -> None:
    """`last`: the last chunk that was copied; None: there are no more. It counts only where nobody else has gone on or
    begun anew meanwhile, as whoever was cut off from the server does not know."""
    connection.execute(
        """UPDATE search_side SET copied = coalesce(%s, copied), complete = %s::bigint IS NULL, fed_at = now()
        WHERE space_id = %s AND copied = %s""",
        [last, last, side.space_id, side.copied],
    )


def to_tell(connection: Connection, side: FeedState) -> FeedBatch:
    """Of one state of the library."""
    generation = number(connection, "SELECT generation FROM library", [])
    query = "SELECT id, chunk_id FROM outbox WHERE told_at IS NULL ORDER BY id LIMIT %s"
    rows = connection.execute(query, [AT_ONCE]).fetchall()
    wanted = {chunk_id for _, chunk_id in rows}
    query = f"SELECT chunk_id, document_id, embedding FROM {side.table} WHERE chunk_id = ANY(%s)"
    put = connection.execute(query, [list(wanted)], binary=True).fetchall() if wanted else []
    return FeedBatch([row[0] for row in rows], put, sorted(wanted - {row[0] for row in put}), generation)


def note_told(connection: Connection, side: FeedState, untold: FeedBatch) -> None:
    if untold.outbox:
        connection.execute("UPDATE outbox SET told_at = clock_timestamp() WHERE id = ANY(%s)", [untold.outbox])
    connection.execute("DELETE FROM outbox WHERE told_at < clock_timestamp() - make_interval(secs => %s)", [LATE])
    if len(untold.outbox) < AT_ONCE:
        connection.execute(
            """UPDATE search_side SET generation = %s, fed_at = now() WHERE space_id = %s
            AND (generation != %s OR fed_at < now() - interval '1 hour')""",
            [untold.generation, side.space_id, untold.generation],
        )


def count_all(connection: Connection, side: FeedState) -> tuple[int, int]:
    """How many vectors there are, and how many rows that were not told."""
    query = f"SELECT (SELECT count(*) FROM {side.table}), (SELECT count(*) FROM outbox WHERE told_at IS NULL)"
    [(vectors, untold)] = connection.execute(query).fetchall()
    return vectors, untold


def note_tried(connection: Connection, side: FeedState, effort: int, recall: float) -> None:
    query = "UPDATE search_side SET (effort, recall, tried) = (%s, %s, %s) WHERE space_id = %s"
    connection.execute(query, [effort, recall, side.chunks, side.space_id])


# --- searching ---------------------------------------------------------------------------------------------------


class Fresh(NamedTuple):
    """What stands in the outbox."""

    gone: int  # of its chunks, those that are not there any more: the search side may find them still
    nearest: list[tuple[int, float]]  # the best of its chunks that are there, with their cosines


def fresh(
    connection: Connection, side: FeedState, vector: Vectors, k: int, documents: list[int] | None, most: int
) -> Fresh | None:
    """None where there is more than `most`."""
    counted = f"""SELECT count(*), count(DISTINCT o.chunk_id) FILTER (WHERE v.chunk_id IS NULL)
        FROM (SELECT chunk_id FROM outbox LIMIT %s) AS o LEFT JOIN {side.table} AS v USING (chunk_id)"""
    [(rows, gone)] = connection.execute(counted, [most + 1]).fetchall()
    if not 0 < rows <= most:
        return None if rows else Fresh(0, [])
    query = f"""WITH fresh AS MATERIALIZED (
            SELECT chunk_id, embedding FROM {side.table} WHERE chunk_id IN (SELECT chunk_id FROM outbox)
            {"" if documents is None else "AND document_id = ANY(%(documents)s)"})
        SELECT chunk_id, -(embedding <#> %(vector)s) FROM fresh ORDER BY embedding <#> %(vector)s, chunk_id
        LIMIT %(k)s"""
    values: dict[str, Any] = {"vector": HalfVector(vector), "k": k, "documents": documents}
    return Fresh(gone, connection.execute(query, values, binary=True).fetchall())


def still_there(
    connection: Connection, side: FeedState, vector: Vectors, chunk_ids: list[int]
) -> list[tuple[int, float]]:
    """Those that are, with their cosines, in any order."""
    query = f"SELECT chunk_id, -(embedding <#> %s) FROM {side.table} WHERE chunk_id = ANY(%s)"
    return connection.execute(query, [HalfVector(vector), chunk_ids], binary=True).fetchall()
