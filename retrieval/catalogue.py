"""What a library holds, read once a generation: every turn asks for it several times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from schema import DocSetInfo, DocumentInfo, Language, Scope
from stores.base import Store

_TITLED = 2_000  # documents whose titles are known: of more, the newest
_LONGEST_TITLE = 80  # characters; a longer first line is a sentence
_ENDS = (".", "。", "!", "！", "?", "？", ",", "，", ";", "；", ":", "：")


class Catalogue:
    """Of one generation, each part read when it is first asked for: what is newer than the generation does no harm."""

    def __init__(self, store: Store, earlier: Catalogue | None = None) -> None:
        self.generation = store.generation()
        self._store = store
        self._titled: dict[tuple[str, str, str], str] = dict(earlier._titled) if earlier else {}

    @cached_property
    def documents(self) -> list[DocumentInfo]:
        """Newest first."""
        return self._store.documents()

    @cached_property
    def names(self) -> list[str]:
        return list(dict.fromkeys(info.name for info in self.documents))

    @cached_property
    def titles(self) -> dict[str, str]:
        """The titles, or first headings, of the newest documents by their names; read once a document."""
        newest = self.documents[:_TITLED]
        keys = {(info.name, info.doc_set, info.digest): info for info in newest}
        self._titled = {key: self._titled.get(key) or self._title_of(info) for key, info in keys.items()}
        return {name: title for (name, *_), title in reversed(self._titled.items()) if title}

    def _title_of(self, info: DocumentInfo) -> str:
        if info.origin.title:
            return info.origin.title[:_LONGEST_TITLE]
        first = self._store.chunks(info.name, info.doc_set, 0, 1)
        if not first:
            return ""
        line = next((line.strip("#* \t") for line in first[0].text.split("\n") if line.strip("#* \t")), "")
        title = first[0].headings[0] if first[0].headings else line
        return title if len(title) <= _LONGEST_TITLE and not title.endswith(_ENDS) else ""

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
            info
            for info in known
            if (not names or info.name in names)
            and (not doc_sets or info.doc_set in doc_sets)
            and info.name not in scope.without
        )
