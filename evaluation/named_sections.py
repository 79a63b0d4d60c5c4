"""What only headings name: “布洛芬一天吃几次？” is about the section “布洛芬缓释胶囊”, and no other says the word."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.answer_reading import Array
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from question_words import question_terms
from text import search_tokens

_NAMED = 100.0  # times as likely


def with_named_sections(
    question: str, units: Sequence[SourceUnit], terms: Sequence[frozenset[str]], shares: Array
) -> Array:
    """Sentences are likelier under a heading with a word of the question that no sentence elsewhere says. `terms` are
    those of each unit. The title of a whole document, where it has others, tells nothing."""
    under = [_below_title(unit) for unit in units]
    titled = {path: frozenset(search_tokens(" ".join(path))) for path in dict.fromkeys(under)}
    inside = [titled[path] for path in under]
    asked = {term for term in question_terms(question) if len(term) > 1}
    told = {term for term in asked if _is_named_there_alone(term, inside, terms)}
    return raised(shares, [not told.isdisjoint(titles) for titles in inside], _NAMED) if told else shares


def _below_title(unit: SourceUnit) -> tuple[str, ...]:
    return unit.headings[1:]


def _is_named_there_alone(term: str, inside: Sequence[frozenset[str]], terms: Sequence[frozenset[str]]) -> bool:
    return any(term in titles for titles in inside) and not any(term in said for said in terms)
