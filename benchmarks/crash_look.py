"""Whether a library holds what it must, as a process sees it that has just started."""

from __future__ import annotations

import shutil
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.crash_model import Key, Operation, State, after, embed, mark, paragraphs, perform, space
from schema import Hit, Scope, VectorIndexName
from stores.base import Store
from stores.embedded import EmbeddedStore
from stores.indexes import library_vectors, vector_fitting
from stores.safety.backup import LIBRARY
from stores.safety.health import check_library
from stores.safety.repair import restore_library


@contextmanager
def copied(folder: Path) -> Iterator[Path]:
    """A copy that is gone afterwards."""
    copy = folder.with_name(f"{folder.name} copy")
    shutil.copytree(folder, copy)
    try:
        yield copy
    finally:
        shutil.rmtree(copy)


def opened(folder: Path, index: VectorIndexName = "auto") -> EmbeddedStore:
    """The library, with a vector index that is laid out, tried, saved and followed as in one a hundred times larger."""
    library_vectors._SOME, library_vectors._LARGE, library_vectors._SAVE_AFTER, library_vectors._AT_ONCE = (
        100,
        200,
        50,
        64,
    )
    vector_fitting._QUESTIONS, vector_fitting._FEW = 40, 10
    return EmbeddedStore(folder, vector_index=index)


def reopen(folder: Path, index: VectorIndexName = "auto") -> None:
    opened(folder, index).close()


def backup_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.zip")


def look(folder: Path, states: Sequence[State], lost: bool = False, index: VectorIndexName = "auto") -> list[str]:
    """What is wrong with the library, of which any of the states would be right, and whether it goes on. Where commits
    were lost before, that is still told."""
    return [*_problems(folder, states, lost, index), *_problems_of_backup(folder, states)]


def _problems_of_backup(folder: Path, states: Sequence[State]) -> Iterator[str]:
    kept, copy = backup_of(folder), folder.with_name(f"{folder.name} restored")
    backups = [state.backup for state in states]
    if kept.exists():
        restore_library(copy, kept)
        yield from (f"the backup: {problem}" for problem in _problems(copy, [one for one in backups if one]))
        shutil.rmtree(copy)
    elif None not in backups:
        yield "the backup is not there"


def _problems(
    folder: Path, states: Sequence[State], lost: bool = False, index: VectorIndexName = "auto"
) -> Iterator[str]:
    first = check_library(folder)
    if lost != any(one.kind == "loss" for one in first):
        yield f"check says of lost changes, before the library is opened: {first}"
    if any(one.kind == "damage" and one.part == LIBRARY for one in first):
        yield f"check says of the database, before it is opened: {first}"
    store = opened(folder, index)
    try:
        if lost != bool(store.notices):
            yield f"what it says of lost changes: {store.notices}"
        found = [list(differences(store, state)) for state in states]
        if all(found):
            yield from min(found, key=len)
            return
        state = states[found.index([])]
        operation = Operation("put", (("small-afterwards", "", 99_999),))
        store.settle()
        perform(store, operation, state.space)
        yield from (f"it does not go on: {problem}" for problem in differences(store, after(state, operation)))
        perform(store, Operation("delete", operation.documents), state.space)
    finally:
        store.close()
    fine = ("ok", "loss") if lost else ("ok",)
    yield from (f"check: {found.message.en}" for found in check_library(folder) if found.kind not in fine)


def differences(store: Store, state: State) -> Iterator[str]:
    """In what the library differs from the state; nothing when it is whole."""
    untrue = list(stored_differently(store, state))
    yield from untrue
    if not untrue:
        chunks = {key: store.chunks(*key, k=sys.maxsize) for key in state.documents}
        yield from _unfound_by_words(store, state, chunks)
        yield from _unfound_by_vectors(store, state, chunks)


def stored_differently(store: Store, state: State) -> Iterator[str]:
    """The same of what is stored, found or not."""
    infos = {(info.name, info.doc_set): info for info in store.documents()}
    if infos.keys() != state.documents.keys():
        yield f"documents: {_both(infos.keys(), state.documents.keys())}"
        return
    for key, version in state.documents.items():
        document = store.document(*key)
        if document is None or document.text != "\n".join(paragraphs(key[0], version)):
            yield f"the text of {key} is not that of version {version}"
    sets, waiting = (
        {info.name for info in store.doc_sets()} - {""},
        {(task.name, task.doc_set) for task in store.tasks()},
    )
    serving = store.space()
    if sets != state.doc_sets:
        yield f"document sets: {_both(sets, state.doc_sets)}"
    if waiting != state.waiting:
        yield f"tasks: {_both(waiting, state.waiting)}"
    if serving is None or serving.key != space(state.space).key:
        yield f"the space {serving and serving.key} serves, not {state.space}"
    for key, info in infos.items():
        texts = tuple(hit.text for hit in store.chunks(*key, k=sys.maxsize))
        if texts != paragraphs(key[0], state.documents[key]) or info.chunks != len(texts):
            yield f"the chunks of {key} are not those of its text"


def _unfound_by_words(store: Store, state: State, chunks: dict[Key, list[Hit]]) -> Iterator[str]:
    of_set: dict[str, set[int]] = defaultdict(set)
    for key, hits in chunks.items():
        of_set[key[1]] |= (ids := {hit.chunk_id for hit in hits})
        own = mark(key[0], state.documents[key])
        having = {hit.chunk_id for hit in hits if own in hit.text.split()}
        if not _ids(store, own, Scope(documents=key[:1], doc_sets=key[1:])) == having <= _ids(store, own):
            yield f"{key} is not found by its own word"
        if _ids(store, "common", Scope(documents=key[:1], doc_sets=key[1:])) != ids:
            yield f"not all chunks of {key} are found by a common word"
    for doc_set in {"", *state.doc_sets}:
        if _ids(store, "common", Scope(doc_sets=(doc_set,))) != of_set[doc_set]:
            yield f"what is found in the set {doc_set!r} is not what it holds"
    if _ids(store, "common") != set().union(*of_set.values()):
        yield "a common word finds what is not there, or not all that is"


def _ids(store: Store, term: str, scope: Scope | None = None) -> set[int]:
    return {found.chunk_id for found in store.search_terms([term], 1_000_000, scope or Scope())}


def _unfound_by_vectors(store: Store, state: State, chunks: dict[Key, list[Hit]]) -> Iterator[str]:
    bare = set(store.without_vectors())
    for key, hits in chunks.items():
        ids, right = [hit.chunk_id for hit in hits], embed([hit.text for hit in hits], state.space)
        late = np.array([chunk_id in bare for chunk_id in ids])
        if late.any() and key not in state.bare:
            yield f"chunks of {key} have no vector"
        if not np.allclose(store.vectors(ids), np.where(late[:, None], 0, right), atol=2e-3):
            yield f"the vectors of {key} are not those of its chunks"
        there = {chunk_id for chunk_id in ids if chunk_id not in bare}
        scope = Scope(documents=key[:1], doc_sets=key[1:])
        if {found.chunk_id for found in store.search_vector(right[0], len(ids) + 1, scope)} != there:
            yield f"not all chunks of {key} are found by a vector"
        for place in [place for place in (0, len(ids) // 2, len(ids) - 1) if not late[place]]:
            best = store.search_vector(right[place], 1)
            if not best or best[0].score < 0.99:
                yield f"chunk {place} of {key} is not found by its own vector"


def _both(found: Iterable[object], expected: Iterable[object]) -> str:
    found, expected = set(found), set(expected)
    return f"{sorted(found - expected, key=str)} too many, {sorted(expected - found, key=str)} missing"
