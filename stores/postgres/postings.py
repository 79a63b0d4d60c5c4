"""Where terms stand, in PostgreSQL: for each term and segment the chunks that have it, in one value.

A posting is the chunk's ordinal, how often it has the term, and its length as Lucene rounds it to a byte. A change adds
a segment; where there are many of about one size, they become one (as in a log-structured merge tree), so that a search
reads few values and a posting is written a handful of times in its life. Postings of chunks that are gone stay until
they are many; `library.dead` names them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np

from stores.postgres.adapters import Connection
from stores.postgres.locks import MERGING
from stores.postgres.rows import number

POSTING = np.dtype([("ordinal", "<u4"), ("count", "<u2"), ("length", "u1")])
_MOST = np.iinfo(np.uint16).max  # times that a term is counted in a chunk: more weigh the same
_AT_ONCE = 8  # segments of about one size that become one
_MANY_DEAD, _SOME = 0.25, 1_000  # of all chunks; fewer are never cleared away
_READ_AT_ONCE = 5_000  # terms


def _lengths() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """What each byte stands for: exact below 40, then three bits of precision."""
    steps = [code if code < 8 else (code & 7 | 8) << (code >> 3) - 1 for code in range(232)]
    return np.array([*range(24), *(24 + step for step in steps)], np.int64)


LENGTHS = _lengths()


def term_key(term: str) -> int:
    """63 bits: two of a million terms have the same one once in ten million libraries."""
    return int.from_bytes(blake2b(term.encode(), digest_size=8).digest()) >> 1


def add_segment(connection: Connection, chunks: Sequence[tuple[int, Sequence[str]]]) -> None:
    """The terms of new chunks, by their ordinals."""
    if not chunks:
        return
    total = sum(len(terms) for _, terms in chunks)
    connection.execute("UPDATE library SET chunks = chunks + %s, terms = terms + %s", [len(chunks), total])
    segment = number(connection, "INSERT INTO term_segments (chunks) VALUES (%s) RETURNING id", [len(chunks)])
    _write(connection, segment, _by_term(chunks))


def _by_term(chunks: Sequence[tuple[int, Sequence[str]]]) -> list[tuple[int, bytes]]:
    keys: dict[str, int] = {}
    found: list[int] = []
    rows: list[tuple[int, int, int]] = []
    codes = np.searchsorted(LENGTHS, [len(terms) for _, terms in chunks], side="right") - 1
    for (ordinal, terms), code in zip(chunks, codes.tolist(), strict=True):
        for term, count in Counter(terms).items():
            key = keys.get(term)
            if key is None:
                key = keys[term] = term_key(term)
            found.append(key)
            rows.append((ordinal, min(count, _MOST), code))
    by_key = np.array(found, np.int64)
    order = np.argsort(by_key, kind="stable")
    postings, by_key = np.array(rows, POSTING)[order], by_key[order]
    starts = np.flatnonzero(np.diff(by_key, prepend=-1))
    parts = np.split(postings, starts[1:])
    return [(key, part.tobytes()) for key, part in zip(by_key[starts].tolist(), parts, strict=True)]


def _write(connection: Connection, segment: int, rows: Iterable[tuple[int, bytes]]) -> None:
    statement = "COPY postings (term, segment, postings) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(["int8", "int8", "bytea"])
        for key, postings in rows:
            copy.write_row((key, segment, postings))


# --- upkeep, each in a transaction that no change and no search waits for ------------------------------------------


def merge(connection: Connection) -> bool:
    """Segments of about one size become one; whether there were enough of any."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", [MERGING])
    by_size: dict[int, list[tuple[int, int]]] = {}
    for segment, chunks in connection.execute("SELECT id, chunks FROM term_segments ORDER BY id"):
        by_size.setdefault(int(math.log(max(chunks, 1), _AT_ONCE)), []).append((segment, chunks))
    for some in by_size.values():
        if len(some) >= _AT_ONCE:
            old, total = [segment for segment, _ in some], sum(chunks for _, chunks in some)
            new = number(connection, "INSERT INTO term_segments (chunks) VALUES (%s) RETURNING id", [total])
            connection.execute(
                """INSERT INTO postings SELECT term, %s, string_agg(postings, ''::bytea) FROM postings
                WHERE segment = ANY(%s) GROUP BY term""",
                [new, old],
            )
            _drop(connection, old)
            return True
    return False


def _drop(connection: Connection, segments: Sequence[int]) -> None:
    connection.execute("DELETE FROM postings WHERE segment = ANY(%s)", [list(segments)])
    connection.execute("DELETE FROM term_segments WHERE id = ANY(%s)", [list(segments)])


def clear_dead(connection: Connection) -> bool:
    """Write all segments as one, without the chunks that are gone; whether these were many."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", [MERGING])
    row = connection.execute("SELECT chunks, dead FROM library", binary=True).fetchone()
    chunks, packed = row or (0, b"")
    gone = np.frombuffer(packed, "<u4")
    if len(gone) < max(_SOME, _MANY_DEAD * (chunks + len(gone))):
        return False
    old = [segment for (segment,) in connection.execute("SELECT id FROM term_segments")]
    new = number(connection, "INSERT INTO term_segments (chunks) VALUES (%s) RETURNING id", [chunks])
    with connection.cursor(name="postings", binary=True) as cursor:
        query = "SELECT term, string_agg(postings, ''::bytea) FROM postings WHERE segment = ANY(%s) GROUP BY term"
        cursor.execute(query, [old])
        while some := cursor.fetchmany(_READ_AT_ONCE):
            _write(connection, new, _without(some, gone))
    _drop(connection, old)
    # Those that went meanwhile stand behind them, and may be in the segment that was written.
    connection.execute("UPDATE library SET dead = substr(dead, %s), dead_since = dead_since + 1", [len(packed) + 1])
    return True


def _without(
    rows: Sequence[tuple[int, bytes]], gone: np.ndarray[tuple[int], np.dtype[np.uint32]]
) -> Iterable[tuple[int, bytes]]:
    for key, packed in rows:
        postings = np.frombuffer(packed, POSTING)
        if len(kept := postings[~np.isin(postings["ordinal"], gone)]):
            yield key, kept.tobytes()
