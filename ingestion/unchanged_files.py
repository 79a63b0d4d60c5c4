"""Files that are stored already as they are, which need not be read again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from schema import Chunking, DocumentInfo, Origin, Scope, StoreOutcome, Task
from stores.base import Store


def is_unchanged(stored: DocumentInfo, origin: Origin, wish: Chunking) -> bool:
    """Whether the file with this stamp is stored, from there, and cut as wished; no wish is content with how it is.
    Where the origin names a reader, it is to be read anew."""
    known = (stored.origin.stamp, stored.origin.source) == (origin.stamp, origin.source)
    return bool(origin.stamp) and not origin.reader and known and wish.over(stored.chunking) == stored.chunking


def unchanged(store: Store, tasks: Sequence[Task]) -> Iterator[tuple[int, StoreOutcome]]:
    """Tasks, by their place, whose stamp says that they are done, and whose metadata their document has."""
    stamped = [task for task in tasks if task.job == "add" and task.origin.stamp]
    if not stamped:
        return
    names, doc_sets = ({getattr(task, of) for task in stamped} for of in ("name", "doc_set"))
    stored = store.documents(Scope(documents=tuple(names), doc_sets=tuple(doc_sets)))
    by_name = {(info.doc_set, info.name): info for info in stored}
    for place, task in enumerate(tasks):
        info = by_name.get((task.doc_set, task.name))
        if not info or task.job != "add" or not is_unchanged(info, task.origin, task.chunking):
            continue
        if not task.metadata or _says(store, info, task.metadata):
            yield place, StoreOutcome("unchanged", info)


def _says(store: Store, info: DocumentInfo, metadata: Mapping[str, Any]) -> bool:
    """Value by value: true is not 1."""
    document = store.document(info.name, info.doc_set)
    known = document.metadata if document else {}
    return all(name in known and json.dumps(known[name]) == json.dumps(metadata[name]) for name in metadata)
