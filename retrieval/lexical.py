"""What BM25 does not see: how close together a passage says the question's terms, and how much of the question."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from weakref import WeakKeyDictionary

from retrieval.passages import tokens_of
from schema import Language, Scope
from stores.base import Store
from stores.search_contract import RankedChunk
from text import CJK

_WINDOW = 24  # tokens: about a sentence of English, half of one of Chinese
_NEAR, _PHRASE = 0.4, 0.3  # weights beside BM25's 1; flat between half and twice as much on both languages
_HISTORY = 0.3  # what a term of the conversation before weighs beside one of the question
_MOST_TERMS = 128  # of a question; a pasted page is asked by its rarest terms
BACKGROUND = 1_000  # chunks imagined beside the library's: in a small one, counts say little about what is rare
_CJK_WORD = 0.4  # words that a Chinese term stands for
_cjk = re.compile(f"[{CJK}]")
TermPlace = tuple[int, str]  # the number of a token in a text, and the term that stands there


class _Counts(NamedTuple):
    generation: int
    chunks: int
    languages: Mapping[Language, int]


_counted: WeakKeyDictionary[Store, _Counts] = WeakKeyDictionary()  # of open libraries


@dataclass(frozen=True, slots=True)
class WeightedTerms:
    """The terms of a question, in order and as often as they occur, and what each weighs."""

    terms: tuple[str, ...]
    history: tuple[str, ...]  # terms of the conversation before that are not among them
    idf: Mapping[str, float]  # BM25's, over the whole library
    unsaid: frozenset[str] = frozenset()  # terms of the question that the library has nowhere
    distinct: frozenset[str] = field(init=False, compare=False, repr=False)  # the terms, each once
    total: float = field(init=False, compare=False, repr=False)  # what they weigh together
    _known: dict[str, float] = field(default_factory=dict, compare=False, repr=False)  # what `_together` has found
    _covered: dict[str, float] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, terms: Sequence[str], store: Store, history: Sequence[str] = ()) -> WeightedTerms:
        """A term that the library does not know has the highest idf. Of very many terms the rarest known are kept."""
        distinct = list(dict.fromkeys([*terms, *history]))
        found = dict(zip(distinct, store.document_frequencies(distinct), strict=True))
        chunks = chunks_in(store) + BACKGROUND
        idf = {term: inverse_frequency(count, chunks) for term, count in found.items()}
        by_use = sorted(dict.fromkeys(terms), key=lambda term: (not found[term], found[term]))
        kept = set(by_use[:_MOST_TERMS])
        before = [term for term in dict.fromkeys(history) if term not in kept]
        unsaid = frozenset(term for term in kept if not found[term])
        return cls(tuple(term for term in terms if term in kept), tuple(before[:_MOST_TERMS]), idf, unsaid)

    def __post_init__(self) -> None:
        object.__setattr__(self, "distinct", frozenset(self.terms))
        object.__setattr__(self, "total", self._weight(self.distinct))

    @property
    def words(self) -> float:
        """About how many different words they are: of Chinese both words and pairs of characters are terms."""
        return sum(_CJK_WORD if _cjk.search(term) else 1.0 for term in self.distinct)

    def bm25(self, store: Store, k: int, scope: Scope) -> dict[int, float]:
        """Chunk id -> score, for at most 2k chunks."""
        scores = {found.chunk_id: found.score for found in self._ranked(store, k, scope)}
        for found in store.search_terms(self.history, k, scope) if self.history else ():
            scores[found.chunk_id] = scores.get(found.chunk_id, 0.0) + _HISTORY * found.score
        return scores

    def _ranked(self, store: Store, k: int, scope: Scope) -> list[RankedChunk]:
        """Without the conversation before."""
        return store.search_terms(self.terms, k, scope)

    def bonus(self, text: str) -> float:
        """What a passage earns beside its BM25 score: the best window's terms, and the question's phrases.

        Phrases are for words: Chinese has its bigrams among the terms already.
        """
        places = self.places(text)
        neighbours = {(term, other) for (place, term), (after, other) in pairwise(places) if after == place + 1}
        adjacent = neighbours & _pairs(self.terms) if neighbours else ()
        phrases = sum((self.idf[first] + self.idf[second]) / 2 for first, second in adjacent)
        return _NEAR * self._together(text, places) + _PHRASE * phrases

    def coverage(self, text: str) -> float:
        """The share of the question's weight that the text says, in [0, 1]: anywhere and close together, in equal
        parts. For a follow-up, the share of the question and the conversation's terms where that is higher. Forms of a
        question ask for the same passages."""
        if text not in self._covered:
            self._covered[text] = self._covers(text)
        return self._covered[text]

    def _covers(self, text: str) -> float:
        places = self.places(text)
        present = {term for _, term in places}
        share = self._share(self.distinct, present, self._together(text, places))
        if not self.history:
            return share
        wanted = {*self.terms, *self.history}
        return max(share, self._share(wanted, present, self._nearest(wanted, places)))

    def of_words(self) -> WeightedTerms:
        """Without pairs of Chinese characters that are no word, as 业迟 of 作业迟交: a text that says both words apart
        says none of them. A word of two characters is among the terms twice, as a word and as a pair."""
        seams = {term for term in self.terms if len(term) == 2 and _cjk.match(term) and self.terms.count(term) == 1}
        kept = tuple(term for term in self.terms if term not in seams)
        return replace(self, terms=kept, _known={}, _covered={}) if seams else self

    def share(self, text: str) -> float:
        """The share of the question's weight that a text says, in [0, 1]."""
        present = {term for _, term in self.places(text)}
        return self._weight(self.distinct & present) / self.total if self.total else 0.0

    def glosses(self, question: str, texts: Sequence[str]) -> dict[str, str]:
        """The words of the question by which the texts were found in another language; none where they are its own."""
        return {}

    def places(self, text: str) -> list[TermPlace]:
        """Where the text has terms of the question or of the conversation before, in its order."""
        idf = self.idf
        return [(place, token) for place, token in enumerate(tokens_of(text)) if token in idf]

    def _share(self, wanted: Set[str], present: Set[str], together: float) -> float:
        total = self.total if wanted is self.distinct else self._weight(wanted)
        return (self._weight(wanted & present) + together) / 2 / total if total else 0.0

    def _weight(self, terms: Set[str]) -> float:
        return sum([self.idf[term] for term in terms])

    def _together(self, text: str, places: Sequence[TermPlace]) -> float:
        """Of the question's own terms: a passage is ranked by it, and asked again whether it covers the question."""
        if text not in self._known:
            self._known[text] = self._nearest(self.distinct, places)
        return self._known[text]

    def _nearest(self, wanted: Set[str], places: Sequence[TermPlace], window: int = _WINDOW) -> float:
        """The idf of the distinct terms that stand together in the best window of so many tokens."""
        idf, inside = self.idf, dict.fromkeys(wanted, 0)
        places = [one for one in places if one[1] in inside]
        first, now, best = 0, 0.0, 0.0
        for place, token in places:
            if not inside[token]:
                now += idf[token]
            inside[token] += 1
            while places[first][0] <= place - window:
                leaving = places[first][1]
                inside[leaving] -= 1
                if not inside[leaving]:
                    now -= idf[leaving]
                first += 1
            if now > best:
                best = now
        return best


def inverse_frequency(count: float, chunks: int) -> float:
    """BM25's idf of a term that so many of the chunks have."""
    return math.log1p((chunks - min(count, chunks)) / (count + 0.5))


def chunks_in(store: Store) -> int:
    """How many chunks the library has."""
    return _counts(store).chunks


def documents_by_language(store: Store, scope: Scope) -> Mapping[Language, int]:
    """How many documents in scope there are of each language."""
    return store.languages(scope) if scope else _counts(store).languages


def _counts(store: Store) -> _Counts:
    """Counted once a generation: that reads whole tables."""
    generation = store.generation()  # before they are read: what is newer than it says does no harm
    known = _counted.get(store)
    if known is None or known.generation != generation:
        known = _counted[store] = _Counts(generation, store.stats().chunks, store.languages())
    return known


@lru_cache(maxsize=16)
def _pairs(tokens: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    """Neighbours among the words; the pieces of a compound and Chinese tokens overlap, so theirs say nothing."""
    return frozenset(
        (first, second)
        for first, second in pairwise(tokens)
        if not (_cjk.search(first) or _cjk.search(second) or first == second)
    )
