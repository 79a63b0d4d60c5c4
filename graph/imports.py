"""Documents that come back from records, or ready made from other programs, into the library.

A record is what `web/records.py` writes: `documents` with content, metadata, chunks, vectors and what they are about.
Other programs may leave out all but a text and where it is from.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from errors import CitewiseError
from ingestion.readers import clean_path
from library import Library
from schema import (
    Chunk,
    DocType,
    Document,
    ImportedDocument,
    Message,
    Origin,
    StoreOutcome,
    StructuredSummary,
    TextKind,
    Vectors,
    WebDocument,
    WebMetadata,
)
from text import language_of
from validation import unfit_values, validation_error
from web.names import document_name
from web.records import Records

_MOST_MB = 500  # of a record's file
_PLAIN: dict[str, TextKind] = {"code": "code", "text": "text"}  # what else there is, is read into Markdown
_NO_OBJECT = Message(zh="文档须为对象（名称与值）", en="a document must be an object of names and values")
_OURS = ("document_name", "docset_name", "embedding_space", "media_type", "asked_url", "snippet")


class GivenChunk(BaseModel):
    content: str
    embedding: list[float] | None = None
    metadata: dict[str, Any] = {}  # `start` and `end` in the text, `headings`

    @model_validator(mode="before")
    @classmethod
    def of_text(cls, given: Any) -> Any:
        return {"content": given} if isinstance(given, str) else given


class GivenDocument(BaseModel):
    """A document of a record, or of another program: `content` and its `source`, and what else is known."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True, allow_inf_nan=False)

    content: str = ""  # as it was fetched, where there is `clean_content`
    clean_content: str | None = None
    source: str = ""  # an address, or a name
    url: str = ""  # an address, where `source` is none
    name: str = ""  # in the library; by default from `source`
    doc_type: str = "markdown"
    status: str = "completed"
    metadata: dict[str, Any] = {}
    structured: StructuredSummary | None = Field(None, alias="structured_data")
    chunks: list[GivenChunk] = []
    embeddings: list[list[float]] = []  # one for each chunk
    space: str = ""  # key of the embedding space that they are of, as `stats().space` names it

    @classmethod
    def of(cls, given: GivenDocument | WebDocument | Mapping[str, Any]) -> GivenDocument:
        """Raises CitewiseError for what is none."""
        if isinstance(given, GivenDocument):
            return given
        if not isinstance(given, WebDocument | Mapping):
            raise unfit_values([_NO_OBJECT])
        written = given.to_json() if isinstance(given, WebDocument) else dict(given)
        if written.get("structured") is not None:
            written.setdefault("structured_data", written["structured"])
        try:
            return cls.model_validate(written)
        except (ValidationError, RecursionError) as error:
            raise validation_error(error) if isinstance(error, ValidationError) else _no_record("") from error


class ImportReport(NamedTuple):
    """What became of documents that were read elsewhere."""

    stored: list[StoreOutcome]  # in the order in which they came
    failed: dict[str, CitewiseError]  # by name, or by their place where they have none
    notices: list[Message]


async def add_documents(
    library: Library, given: Sequence[GivenDocument | WebDocument | Mapping[str, Any]], doc_set: str | None = None
) -> ImportReport:
    """Arguments and result are described at `citewise.AsyncCitewise.add_documents`."""
    result = ImportReport([], {}, [])
    for place, one in enumerate(given, 1):
        name = f"#{place}"
        try:
            document = GivenDocument.of(one)
            name = document.name or document.source or document.url or name
            if document.status in ("failed", "skipped"):
                where = document.source or document.url or str(document.metadata.get("url", name))
                result.notices.append(_left_out(where))
                continue
            ready, notices = await asyncio.to_thread(import_of, document, doc_set, library.store.space_key())
            name = ready.document.name
            result.stored.append(await library.store_import(ready))
            result.notices.extend(notices)
        except CitewiseError as error:
            result.failed[name] = error
    return result


