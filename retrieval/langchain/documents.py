"""LangChain's documents as documents of a library, and what a library finds as LangChain's documents.

What comes through LangChain is a document of one chunk, never cut, whose name is the id; its metadata come back as
they were. Any other document is found chunk by chunk, with what `Hit.metadata` says. Of a document with several chunks
each has the id "name#position"; where the face has no set of its own, "set/" stands before the name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document as Found
from pydantic import ValidationError

from retrieval.langchain.problems import not_json, unfit_filter
from schema import AS_USUAL, EVERYWHERE, Chunk, Document, DocumentInfo, Hit, Scope, Vectors
from stores.base import DocumentBatch, Store
from text import count_tokens, language_of, search_tokens

Filter = Mapping[str, Any] | Scope | None


def whole(name: str, text: str, metadata: Mapping[str, Any], doc_set: str) -> Document:
    """Raises StoreError for metadata that would not come back as they are."""
    for key, value in metadata.items():
        if not _is_json({key: value}):
            raise not_json(name, str(key))
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no character
    size = len(text.encode())
    return Document(name, text, doc_set, language=language_of(text), size=size, metadata=dict(metadata))


def batch(document: Document, vector: Vectors, space_key: str) -> DocumentBatch:
    """One chunk, with its vector (dimensions,)."""
    text = document.text
    chunk = Chunk(text, 0, len(text), 1, 1 + text.count("\n"))
    terms = [" ".join(search_tokens(text))]
    return DocumentBatch(document, AS_USUAL, [chunk], terms, vector[None], space_key, tokens=count_tokens(text))


def langchain_documents(
    store: Store, hits: Iterable[Hit], home: str | None, scored: bool = False
) -> list[tuple[Hit, Found]]:
    """The hits with LangChain's documents of them, in their order; with `scored` also what retrieval says of them."""
    hits = list(hits)
    infos = _infos(store, {(hit.doc_set, hit.document) for hit in hits})
    documents = []
    for hit in hits:
        info = infos.get((hit.doc_set, hit.document))
        if info is None:  # deleted meanwhile
            continue
        metadata = _own_metadata(store, info)
        if metadata is None or scored:
            metadata = {**hit.metadata, "headings": list(hit.headings), **(metadata or {})}
        if scored:
            metadata |= {"score": hit.score, "scores": hit.scores, "places": [place._asdict() for place in hit.places]}
        documents.append((hit, Found(id=_id(hit, info, home), page_content=hit.text, metadata=metadata)))
    return documents


def meant(store: Store, ids: Sequence[str], home: str | None) -> dict[str, tuple[DocumentInfo, int | None]]:
    """Which document each id means, and which of its chunks where it has several; without the ids of nothing.

    A document's whole name comes before a position in one: ids are free, and "a#1" may be one.
    """
    readings = {one: list(_readings(one, home)) for one in ids}
    infos = _infos(store, {(doc_set, name) for some in readings.values() for doc_set, name, _ in some})
    meanings = {}
    for one, some in readings.items():
        for doc_set, name, position in some:
            info = infos.get((doc_set, name))
            if info and (position is None or 1 < info.chunks > position):
                meanings[one] = info, position
                break
    return meanings


def scope_of(given: Filter, home: str | None) -> Scope | None:
    """Where to look, within the face's own set if it has one; None where nothing can be there. Raises StoreError."""
    try:
        scope = given if isinstance(given, Scope) else Scope(metadata=tuple(_pairs(given or {})))
    except (ValidationError, TypeError, AttributeError) as error:
        raise unfit_filter(given) from error
    if home is None:
        return scope or EVERYWHERE
    if scope.doc_sets and home not in scope.doc_sets:
        return None
    return scope.model_copy(update={"doc_sets": (home,)})


def _pairs(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in given.items():
        values = value if isinstance(value, list | tuple | set) else [value]
        if not values:
            raise TypeError("one of nothing")
        for one in values:
            yield key, one


def _is_json(value: Mapping[str, Any]) -> bool:
    try:
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
        written.encode()
    except (TypeError, ValueError, RecursionError):
        return False
    return bool(json.loads(written) == value)


def _infos(store: Store, wanted: set[tuple[str, str]]) -> dict[tuple[str, str], DocumentInfo]:
    """By set and name."""
    if not wanted:
        return {}
    doc_sets, names = (tuple({pair[place] for pair in wanted}) for place in (0, 1))
    infos = store.documents(Scope(documents=names, doc_sets=doc_sets))
    return {(info.doc_set, info.name): info for info in infos}


def _own_metadata(store: Store, info: DocumentInfo) -> dict[str, Any] | None:
    """Of what came through LangChain; None for any other document."""
    if info.chunks != 1 or info.chunking != AS_USUAL:
        return None
    document = store.document(info.name, info.doc_set)
    return document.metadata if document else None


def _id(hit: Hit, info: DocumentInfo, home: str | None) -> str:
    name = hit.document if home is not None or not hit.doc_set else f"{hit.doc_set}/{hit.document}"
    return f"{name}#{hit.position}" if info.chunks > 1 else name


_position = re.compile(r"(.*)#(\d{1,9})\Z", re.DOTALL)


def _readings(given: str, home: str | None) -> Iterator[tuple[str, str, int | None]]:
    """What an id may mean: set, name, position."""
    cut = _position.match(given)
    for whole_name, position in ((given, None), *([(cut[1], int(cut[2]))] if cut else [])):
        yield home or "", whole_name, position
        if home is None:
            for slash in re.finditer("/", whole_name):
                yield whole_name[: slash.start()], whole_name[slash.end() :], position
