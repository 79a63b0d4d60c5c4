"""Search tokens and language of stored passages, remembered: reading them is most of what a search costs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from sys import intern

from schema import Hit, Language
from stores.base import Store
from text import detect_language, search_tokens

_REMEMBERED = 4_096  # passages: about 20 MB
_tokens: OrderedDict[str, tuple[str, ...]] = OrderedDict()


def tokens_of(text: str) -> tuple[str, ...]:
    """The search tokens of a passage, known by its text: a change of the library makes nothing of it wrong."""
    found = _tokens.get(text)
    return _remember(text, search_tokens(text)) if found is None else found


def take_tokens(hits: Mapping[int, Hit], store: Store) -> None:
    """The store knows the tokens of its passages: to read them is ten times as fast as to make them again."""
    unknown = [chunk for chunk, hit in hits.items() if hit.indexed_text not in _tokens]
    for chunk, tokens in store.terms(unknown).items():
        _remember(hits[chunk].indexed_text, tokens)


def _remember(text: str, tokens: Iterable[str]) -> tuple[str, ...]:
    _tokens[text] = found = tuple(map(intern, tokens))
    if len(_tokens) > _REMEMBERED:
        _tokens.popitem(last=False)  # the oldest
    return found


@lru_cache(_REMEMBERED)
def passage_language(text: str) -> Language | None:
    return detect_language(text)
