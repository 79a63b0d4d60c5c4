"""Words of a question for which the library says those of another region: 軟體 in Taiwan, 软件 on the mainland.

A word that the library does not have is searched for as the one that it has. Where it has both, they count as one
term, so that documents of all regions are found; the answer goes by the word that the best source says. So does one
that it has nowhere beside all that documents say for it, unless the search is literal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from retrieval.lexical import TermPlace, WeightedTerms
from retrieval.passages import tokens_of
from schema import Alternative, Message, Scope, TermGroup
from stores.base import Store
from stores.search_contract import RankedChunk
from text import search_tokens
from translation.everyday import everyday_words, said_for
from translation.glossary import characters_of
from translation.regional import regional_words

_OTHER = 0.5  # weight of another region's word, beside the one that was typed


class WordChange(NamedTuple):
    """A word of a question from one offset to another, as it was typed, and what is said in its place."""

    start: int
    end: int
    typed: str
    said: str


def library_words(question: str, store: Store, literal: bool = False) -> tuple[WordChange, ...]:
    """The words that the library has nowhere, each with the most common one that it has in its place; one of every day
    where it has but one of those that documents say for it."""
    found = []
    for one in regional_words(question):
        typed, *others = _counts([one.word, *one.others], store)
        if not typed and max(others):
            said = one.others[others.index(max(others))]
            found.append(WordChange(one.start, one.end, question[one.start : one.end], said))
    for word in () if literal else everyday_words(question):
        typed, *counts = store.document_frequencies([word.term, *word.others])
        held = [other for other, count in zip(word.others, counts, strict=True) if count]
        apart = all(word.end <= one.start or word.start >= one.end for one in found)
        if not typed and len(held) == 1 and apart:
            said = said_for(word.term)[held[0]]
            found.append(WordChange(word.start, word.end, question[word.start : word.end], said))
    return tuple(sorted(found))


def changed(question: str, words: Sequence[WordChange]) -> str:
    """The question with what is said in place of what was typed."""
    for one in reversed(words):
        question = question[: one.start] + one.said + question[one.end :]
    return question


def words_of_source(question: str, text: str) -> tuple[WordChange, ...]:
    """The words that a source does not say, each with the one of another region that it says."""
    present = {*tokens_of(text)}
    found = []
    for one in regional_words(question):
        said = next((other for other in one.others if present.issuperset(characters_of(other))), "")
        if said and not present.issuperset(characters_of(one.word)):
            found.append(WordChange(one.start, one.end, question[one.start : one.end], said))
    return tuple(found)


def widened(terms: WeightedTerms, question: str, store: Store, literal: bool = False) -> WeightedTerms:
    """The terms of a question, with the words of other regions that the library has as well; and, of those that it has
    nowhere, with what documents say for them."""
    others = dict[tuple[str, ...], tuple[str, ...]]()
    for one in regional_words(question):
        own = tuple(term for term in dict.fromkeys(search_tokens(one.word)) if term in terms.terms)
        for other, count in zip(one.others, _counts(one.others, store), strict=True):
            if own and count:
                others.setdefault(characters_of(other), own)
    unsaid = terms.unsaid.difference(*others.values())
    for word in () if literal else everyday_words(question):
        own = tuple(term for term in dict.fromkeys([word.term, *search_tokens(word.term)]) if term in terms.unsaid)
        for other in word.others if word.term in own else ():
            others.setdefault((other,), own)
    return RegionalTerms(terms.terms, terms.history, terms.idf, unsaid, others=others) if others else terms


def regional_message(words: Sequence[WordChange]) -> Message:
    """What was searched for in place of what was typed."""
    pairs = dict.fromkeys((one.typed, one.said) for one in words)
    return Message(
        zh=f"{'，'.join(f'“{typed}”在资料中作“{said}”' for typed, said in pairs)}，已一并检索。",
        en=f"Searched for {', '.join(f'“{said}”, which the documents say for “{typed}”' for typed, said in pairs)}.",
    )


@dataclass(frozen=True, slots=True)
class RegionalTerms(WeightedTerms):
    """Some of the terms have words of other regions beside them. A text that says such a word has these terms."""

    others: Mapping[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)  # tokens of a word -> terms

    def _ranked(self, store: Store, k: int, scope: Scope) -> list[RankedChunk]:
        return store.search_groups(self._groups(), k, scope)

    def _groups(self) -> list[TermGroup]:
        beside: dict[str, list[Alternative]] = {}
        for tokens, terms in self.others.items():
            for term in terms:
                beside.setdefault(term, []).append(Alternative(tokens, _OTHER))
        return [TermGroup((Alternative((term,), 1.0), *beside.get(term, ())), term=term) for term in self.terms]

    def places(self, text: str) -> list[TermPlace]:
        """The terms stand where the other word begins."""
        tokens = tokens_of(text)
        present = {*tokens}
        said = {word[0]: terms for word, terms in self.others.items() if present.issuperset(word)}
        with_others = (one for token in tokens for one in (token, *said.get(token, ())))
        return [(place, token) for place, token in enumerate(with_others) if token in self.idf]


def _counts(words: Sequence[str], store: Store) -> list[int]:
    """In how many chunks each word is, at most."""
    tokens = [characters_of(word) for word in words]
    distinct = list(dict.fromkeys(token for one in tokens for token in one))
    counts = dict(zip(distinct, store.document_frequencies(distinct), strict=True))
    return [min(counts[token] for token in one) for one in tokens]
