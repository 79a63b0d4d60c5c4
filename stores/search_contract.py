"""The contract of a store, of what is searched: ranked chunks, names, vectors and the space that serves them.

The rules of `stores/base.py` hold for every method here as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from entities import ChunkNames, ConnectedName, NamePlace
from schema import EVERYWHERE, Hit, Scope, Space, TermGroup, Vectors


class RankedChunk(NamedTuple):
    """A chunk and its raw score.

    BM25 as Lucene and tantivy compute it (k1 = 1.2, b = 0.75, idf = ln(1 + (N - n + 0.5) / (n + 0.5)), lengths rounded
    to a byte): above 0, without an upper bound, comparable only within one store and one state of it, for N and n count
    its chunks, whatever the scope. Cosine: in [-1, 1], right to 0.001.
    """

    chunk_id: int
    score: float


class IndexInfo(NamedTuple):
    kind: str
    vectors: int
    effort: int  # of a search for ten: lists it looks through, or neighbours it keeps in view; 1 where all is compared
    most: int  # of which it can be
    recall: float  # at 10, as measured when it was made
    settling: bool = False  # a better one is in the making


class SearchStore(Protocol):
    """What is searched of a library."""

    def search_terms(self, terms: Sequence[str], k: int, scope: Scope = EVERYWHERE) -> list[RankedChunk]:
        """The k best chunks by BM25, best first, that have any of the terms; a term that is given twice counts twice.
        Ties in any order, but the same one as long as nothing changes. No terms, or k < 1: nothing."""

    def search_groups(self, groups: Sequence[TermGroup], k: int, scope: Scope = EVERYWHERE) -> list[RankedChunk]:
        """Like `search_terms`, with each group of alternatives as one term. A chunk counts the best alternative that it
        has all tokens of, as BM25 does with the mean of its tokens, times the root of its share of the best weight and
        times the group's own weight. The group is as rare as the mean of its alternatives by weight, of those that are
        in the library, an alternative as rare as its rarest token. (Pirkola 1998, doi:10.1145/290941.290957)"""

    def document_frequencies(self, terms: Sequence[str]) -> list[int]:
        """In how many chunks each term occurs, in the order asked for; may still count chunks that were deleted or
        replaced lately, never fewer than there are."""

    def search_vector(self, vector: Vectors, k: int, scope: Scope = EVERYWHERE) -> list[RankedChunk]:
        """The k nearest chunks by cosine, best first; `vector` has shape (dimensions,), length 1, and belongs to the
        serving space. A large library may miss some: of the ten best at least 99 % are found on average. Chunks without
        a vector are not found. Ties as in `search_terms`. A vector of zeros, k < 1, or no space: nothing. Raises
        SpaceChanged where the dimensions tell that it does not belong."""

    def hits(self, chunk_ids: Sequence[int]) -> list[Hit]:
        """The chunks with text and place, in the order asked for; without the ids that are gone."""

    def terms(self, chunk_ids: Sequence[int]) -> dict[int, str]:
        """The search terms of the chunks as they came in, in their order and joined by spaces, by id; without the ids
        that are gone."""

    def names(self, chunk_ids: Sequence[int]) -> dict[int, ChunkNames]:
        """The names that the chunks are about and say, by id; without the ids that are gone."""

    def name_places(self, names: Iterable[str], most: int, scope: Scope = EVERYWHERE) -> dict[str, list[NamePlace]]:
        """Where each of these names stands, as they came in with the chunks: at most so many places of each, those that
        are about it first; without the names that stand nowhere."""

    def connected_names(self, k: int) -> list[ConnectedName]:
        """The k names that were asked about most, then those that stand in the most chunks, at least two; of those that
        one to five chunks are about: what more are about is the name of nothing ("Overview")."""

    def note_asked(self, names: Iterable[str]) -> None:
        """A question has these names; those count that a chunk is about. No change of the library: the generation
        stays."""

    def opening(self, scope: Scope, k: int) -> list[int]:
        """Ids of the first k chunks of each document in scope, in reading order; the documents by name, then set."""

    def vectors(self, chunk_ids: Sequence[int]) -> Vectors:
        """(n, dimensions), float32: vectors of the serving space in the order asked for, as they came in but for the
        precision of halves (0.0005 of a value); a row of zeros for an id that is gone or has none. (n, 0) where no
        space serves."""

    def known_vectors(self, indexed_texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that the serving space has already for these indexed texts, of whatever document, by text: what
        need not be embedded again."""

    def without_vectors(self) -> list[int]:
        """Ids of the chunks that have no vector in the serving space yet, in ascending order."""

    def add_vectors(self, space_key: str, chunk_ids: Sequence[int], vectors: Vectors) -> None:
        """The vectors that were missing: `vectors[i]` belongs to `chunk_ids[i]`. Ids that are gone by now are left out,
        and who has a vector keeps it. Raises SpaceChanged when the space is not the serving one."""

    def space(self) -> Space | None:
        """The serving space; None in a new library."""

    def space_key(self) -> str | None:
        """Its key, without reading its payload."""

    def swap_space(
        self, space: Space, chunk_ids: Sequence[int], vectors: Iterable[Vectors], partial: bool = False
    ) -> None:
        """Serve another space from now on, with these vectors in place of all others; `vectors` gives one row for each
        id, and no more than some of them need be in memory. Whole or not at all; while it lasts the old space serves
        searches and writers, and only its end holds writers up for a moment. Raises VectorsMissing when a chunk that is
        stored by then lacks a vector, unless a part is enough, and ValueError when there are not as many rows as ids;
        ids that are gone by now are left out."""

    def note_learned(self, space: Space) -> None:
        """Keep what was learned of the serving space meanwhile (`calibration`, `fitted_on`): its vectors stay as they
        are. Raises SpaceChanged when it is not the serving one."""

    def indexed_texts(self, chunk_ids: Sequence[int] | None = None) -> Iterator[tuple[int, str]]:
        """(chunk id, indexed text) of these chunks, or of every one, for fitting and re-embedding: document by document
        in reading order, of one state of the library, as far as it is read; without the ids that are gone."""

    def vector_index(self) -> IndexInfo | None:
        """How vectors are searched; None where there are none, and where the store does not say."""
