"""Which translations of a question's terms a library has, and in how many of its chunks each term is by them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain, islice
from typing import NamedTuple

from retrieval.phrasal_words import needs_small_word
from schema import Alternative, TermGroup
from stores.base import Store
from translation.question import parts

_MOST = 20  # alternatives of a group, of those that the library has; 6 to 30 make no difference
_MEANT = 0.3  # of the best alternative's weight: what is less likely than that says nothing about coverage
_REMEMBERED = 1_500  # groups


class HeldGroup(NamedTuple):
    """A group as a library has it."""

    group: TermGroup  # with the alternatives that are there alone
    likely: tuple[Alternative, ...]  # of them
    frequency: float  # chunks that have it: those of its alternatives by their weights
    alone: tuple[bool, ...]  # for each of these: whether a text with its first token says it, whatever else it has
    tokens: tuple[str, ...]  # of the likely ones

    @property
    def is_open(self) -> bool:
        """Whether so many of its alternatives are there that none of them explains anything."""
        return len(self.group.alternatives) >= _MOST


class _GroupMemory(NamedTuple):
    """A group as it was asked, and how a library has it that has its tokens in so many chunks."""

    asked: TermGroup
    tokens: Sequence[str]  # of its alternatives, in their order
    counts: Sequence[int]
    held: HeldGroup


# By the identity of the group, which lives as long as its entry: the dictionary gives the same one for the same word,
# and to compare two takes longer than to make all of this anew.
_remembered: OrderedDict[int, _GroupMemory] = OrderedDict()


def held_groups(groups: Sequence[TermGroup], store: Store) -> list[HeldGroup]:
    """The groups, each by its parts where the library has these alone. One without any alternative that is there stays
    as a term that nobody says."""
    wholes = _held_groups(groups, store)
    apart = [() if whole.group.alternatives else parts(one) for one, whole in zip(groups, wholes, strict=True)]
    if not any(apart):
        return wholes
    pieces, found = iter(_held_groups([*chain.from_iterable(apart)], store)), list[HeldGroup]()
    for whole, some in zip(wholes, apart, strict=True):
        of_parts = [*islice(pieces, len(some))]
        found += of_parts if any(one.group.alternatives for one in of_parts) else [whole]
    return found


def _held_groups(groups: Sequence[TermGroup], store: Store) -> list[HeldGroup]:
    """All with one question to the store."""
    known = [_known(group) for group in groups]
    counts, place, found = store.document_frequencies([*chain.from_iterable([one.tokens for one in known])]), 0, []
    for one in known:
        own = counts[place : (place := place + len(one.tokens))]
        found.append(one.held if one.counts == own else _remember(one.asked, one.tokens, own).held)
    return found


def _known(group: TermGroup) -> _GroupMemory:
    known = _remembered.get(id(group))
    if known and known.asked is group:
        return known
    tokens = [token for each in group.alternatives for token in each.tokens]
    return _GroupMemory(group, tokens, (), HeldGroup(group, (), 0.0, (), ()))


def _remember(group: TermGroup, tokens: Sequence[str], counts: Sequence[int]) -> _GroupMemory:
    _remembered[id(group)] = made = _GroupMemory(group, tokens, counts, _held(group, counts))
    if len(_remembered) > _REMEMBERED:
        _remembered.popitem(last=False)  # the oldest
    return made


def _held(group: TermGroup, counts: Sequence[int]) -> HeldGroup:
    """The counts are those of its tokens."""
    there, total, weighted, place = list[Alternative](), 0.0, 0.0, 0
    for each in group.alternatives:
        end = place + len(each.tokens)
        if count := counts[place] if end == place + 1 else min(counts[place:end]):
            there.append(each)
            total, weighted = total + each.weight, weighted + each.weight * count
            if len(there) == _MOST:
                break
        place = end
    held = group._replace(alternatives=(*there,))
    likely = _likely(held, group)
    tokens = tuple([token for each in likely for token in each.tokens])
    alone = tuple([len(each.tokens) == 1 and not needs_small_word(each) for each in likely])
    return HeldGroup(held, likely, weighted / total if total else 0.0, alone, tokens)


def _likely(held: TermGroup, group: TermGroup) -> tuple[Alternative, ...]:
    """Of the alternatives that the library has. A Chinese word of which it only says the kind of thing, as
    "certificate" of 股票, is not said; the narrower 磁带 says "tape"."""
    best = (held if group.term.isascii() else group).alternatives
    least = _MEANT * max((each.weight for each in best), default=0.0)
    return tuple([each for each in held.alternatives if each.weight >= least])
