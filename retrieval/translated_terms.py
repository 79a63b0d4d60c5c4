"""A question by the dictionary: each of its terms is a group of translations, and counts as one term."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

from retrieval.held_groups import HeldGroup, held_groups
from retrieval.lexical import BACKGROUND, TermPlace, WeightedTerms, chunks_in, inverse_frequency
from retrieval.passages import tokens_of
from retrieval.phrasal_words import is_said_as_phrase
from retrieval.telling_words import certainty, telling
from schema import Alternative, Scope, TermGroup
from stores.base import Store
from stores.search_contract import RankedChunk
from text import detect_language, search_tokens
from translation.gloss import commonness, latin, words_of
from translation.glossary import characters_of

_RIGHT = 0.8  # of a question's weight: right passages say 0.6 of it on the mean, in their own language 0.75
_TELLING = 0.5  # of the words together: about one such as "report"; at .8 a wrong one is rarer, but "start" is lost too
_NEAR = 6  # tokens between those of one term
_capital = re.compile(r"(?<=[^.?!:\s]\s)[A-Z][\w'-]*")  # not that of a sentence's first word

# The label is that of its group; the last says whether its first token alone says it.
LabelledAlternative = tuple[str, Alternative, bool]


class SaidTerms(NamedTuple):
    """What a text says: where labels stand in it, and by which alternatives."""

    places: list[TermPlace]
    alternatives: Sequence[LabelledAlternative]


@dataclass(frozen=True, slots=True)
class TranslatedTerms(WeightedTerms):
    """The terms are labels of groups; a text has a label where it has one of the group's alternatives."""

    held: tuple[HeldGroup, ...] = ()  # one for each label
    by_first: Mapping[str, Sequence[LabelledAlternative]] = field(
        default_factory=dict
    )  # the likely alternatives, by their first token
    tokens: frozenset[str] = frozenset()  # of the likely ones
    part: float = 1.0  # of what is meant; the rest is in the questions before, which are not translated
    alone: bool = False  # no document in scope is in the question's language: what is found there is the best there is
    _certain: dict[int, float] = field(default_factory=dict, compare=False, repr=False)  # by identity: of `by_first`
    _read: dict[str, SaidTerms] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of_groups(cls, groups: Sequence[TermGroup], store: Store) -> TranslatedTerms:
        """A group that the library has no alternative of counts by its parts, and else keeps the weight of an unknown
        term."""
        held, chunks = held_groups(groups, store), chunks_in(store) + BACKGROUND
        labels = tuple([f"\0{number}" for number in range(len(held))])
        idf, by_first = dict[str, float](), dict[str, list[LabelledAlternative]]()
        for label, one in zip(labels, held, strict=True):
            idf[label] = one.group.weight * inverse_frequency(one.frequency, chunks)
            for each, alone in zip(one.likely, one.alone, strict=True):
                by_first.setdefault(each.tokens[0], []).append((label, each, alone))
        tokens = frozenset(chain.from_iterable([one.tokens for one in held]))
        return cls(labels, (), idf, held=(*held,), by_first=by_first, tokens=tokens)

    def anew(self, part: float, *, alone: bool) -> TranslatedTerms:
        """The same for another search: what this one has read is forgotten."""
        return replace(self, part=part, alone=alone, _known={}, _covered={}, _certain={}, _read={})

    @property
    def groups(self) -> tuple[TermGroup, ...]:
        """One for each label; only alternatives that the library has."""
        return tuple([one.group for one in self.held])

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
        by_label = dict[str, list[LabelledAlternative]]()
        for one in self._said(text).alternatives:
            by_label.setdefault(one[0], []).append(one)
        said = sum([self.idf[label] for label in by_label])
        if not said:
            return 0.0
        sure = sum([self.idf[label] * max(map(self._certainty, ones)) for label, ones in by_label.items()]) / said
        share = min(1.0, sure * WeightedTerms._covers(self, text) / _RIGHT)
        told = 0.0
        for ones in by_label.values():
            if told >= _TELLING:  # more of it changes nothing, and is looked up at some length
                break
            told += max(map(self._tells, ones))
        return self.part * share * min(1.0, told / _TELLING)

    def _certainty(self, one: LabelledAlternative) -> float:
        """That it is meant. The passages say the same words again and again."""
        if self.alone:
            return 1.0
        known = self._certain.get(id(one))
        if known is None:
            self._certain[id(one)] = known = certainty(self._group_of(one), one[1])
        return known

    def _tells(self, one: LabelledAlternative) -> float:
        """How much it says about a question that a text has one of its alternatives."""
        group = self._group_of(one)
        return min(1.0, group.weight) * telling(group, one[1]) * self._certainty(one)

    def _group_of(self, one: LabelledAlternative) -> TermGroup:
        return self.held[self.terms.index(one[0])].group

    def names(self, question: str) -> dict[str, tuple[str, ...]]:
        """The labels of the question's names, each with its search tokens: Latin words of a Chinese question, capitals
        of an English one, terms of the glossary. None that the library has no alternative of."""
        chinese = detect_language(question) == "zh"
        capitals = frozenset[str]() if chinese else capitalised(question)
        return {
            label: _tokens_of_term(group.term)
            for label, group in zip(self.terms, self.groups, strict=True)
            if group.alternatives
            and (group.given or (_stands_for_itself(group) if chinese else group.term in capitals))
        }

    def says(self, text: str, labels: Collection[str]) -> bool:
        """Whether a text has all of these labels."""
        return {label for label, *_ in self._said(text).alternatives}.issuperset(labels)

    def _said(self, text: str) -> SaidTerms:
        """Of the alternatives that begin with the same token the first that is there."""
        if (known := self._read.get(text)) is not None:
            return known
        tokens, by_first = tokens_of(text), self.by_first
        beginnings = [(place, token) for place, token in enumerate(tokens) if token in by_first]
        found, present = dict[str, LabelledAlternative](), frozenset[str]()
        for token in dict.fromkeys([token for _, token in beginnings]):
            for one in by_first[token]:
                _, alternative, there = one
                if not there and len(term := alternative.tokens) > 1:
                    present = present or self.tokens.intersection(tokens)
                    there = present.issuperset(term) and _beside(term, tokens)
                if there or (len(alternative.tokens) == 1 and is_said_as_phrase(alternative, text)):
                    found[token] = one
                    break
        places = [(place, found[token][0]) for place, token in beginnings if token in found]
        self._read[text] = read = SaidTerms(places, [*found.values()])
        return read

    def glosses(self, question: str, texts: Sequence[str]) -> dict[str, str]:
        """The question's words, each with the longest likely translation in the first text that has any, as it stands
        there, of those as long the most common; not the words, as "take", that so many translate that none explains
        anything."""
        chosen, read = dict[str, Alternative](), 0
        left = {label: one.likely for label, one in zip(self.terms, self.held, strict=True) if not one.is_open}
        for text in texts:
            if not left:
                break
            present, read = self.tokens.intersection(tokens_of(text)), read + 1
            begun = {one[0] for token in present if token in self.by_first for one in self.by_first[token]}
            for label in begun & left.keys():
                likely = [each for each in left[label] if present.issuperset(each.tokens)]
                if there := [each for each in likely if is_said_as_phrase(each, text)]:
                    more = there[1:]  # of one alternative alone nobody asks how common it is
                    chosen[label] = max(there, key=_length_and_commonness) if more else there[0]
                    del left[label]
        found = [
            (one.group, chosen[label]) for label, one in zip(self.terms, self.held, strict=True) if label in chosen
        ]
        return self._as_written(found, question, texts[:read])

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
            " ".join(ours.get(token, token) for token in group.term.split()): (
                each.text if _is_name(each) else _joined([theirs.get(token, token) for token in each.tokens])
            )
            for group, each in chosen
        }


