"""BM25 over search terms, derived from SQLite: every term is indexed exactly as it was given."""

from __future__ import annotations

import hashlib
import json
import shutil
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from stores.base import Ranked
from stores.problems import Damaged
from stores.sqlite import Indexed

_HEAP = 30_000_000  # bytes for the writer; 15 MB is its least
_LONGEST = 10_000  # characters; tantivy drops a term of more than 65,530 bytes
_PARTS = (".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term")


class TermIndex:
    """A tantivy index in a folder, or in memory. Searches run in any thread; `apply` is called by one at a time.

    `generation` is the state of the library it reflects, kept in a file beside the index that is written after each
    commit: it can be behind what is indexed, never ahead.
    """

    def __init__(self, folder: Path | None) -> None:
        """Open or make it. Raises Damaged."""
        import tantivy

        self._tantivy, self._folder = tantivy, folder
        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("chunk", indexed=True, fast=True)
        builder.add_unsigned_field("document", indexed=True)
        builder.add_unsigned_field("set", indexed=True, fast=True)
        builder.add_text_field("terms", tokenizer_name="terms", index_option="freq")
        self._schema = builder.build()
        try:
            if folder and folder.exists():
                _verify(folder)
            if folder:
                folder.mkdir(exist_ok=True)
            self._index = tantivy.Index(self._schema, path=str(folder) if folder else None)
            # Splits at ASCII white space and does nothing else: no lower case, no stems, no limit of 40 bytes.
            analyzer = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            self._index.register_tokenizer("terms", analyzer)
            self._index.config_reader("manual")
            self._index.reload()
            self._writer = self._index.writer(_HEAP, 1)
        except (OSError, ValueError, KeyError) as error:
            raise Damaged(str(error)) from error

    @property
    def generation(self) -> int:
        try:
            return int((self._folder / "generation").read_text()) if self._folder else -1
        except (OSError, ValueError):
            return -1

    def __len__(self) -> int:
        return int(self._index.searcher().num_docs)

    def chunks_by_set(self) -> dict[int, int]:
        """The id of its document set for every chunk."""
        if not len(self):
            return {}
        searcher = self._index.searcher()
        everything = self._tantivy.Query.all_query()
        found = searcher.search(everything, searcher.num_docs, count=False, order_by_field="chunk").hits
        sets: list[Any] = searcher.fast_field_values("set", [address for _, address in found])
        return {chunk_id: set_id for (chunk_id, _), set_id in zip(found, sets, strict=True)}

    def apply(self, added: Iterable[Indexed], removed: Iterable[int], generation: int) -> None:
        """Follow changes of the library and make them searchable; what is here already may be added again, but not
        twice at once. Raises Damaged when the files cannot be written."""
        try:
            added, removed = list(added), list(removed)
            if not added and not removed:
                self._note(generation)
                return
            # Not `delete_documents_by_term`: it takes the number for a signed one and silently finds nothing.
            gone = self._tantivy.Query.term_set_query(
                self._schema, "chunk", [*removed, *(chunk.chunk_id for chunk in added)]
            )
            self._writer.delete_documents_by_query(gone)
            for chunk in added:
                fields = {"chunk": chunk.chunk_id, "document": chunk.document_id, "set": chunk.set_id}
                terms = chunk.terms
                if len(terms) > _LONGEST:
                    terms = " ".join(map(_stored_term, terms.split(" ")))
                self._writer.add_document(self._tantivy.Document.from_dict({**fields, "terms": terms}, self._schema))
            self._writer.commit()
            self._index.reload()
            self._note(generation)
        except (OSError, ValueError, RuntimeError) as error:
            raise Damaged(str(error)) from error

    def _note(self, generation: int) -> None:
        if self._folder:
            (self._folder / "generation").write_text(str(generation))

    def search(self, terms: Sequence[str], k: int, scope: Sequence[tuple[str, Sequence[int]]] = ()) -> list[Ranked]:
        """BM25, best first, among the chunks that meet every condition (field, allowed values)."""
        query, occur = self._tantivy.Query, self._tantivy.Occur
        words = [query.term_query(self._schema, "terms", _stored_term(term), index_option="freq") for term in terms]
        if not words or k < 1:
            return []
        wanted = query.boolean_query([(occur.Should, word) for word in words])
        if scope:
            # A condition with boost 0 selects before the ranking and leaves the scores as they are.
            filters = [query.boost_query(query.term_set_query(self._schema, *condition), 0.0) for condition in scope]
            wanted = query.boolean_query([(occur.Must, part) for part in (wanted, *filters)])
        searcher = self._index.searcher()
        found = searcher.search(wanted, k, count=False).hits
        ids: list[Any] = searcher.fast_field_values("chunk", [address for _, address in found])
        return [Ranked(chunk_id, score) for chunk_id, (score, _) in zip(ids, found, strict=True)]

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """In how many chunks each term occurs; chunks deleted since the last merge are still counted."""
        searcher = self._index.searcher()
        return [int(searcher.doc_freq("terms", _stored_term(term))) for term in terms]

    def close(self) -> None:
        self._writer.wait_merging_threads()  # also ends the writer

    @staticmethod
    def discard(folder: Path | None) -> None:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def _stored_term(term: str) -> str:
    return term if len(term) <= _LONGEST else hashlib.sha256(term.encode()).hexdigest()


def _verify(folder: Path) -> None:
    """Every file of every segment is there and its checksum holds: tantivy itself would fail at some later query.

    A file ends in its CRC-32 as JSON, the length of that JSON and a magic number (tantivy's directory footer).
    """
    for segment in json.loads((folder / "meta.json").read_bytes())["segments"]:
        stem = segment["segment_id"].replace("-", "")
        names = [stem + part for part in _PARTS]
        if segment["deletes"]:
            names.append(f"{stem}.{segment['deletes']['opstamp']}.del")
        for name in names:
            content = (folder / name).read_bytes()
            size, magic = (int.from_bytes(content[place : place + 4], "little") for place in (-8, len(content) - 4))
            footer = content[-8 - size : -8]
            if magic != 1337 or json.loads(footer)["crc"] != zlib.crc32(content[: -8 - size]):
                raise Damaged(f"{name} is not as it was written")
