"""The glossary of a library: pairs that were given by hand, and those in document sets that are named so."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from schema import GlossaryPair, Scope
from stores.base import Store
from translation.glossary import SETS, Glossary, read_pairs

_known: WeakKeyDictionary[Store, tuple[int, Glossary]] = WeakKeyDictionary()  # by generation, of open libraries


def all_pairs(store: Store) -> list[GlossaryPair]:
    """Those that were given by hand first, then those of documents."""
    named = tuple(one.name for one in store.doc_sets() if one.name.casefold() in SETS)
    infos = store.documents(Scope(doc_sets=named)) if named else []
    documents = [document for info in infos if (document := store.document(info.name, info.doc_set))]
    return [*store.glossary(), *(pair for one in documents for pair in read_pairs(one.text, one.name))]


def glossary_of(store: Store) -> Glossary:
    """Read once a generation."""
    generation = store.generation()
    glossary = known_glossary(store, generation)
    if glossary is None:
        glossary = Glossary(all_pairs(store))
        _known[store] = generation, glossary
    return glossary


def known_glossary(store: Store, generation: int) -> Glossary | None:
    """That of a generation, if it has been read."""
    known, glossary = _known.get(store, (-1, None))
    return glossary if known == generation else None
