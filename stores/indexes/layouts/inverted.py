"""Lists of alike vectors, as codes of 8 bits (FAISS: IVF, SQ8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np

from schema import Vectors
from stores.indexes.layouts.base import CODE_MARGIN, ChunkFilter, Found, Ids, Kind, Places, faiss_module

_LISTS = 6  # times the root of the number of vectors: where topics share a list, their neighbours are spread over many
_ROUNDS = 3  # of k-means


class InvertedLists:
    """Lists of alike vectors, each around a centroid: the nearest lists are looked through, `effort` of them.

    Held to some chunks, a search goes on from list to list until it has met as many of these as it would have met of
    all: what is left of few is thus compared in full, and of many as well as without a filter, wherever they lie.
    """

    kind: ClassVar[Kind] = "ivf"
    exact: ClassVar[bool] = False
    dead = 0

    def __init__(self, centroids: Vectors, ranges: Vectors) -> None:
        """`ranges`: least value and width of each dimension's codes, (2 * dimensions,)."""
        self._faiss = faiss = faiss_module()
        self._centroids, self._ranges = centroids, ranges
        lists, dimensions = centroids.shape
        self.dimensions = dimensions
        self._coarse = faiss.IndexFlatIP(dimensions)
        self._coarse.add(centroids)
        # Codes of the vectors, not of what they differ by from their centroid: those go wrong when a library changes.
        self._index = faiss.IndexIVFScalarQuantizer(
            self._coarse, dimensions, lists, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT, False
        )
        faiss.copy_array_to_vector(ranges, self._index.sq.trained)
        self._index.is_trained = True
        self._index.set_direct_map_type(faiss.DirectMap.Hashtable)
        self._places = Places(np.zeros(0, np.int64), np.zeros(0, np.int64))
        self._sizes = np.zeros(lists, np.int64)
        self.version = 0

    @classmethod
    def fitted(cls, sample: Vectors, count: int, go_on: Callable[[], None]) -> InvertedLists:
        faiss, lists = faiss_module(), min(int(_LISTS * count**0.5), len(sample))
        codes = faiss.IndexScalarQuantizer(sample.shape[1], faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
        codes.sq.rangestat_arg = CODE_MARGIN
        codes.train(sample)
        return cls(_centroids(sample, lists, go_on), faiss.vector_to_array(codes.sq.trained))

    def __len__(self) -> int:
        return len(self._places.ids)

    def chunk_ids(self) -> Ids:
        return self._places.ids

    @property
    def most(self) -> int:
        return len(self._sizes)

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        lists: Ids = self._coarse.search(vectors, 1)[1].ravel()
        pointer = self._faiss.swig_ptr
        self._index.add_core(len(chunk_ids), pointer(vectors), pointer(chunk_ids), pointer(lists))
        self._places.add(chunk_ids, lists)
        self._sizes += np.bincount(lists, minlength=len(self._sizes))

    def remove(self, chunk_ids: Ids) -> None:
        known, lists = self._places.remove(chunk_ids)
        if len(known):
            self._index.remove_ids(self._faiss.IDSelectorArray(known))
            self._sizes -= np.bincount(lists, minlength=len(self._sizes))

    def search(self, question: Vectors, k: int, effort: int, within: ChunkFilter | None) -> Found:
        nearness, order = (found[0] for found in self._coarse.search(question, len(self._sizes)))
        held = self._sizes if within is None else within.made(self, self._held)
        enough = max(int(self._sizes[order[:effort]].sum()), k)
        reach = int(np.searchsorted(np.cumsum(held[order]), enough)) + 1
        chosen = np.flatnonzero(held[order[:reach]])
        scores, ids = np.empty(k, np.float32), np.full(k, -1, np.int64)
        if len(chosen):
            lists, nearness = np.ascontiguousarray(order[chosen]), np.ascontiguousarray(nearness[chosen])
            how = self._faiss.SearchParametersIVF(nprobe=len(chosen), sel=None if within is None else within.selector)
            pointer = self._faiss.swig_ptr
            self._index.search_preassigned_c(
                1, pointer(question), k, pointer(lists), pointer(nearness), pointer(scores), pointer(ids), False, how
            )
        return scores[ids >= 0], ids[ids >= 0]

    def _held(self, chunk_ids: Ids) -> Ids:
        return np.bincount(self._places.of(chunk_ids), minlength=len(self._sizes))

    def parts(self) -> Iterator[bytes]:
        yield self._centroids.tobytes()
        yield self._ranges.tobytes()
        lists, width = self._index.invlists, self._index.code_size
        for number in range(len(self._sizes)):
            size, view = int(lists.list_size(number)), self._faiss.rev_swig_ptr
            ids, codes = view(lists.get_ids(number), size), view(lists.get_codes(number), size * width)
            yield ids.tobytes() + codes.tobytes()

    @classmethod
    def read(cls, dimensions: int, parts: Iterator[bytes]) -> InvertedLists:
        centroids, ranges = (np.frombuffer(next(parts), np.float32).copy() for _ in range(2))
        found = cls(centroids.reshape(-1, dimensions), ranges)
        pointer, index, known = found._faiss.swig_ptr, found._index, []
        for number, part in enumerate(parts):
            size = len(part) // (8 + index.code_size)
            ids = np.frombuffer(part, np.int64, size).copy()
            codes = np.frombuffer(part, np.uint8, offset=8 * size).copy()
            index.invlists.add_entries(number, size, pointer(ids), pointer(codes))
            known.append(ids)
        found._sizes = np.array([len(ids) for ids in known], np.int64)
        index.ntotal = int(found._sizes.sum())
        index.set_direct_map_type(found._faiss.DirectMap.NoMap)
        index.set_direct_map_type(found._faiss.DirectMap.Hashtable)
        found._places = Places(np.concatenate(known), np.repeat(np.arange(len(known)), found._sizes))
        return found


def _centroids(sample: Vectors, lists: int, go_on: Callable[[], None]) -> Vectors:
    """Spherical k-means in two steps: a third of the centroids begin among the vectors that are far from all others.

    Else a small topic that no centroid began in has its vectors strewn over lists of everything.
    """
    faiss = faiss_module()
    first = _moved(sample, lists - lists // 3, None, go_on)
    coarse = faiss.IndexFlatIP(sample.shape[1])
    coarse.add(first)
    nearness = coarse.search(sample, 1)[0].ravel()
    far = sample[np.argsort(nearness, kind="stable")[: max(len(sample) // 4, lists // 3)]]
    second = _moved(far, lists // 3, None, go_on) if lists > len(first) else first[:0]
    return _moved(sample, lists, np.concatenate([first, second]), go_on)


def _moved(sample: Vectors, lists: int, start: Vectors | None, go_on: Callable[[], None]) -> Vectors:
    """(lists, dimensions): the centroids after a few rounds, begun apart from each other or at `start`."""
    faiss = faiss_module()
    clustering = faiss.Clustering(sample.shape[1], lists)
    clustering.spherical, clustering.niter = True, 1
    clustering.init_method = faiss.ClusteringInitMethod_AFK_MC2
    clustering.min_points_per_centroid, clustering.max_points_per_centroid = 1, len(sample)
    if start is not None:
        faiss.copy_array_to_vector(start.ravel(), clustering.centroids)
    for _ in range(_ROUNDS):
        go_on()
        clustering.train(sample, faiss.IndexFlatIP(sample.shape[1]))  # from where the last round came to
    return np.asarray(faiss.vector_to_array(clustering.centroids).reshape(lists, -1), np.float32)
