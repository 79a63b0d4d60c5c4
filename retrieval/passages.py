"""Search tokens and language of stored passages, remembered: reading them is most of what a search costs."""

from __future__ import annotations

from functools import lru_cache
from sys import intern

from schema import Language
from text import detect_language, search_tokens

_REMEMBERED = 4_096  # passages: about 20 MB


@lru_cache(_REMEMBERED)
def tokens_of(text: str) -> tuple[str, ...]:
    """The search tokens of a passage, known by its text: a change of the library makes nothing of it wrong."""
    return tuple(map(intern, search_tokens(text)))


@lru_cache(_REMEMBERED)
def passage_language(text: str) -> Language | None:
    return detect_language(text)
