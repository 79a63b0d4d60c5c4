"""Stored passages, their search tokens and languages, remembered: reading them is most of what a search costs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from sys import getsizeof
from weakref import WeakKeyDictionary

from schema import Hit, Language, Vectors
from stores.base import Store
from stores.caches import CacheSize
from stores.problems import SpaceChanged
from text import detect_language, search_tokens

_REMEMBERED = 1_500  # passages: about 20 MB
_KEPT = 1_000  # passages of a library, as long as nothing changes in it
_kept: WeakKeyDictionary[Store, tuple[int, dict[int, Hit]]] = WeakKeyDictionary()  # and of which generation they are
_tokens: OrderedDict[str, tuple[str, ...]] = OrderedDict()


def passages(store: Store, chunk_ids: Sequence[int]) -> dict[int, Hit]:
    """By id, without those that are gone; their search tokens are known then. A turn may search twice, for much the
    same."""
    generation = store.generation()  # before they are read: what is newer than it says does no harm
    kept_of, kept = _kept.get(store, (-1, {}))
    if kept_of != generation or len(kept) > _KEPT:
        kept = {}
        _kept[store] = generation, kept
    missing = [chunk for chunk in chunk_ids if chunk not in kept]
    fetched = {hit.chunk_id: hit for hit in store.hits(missing)} if missing else {}
    _take_tokens(fetched, store)
    kept |= fetched
    return {chunk: kept[chunk] for chunk in chunk_ids if chunk in kept}


def vectors_beside(vector: Vectors, store: Store, chunk_ids: Sequence[int]) -> Vectors:
    """Those of passages, a row each, to be compared with the vector of a question. Raises SpaceChanged where they are
    of another space by now."""
    vectors = store.vectors(chunk_ids)
    if vectors.shape[1] != len(vector):
        raise SpaceChanged(store.space_key())
    return vectors


def tokens_of(text: str) -> tuple[str, ...]:
    """The search tokens of a passage, known by its text: a change of the library makes nothing of it wrong."""
    found = _tokens.get(text)
    return _remember(text, search_tokens(text)) if found is None else found


def _take_tokens(hits: Mapping[int, Hit], store: Store) -> None:
    """The store knows the tokens of its passages: to read them is ten times as fast as to make them again."""
    unknown = [chunk for chunk, hit in hits.items() if hit.indexed_text not in _tokens]
    for chunk, terms in store.terms(unknown).items():
        _remember(hits[chunk].indexed_text, terms.split())


def _remember(text: str, tokens: Sequence[str]) -> tuple[str, ...]:
    """Passages share no tokens: to look each one up takes longer than all else that is done with it."""
    _tokens[text] = found = tuple(tokens)
    if len(_tokens) > _REMEMBERED:
        _tokens.popitem(last=False)  # the oldest
    return found


@lru_cache(_REMEMBERED)
def passage_language(text: str) -> Language | None:
    return detect_language(text)


class PassageCache:
    """What this program remembers of the passages that it has read, of all its libraries."""

    def size(self) -> CacheSize:
        """Passages, and roughly the bytes of their texts and tokens."""
        texts = {hit.indexed_text for _, kept in list(_kept.values()) for hit in list(kept.values())} | _tokens.keys()
        tokens = list(_tokens.values())
        used = sum(map(getsizeof, chain(texts, tokens, chain.from_iterable(tokens))))
        return CacheSize(len(texts), used)

    def clear(self) -> None:
        _kept.clear()
        _tokens.clear()
        passage_language.cache_clear()
