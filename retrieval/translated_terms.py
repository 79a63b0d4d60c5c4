"""A question by the dictionary: each of its terms is a group of translations, and counts as one term."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from retrieval.lexical import BACKGROUND, TermPlace, WeightedTerms, chunks_in, inverse_frequency
from retrieval.passages import tokens_of
from retrieval.phrasal_words import is_said_as_phrase
from retrieval.telling_words import certainty, telling
from schema import Alternative, Scope, TermGroup
from stores.base import RankedChunk, Store
from text import detect_language, search_tokens
from translation.gloss import commonness, latin, words_of
from translation.glossary import characters_of
from translation.question import parts

_MOST = 20  # alternatives of a group, of those that the library has; 6 to 30 make no difference
_RIGHT = 0.8  # of a question's weight: right passages say 0.6 of it on the mean, in their own language 0.75
_TELLING = 0.5  # of the words together: about one such as "report"; at .8 a wrong one is rarer, but "start" is lost too
_NEAR = 6  # tokens between those of one term
_MEANT = 0.3  # of the best alternative's weight: what is less likely than that says nothing about coverage
_capital = re.compile(r"(?<=[^.?!:\s]\s)[A-Z][\w'-]*")  # not that of a sentence's first word

LabelledAlternative = tuple[str, Alternative]  # the label is that of its group


class _Worth(NamedTuple):
    """What it says about a question that a text has one of its alternatives."""

    tells: float
    certain: float  # that it is meant


class SaidTerms(NamedTuple):
    """What a text says: where labels stand in it, and by which alternatives."""

    places: list[TermPlace]
    alternatives: Sequence[LabelledAlternative]


@dataclass(frozen=True, slots=True)
class TranslatedTerms(WeightedTerms):
    """The terms are labels of groups; a text has a label where it has one of the group's alternatives."""

    groups: tuple[TermGroup, ...] = ()  # one for each label; only alternatives that the library has
    likely: tuple[Sequence[Alternative], ...] = ()  # of each group
    by_first: Mapping[str, Sequence[LabelledAlternative]] = field(
        default_factory=dict
    )  # the likely ones, by their first token
    tokens: frozenset[str] = frozenset()  # of the likely ones
    part: float = 1.0  # of what is meant; the rest is in the questions before, which are not translated
    alone: bool = False  # no document in scope is in the question's language: what is found there is the best there is
    _worths: dict[LabelledAlternative, _Worth] = field(default_factory=dict, compare=False, repr=False)
    _read: dict[str, SaidTerms] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of_groups(cls, groups: Sequence[TermGroup], store: Store) -> TranslatedTerms:
        """A group that the library has no alternative of counts by its parts, and else keeps the weight of an unknown
        term."""
        counts = _counts(groups, store)
        found = [one for group in groups for one in _held_or_parts(group, counts, store)]
        chunks = chunks_in(store) + BACKGROUND
        labels = tuple([f"\0{number}" for number in range(len(found))])
        idf = {
            label: one.held.weight * inverse_frequency(one.frequency, chunks)
            for label, one in zip(labels, found, strict=True)
        }
        likely = tuple([_likely(one.held, one.asked) for one in found])
        by_first: dict[str, list[LabelledAlternative]] = {}
        for label, ones in zip(labels, likely, strict=True):
            for each in ones:
                by_first.setdefault(each.tokens[0], []).append((label, each))
        held = tuple([one.held for one in found])
        tokens = frozenset([token for ones in likely for each in ones for token in each.tokens])
        return cls(labels, (), idf, groups=held, likely=likely, by_first=by_first, tokens=tokens)

    def anew(self, part: float, *, alone: bool) -> TranslatedTerms:
        """The same for another search: what this one has read is forgotten."""
        return replace(self, part=part, alone=alone, _known={}, _covered={}, _worths={}, _read={})

    @property
    def words(self) -> float:
        return float(len(self.terms))

    def _ranked(self, store: Store, k: int, scope: Scope) -> list[RankedChunk]:
        return store.search_groups(self.groups, k, scope)

    def places(self, text: str) -> list[TermPlace]:
        """A label stands where the first token of an alternative does, if the text has all of them."""
        return self._said(text).places

    def _covers(self, text: str) -> float:
        """The share that the text says of what a dictionary gets right; less of it where that may mean something else,
        as "call" and "end", or tells little, as "want" and "back", or the many words that a single character may be
        translated by."""
        best: dict[str, _Worth] = {}
        for label, alternative in self._said(text).alternatives:
            found = self._worth(label, alternative)
            before = best.get(label, found)
            best[label] = _Worth(max(found.tells, before.tells), max(found.certain, before.certain))
        said = sum(self.idf[label] for label in best)
        if not said:
            return 0.0
        certain = sum(self.idf[label] * worth.certain for label, worth in best.items()) / said
        share = min(1.0, certain * WeightedTerms._covers(self, text) / _RIGHT)
        return self.part * share * min(1.0, sum(worth.tells for worth in best.values()) / _TELLING)

    def _worth(self, label: str, alternative: Alternative) -> _Worth:
        """The passages say the same words again and again."""
        known = self._worths.get((label, alternative))
        if known is None:
            group = self.groups[self.terms.index(label)]
            certain = 1.0 if self.alone else certainty(group, alternative)
            known = _Worth(min(1.0, group.weight) * telling(group, alternative) * certain, certain)
            self._worths[label, alternative] = known
        return known

    def names(self, question: str) -> dict[str, tuple[str, ...]]:
        """The labels of the question's names, each with its search tokens: Latin words of a Chinese question, capitals
        of an English one, terms of the glossary. None that the library has no alternative of."""
        chinese = detect_language(question) == "zh"
        words = () if chinese else _capital.findall(question)
        capitals = {token for word in words for token in search_tokens(word)}
        return {
            label: _tokens_of_term(group.term)
            for label, group in zip(self.terms, self.groups, strict=True)
            if group.alternatives
            and (group.given or (_stands_for_itself(group) if chinese else group.term in capitals))
        }

    def says(self, text: str, labels: Collection[str]) -> bool:
        """Whether a text has all of these labels."""
        return {label for label, _ in self._said(text).alternatives}.issuperset(labels)

    def _said(self, text: str) -> SaidTerms:
        """Of the alternatives that begin with the same token the first that is there."""
        if text in self._read:
            return self._read[text]
        tokens, by_first = tokens_of(text), self.by_first
        beginnings = [(place, token) for place, token in enumerate(tokens) if token in by_first]
        found, present = dict[str, LabelledAlternative](), frozenset[str]()
        for token in dict.fromkeys([token for _, token in beginnings]):
            for one in by_first[token]:
                if len(term := one[1].tokens) > 1:
                    present = present or self.tokens.intersection(tokens)
                    there = present.issuperset(term) and _beside(term, tokens)
                else:
                    there = is_said_as_phrase(one[1], text)
                if there:
                    found[token] = one
                    break
        places = [(place, found[token][0]) for place, token in beginnings if token in found]
        self._read[text] = read = SaidTerms(places, [*found.values()])
        return read

    def glosses(self, question: str, texts: Sequence[str]) -> dict[str, str]:
        """The question's words, each with the longest likely translation in the first text that has any, as it stands
        there, of those as long the most common; not the words, as "take", that so many translate that none explains
        anything."""
        chosen, read = dict[int, Alternative](), 0
        left = [number for number, group in enumerate(self.groups) if 0 < len(group.alternatives) < _MOST]
        for text in texts:
            if not left:
                break
            present, read = self.tokens.intersection(tokens_of(text)), read + 1
            for number in left if present else ():
                likely = [each for each in self.likely[number] if present.issuperset(each.tokens)]
                if there := [each for each in likely if is_said_as_phrase(each, text)]:
                    more = there[1:]  # of one alternative alone nobody asks how common it is
                    chosen[number] = max(there, key=_length_and_commonness) if more else there[0]
            left = [number for number in left if number not in chosen]
        return self._as_written([(self.groups[one], chosen[one]) for one in sorted(chosen)], question, texts[:read])

    @staticmethod
    def _as_written(
        chosen: Sequence[tuple[TermGroup, Alternative]], question: str, texts: Sequence[str]
    ) -> dict[str, str]:
        theirs, missing = dict[str, str](), latin({token for _, each in chosen for token in each.tokens})
        for text in texts if missing else ():
            if here := missing.intersection(tokens_of(text)):
                theirs |= words_of(here, [text])
                missing -= theirs.keys()
        ours = words_of({token for group, _ in chosen for token in group.term.split()}, [question])
        return {
            " ".join(ours.get(token, token) for token in group.term.split()): _joined(
                [theirs.get(token, token) for token in each.tokens]
            )
            for group, each in chosen
        }


