"""A whole library from one store into another by their contract alone: from a folder into PostgreSQL, and back.

What is there already is left alone, so that a transfer which was interrupted goes on. Every document is read back and
compared at the end. The time at which a document was stored is that of the transfer, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from entities import ChunkNames
from errors import StoreError
from schema import Chunk, DocumentInfo, Hit, Message, OriginalFile, Scope, TypedTable, Vectors
from stores.base import DocumentBatch, Store
from stores.pairs import pair_key, pairs
from stores.shared import SharedStores

_PAGE = 1_000  # chunks that are read at once
_GROUP = 2_000  # chunks of the documents that are stored in one transaction
_PRECISION = 1e-3  # of a value of a vector: both stores keep halves
_ASKED = 1_000  # names whose questions are counted on

Progress = Callable[[str, int, int], None]  # "copy" or "compare", documents that are done, of how many
Key = tuple[str, str]  # name and set


class TransferReport(NamedTuple):
    documents: int  # that the library has
    chunks: int
    copied: int  # documents; the others were there already


class DocumentRows(NamedTuple):
    """The chunks of a document and what was made of each."""

    ids: list[int]
    chunks: list[Chunk]
    terms: list[str]
    names: list[ChunkNames]
    vectors: Vectors
    missing: frozenset[int]  # positions of the chunks without a vector


def transfer(source: Store, target: Store, progress: Progress, overwrite: bool = False) -> TransferReport:
    """Copy all that a library holds. Nothing may change in the source meanwhile. Raises StoreError where files are
    still on their way, where the target holds something else (unless that may be overwritten), and where what was read
    back is not what was written."""
    infos = source.documents()[::-1]  # the last changed one is stored last
    _refuse_unfinished(source)
    there = {_key(info): info for info in target.documents()}
    left = [info for info in infos if not _same(info, there.get(_key(info)))]
    if not overwrite:
        _refuse_other_content(source, target, there, infos)
    if (space := source.space()) and target.space_key() != space.key:
        target.delete_all(there)
        target.swap_space(space, [], iter(()))
        left = infos
    target.delete_all(there.keys() - {_key(info) for info in infos})
    for one in source.doc_sets():
        if one.name:
            target.add_doc_set(one.name)
    source_ids = {one.id: target.put_source(replace(one, id=0)).id for one in source.sources()}
    _copy_documents(source, target, left, source_ids, lambda done: progress("copy", done, len(left)))
    target.change_glossary(source.glossary())
    _copy_asked_names(source, target)
    _compare(source, target, infos, lambda done: progress("compare", done, len(infos)))
    return TransferReport(len(infos), sum(info.chunks for info in infos), len(left))


def transfer_shared(source: SharedStores, target: SharedStores, doc_sets: Sequence[str]) -> None:
    """What people said of answers, what nobody could answer, the lab, and the fetched pages of these sets. Who may come
    in is told anew where the library goes. Raises StoreError."""
    source.feedback.copy_to(target.feedback)
    source.unanswered.copy_to(target.unanswered)
    source.lab.copy_to(target.lab)
    for name in doc_sets:
        target.pages.put(*source.pages.all(name))


def _copy_documents(
    source: Store,
    target: Store,
    infos: Sequence[DocumentInfo],
    source_ids: Mapping[int, int],
    done: Callable[[int], None],
) -> None:
    space, count = source.space_key() or "", 0
    for group in _groups(infos):
        batches = [_batch(source, info, source_ids, space) for info in group]
        target.put_all(batches)
        for info in group:
            keys = [pair_key(pair) for pair in pairs(_hits(source, _key(info)))]
            if abstracts := source.abstracts(keys):
                target.put_abstracts(abstracts)
        count += len(group)
        done(count)


def _groups(infos: Sequence[DocumentInfo]) -> Iterator[list[DocumentInfo]]:
    group: list[DocumentInfo] = []
    for info in infos:
        group.append(info)
        if sum(one.chunks for one in group) >= _GROUP:
            yield group
            group = []
    if group:
        yield group


def _batch(source: Store, info: DocumentInfo, source_ids: Mapping[int, int], space: str) -> DocumentBatch:
    document = source.document(*_key(info))
    assert document is not None, "nothing changes the source meanwhile"
    rows = read_rows(source, _key(info))
    origin = replace(document.origin, source=source_ids.get(document.origin.source, 0))
    return DocumentBatch(
        replace(document, origin=origin, tables=read_tables(source, _key(info))),
        info.chunking,
        rows.chunks,
        rows.terms,
        rows.vectors,
        space,
        missing=rows.missing,
        tokens=info.tokens,
        names=rows.names,
        original=_original(source, info),
    )


def _original(source: Store, info: DocumentInfo) -> OriginalFile | None:
    known = source.original_info(*_key(info))
    data = source.original(*_key(info)) if known else None
    return known._replace(data=data) if known and data is not None else None


def read_tables(store: Store, key: Key) -> tuple[TypedTable, ...]:
    found = store.tables(Scope(documents=(key[0],), doc_sets=(key[1],)))
    return tuple(
        TypedTable(
            one.title,
            one.columns,
            tuple(store.table_cells(one.id, range(len(one.columns)))),
            store.table_spans(one.id),
            one.left_out,
        )
        for one in found
    )


def read_rows(store: Store, key: Key) -> DocumentRows:
    hits = _hits(store, key)
    ids = [hit.chunk_id for hit in hits]
    terms, names, vectors = store.terms(ids), store.names(ids), store.vectors(ids)
    missing = frozenset(np.flatnonzero(~vectors.any(axis=1)).tolist()) & _without_vectors(store, key, ids)
    chunks = [Chunk(hit.text, hit.start, hit.end, hit.start_line, hit.end_line, hit.headings) for hit in hits]
    return DocumentRows(ids, chunks, [terms[i] for i in ids], [names[i] for i in ids], vectors, missing)


def _without_vectors(store: Store, key: Key, ids: Sequence[int]) -> frozenset[int]:
    """A vector of zeros is one where the text has no word that its model knows."""
    if not any(info.missing for info in store.documents(Scope(documents=(key[0],), doc_sets=(key[1],)))):
        return frozenset()
    lacking = set(store.without_vectors())
    return frozenset(place for place, chunk in enumerate(ids) if chunk in lacking)


def _hits(store: Store, key: Key) -> list[Hit]:
    hits: list[Hit] = []
    while page := store.chunks(*key, first=len(hits), k=_PAGE):
        hits += page
    return hits


def _copy_asked_names(source: Store, target: Store) -> None:
    """As often as they were asked about, unless they were counted before."""
    counted = {one.name: one.asked for one in target.connected_names(_ASKED)}
    left = {one.name: one.asked - counted.get(one.name, 0) for one in source.connected_names(_ASKED)}
    while asked := [name for name, times in left.items() if times > 0]:
        target.note_asked(asked)
        left = {name: left[name] - 1 for name in asked}


# --- comparing ---------------------------------------------------------------------------------------------------


def _compare(source: Store, target: Store, infos: Sequence[DocumentInfo], done: Callable[[int], None]) -> None:
    """Raises StoreError for the documents that are not in the target as they are in the source."""
    there, different = {_key(info): info for info in target.documents()}, []
    for count, info in enumerate(infos, 1):
        key = _key(info)
        same = _same(info, there.get(key)) and read_tables(source, key) == read_tables(target, key)
        same = same and source.original_info(*key) == target.original_info(*key)
        if not same or not _same_rows(read_rows(source, key), read_rows(target, key)):
            different.append(f"{info.doc_set}/{info.name}".strip("/"))
        done(count)
    counts = source.stats(), target.stats()
    if different or counts[0][:2] != counts[1][:2] or source.doc_sets() != target.doc_sets():
        raise _not_the_same(different)


def _same(one: DocumentInfo, other: DocumentInfo | None) -> bool:
    return other is not None and all(
        getattr(one, field) == getattr(other, field)
        for field in ("digest", "chunking", "chunks", "missing", "language")
    )


def _same_rows(one: DocumentRows, other: DocumentRows) -> bool:
    return (
        (one.chunks, one.terms, one.names, one.missing) == (other.chunks, other.terms, other.names, other.missing)
        and one.vectors.shape == other.vectors.shape
        and np.allclose(one.vectors, other.vectors, atol=_PRECISION)
    )


def _key(info: DocumentInfo) -> Key:
    return info.name, info.doc_set


# --- what stands in the way --------------------------------------------------------------------------------------


def _refuse_unfinished(source: Store) -> None:
    if waiting := [task for task in source.tasks() if task.status in ("pending", "processing")]:
        raise StoreError(
            Message(
                zh=f"还有 {len(waiting)} 个文件没有处理完，例如 {waiting[0].name}。",
                en=f"{len(waiting)} files are still on their way, such as {waiting[0].name}.",
            ),
            Message(
                zh="请先运行 uv run cli.py process 处理完，或用 uv run cli.py cancel 取消，再移动知识库。",
                en="Let `uv run cli.py process` finish them, or forget them with `uv run cli.py cancel`, then move the "
                "library.",
            ),
        )


def _refuse_other_content(
    source: Store, target: Store, there: Mapping[Key, DocumentInfo], infos: Sequence[DocumentInfo]
) -> None:
    known = {_key(info): info for info in infos}
    other = [key for key, info in there.items() if key not in known or known[key].digest != info.digest]
    if other or (there and target.space_key() != source.space_key()):
        name = next(iter(other), next(iter(there)))[0]
        raise StoreError(
            Message(
                zh=f"目标知识库里已有别的内容，例如 {name}。",
                en=f"The library there holds something else, such as {name}.",
            ),
            Message(
                zh="请移到一个空的知识库；要让它与这里完全一致（别的内容会被删除），加上 --overwrite。",
                en="Move into an empty library; with --overwrite it becomes the same as this one, and what it holds "
                "beside that is deleted.",
            ),
        )


def _not_the_same(names: Sequence[str]) -> StoreError:
    shown = ", ".join(names[:3])
    return StoreError(
        Message(
            zh=f"核对没有通过：{len(names)} 个文件与原来不同{f'（{shown}）' if shown else ''}。",
            en=f"The copy is not the same: {len(names)} documents differ{f' ({shown})' if shown else ''}.",
        ),
        Message(
            zh="原来的知识库没有改动。请再运行一次同样的命令；如果还是不同，请加上 --overwrite。",
            en="The library here is unchanged. Run the same command again; where it still differs, add --overwrite.",
        ),
    )
