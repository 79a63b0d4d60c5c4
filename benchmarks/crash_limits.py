"""What a machine can refuse: space, the right to write, the folder itself. Nothing is lost, and the error says why."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from unittest import mock

from benchmarks.crash_disk import NoSmallDisk, full_but_for, small_disk
from benchmarks.crash_look import copied, differences, look, stored_differently
from benchmarks.crash_model import Operation, State, after, perform
from benchmarks.crash_process import told
from benchmarks.crash_work import first_state, make_old
from errors import StoreError
from stores.embedded import EmbeddedStore

_NOBODY = 65_534
_DISK = 64 << 20  # bytes
_NEW = Operation("put", (("small-new", "", 500),))
_WORK = [
    Operation("put", (("small-new", "red", 501),)),
    Operation("put large", (("large-new", "", 502),)),
    Operation("put several", (("large-new", "", 503), ("small-new", "red", 504))),
    Operation("move", (("small-new", "red", 0),), to="violet"),
    Operation("swap", to="another"),
]


@contextmanager
def _files_of(most: int, _: EmbeddedStore | None = None) -> Iterator[None]:
    """No file of this process can grow past so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def _pages(more: int, store: EmbeddedStore) -> Iterator[None]:
    """The database file cannot grow by more pages."""
    writer = store._database.writer
    [pages] = writer.execute("PRAGMA page_count").fetchone()
    writer.execute(f"PRAGMA max_page_count = {pages + more}")
    try:
        yield
    finally:
        with suppress(sqlite3.ProgrammingError):  # it is closed by now
            writer.execute("PRAGMA max_page_count = 1000000000")


Limit = Callable[[EmbeddedStore], AbstractContextManager[None]]


def _sizes(chance: random.Random) -> list[int]:
    return [0, *(int(10 ** chance.uniform(3, 7)) for _ in range(2))]  # bytes


def no_space(folder: Path, state: State, chance: random.Random) -> Iterator[str]:
    """Changes in too little space: each is done, or fails and says what to do, and can be done later."""
    limits: dict[str, Limit] = {f"files of {most} bytes": partial(_files_of, most) for most in _sizes(chance)}
    limits |= {f"{more} more pages": partial(_pages, more) for more in (0, 5)}
    for name, limit in limits.items():
        with copied(folder) as copy:
            yield from (f"{name}: {problem}" for problem in told(_change_in, copy, state, limit))


def full_disk(folder: Path, state: State, chance: random.Random) -> Iterator[str]:
    """The same on a disk that has so many bytes left."""
    for left in (0, *(16_384 * round(2 ** chance.uniform(0, 8)) for _ in range(4))):
        problems = told(_change_on_disk, folder, state, left)
        if problems is None:
            raise NoSmallDisk("not tried: this process may mount no disk")
        yield from (f"{left} bytes left: {problem}" for problem in problems)


def _change_on_disk(folder: Path, state: State, left: int) -> list[str] | None:
    disk = folder.with_name("disk")
    disk.mkdir(exist_ok=True)
    try:
        small_disk(disk, _DISK)
    except NoSmallDisk:
        return None
    shutil.copytree(folder, disk / "library")
    return _change_in(disk / "library", state, lambda _: full_but_for(disk, left))


def _change_in(folder: Path, state: State, limit: Limit) -> list[str]:
    store, found = EmbeddedStore(folder), list[str]()
    for number, operation in enumerate(_WORK):
        work = partial(perform, store, operation, state.space)
        with limit(store):
            refused = _refused(work)
        found += [f"{operation.kind}: {problem}" for problem in refused or []]
        then = after(state, operation)
        states = [then] if refused is None else [state, then]
        found += [f"{operation.kind}: {problem}" for problem in _neither(store, *states)]
        if refused is not None:
            work()
        later = Operation("put", (("small-later", "", 600 + number),))  # what had to wait comes with it
        perform(store, later, then.space)
        state = after(then, later)
        found += [f"{operation.kind} with space again: {problem}" for problem in differences(store, state)]
    with limit(store):
        found += [f"close: {problem}" for problem in _refused(store.close) or []]
    return found + [f"opened again: {problem}" for problem in look(folder, [state])]


def _neither(store: EmbeddedStore, *states: State) -> list[str]:
    """What is wrong where the library holds what it holds in none of the states."""
    found = [list(stored_differently(store, state)) for state in states]
    return min(found, key=len)