async def import_records(library: Library, path: Path, doc_set: str | None = None) -> ImportReport:
    """All documents of a record's file. Raises CitewiseError for what is no record."""
    return await add_documents(library, await asyncio.to_thread(read_record, path), doc_set)


def read_record(path: Path) -> list[WebDocument]:
    """The documents of a record's file. Raises CitewiseError for what is none."""
    try:
        size = path.stat().st_size
    except OSError:
        size = 0  # reading it says why
    if size > _MOST_MB * 1_000_000 or (path.exists() and not path.is_file()):
        raise _no_record(path.name)
    return Records(path.parent, 0).load(path)


def import_of(given: GivenDocument, doc_set: str | None, serving: str | None) -> tuple[ImportedDocument, list[Message]]:
    """As the library takes it; what could not be kept is told. Raises CitewiseError."""
    contents = [one.content for one in given.chunks]
    text = given.content if given.clean_content is None else given.clean_content
    text = (text if text.strip() else "\n\n".join(contents)).replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\0", "").encode("utf-8", "replace").decode()
    meta, custom = _metadata(given)
    url = meta.url or next((one for one in (given.url, given.source) if one.startswith(("http://", "https://"))), "")
    name = _name(given, custom, url, text)
    if not text.strip():
        raise CitewiseError(
            "file",
            Message(zh=f"“{name}”里没有文字。", en=f'There is no text in "{name}".'),
            Message(zh="请用 content 或 chunks 给出文字。", en="Give some as `content` or `chunks`."),
        )
    doc_type: DocType = given.doc_type if given.doc_type in get_args(DocType) else "text"  # type: ignore[assignment]
    fetched = meta.fetched_at.isoformat() if meta.fetched_at else ""
    document = Document(
        name, text, str(custom.get("docset_name", "")) if doc_set is None else doc_set,
        _PLAIN.get(doc_type, "markdown"), language_of(text, "en"), len(given.content.encode("utf-8", "replace")),
        _noted(meta, custom),
        Origin(
            doc_type, "website" if url else "file", url=url, timestamp=fetched, title=meta.title[:300] if url else ""
        ),
        structured=given.structured,
    )  # fmt: skip
    chunks, notices = _chunks(given, text), list[Message]()
    if given.chunks and not chunks:
        notices.append(_cut_anew(name))
    vectors = _vectors(given, name) if chunks else None
    space = given.space or str(custom.get("embedding_space") or "")
    if vectors is not None and (not space or space != serving):
        notices.append(_other_space(name))
        vectors = None
    elif vectors is not None and vectors.shape[1] != int(space.rpartition("/")[2]):
        raise _dimensions(name, vectors.shape[1], space)
    return ImportedDocument(document, chunks, vectors, space), notices


def _metadata(given: GivenDocument) -> tuple[WebMetadata, dict[str, Any]]:
    """Fields that the library knows, and all others. Raises CitewiseError."""
    known = {key: value for key, value in given.metadata.items() if key in WebMetadata.model_fields}
    others = {key: value for key, value in given.metadata.items() if key not in known}
    try:
        meta = WebMetadata.model_validate(known)
    except ValidationError as error:
        raise validation_error(error) from error
    return meta, {**others, **meta.custom}


def _noted(meta: WebMetadata, custom: dict[str, Any]) -> dict[str, Any]:
    notes = {
        "title": meta.title, "author": meta.author, "language": meta.language, "tags": meta.tags,
        "date": meta.published_at.isoformat().removesuffix("T00:00:00") if meta.published_at else "",
        **{key: value for key, value in custom.items() if key not in _OURS},
    }  # fmt: skip
    return {key: value for key, value in notes.items() if value not in ("", [], None)}


