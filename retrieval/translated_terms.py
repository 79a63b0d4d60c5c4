"""A question by the dictionary: each of its terms is a group of translations, and counts as one term."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from retrieval.lexical import BACKGROUND, TermPlace, WeightedTerms, chunks_in, inverse_frequency
from retrieval.passages import tokens_of
from schema import Alternative, Scope, TermGroup
from stores.base import RankedChunk, Store
from translation.gloss import commonness, words_of

_MOST = 20  # alternatives of a group, of those that the library has; 6 to 30 make no difference
_RIGHT = 0.8  # of a question's weight: right passages say 0.6 of it on the mean, in their own language 0.75
_MEANT = 0.3  # of the best alternative's weight: what is less likely than that says nothing about coverage


@dataclass(frozen=True, slots=True)
class TranslatedTerms(WeightedTerms):
    """The terms are labels of groups; a text has a label where it has one of the group's alternatives."""

    groups: tuple[TermGroup, ...] = ()  # one for each label; only alternatives that the library has
    by_first: Mapping[str, Sequence[tuple[str, tuple[str, ...]]]] = field(default_factory=dict)  # labels, likely tokens

    @classmethod
    def of_groups(cls, groups: Sequence[TermGroup], store: Store) -> TranslatedTerms:
        """A group that the library has no alternative of keeps the weight of an unknown term."""
        tokens = list({token: None for group in groups for each in group.alternatives for token in each.tokens})
        counts = dict(zip(tokens, store.document_frequencies(tokens), strict=True))
        chunks = chunks_in(store) + BACKGROUND
        kept = [_in_library(group, counts) for group in groups]
        labels = tuple(f"\0{number}" for number in range(len(kept)))
        idf = {
            label: group.weight * inverse_frequency(_frequency(group, counts), chunks)
            for label, group in zip(labels, kept, strict=True)
        }
        by_first: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for label, group in zip(labels, kept, strict=True):
            for each in _likely(group):
                by_first.setdefault(each.tokens[0], []).append((label, each.tokens))
        return cls(labels, (), idf, groups=tuple(kept), by_first=by_first)

    @property
    def words(self) -> float:
        return float(len(self.terms))

    def _ranked(self, store: Store, k: int, scope: Scope) -> list[RankedChunk]:
        return store.search_groups(self.groups, k, scope)

    def places(self, text: str) -> list[TermPlace]:
        """A label stands where the first token of an alternative does, if the text has all of them."""
        tokens = tokens_of(text)
        present, labels = {*tokens}, dict[str, str]()
        for token in self.by_first.keys() & present:
            for label, alternative in self.by_first[token]:
                if present.issuperset(alternative):
                    labels[token] = label
                    break
        return [(place, labels[token]) for place, token in enumerate(tokens) if token in labels]

    def coverage(self, text: str) -> float:
        """The share that the text says of what a dictionary gets right."""
        return min(1.0, WeightedTerms.coverage(self, text) / _RIGHT)

    def glosses(self, question: str, texts: Sequence[str]) -> dict[str, str]:
        """The question's words, each with the longest likely translation in the texts, as it stands there, of those as
        long the most common; not the words, as "take", that so many translate that none explains anything."""
        present = set[str]().union(*map(tokens_of, texts))
        chosen = list[tuple[TermGroup, Alternative]]()
        for group in self.groups:
            there = [each for each in _likely(group) if present.issuperset(each.tokens)]
            if there and len(group.alternatives) < _MOST:
                chosen.append((group, max(there, key=lambda each: (len(each.tokens), commonness(each)))))
        theirs = words_of({token for _, each in chosen for token in each.tokens}, texts)
        ours = words_of({token for group, _ in chosen for token in group.term.split()}, [question])
        return {
            " ".join(ours.get(token, token) for token in group.term.split()): _joined(
                [theirs.get(token, token) for token in each.tokens]
            )
            for group, each in chosen
        }


def _likely(group: TermGroup) -> list[Alternative]:
    least = _MEANT * max((each.weight for each in group.alternatives), default=0.0)
    return [each for each in group.alternatives if each.weight >= least]


def _joined(words: Sequence[str]) -> str:
    """The words of one alternative; pairs of Chinese characters overlap."""
    if words[0].isascii():
        return " ".join(words)
    return words[0] + "".join(word[-1] for word in words[1:])


def _in_library(group: TermGroup, counts: dict[str, int]) -> TermGroup:
    known = [each for each in group.alternatives if all(map(counts.__getitem__, each.tokens))]
    return TermGroup(tuple(known[:_MOST]), group.weight, group.term)


def _frequency(group: TermGroup, counts: dict[str, int]) -> float:
    total = sum(each.weight for each in group.alternatives)
    return sum(each.weight / total * min(map(counts.__getitem__, each.tokens)) for each in group.alternatives)
