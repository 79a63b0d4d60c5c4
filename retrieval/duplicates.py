"""Passages that say the same word for word, or nearly: of a file that is stored twice, or in two versions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise
from sys import intern
from unicodedata import normalize

from schema import Hit
from text import CJK

_ALIKE = 0.9  # share of the pairs of neighbouring words of both that they have in common
_WORTH_COUNTING = 0.7  # of the words as sets, which is quickly told: with less it is hardly ever as much as that
_word = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
# Words that make another statement of the same sentence: passages that differ in one contradict each other.
_telling = re.compile(
    r".*\d.*|[零〇一二两三四五六七八九十百千万亿不没無无未非勿禁否]|no|not|never|none|without|cannot|t|only"
    r"|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
)


class _PassageWords:
    """A passage's words; what is counted of them is counted when a passage much like it is met."""

    def __init__(self, text: str) -> None:
        self.words = tuple(map(intern, _word.findall(normalize("NFKC", text).lower())))
        self.telling = tuple(sorted(filter(_tells, self.words)))

    @cached_property
    def known(self) -> frozenset[str]:
        return frozenset(self.words)

    @cached_property
    def pairs(self) -> Counter[tuple[str, str]]:
        return Counter(pairwise(self.words))

    def repeats(self, other: _PassageWords) -> bool:
        """Of a passage whose telling words are the same."""
        if self.words == other.words:
            return True
        if len(self.known & other.known) < _WORTH_COUNTING * len(self.known | other.known):
            return False
        common = (self.pairs & other.pairs).total()
        return common >= _ALIKE * (len(self.words) + len(other.words) - 2 - common)


@lru_cache(10_000)
def _tells(word: str) -> bool:
    return _telling.fullmatch(word) is not None


_words_of = lru_cache(256)(_PassageWords)  # some 40 KB each; a turn that searches twice finds the same passages twice


def distinct(hits: Sequence[Hit], count: int) -> tuple[Hit, ...]:
    """At most so many hits, best first, without those that nearly repeat a better one; it names their documents."""
    return split_duplicates(hits, count)[0]


def split_duplicates(hits: Sequence[Hit], count: int) -> tuple[tuple[Hit, ...], dict[int, int]]:
    """The distinct ones, and of each that repeats one of them the chunk that it repeats."""
    kept: list[Hit] = []
    repeats: dict[int, int] = {}
    alike: defaultdict[tuple[str, ...], list[tuple[int, _PassageWords]]] = defaultdict(
        list
    )  # places in `kept`, by what tells
    for hit in hits:
        words = _words_of(hit.text)
        place = next((place for place, other in alike[words.telling] if words.repeats(other)), None)
        if place is None:
            if len(kept) < count:
                alike[words.telling].append((len(kept), words))
                kept.append(hit)
            continue
        first = kept[place]
        repeats[hit.chunk_id] = first.chunk_id
        if (hit.document, hit.doc_set) != (first.document, first.doc_set):
            kept[place] = replace(first, also_in=tuple(dict.fromkeys([*first.also_in, _named(hit, first)])))
    return tuple(kept), repeats


def _named(hit: Hit, beside: Hit) -> str:
    """With its set where that is another one."""
    return hit.document if hit.doc_set in ("", beside.doc_set) else f"{hit.doc_set} › {hit.document}"
