"""What a library holds, read once a generation: every turn asks for it several times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from schema import DocSetInfo, DocumentInfo, Language, Scope
from stores.base import Store


class Catalogue:
    """Of one generation, each part read when it is first asked for: what is newer than the generation does no harm."""

    def __init__(self, store: Store) -> None:
        self.generation = store.generation()
        self._store = store

    @cached_property
    def documents(self) -> list[DocumentInfo]:
        """Newest first."""
        return self._store.documents()

    @cached_property
    def names(self) -> list[str]:
        return list(dict.fromkeys(info.name for info in self.documents))

    @cached_property
    def chunks(self) -> int:
        return sum(info.chunks for info in self.documents)

    @cached_property
    def doc_sets(self) -> list[DocSetInfo]:
        return self._store.doc_sets()

    @cached_property
    def _languages(self) -> Counter[Language]:
        return Counter(info.language for info in self.documents)

    def languages(self, scope: Scope) -> Counter[Language]:
        """How many documents there are of each."""
        return Counter(info.language for info in self.within(scope)) if scope else self._languages

    def within(self, scope: Scope) -> Iterator[DocumentInfo]:
        """Kinds and metadata are the store's to compare."""
        known = self._store.documents(scope) if scope.kinds or scope.metadata else self.documents
        names, doc_sets = frozenset(scope.documents), frozenset(scope.doc_sets)
        return (
            info for info in known if (not names or info.name in names) and (not doc_sets or info.doc_set in doc_sets)
        )
