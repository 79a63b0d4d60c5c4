"""The forest of a library whose process is killed over and over: the same as that of one made from scratch."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.crash_model import Operation, State, after, batch, perform, space
from benchmarks.crash_process import Process, told
from benchmarks.crash_work import first_state, operations
from benchmarks.report import Bar, Report
from entities import ChunkNames
from stores.base import DocumentBatch, Store
from stores.embedded import EmbeddedStore
from stores.forest import forest

_KINDS = ["put", "put", "put several", "delete", "move", "delete set", "add set"]
_DOCUMENTS = 12
_AT_ONCE = 40  # operations between two kills, at most
_LATER = 0.03  # seconds after an operation's begin, at most: about twice as long as one takes
_NAMES = [f"name {letter}" for letter in "abcdefghijkl"]
_PARTS = ("Pump", "Safety", "Valves", "安全", "附录")
_MOST_TOLD = 5


def kill_forest(place: Path, count: int, seed: int, report: Report) -> None:
    """Add to the report what became of a forest in so many operations."""
    folder, state, chance = place / "forest", first_state("forest", _DOCUMENTS), random.Random(seed)
    told(make, folder, state)
    done = kills = 0
    problems: list[str] = []
    while done < count and not problems:
        states, finished = _work_and_kill(folder, f"{seed} {kills}", state, chance, min(_AT_ONCE, count - done))
        done, kills = done + finished, kills + 1
        found = told(differences, folder, states)
        problems = min(found, key=len)
        state = states[found.index(problems)]
    report.metrics["forest: acknowledged"], report.metrics["forest: killed"] = done, kills
    report.bars["forest as if made from scratch"] = Bar(len(problems), 0, most=True)
    report.notes += [f"forest (--seed {seed}, kill {kills}): {one}" for one in problems[:_MOST_TOLD]]


def _work_and_kill(folder: Path, seed: str, state: State, chance: random.Random, most: int) -> tuple[list[State], int]:
    """What the library may hold by now, and how many operations were acknowledged."""
    process, states, done, last = Process(work, folder, seed, state), [state], 0, chance.randint(1, most)
    for event, operation in process.heard():
        if event == "begins":
            states = [states[-1], after(states[-1], operation)]
            if done == last:
                time.sleep(chance.uniform(0, _LATER))
                process.kill()
        else:
            states, done = states[-1:], done + 1
    if process.ended() >= 0:
        raise RuntimeError("the process at work ended by itself; its message is above")
    return states, done


# --- in a process of its own -------------------------------------------------------------------------------------


def make(folder: Path, state: State) -> None:
    store = EmbeddedStore(folder)
    _fill(store, state)
    store.close()


def work(folder: Path, seed: str, state: State, said: Connection) -> None:
    """Operations, until killed; each is told when it begins and when it is done."""
    store, chance = EmbeddedStore(folder), random.Random(seed)
    for operation, before in operations(state, chance, _KINDS):
        said.send(("begins", operation))
        _perform(store, operation, before)
        said.send(("done", operation))


def differences(folder: Path, states: Sequence[State]) -> list[list[str]]:
    """Of the library to each of the states, as made from scratch."""
    store = EmbeddedStore(folder)
    try:
        return [[*_differences(store, state)] for state in states]
    finally:
        store.close()


def _differences(store: Store, state: State) -> Iterator[str]:
    fresh = EmbeddedStore()
    try:
        _fill(fresh, state)
        found, right = ({(one.doc_set, one.document): one for one in forest(of)} for of in (store, fresh))
        for key in found.keys() | right.keys():
            if key not in found or key not in right:
                yield f"{key} is {'missing' if key in right else 'too many'}"
            elif (found[key].edges, found[key].written) != (right[key].edges, right[key].written):
                yield f"the tree of {key} is {found[key].edges}, not {right[key].edges}"
    finally:
        fresh.close()


def _fill(store: Store, state: State) -> None:
    store.swap_space(space(state.space), [], [])
    store.put_all([_batch(*key, version, state.space) for key, version in state.documents.items()])


def _perform(store: Store, operation: Operation, state: State) -> None:
    if operation.kind.startswith("put"):
        store.put_all([_batch(*each, state.space) for each in operation.documents])
    else:
        perform(store, operation, state.space)


def _batch(name: str, doc_set: str, version: int, space_name: str) -> DocumentBatch:
    """A document of sections that lie in each other, with names in them."""
    made, chance = batch(name, doc_set, version, space_name), random.Random(f"forest {name} {version}")
    chunks, names = [], []
    for chunk in made.chunks:
        headings = tuple(chance.sample(_PARTS, chance.randint(1, 3)))
        some = chance.sample(_NAMES, 4)
        chunks.append(replace(chunk, headings=headings))
        names.append(ChunkNames((headings[-1].lower(), some[0]), tuple(some[1:])))
    return replace(made, chunks=chunks, names=names)
