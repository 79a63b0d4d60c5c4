"""The names of a library in one of the lookups, filled when it is first asked after a change of the library."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock
from weakref import WeakKeyDictionary

from entities import NamePlace
from retrieval.lookups.base import NameLookup, known_places
from schema import EVERYWHERE, Scope
from stores.base import Store


@dataclass
class _LibraryLookup:
    generation: int
    lookup: NameLookup
    places: list[NamePlace] = field(default_factory=list)  # by the numbers that the lookup has for them


_one_at_a_time = Lock()
_filled: WeakKeyDictionary[Store, dict[int, _LibraryLookup]] = WeakKeyDictionary()


def places_by(method: int, store: Store, names: Iterable[str], scope: Scope = EVERYWHERE) -> dict[str, list[NamePlace]]:
    """Where each of these names stands, as `Store.name_places` says it, all places of each."""
    with _one_at_a_time:  # a lookup may put its entries in another order when it is asked
        known = _of(store, method)
        found = known_places(known.lookup, names)
    inside = set(store.opening(scope, sys.maxsize)) if scope else None
    places = {name: [known.places[number] for number in numbers] for name, numbers in found.items()}
    return {
        name: sorted(within, key=lambda one: (-one.home, -one.chunk_id))
        for name, some in places.items()
        if (within := [one for one in some if inside is None or one.chunk_id in inside])
    }


def _of(store: Store, method: int) -> _LibraryLookup:
    from retrieval.lookups import LOOKUPS, METHODS

    kept, generation = _filled.setdefault(store, {}), store.generation()
    if method not in kept or kept[method].generation != generation:
        chunks = store.opening(EVERYWHERE, sys.maxsize)
        said = [
            (name, NamePlace(chunk_id, home))
            for chunk_id, names in store.names(chunks).items()
            for home, some in ((True, names.about), (False, names.says))
            for name in some
        ]
        known = _LibraryLookup(generation, LOOKUPS[METHODS[method]](len({name for name, _ in said})))
        for number, (name, place) in enumerate(said):
            known.lookup.add(name, number)
            known.places.append(place)
        kept[method] = known
    return kept[method]
