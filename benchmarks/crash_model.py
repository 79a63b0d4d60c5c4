"""Made-up documents, and what a library of them must hold after each operation."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from schema import Chunk, Chunking, Document, Space, Task, Vectors
from stores.base import DocumentBatch, Store

Key = tuple[str, str]  # name and document set

_DIRECTIONS = 4_096  # words share them
_WORDS = [
    *(f"word{n}" for n in range(300)),
    *"河流 石头 桥梁 冬天 信件 花园 引擎 市场 白银 窗户 港口 老师 森林 纸张".split(),
]
_LARGE, _SMALL = 250, 9  # chunks


@dataclass(frozen=True)
class State:
    """What a library holds."""

    documents: dict[Key, int]  # and the version of its text
    space: str
    doc_sets: frozenset[str] = frozenset()
    waiting: frozenset[Key] = frozenset()  # files on their way
    bare: frozenset[Key] = frozenset()  # documents of which some chunks may have no vector yet
    backup: State | None = None  # what the backup of it holds


class Operation(NamedTuple):
    """A change of a library, or work that changes nothing in it."""

    kind: str
    documents: tuple[tuple[str, str, int], ...] = ()  # name, set, version
    doc_set: str = ""
    to: str = ""


# --- documents ---------------------------------------------------------------------------------------------------


def mark(name: str, version: int) -> str:
    """A word that only this version of this document holds."""
    return f"mark-{name}-{version}"


@lru_cache(4_000)
def paragraphs(name: str, version: int) -> tuple[str, ...]:
    """One chunk each. Some stay from version to version, and one stands in many documents."""
    chance = random.Random(f"{name} {version}")
    found = []
    for number in range(_LARGE if name.startswith("large") else chance.randrange(1, _SMALL)):
        if number == 2:
            found.append("common licence of everything")
        elif number % 3 == 1:
            words = random.Random(f"{name} {number}").choices(_WORDS, k=8)
            found.append(f"common lasting-{name}-{number} {' '.join(words)}")
        else:
            found.append(f"common {mark(name, version)} {number} {' '.join(chance.choices(_WORDS, k=8))}")
    return tuple(found)


def batch(name: str, doc_set: str, version: int, space_name: str) -> DocumentBatch:
    texts = paragraphs(name, version)
    chunks, start = [], 0
    for line, text in enumerate(texts, 1):
        chunks.append(Chunk(text, start, start + len(text), line, line))
        start += len(text) + 1
    document = Document(name, "\n".join(texts), doc_set, "text", "zh" if version % 2 else "en")
    terms = [" ".join(text.split()) for text in texts]
    how = Chunking(strategy="fixed", size=100)
    return DocumentBatch(document, how, chunks, terms, embed(texts, space_name), space(space_name).key)


def space(name: str) -> Space:
    return Space("made", name, "1", 32 if zlib.crc32(name.encode()) % 2 else 24, payload=b"\x00payload")


def embed(texts: Iterable[str], space_name: str) -> Vectors:
    """(n, dimensions): a bag of words, in another arrangement in each space; rows of length 1."""
    table = _table(space_name)
    rows = [table[[zlib.crc32(word.encode()) % _DIRECTIONS for word in text.split()]].sum(axis=0) for text in texts]
    vectors = np.array(rows, np.float32).reshape(-1, table.shape[1])
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9), np.float32)


@lru_cache(8)
def _table(space_name: str) -> Vectors:
    chance = np.random.default_rng(zlib.crc32(space_name.encode()))
    return chance.standard_normal((_DIRECTIONS, space(space_name).dimensions)).astype(np.float32)


# --- operations --------------------------------------------------------------------------------------------------


def _put(state: State, operation: Operation) -> State:
    keys = {(name, doc_set): version for name, doc_set, version in operation.documents}
    bare = state.bare | keys.keys() if operation.kind == "put late" else state.bare - keys.keys()
    sets = state.doc_sets | {doc_set for _, doc_set in keys if doc_set}
    return replace(
        state, documents={**state.documents, **keys}, doc_sets=sets, waiting=state.waiting - keys.keys(), bare=bare
    )


def _delete(state: State, operation: Operation) -> State:
    gone = {(name, doc_set) for name, doc_set, _ in operation.documents}
    kept = {key: version for key, version in state.documents.items() if key not in gone}
    return replace(state, documents=kept, bare=state.bare - gone)


def _move(state: State, operation: Operation) -> State:
    [(name, doc_set, _)] = operation.documents
    renamed = {(name, doc_set): (name, operation.to)}
    return replace(_under(state, renamed), doc_sets=(state.doc_sets | {operation.to}) - {""}, waiting=state.waiting)


def _rename(state: State, operation: Operation) -> State:
    keys = [key for key in (*state.documents, *state.waiting) if key[1] == operation.doc_set]
    sets = (state.doc_sets - {operation.doc_set}) | {operation.to}
    return replace(_under(state, {(name, of): (name, operation.to) for name, of in keys}), doc_sets=sets)


def _under(state: State, names: dict[Key, Key]) -> State:
    return replace(
        state,
        documents={names.get(key, key): version for key, version in state.documents.items()},
        waiting=frozenset(names.get(key, key) for key in state.waiting),
        bare=frozenset(names.get(key, key) for key in state.bare),
    )


def _delete_set(state: State, operation: Operation) -> State:
    return replace(
        state,
        documents={key: version for key, version in state.documents.items() if key[1] != operation.doc_set},
        doc_sets=state.doc_sets - {operation.doc_set},
        waiting=frozenset(key for key in state.waiting if key[1] != operation.doc_set),
        bare=frozenset(key for key in state.bare if key[1] != operation.doc_set),
    )


def _wait(state: State, operation: Operation) -> State:
    new = {(name, doc_set) for name, doc_set, _ in operation.documents}
    sets = state.doc_sets | {doc_set for _, doc_set in new if doc_set}
    return replace(state, waiting=state.waiting | new, doc_sets=sets)


def _backup(state: State, _: Operation) -> State:
    return replace(state, backup=replace(state, backup=None))


def _restore(state: State, _: Operation) -> State:
    return replace(state.backup or state, backup=state.backup)


EFFECTS: dict[str, Callable[[State, Operation], State]] = {  # all else leaves a library as it is
    "put": _put,
    "put large": _put,
    "put several": _put,
    "put late": _put,
    "delete": _delete,
    "move": _move,
    "rename set": _rename,
    "delete set": _delete_set,
    "add set": lambda state, operation: replace(state, doc_sets=state.doc_sets | {operation.doc_set}),
    "add tasks": _wait,
    "add vectors": lambda state, _: replace(state, bare=frozenset()),
    "swap": lambda state, operation: replace(state, space=operation.to, bare=frozenset()),
    "backup": _backup,
    "restore": _restore,
}


def after(state: State, operation: Operation) -> State:
    effect = EFFECTS.get(operation.kind)
    return effect(state, operation) if effect else state


def perform(store: Store, operation: Operation, space_name: str) -> None:
    """A change of a library that `space_name` serves."""
    documents = operation.documents
    match operation.kind:
        case "put" | "put large" | "put several" | "put late":
            tasks = {(task.name, task.doc_set): task.id for task in store.tasks()}
            late = operation.kind == "put late"
            batches = [replace(batch(*each, space_name), task=tasks.get(each[:2])) for each in documents]
            store.put_all([replace(one, missing=frozenset(range(late * len(one.chunks)))) for one in batches])
        case "delete":
            store.delete(*documents[0][:2])
        case "move":
            store.move(*documents[0][:2], operation.to)
        case "rename set":
            store.rename_doc_set(operation.doc_set, operation.to)
        case "delete set":
            store.delete_doc_set(operation.doc_set)
        case "add set":
            store.add_doc_set(operation.doc_set)
        case "add tasks":
            store.add_tasks([Task(0, "add", name, doc_set, "pending") for name, doc_set, _ in documents])
        case "add vectors":
            ids = store.without_vectors()
            texts = [text for _, text in store.indexed_texts(ids)]
            store.add_vectors(space(space_name).key, ids, embed(texts, space_name))
        case "swap":
            stored = list(store.indexed_texts())
            vectors = embed([text for _, text in stored], operation.to)
            store.swap_space(space(operation.to), [chunk_id for chunk_id, _ in stored], vectors)
