"""The process of the crash benchmark that works on a library until it is killed, and the libraries to begin with."""

from __future__ import annotations

import itertools
import random
import shutil
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import faiss  # noqa: F401  # loaded once, before the processes part
import rjieba  # noqa: F401
import tantivy  # noqa: F401

from benchmarks.crash_look import backup_of, opened
from benchmarks.crash_model import EFFECTS, Operation, State, after, batch, perform, space
from schema import VectorIndexName
from stores.embedded import EmbeddedStore
from stores.sql.migrations import MIGRATIONS, migrate
from stores.sql.rows import chunking_json, text_key

KINDS = [*EFFECTS, "settle", "rebuild", "close", "heal terms", "heal vectors"]
_SETS = ["", "red", "green", "blue"]
_MOST_BEFORE = 6  # number of the operation that is waited for, at most


# --- libraries to begin with -------------------------------------------------------------------------------------


def first_state(seed: str, documents: int) -> State:
    chance = random.Random(seed)
    names = [f"{'large' if number % 12 == 0 else 'small'}-{number}" for number in range(documents)]
    keys = {(name, chance.choice(_SETS)): number for number, name in enumerate(names, 1)}
    return State(keys, "first", frozenset(doc_set for _, doc_set in keys) - {""})


def make(folder: Path, state: State) -> None:
    store = EmbeddedStore(folder)
    store.swap_space(space(state.space), [], [])
    store.put_all([batch(*key, version, state.space) for key, version in state.documents.items()])
    store.close()


def make_old(folder: Path, state: State, version: int) -> None:
    """As the program wrote it when the schema had so many steps."""
    folder.mkdir(parents=True)
    connection = sqlite3.connect(folder / "library.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    migrate(connection, MIGRATIONS[:1])
    connection.execute("BEGIN")
    one = space(state.space)
    connection.execute(
        "INSERT INTO spaces VALUES (1, ?, ?, ?, ?, ?, ?, NULL, 0, 1)",
        [one.key, one.provider, one.model, one.revision, one.dimensions, one.payload],
    )
    chunk_id = 1_700_000_000_000_000
    for number, (key, text_version) in enumerate(state.documents.items(), 1):
        of = batch(*key, text_version, state.space)
        text, about = of.document.text, of.document
        connection.execute(
            "INSERT INTO documents VALUES (?, ?, ?, 'text', ?, 9, '{}', ?, ?, ?, '2026-01-02T03:04:05+00:00', ?)",
            [number, *key, about.language, about.digest, chunking_json(of.chunking), len(of.chunks), number],
        )
        blocks = enumerate(range(0, len(text), 16_384))
        connection.executemany(
            "INSERT INTO texts VALUES (?, ?, ?)", [(number, block, text[at : at + 16_384]) for block, at in blocks]
        )
        for position, (chunk, terms, vector) in enumerate(zip(of.chunks, of.terms, of.vectors, strict=True)):
            chunk_id += 1
            packed = zlib.compress(terms.encode(), 1)
            connection.execute(
                "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, '[]', ?, ?)",
                [chunk_id, number, position, chunk.start, chunk.end, chunk.start_line, chunk.end_line,
                 text_key(chunk.text), packed],
            )  # fmt: skip
            connection.execute("INSERT INTO vectors VALUES (?, 1, ?)", [chunk_id, vector.tobytes()])
    connection.execute("UPDATE meta SET value = ?", [chunk_id])
    connection.execute("COMMIT")
    migrate(connection, MIGRATIONS[:version])
    connection.close()


# --- working -----------------------------------------------------------------------------------------------------


def work(folder: Path, index: VectorIndexName, seed: str, state: State, wanted: str, said: Connection) -> None:
    """Some operations, the wanted one, and others until killed; each is told when it begins and when it is done."""
    worker, chance = _Worker(folder, index, said), random.Random(seed)
    worker.tell(Operation("open"), worker.open)
    for operation, before in operations(state, chance, KINDS, wanted, chance.randint(1, _MOST_BEFORE)):
        worker.tell(operation, partial(worker.do, operation, before.space))


def operations(
    state: State, chance: random.Random, kinds: Sequence[str], wanted: str = "", at: int = 0
) -> Iterator[tuple[Operation, State]]:
    """Without end, each with the state before it; the one at a place, or the next that is possible, is the wanted."""
    for number in itertools.count(1):
        operation = _operation(wanted if number == at else chance.choice(kinds), chance, state, number)
        at += number == at and (operation is None or operation.kind != wanted)
        if operation is not None:
            yield operation, state
            state = after(state, operation)


class _Worker:
    def __init__(self, folder: Path, index: VectorIndexName, said: Connection) -> None:
        self.folder, self._index, self._said = folder, index, said
        self.store: EmbeddedStore

    def tell(self, operation: Operation, work: Callable[[], None]) -> None:
        self._said.send(("begins", operation, 0.0))
        begun = time.perf_counter()
        work()
        self._said.send(("done", operation, time.perf_counter() - begun))

    def open(self) -> None:
        self.store = opened(self.folder, self._index)

    def do(self, operation: Operation, serving: str) -> None:
        match operation.kind:
            case "backup":
                self.store.backup(backup_of(self.folder), force=True)
            case "restore":
                self.store.restore(backup_of(self.folder))
            case "rebuild":
                self.store.rebuild()
            case "settle":  # what the changes before have begun in the background
                self.store.settle()
            case "close" | "heal terms" | "heal vectors":
                self.store.close()
                self._damage(operation.kind)
                self.open()
            case _:
                perform(self.store, operation, serving)

    def _damage(self, kind: str) -> None:
        if kind == "heal terms":
            shutil.rmtree(self.folder / "terms")
        elif kind == "heal vectors":
            for path in self.folder.glob("vectors*"):
                path.unlink()


def _operation(kind: str, chance: random.Random, state: State, number: int) -> Operation | None:
    """One of this kind, None where the library has nothing that it could be done to."""
    version, sets, keys = 1_000 + number, sorted(state.doc_sets), sorted(state.documents)
    new = (f"{'large' if kind == 'put large' else 'small'}-new-{number}", chance.choice(_SETS), version)
    match kind:
        case "put" | "put late":
            again = sorted(state.waiting) or [key for key in keys if key[0].startswith("small")]
            return Operation(kind, ((*chance.choice(again), version) if again and chance.random() < 0.6 else new,))
        case "put large":
            replaced = [(*key, version) for key in keys if key[0].startswith("large")]
            return Operation(kind, (chance.choice([*replaced, new]),))
        case "put several":
            some = chance.sample(keys, min(len(keys), chance.randrange(4)))
            return Operation(kind, (*((*key, version + place) for place, key in enumerate(some)), new))
        case "delete" | "move" if keys:
            key = chance.choice(keys)
            free = [to for to in (*_SETS, "violet") if (key[0], to) not in state.documents]
            return Operation(kind, ((*key, 0),), to=chance.choice(free)) if free else None
        case "rename set" if sets:
            return Operation(kind, doc_set=chance.choice(sets), to=f"named-{number}")
        case "delete set" if sets:
            return Operation(kind, doc_set=chance.choice(sets))
        case "add set":
            return Operation(kind, doc_set=f"added-{number}")
        case "add tasks":
            return Operation(kind, tuple((f"small-task-{number}-{n}", new[1], 0) for n in range(3)))
        case "swap":
            return Operation(kind, to=f"space-{number}")
        case "restore" if state.backup is None:
            return Operation("backup")
        case "delete" | "move" | "rename set" | "delete set":  # there is nothing that it could be done to
            return None
    return Operation(kind)