def _name(given: GivenDocument, custom: dict[str, Any], url: str, text: str) -> str:
    if name := given.name or str(custom.get("document_name") or ""):
        return clean_path(name)
    if url:
        try:
            return clean_path(document_name(url, "text/html"))
        except ValueError:  # no address after all
            return clean_path(url)
    return clean_path(given.source or f"document-{hashlib.sha256(text.encode()).hexdigest()[:8]}.md")


def _chunks(given: GivenDocument, text: str) -> tuple[Chunk, ...]:
    """Its own, each where it stands in the text; none where one of them does not."""
    found: list[Chunk] = []
    line, at = 1, 0
    for one in given.chunks:
        content, metadata = one.content, one.metadata
        start = metadata.get("start")
        if not isinstance(start, int) or start < 0 or not content or text[start : start + len(content)] != content:
            start = text.find(content, found[-1].start + 1 if found else 0) if content else -1
        if start < 0:
            return ()
        line += text.count("\n", at, start) if start >= at else -text.count("\n", start, at)
        at = start
        headings = metadata.get("headings")
        path = tuple(map(str, headings)) if isinstance(headings, list) else ()
        end = start + len(content)
        found.append(Chunk(content, start, end, line, line + content.rstrip("\n").count("\n"), path))
    return tuple(found)


def _vectors(given: GivenDocument, name: str) -> Vectors | None:
    """(chunks, dimensions), of length 1; None where there are none. Raises CitewiseError."""
    of_chunks = [one.embedding for one in given.chunks if one.embedding]
    rows = given.embeddings or of_chunks
    if not rows:
        return None
    if len(rows) != len(given.chunks) and given.embeddings:
        raise _not_as_many(name, len(rows), len(given.chunks))
    if len({len(row) for row in rows}) != 1 or len(rows) != len(given.chunks):
        return None
    vectors = np.asarray(rows, np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32) if np.isfinite(vectors).all() else None


_RECUT = Message(
    zh="请让 chunks 与 embeddings 一一对应，或不给 embeddings，由知识库重新计算。",
    en="Give one of `embeddings` for each of `chunks`, or none: then they are computed here.",
)


def _not_as_many(name: str, vectors: int, chunks: int) -> CitewiseError:
    return CitewiseError(
        "file",
        Message(
            zh=f"“{name}”有 {chunks} 个切片，却有 {vectors} 个向量。",
            en=f'"{name}" has {chunks} chunks and {vectors} vectors.',
        ),
        _RECUT,
    )


def _dimensions(name: str, dimensions: int, space: str) -> CitewiseError:
    return CitewiseError(
        "file",
        Message(
            zh=f"“{name}”的向量有 {dimensions} 维，与向量空间 {space} 不符。",
            en=f'The vectors of "{name}" have {dimensions} dimensions, which those of the space {space} have not.',
        ),
        Message(zh="请去掉 embeddings，由知识库重新计算。", en="Leave `embeddings` out: they are computed here."),
    )


def _other_space(name: str) -> Message:
    return Message(
        zh=f"“{name}”的向量不属于这个知识库的向量空间，已重新计算。",
        en=f'The vectors of "{name}" are not of the space of this library: they were computed anew.',
    )


def _cut_anew(name: str) -> Message:
    return Message(
        zh=f"“{name}”的切片与正文对不上，已重新切片。",
        en=f'The chunks of "{name}" do not stand in its text: it was cut anew.',
    )


def _left_out(name: str) -> Message:
    return Message(
        zh=f"“{name}”当时没有抓取成功，已略过。", en=f'"{name}" was not fetched at the time, and is left out.'
    )


def _no_record(name: str) -> CitewiseError:
    return CitewiseError(
        "file",
        Message(zh=f"“{name}”不是抓取记录，或大得读不了。", en=f'"{name}" is no record, or too large to be read.'),
        Message(
            zh=f"请选择 webis_docs_*.json（最大 {_MOST_MB} MB）。",
            en=f"Choose a file webis_docs_*.json of at most {_MOST_MB} MB.",
        ),
    )