def _length_and_commonness(each: Alternative) -> tuple[int, float]:
    return len(each.tokens), commonness(each)


def _beside(term: Sequence[str], tokens: Sequence[str]) -> bool:
    """Whether the tokens of a term stand near each other: “brought 11 % more sign-ups” does not say "bring up"."""
    first, *others = term
    for place, token in enumerate(tokens):
        if token == first and {*others} <= {*tokens[max(0, place - _NEAR) : place + _NEAR + len(others)]}:
            return True
    return False


def _tokens_of_term(term: str) -> tuple[str, ...]:
    """Of a term of several words, which are search tokens already, or of Chinese."""
    return (*term.split(" "),) if term.isascii() else characters_of(term)


def _stands_for_itself(group: TermGroup) -> bool:
    return not group.alternatives[0].text and group.term.isascii() and group.term.isalpha()


def _likely(kept: TermGroup, group: TermGroup) -> list[Alternative]:
    """Of the alternatives that the library has. A Chinese word of which it only says the kind of thing, as
    "certificate" of 股票, is not said; the narrower 磁带 says "tape"."""
    best = (kept if group.term.isascii() else group).alternatives
    least = _MEANT * max((each.weight for each in best), default=0.0)
    return [each for each in kept.alternatives if each.weight >= least]


