"""BM25 over search terms, derived from SQLite: every term is indexed exactly as it was given."""

from __future__ import annotations

import logging
import math
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

from schema import TermGroup
from stores.indexes.term_counts import LONGEST, TermFrequencies, inverse_frequency, stored_term
from stores.indexes.term_files import noted, sweep, verified
from stores.problems import DamagedFileError
from stores.search_contract import RankedChunk
from stores.sql.sqlite import IndexedChunk

log = logging.getLogger(__name__)

_HEAP = 30_000_000  # bytes for the writer; 15 MB is its least
_FEW = 20  # values of a condition
_SATURATED = 2.2  # BM25's k1 + 1: what a term weighs at most, times its inverse frequency
_WORTH = 10_000  # occurrences that are read in a tenth of a millisecond


class TermIndex:
    """A tantivy index in a folder, or in memory. Searches run in any thread, each over what the last commit before it
    left; `apply` and `replace` are called by one at a time. Whatever tantivy fails at is Damaged.

    `generation` is the state of the library it reflects, kept in a file beside the index that is written after each
    commit: it can be behind what is indexed, never ahead.
    """

    def __init__(self, folder: Path | None) -> None:
        """Open or make it. Raises Damaged."""
        import tantivy

        self._tantivy, self._folder = tantivy, folder
        with _as_damage():
            if folder and folder.exists():
                sweep(folder, verified(folder))
            if folder:
                folder.mkdir(0o700, exist_ok=True)
            self._schema, self._index = _open(folder)
            self._writer = self._index.writer(_HEAP, 1)
            self._opstamp = int(self._writer.commit_opstamp)  # of the commit that is there
            self._counted = TermFrequencies(self._index.searcher())

    @property
    def generation(self) -> int:
        """-1 where it cannot be told."""
        return noted(self._folder) if self._folder else -1

    def __len__(self) -> int:
        return int(self._index.searcher().num_docs)

    def chunks_by_set(self) -> dict[int, int]:
        """The id of its document set for every chunk."""
        with _as_damage():
            return _chunks_by_set(self._index)

    def apply(self, added: Iterable[IndexedChunk], removed: Sequence[int], generation: int) -> None:
        """Follow changes of the library and make them searchable: first these ids go, then come the chunks, of which
        none may be here. After Damaged, or what `added` raises, the index is to be closed: a part is on its way."""
        with _as_damage():
            if removed:
                # Not `delete_documents_by_term`: it takes the number for a signed one and silently finds nothing.
                gone = self._tantivy.Query.term_set_query(self._schema, "chunk", removed)
                self._writer.delete_documents_by_query(gone)
            if self._add(added) or removed:
                self._commit()
            self._note(generation)

    def replace(self, chunks: Iterable[IndexedChunk], generation: int) -> None:
        """Hold these and no others. What was here is searched until all are in. Fails as `apply` does."""
        with _as_damage():
            self._writer.delete_all_documents()
            self._add(chunks)
            self._commit()
            self._note(generation)

    def _add(self, chunks: Iterable[IndexedChunk]) -> int:
        count = 0
        for chunk in chunks:
            terms = chunk.terms
            if len(terms) > LONGEST:
                terms = " ".join(map(stored_term, terms.split(" ")))
            fields = {"chunk": chunk.chunk_id, "document": chunk.document_id, "set": chunk.set_id, "every": 0}
            document = self._tantivy.Document.from_dict({**fields, "terms": terms}, self._schema)
            self._writer.add_document(document)
            count += 1
        return count

    def _commit(self) -> None:
        self._opstamp = int(self._writer.commit())  # its own threads merge small segments
        self._index.reload()
        self._counted = TermFrequencies(self._index.searcher())

    def _note(self, generation: int) -> None:
        if self._folder:
            try:
                (self._folder / "generation").write_text(f"{generation} {self._opstamp}")
            except OSError as error:  # the next opening compares what is here with the library
                log.warning("the state of the term index could not be noted: %s", error)

    def search(
        self, terms: Sequence[str], k: int, scope: Sequence[tuple[str, Sequence[int]]] = ()
    ) -> list[RankedChunk]:
        """BM25, best first, among the chunks that meet every condition (field, allowed values)."""
        if k < 1:
            return []
        with _as_damage():
            searcher = self._index.searcher()
            counted = sorted((int(searcher.doc_freq("terms", term)), term) for term in map(stored_term, terms))
            counts = [count for count, _ in counted if count]  # the rarest first
            queries = [self._term("terms", term, "freq") for count, term in counted if count]
            if not queries:
                return []
            leading, bound = len(queries), 0.0
            if not scope:
                leading, bound = _leading(counts, int(searcher.doc_freq("every", 0)), k)
            found = self._ranked(searcher, self._led(queries, leading), k, scope)
            if leading < len(queries) and (len(found) < k or found[-1].score < bound):
                found = self._ranked(searcher, self._led(queries, len(queries)), k, scope)
            return found

    def search_groups(
        self, groups: Sequence[TermGroup], k: int, scope: Sequence[tuple[str, Sequence[int]]] = ()
    ) -> list[RankedChunk]:
        """Like `search`, with each group as one term."""
        if k < 1:
            return []
        with _as_damage():
            counted = self._counted
            found = [query for group in groups if (query := counted.query(group, self._grouped))]
            if not found:
                return []
            wanted = self._tantivy.Query.boolean_query([(self._tantivy.Occur.Should, one) for one in found])
            return self._ranked(counted.searcher, wanted, k, scope)

    def _grouped(self, counted: TermFrequencies, group: TermGroup) -> Any:
        """Its best alternative counts, with the group's frequency in place of its own; None where it is nowhere."""
        query, must, chunks = self._tantivy.Query, self._tantivy.Occur.Must, counted.chunks
        known, total, best, expected = [], 0.0, 0.0, 0.0
        for tokens, weight, _ in group.alternatives:
            counts = counted.all(tokens)
            if counts and (least := min(counts)):
                known.append((weight, tokens, counts))
                total, best, expected = total + weight, max(weight, best), expected + weight * least
        if not total:
            return None
        shared = group.weight * inverse_frequency(expected / total, chunks) / math.sqrt(best)
        alternatives = []
        for weight, tokens, counts in known:
            terms = [self._term("terms", stored_term(token), "freq") for token in tokens]
            own = sum([inverse_frequency(count, chunks) for count in counts])
            one = terms[0] if len(terms) == 1 else query.boolean_query([(must, term) for term in terms])
            alternatives.append(query.boost_query(one, shared * math.sqrt(weight) / own))
        return query.disjunction_max_query(alternatives) if len(alternatives) > 1 else alternatives[0]

    def _ranked(
        self, searcher: Any, wanted: Any, k: int, scope: Sequence[tuple[str, Sequence[int]]]
    ) -> list[RankedChunk]:
        query, must = self._tantivy.Query, self._tantivy.Occur.Must
        if scope:
            # A condition with boost 0 selects before the ranking and leaves the scores as they are.
            filters = [query.boost_query(self._one_of(*condition), 0.0) for condition in scope]
            wanted = query.boolean_query([(must, part) for part in (wanted, *filters)])
        found = searcher.search(wanted, k, count=False).hits
        ids: list[Any] = searcher.fast_field_values("chunk", [address for _, address in found])
        return [RankedChunk(chunk_id, score) for chunk_id, (score, _) in zip(ids, found, strict=True)]

    def _led(self, queries: Sequence[Any], leading: int) -> Any:
        """One of the leading terms is in a chunk that is found; the others are looked up there alone."""
        query, occur = self._tantivy.Query, self._tantivy.Occur
        wanted = query.boolean_query([(occur.Should, one) for one in queries[:leading]])
        for one in queries[leading:]:
            wanted = query.boolean_query([(occur.Must, wanted), (occur.Should, one)])
        return wanted

    def _term(self, field: str, value: str | int, kept: str) -> Any:
        return self._tantivy.Query.term_query(self._schema, field, value, index_option=kept)

    def _one_of(self, field: str, values: Sequence[int]) -> Any:
        """Few values are looked up one by one, in an eighth of the time that an automaton of them takes."""
        if len(values) > _FEW:
            return self._tantivy.Query.term_set_query(self._schema, field, values)
        should = self._tantivy.Occur.Should
        return self._tantivy.Query.boolean_query([(should, self._term(field, value, "basic")) for value in values])

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        """In how many chunks each term occurs; chunks deleted since the last merge are still counted."""
        with _as_damage():
            return self._counted.all(terms)

    def close(self) -> None:
        """Waits for a merge that runs. What it holds can be searched on."""
        with _as_damage():
            self._writer.wait_merging_threads()  # also ends the writer

    @staticmethod
    def discard(folder: Path | None) -> None:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def look(folder: Path) -> tuple[int, dict[int, int]]:
    """The generation that an index reflects, and the document set of each chunk in it; beside a program that writes to
    it. Raises Damaged."""
    while True:
        with _as_damage():
            before = (folder / "meta.json").read_bytes()
        try:
            with _as_damage():
                verified(folder)
                return noted(folder), _chunks_by_set(_open(folder)[1])
        except DamagedFileError:
            with _as_damage():
                if (folder / "meta.json").read_bytes() == before:
                    raise
            # else a commit or a merge has taken files away meanwhile