def no_space_to_open(folder: Path, state: State, chance: random.Random) -> Iterator[str]:
    """The same with what an opening has to write: the library in a new form, indexes that are not there."""
    old = first_state("old", 20)
    for most in _sizes(chance):
        for version in (1, 2):
            target = folder.with_name("old")
            told(make_old, target, old, version)
            yield from (f"version {version}, files of {most} bytes: {p}" for p in told(_open_in, target, old, most))
            shutil.rmtree(target)
        with copied(folder) as copy:
            shutil.rmtree(copy / "terms")
            yield from (f"no terms, files of {most} bytes: {p}" for p in told(_open_in, copy, state, most))


def _open_in(folder: Path, state: State, most: int) -> list[str]:
    with _files_of(most):
        found = _refused(lambda: EmbeddedStore(folder).close()) or []
    return found + look(folder, [state])


def not_writable(folder: Path, state: State, chance: random.Random) -> Iterator[str]:
    """A folder, or some files in it, that may only be read."""
    readable = 0o555, 0o444
    for what in (".", "library.db", "terms", "terms/meta.json", "lock", "journal.jsonl"):
        with copied(folder) as copy:
            paths = [copy / what] if what != "." else [copy, *copy.rglob("*")]
            for path in [copy, *copy.rglob("*")]:
                os.chown(path, _NOBODY, _NOBODY) if os.geteuid() == 0 else None
            for path in (path for path in paths if path.exists()):
                path.chmod(readable[path.is_file()])
            found = told(_open_as_nobody, copy, state)
            for path in (path for path in paths if path.exists()):
                path.chmod(0o700)
            yield from (f"{what} cannot be written: {problem}" for problem in [*found, *told(look, copy, [state])])


def _open_as_nobody(folder: Path, state: State) -> list[str]:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
    stores: list[EmbeddedStore] = []
    found = _refused(lambda: stores.append(EmbeddedStore(folder)))
    for store in stores:
        found = list(differences(store, state))
        refused = _refused(partial(perform, store, _NEW, state.space))  # it may be saved, and not be found yet
        found += _neither(store, state if refused is not None else after(state, _NEW))
        if refused is None:
            perform(store, Operation("delete", _NEW.documents), state.space)
        found += [*(refused or []), *(_refused(store.close) or [])]
    return found or []


def two_processes(folder: Path, state: State, chance: random.Random) -> Iterator[str]:
    store = EmbeddedStore(folder)
    yield from told(_must_refuse, folder)
    yield from differences(store, state)
    store.close()
    yield from told(look, folder, [state])


def _must_refuse(folder: Path) -> list[str]:
    found = _refused(lambda: EmbeddedStore(folder))
    return ["a second process has opened it"] if found is None else found


def closed_by_many(folder: Path, state: State, chance: random.Random) -> Iterator[str]:
    """Threads that close at once, while others search and write: what is used later is refused, nothing is torn."""
    yield from told(_close_often, folder, state)
    known = after(state, _WORK[0])
    yield from told(look, folder, [state, known])


def _close_often(folder: Path, state: State) -> list[str]:
    store, found = EmbeddedStore(folder), list[str]()

    def search() -> None:
        with suppress(StoreError):
            for _ in range(100):
                store.search_terms(["common"], 10)
                store.documents()

    def write() -> None:
        with suppress(StoreError):
            perform(store, _WORK[0], state.space)

    def noted(work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:
            found.append(f"{work.__name__}: {type(error).__name__}: {error}")

    works = [store.close, search, write, store.close, search, store.close]
    threads = [threading.Thread(target=noted, args=[work], daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return found + ["a thread hangs" for thread in threads if thread.is_alive()]


def clock_put_back(folder: Path, state: State, chance: random.Random) -> Iterator[str]:
    yield from told(_work_in_the_past, folder, state)
    for operation in _WORK:
        state = after(state, operation)
    yield from told(look, folder, [state])


def _work_in_the_past(folder: Path, state: State) -> list[str]:
    found = []
    with mock.patch("time.time_ns", return_value=1_000_000_000):
        store = EmbeddedStore(folder)
        for operation in _WORK:
            before = store.generation()
            perform(store, operation, state.space)
            state = after(state, operation)
            if store.generation() <= before:
                found.append(f"{operation.kind}: the generation went back")
            found += differences(store, state)
        store.close()
    return found


def _refused(work: Callable[[], object]) -> list[str] | None:
    """None when it was done; else what is wrong with how it was refused."""
    try:
        work()
    except StoreError as error:
        return [] if error.suggestions else [f"an error that does not say what to do: {error}"]
    except Exception as error:
        return [f"an error for nobody: {type(error).__name__}: {error}"]
    return None