def _joined(words: Sequence[str]) -> str:
    """The words of one alternative; pairs of Chinese characters overlap."""
    if words[0].isascii():
        return " ".join(words)
    return words[0] + "".join(word[-1] for word in words[1:])


def _counts(groups: Sequence[TermGroup], store: Store) -> dict[str, int]:
    tokens = list({token: None for group in groups for each in group.alternatives for token in each.tokens})
    return dict(zip(tokens, store.document_frequencies(tokens), strict=True))


class _HeldGroup(NamedTuple):
    """A group as it is asked, with the alternatives that the library has alone, and in how many chunks it is."""

    asked: TermGroup
    held: TermGroup
    frequency: float


def _held_or_parts(group: TermGroup, counts: dict[str, int], store: Store) -> Sequence[_HeldGroup]:
    """The group, or its parts where the library has these alone."""
    whole = _held(group, counts)
    if whole.held.alternatives or not (pieces := parts(group)):
        return (whole,)
    counts |= _counts(pieces, store)
    found = [_held(one, counts) for one in pieces]
    return found if any(one.held.alternatives for one in found) else (whole,)


def _held(group: TermGroup, counts: Mapping[str, int]) -> _HeldGroup:
    """The frequency is that of its alternatives by their weights."""
    known = [
        (each, count)
        for each in group.alternatives
        if (count := counts[each.tokens[0]] if len(each.tokens) == 1 else min(map(counts.__getitem__, each.tokens)))
    ][:_MOST]
    total = sum([each.weight for each, _ in known])
    frequency = sum([each.weight * count for each, count in known]) / total if total else 0.0
    return _HeldGroup(group, group._replace(alternatives=tuple([each for each, _ in known])), frequency)
