"""Passages that say the same word for word, or nearly: of a file that is stored twice, or in two versions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from unicodedata import normalize

from schema import Hit
from text import CJK

_ALIKE = 0.9  # share of the pairs of neighbouring words of both that they have in common
# Of the words, and of the pairs, as sets, which is quickly told; with less than this it is hardly ever as much as that.
_WORTH_COUNTING, _WORTH_COUNTING_PAIRS = 0.7, 0.8
_word = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
# Words that make another statement of the same sentence: passages that differ in one contradict each other.
_telling = re.compile(
    r".*\d.*|[零〇一二两三四五六七八九十百千万亿不没無无未非勿禁否]|no|not|never|none|without|cannot|t|only"
    r"|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
)


class _Said:
    """A passage's words; what is counted of them is counted when a passage much like it is met."""

    def __init__(self, text: str) -> None:
        self.words = _word.findall(normalize("NFKC", text).lower())
        self.known = frozenset(self.words)

    @cached_property
    def known_pairs(self) -> frozenset[tuple[str, str]]:
        return frozenset(pairwise(self.words))

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(self.words)

    @cached_property
    def pairs(self) -> Counter[tuple[str, str]]:
        return Counter(pairwise(self.words))

    def repeats(self, other: _Said) -> bool:
        if self.words == other.words:
            return True
        if len(self.known & other.known) < _WORTH_COUNTING * len(self.known | other.known):
            return False
        both = len(self.known_pairs & other.known_pairs)
        if both < _WORTH_COUNTING_PAIRS * (len(self.known_pairs) + len(other.known_pairs) - both):
            return False
        common = (self.pairs & other.pairs).total()
        if common < _ALIKE * (len(self.words) + len(other.words) - 2 - common):
            return False
        differing = (self.counts | other.counts) - (self.counts & other.counts)
        return not any(_telling.fullmatch(word) for word in differing)


def distinct(hits: Sequence[Hit], count: int) -> tuple[Hit, ...]:
    """At most so many hits, best first, without those that nearly repeat a better one; it names their documents."""
    kept: list[tuple[Hit, _Said]] = []
    for hit in hits:
        said = _Said(hit.text)
        place = next((place for place, (_, other) in enumerate(kept) if said.repeats(other)), None)
        if place is None:
            if len(kept) < count:
                kept.append((hit, said))
            continue
        first, other = kept[place]
        if (hit.document, hit.doc_set) != (first.document, first.doc_set):
            kept[place] = replace(first, also_in=tuple(dict.fromkeys([*first.also_in, _named(hit, first)]))), other
    return tuple(hit for hit, _ in kept)


def _named(hit: Hit, beside: Hit) -> str:
    """With its set where that is another one."""
    return hit.document if hit.doc_set in ("", beside.doc_set) else f"{hit.doc_set} › {hit.document}"