def _is_name(alternative: Alternative) -> bool:
    """Whether it is written with capitals, as Dai Mingyuan and Beijing are."""
    return alternative.text.isascii() and alternative.text.istitle()


def capitalised(question: str) -> frozenset[str]:
    """The search tokens of words with a capital that begin no sentence."""
    return frozenset(token for word in _capital.findall(question) for token in search_tokens(word))


def _length_and_commonness(each: Alternative) -> tuple[int, float]:
    return len(each.tokens), commonness(each)


def _beside(term: Sequence[str], tokens: Sequence[str]) -> bool:
    """Whether the tokens of a term stand near each other: “brought 11 % more sign-ups” does not say "bring up"."""
    first, others = term[0], {*term[1:]}
    places = (place for place, token in enumerate(tokens) if token == first)
    return any(others.issubset(tokens[max(0, place - _NEAR) : place + _NEAR + len(term) - 1]) for place in places)


def _tokens_of_term(term: str) -> tuple[str, ...]:
    """Of a term of several words, which are search tokens already, or of Chinese."""
    return (*term.split(" "),) if term.isascii() else characters_of(term)


def _stands_for_itself(group: TermGroup) -> bool:
    return not group.alternatives[0].text and group.term.isascii() and group.term.isalpha()


def _joined(words: Sequence[str]) -> str:
    """The words of one alternative; pairs of Chinese characters overlap."""
    if words[0].isascii():
        return " ".join(words)
    return words[0] + "".join(word[-1] for word in words[1:])
