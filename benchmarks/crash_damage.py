"""Files that are damaged while nobody uses the library: it heals, or says what to do; what is lost is told by name."""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.crash_look import copied, differences, look
from benchmarks.crash_model import State, after, perform
from benchmarks.crash_process import Process, told
from benchmarks.crash_work import operations
from errors import StoreError
from stores.embedded import EmbeddedStore
from stores.safety.health import check_library
from stores.safety.repair import rebuild_library

_COMMITS = 12  # in the log that is damaged
_WAYS = 6  # in which the files of a pattern are damaged, where they are fewer
_PAGE, _HEADER = 16_384, 100  # bytes of a page of the database, and of what stands before the first
_LOGGED = ["put", "put several", "delete", "move", "swap"]

Damage = Callable[[Path, random.Random], None]


def _cut(path: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(1, max(path.stat().st_size, 2)))


def _garbage(path: Path, chance: random.Random) -> None:
    path.write_bytes(chance.randbytes(max(path.stat().st_size, 100)))


def _flipped(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def _empty(path: Path, _: random.Random) -> None:
    path.write_bytes(b"")


def _gone(path: Path, _: random.Random) -> None:
    path.unlink()


def _other_version(path: Path, _: random.Random) -> None:
    """What another program's FAISS wrote."""
    import faiss

    faiss.write_index(faiss.index_factory(16, "Flat"), str(path))


HOW: dict[str, Damage] = {
    "cut": _cut, "garbage": _garbage, "flipped": _flipped, "empty": _empty, "gone": _gone,
    "other version": _other_version,
}  # fmt: skip


def _derived(pattern: str, how: Sequence[str] = tuple(HOW)) -> Callable[[Path, State, random.Random], Iterator[str]]:
    """Every file of the pattern, in some of these ways, each on a copy of the library."""

    def fault(folder: Path, state: State, chance: random.Random) -> Iterator[str]:
        paths = sorted(path for path in folder.glob(pattern) if path.is_file() and path.stat().st_size)
        if not paths:
            yield f"there is no {pattern}"
        for path in paths:
            for name in chance.sample(how, min(len(how), max(_WAYS // len(paths), 1))):
                with copied(folder) as copy:
                    HOW[name](copy / path.relative_to(folder), chance)
                    yield from (f"{path.name} {name}: {problem}" for problem in told(_healed, copy, state))

    return fault


def _healed(folder: Path, state: State) -> list[str]:
    """As `look`, but what `check` says first may be that an index is damaged."""
    told = [found for found in check_library(folder) if found.kind in ("loss", "damage")]
    found = [f"check: {one.message.en}" for one in told if one.part == "library.db" or one.remedy is None]
    EmbeddedStore(folder).close()
    return found + look(folder, [state])


vector_index = _derived("vectors*")
segments = _derived("terms/*.*", ("cut", "gone"))
meta = _derived("terms/meta.json")


def missing_folders(folder: Path, state: State, chance: random.Random) -> Iterator[str]:
    for path in sorted(path for path in folder.iterdir() if path.is_dir()):
        shutil.rmtree(path)
    yield from told(_healed, folder, state)


def left_over_locks(folder: Path, state: State, chance: random.Random) -> Iterator[str]:
    """As other programs leave them; ours are let go by the system when a process dies."""
    for name in ("lock", "terms/.tantivy-writer.lock", "terms/.tantivy-meta.lock", "library.db-shm"):
        (folder / name).write_bytes(b"left over")
    yield from told(_healed, folder, state)


# --- the log of the database -------------------------------------------------------------------------------------


def commit_and_die(folder: Path, state: State, seed: str, said: Connection) -> None:
    """Commits that are in the log alone, each told with the state after it."""
    store = EmbeddedStore(folder)
    for operation, before in islice(operations(state, random.Random(seed), _LOGGED), _COMMITS):
        perform(store, operation, before.space)
        said.send(after(before, operation))
    os.kill(os.getpid(), signal.SIGKILL)


def _damaged_log(folder: Path, chance: random.Random, how: str) -> None:
    path = folder / "library.db-wal"
    if how == "shm":
        (folder / "library.db-shm").unlink()
    elif how == "shm noise":
        _garbage(folder / "library.db-shm", chance)
    else:
        HOW[how](path, chance)


def log(folder: Path, state: State, chance: random.Random) -> Iterator[str]:
    """Whole commits are there or lost, none of them half; which documents are lost is told."""
    process = Process(commit_and_die, folder, state, str(chance.random()))
    states = [state, *process.heard()]
    process.ended()
    for how in ("cut", "cut", "flipped", "flipped", "garbage", "gone", "shm", "shm noise"):
        with copied(folder) as copy:
            _damaged_log(copy, chance, how)
            yield from (f"log {how}: {problem}" for problem in _recovered(copy, states))


def _recovered(folder: Path, states: Sequence[State]) -> Iterator[str]:
    kept, notices = told(recovered, folder, states)
    if kept is None:
        yield "what is there is half of something"
        return
    lost = {name for (name, _), _ in states[kept].documents.items() ^ states[-1].documents.items()}
    if unnamed := {name for name in lost if not any(name in notice for notice in notices)}:
        yield f"it is not told that {sorted(unnamed)} are lost: {notices}"
    if kept == len(states) - 1 and notices:
        yield f"nothing is lost, and yet: {notices}"
    yield from told(look, folder, [states[kept]], bool(notices))


def recovered(folder: Path, states: Sequence[State]) -> tuple[int | None, list[str]]:
    """After how many commits the library is as it was then, and what it says about it."""
    store = EmbeddedStore(folder)
    try:
        right = (place for place in reversed(range(len(states))) if not any(differences(store, states[place])))
        return next(right, None), [notice.en for notice in store.notices]
    finally:
        store.close()


# --- the database ------------------------------------------------------------------------------------------------


def pages(folder: Path, state: State, chance: random.Random) -> Iterator[str]:
    """A page of noise: `check` finds it, whoever opens or uses the library is told, `rebuild` saves the rest."""
    pages = (folder / "library.db").stat().st_size // _PAGE
    for page in (0, *chance.sample(range(1, pages), 5)):
        with copied(folder) as copy:
            with (copy / "library.db").open("r+b") as file:
                file.seek(page * _PAGE + (_HEADER if page == 0 else 0))
                file.write(chance.randbytes(_PAGE - _HEADER))
            yield from (f"page {page}: {problem}" for problem in told(_mended, copy, state, page > 0))


def _mended(folder: Path, state: State, readable: bool) -> list[str]:
    """Without its first page nothing of a database can be read: then there is only the backup."""
    found = (
        [] if any(one.kind == "damage" and one.remedy for one in check_library(folder)) else ["check has not seen it"]
    )
    try:
        store = EmbeddedStore(folder)
        try:
            list(differences(store, state))
        finally:
            store.close()
    except StoreError as error:
        found += [] if error.suggestions else [f"an error that does not say what to do: {error}"]
    except Exception as error:
        found.append(f"an error for nobody: {type(error).__name__}: {error}")
    try:
        said = " ".join(message.en for message in rebuild_library(folder))
    except StoreError as error:
        return found if not readable and error.suggestions else [*found, f"rebuild fails: {error}"]
    store = EmbeddedStore(folder)
    kept = {(info.name, info.doc_set) for info in store.documents()}
    store.close()
    lost = state.documents.keys() - kept
    found += [f"{name} is lost, and nobody says so: {said}" for name, _ in lost if name not in said]
    rest = State({key: state.documents[key] for key in kept}, state.space, state.doc_sets, bare=frozenset(kept))
    return found + [f"rebuilt: {problem}" for problem in look(folder, [rest])]
