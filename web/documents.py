"""The record of one page: what was fetched, what the library holds of it, and every stage between."""

from __future__ import annotations

import base64
import codecs
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from schema import (
    Document,
    HistoryEntry,
    Hit,
    Message,
    Origin,
    Vectors,
    WebChunk,
    WebDocument,
    WebMetadata,
    WebSearchHit,
)
from stores.base import Store
from stores.pages import CachedPage
from web.media import as_utf8

_AT_ONCE = 500  # chunks that are read from the store at one time
_TRIES = 5


def new_record(found: WebSearchHit) -> WebDocument:
    """A page of which nothing is known but where it is; `engine` "" where a person gave the address."""
    meta = WebMetadata(url=found.url, title=found.title, source_plugin=found.engine or "address")
    if found.snippet:
        meta.custom["snippet"] = found.snippet
    document = WebDocument(doc_type="unknown", status="processing", meta=meta)
    document.note(f"search.{meta.source_plugin}", url=found.url, title=found.title)
    return document


def with_content(document: WebDocument, page: CachedPage) -> None:
    """Its content and where it came from in the end."""
    document.meta.url, document.meta.fetched_at = page.final_url, page.fetched_at
    document.meta.custom |= {"media_type": page.media_type, "asked_url": page.url}
    encoding = str(document.meta.custom.get("encoding", ""))
    document.content, document.meta.custom["encoding"] = _as_text(page, encoding)


def with_stored_text(document: WebDocument, page: CachedPage, read: Document) -> None:
    """What the library holds of it: clean text and metadata."""
    document.clean_content, document.doc_type = read.text, read.origin.doc_type
    meta, known = document.meta, read.metadata
    meta.title = str(known.get("title") or meta.title)
    meta.author, meta.language = str(known.get("author", "")), read.language
    meta.published_at = _date(str(known.get("date", "")))
    meta.tags = [str(tag) for tag in tags] if isinstance(tags := known.get("tags"), list) else []
    meta.custom |= {"encoding": known.get("encoding", ""), "document_name": read.name, "docset_name": read.doc_set}
    with_content(document, page)


def with_chunks(documents: Sequence[WebDocument], store: Store) -> None:
    """Chunks and vectors as the library holds them, all in one embedding space: it may change meanwhile."""
    for _ in range(_TRIES):
        space = store.space_key()
        for document in documents:
            custom = document.meta.custom
            document.chunks = list(_chunks(store, custom["document_name"], custom["docset_name"]))
            custom["embedding_space"] = space
        if space == store.space_key():
            return


def with_problem(document: WebDocument, plugin: str, problem: Message) -> None:
    document.status = "failed"
    document.note(plugin, error=problem._asdict())


def entry(plugin: str, at: datetime, **details: Any) -> HistoryEntry:
    return HistoryEntry(plugin=plugin, timestamp=at, details=details)


def origin(page: CachedPage) -> Origin:
    """What ingestion cannot know of a page."""
    stamp = page.etag or page.last_modified
    return Origin(source_type="website", url=page.final_url, timestamp=page.fetched_at.isoformat(), stamp=stamp)


def _chunks(store: Store, name: str, doc_set: str) -> Iterator[WebChunk]:
    first = 0
    while hits := store.chunks(name, doc_set, first, _AT_ONCE):
        vectors = store.vectors([hit.chunk_id for hit in hits])
        yield from (_chunk(hit, vectors, place) for place, hit in enumerate(hits))
        first += len(hits)


def _chunk(hit: Hit, vectors: Vectors, place: int) -> WebChunk:
    """A row of zeros is no vector."""
    row: Sequence[float] = vectors[place].tolist() if vectors[place].any() else []
    bounds = {"start": hit.start, "end": hit.end, "headings": list(hit.headings)}
    return WebChunk(
        id=str(hit.chunk_id), content=hit.text, index=hit.position, embedding=list(row) or None,
        metadata=hit.metadata | bounds,
    )  # fmt: skip


def _as_text(page: CachedPage, encoding: str) -> tuple[str, str]:
    """The page as it came and how its bytes are told: what is no text is in Base64, so that nothing is lost."""
    data = as_utf8(page.data or b"", page.media_type, page.charset).removeprefix(codecs.BOM_UTF8)
    for name in ("utf-8", encoding):
        try:
            if b"\0" not in data:
                return data.decode(name or "utf-8"), name
        except (UnicodeDecodeError, LookupError):
            continue
    return base64.b64encode(page.data or b"").decode(), "base64"


def _date(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
