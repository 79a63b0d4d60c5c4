"""What the cuckoo filter is compared with: a walk over all names, filters before it, a dictionary, SQLite, vectors."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from zlib import crc32

import numpy as np

from schema import Vectors


class NoLookup:
    """Knows nothing: what a question costs without names."""

    def add(self, name: str, place: int) -> None:
        pass

    def remove(self, name: str) -> bool:
        return False

    def places(self, name: str) -> list[int]:
        return []


class ForestWalk:
    """Trees of names, each node with one place; every question walks all of them, level by level. A name may stand in
    several trees."""

    def __init__(self, children: int = 8) -> None:
        self._children = children  # of a node
        self._nodes: list[tuple[str, int]] = []  # node n has the children n * children + 1 ..., as a heap has

    def add(self, name: str, place: int) -> None:
        self._nodes.append((name, place))

    def remove(self, name: str) -> bool:
        before = len(self._nodes)
        self._nodes = [node for node in self._nodes if node[0] != name]
        return len(self._nodes) < before

    def places(self, name: str) -> list[int]:
        found: list[int] = []
        level: Iterable[int] = [0] if self._nodes else []
        while level := list(level):
            found += [self._nodes[node][1] for node in level if self._nodes[node][0] == name]
            first, last = level[0] * self._children + 1, level[-1] * self._children + self._children
            level = range(first, min(last, len(self._nodes) - 1) + 1)
        return found


class DictLookup:
    def __init__(self) -> None:
        self._places: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)

    def add(self, name: str, place: int) -> None:
        self._places[name] += (place,)

    def remove(self, name: str) -> bool:
        return self._places.pop(name, None) is not None

    def places(self, name: str) -> list[int]:
        return [*self._places.get(name, ())]


_PROBES = 7
_BITS = 12  # for a name: 7 probes find .3 % of unknown names


class Bloom:
    """A Bloom filter before another lookup. What is removed stays in the filter, and is looked for in vain."""

    def __init__(self, behind: ForestWalk | DictLookup, names: int) -> None:
        self._behind, self._size = behind, max(64, _BITS * names)
        self._bits = bytearray(-(-self._size // 8))

    def _probes(self, name: str) -> list[int]:
        first, step = crc32(key := name.encode()), crc32(key[::-1]) | 1
        return [(first + n * step) % self._size for n in range(_PROBES)]

    def add(self, name: str, place: int) -> None:
        for bit in self._probes(name):
            self._bits[bit >> 3] |= 1 << (bit & 7)
        self._behind.add(name, place)

    def remove(self, name: str) -> bool:
        return self._behind.remove(name)

    def places(self, name: str) -> list[int]:
        if all(self._bits[bit >> 3] >> (bit & 7) & 1 for bit in self._probes(name)):
            return self._behind.places(name)
        return []


class SqliteLookup:
    """A table on the disk, as the embedded store has one."""

    def __init__(self, path: str = "") -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA synchronous = OFF")  # of the table alone there is nothing to lose
        self._connection.execute(
            "CREATE TABLE places (name TEXT, place INTEGER, PRIMARY KEY (name, place)) WITHOUT ROWID"
        )

    def add(self, name: str, place: int) -> None:
        self._connection.execute("INSERT OR IGNORE INTO places VALUES (?, ?)", [name, place])

    def remove(self, name: str) -> bool:
        return self._connection.execute("DELETE FROM places WHERE name = ?", [name]).rowcount > 0

    def places(self, name: str) -> list[int]:
        rows = self._connection.execute("SELECT place FROM places WHERE name = ?", [name])
        return [place for (place,) in rows]


_DIMENSIONS = 64
_NEAREST = 4


class NearestLookup:
    """The nearest names by vectors of their letters, which are compared with the name that is asked for."""

    def __init__(self) -> None:
        import faiss

        self._index = faiss.IndexIDMap2(faiss.IndexFlatIP(_DIMENSIONS))
        self._names: list[str] = []
        self._known = DictLookup()
        self._ids: dict[str, int] = {}

    def add(self, name: str, place: int) -> None:
        if name not in self._ids:
            self._ids[name] = len(self._names)
            self._names.append(name)
            self._index.add_with_ids(_letters(name)[None], np.array([self._ids[name]]))
        self._known.add(name, place)

    def remove(self, name: str) -> bool:
        import faiss

        if name not in self._ids:
            return False
        self._index.remove_ids(faiss.IDSelectorBatch(np.array([self._ids.pop(name)], np.int64)))
        return self._known.remove(name)

    def places(self, name: str) -> list[int]:
        _, [nearest] = self._index.search(_letters(name)[None], _NEAREST)
        return self._known.places(name) if name in (self._names[one] for one in nearest if one >= 0) else []


def _letters(name: str) -> Vectors:
    vector = np.zeros(_DIMENSIONS, np.float32)
    padded = f" {name} "
    for start in range(len(padded) - 1):
        vector[crc32(padded[start : start + 3].encode()) % _DIMENSIONS] += 1.0
    return vector / np.float32(np.linalg.norm(vector))