def _open(folder: Path | None) -> tuple[Any, Any]:
    """Schema and index."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("chunk", indexed=True, fast=True)
    builder.add_unsigned_field("document", indexed=True)
    builder.add_unsigned_field("set", indexed=True, fast=True)
    builder.add_unsigned_field("every", indexed=True)  # 0 in each chunk, and so their number, with the deleted ones
    builder.add_text_field("terms", tokenizer_name="terms", index_option="freq")
    schema = builder.build()
    index = tantivy.Index(schema, path=str(folder) if folder else None)
    # Splits at ASCII white space and does nothing else: no lower case, no stems, no limit of 40 bytes.
    index.register_tokenizer("terms", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    index.config_reader("manual")
    index.reload()
    return schema, index


def _chunks_by_set(index: Any) -> dict[int, int]:
    import tantivy

    searcher = index.searcher()
    if not searcher.num_docs:
        return {}
    everything = tantivy.Query.all_query()
    found = searcher.search(everything, searcher.num_docs, count=False, order_by_field="chunk").hits
    sets: list[Any] = searcher.fast_field_values("set", [address for _, address in found])
    return {chunk_id: set_id for (chunk_id, _), set_id in zip(found, sets, strict=True)}


def _leading(counts: Sequence[int], chunks: int, k: int) -> tuple[int, float]:
    """How many terms, of those whose counts these are, lead a search for the k best, and the score from which on no
    chunk without one of them can be among these (MaxScore; Turtle & Flood 1995, doi:10.1016/0306-4573(95)00020-H).

    The rarest come first. tantivy has such a search (block-max WAND), which its Python binding never takes.
    """
    weights = [inverse_frequency(count, chunks) for count in counts]
    likely = next((weight for weight, known in zip(weights, accumulate(counts), strict=True) if known >= k), 0.0)
    leading, bound = len(counts), 0.0
    while leading > 1 and bound + _SATURATED * weights[leading - 1] < likely:
        leading -= 1
        bound += _SATURATED * weights[leading]
    spared = sum(counts[leading:])
    # To look a chunk up costs more than to come across it.
    return (leading, bound) if spared > max(4 * sum(counts[:leading]), _WORTH) else (len(counts), 0.0)


@contextmanager
def _as_damage() -> Iterator[None]:
    """What tantivy raises where files are not as it wrote them, or cannot be written, as Damaged."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise DamagedFileError(str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of Rust code: no Exception, and in no module
            raise
        raise DamagedFileError(str(error)) from error
