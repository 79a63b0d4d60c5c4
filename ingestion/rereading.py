"""Documents whose original is kept are read anew, by the readers of today."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from errors import CitewiseError
from ingestion.readers.versions import AGAIN
from schema import IncomingFile, Scope
from stores.base import Store
from stores.metadata import checked

_READERS_OWN = {"note", "pages", "pages_without_text", "slides", "messages", "delimiter"}  # the new reader says them


def kept_file(store: Store, name: str, doc_set: str) -> IncomingFile | None:
    """The original of a document, to be taken in as it is stored: cut in the same way, from the same place, with what
    people have said of it. None where it is not kept."""
    infos = store.documents(Scope(documents=(name,), doc_sets=(doc_set,)))
    document, data = store.document(name, doc_set), store.original(name, doc_set)
    if not infos or document is None or data is None:
        return None
    origin = replace(infos[0].origin, reader=AGAIN)
    metadata = {key: value for key, value in document.metadata.items() if _is_said(key, value)}
    return IncomingFile(name, data, doc_set=doc_set, chunking=infos[0].chunking, origin=origin, metadata=metadata)


def _is_said(key: str, value: Any) -> bool:
    """Whether a person may have said it, or the file itself."""
    if key in _READERS_OWN:
        return False
    try:
        return bool(checked({key: value}))
    except CitewiseError:
        return False
