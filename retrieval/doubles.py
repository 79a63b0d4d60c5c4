"""Passages that say the same word for word, or nearly: of a file that is stored twice, or in two versions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from schema import Hit
from text import CJK, fold

_ALIKE = 0.9  # share of the pairs of neighbouring words of both that they have in common
_word = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
# Words that make another statement of the same sentence: passages that differ in one contradict each other.
_telling = re.compile(
    r".*\d.*|[零〇一二两三四五六七八九十百千万亿不没無无未非勿禁否]|no|not|never|none|without|cannot|t|only"
    r"|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
)


def distinct(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits, best first, without those that nearly repeat a better one; that one names their documents."""
    kept: list[tuple[Hit, list[str]]] = []
    for hit in hits:
        words = _word.findall(fold(hit.text).lower())
        place = next((place for place, (_, other) in enumerate(kept) if _alike(words, other)), None)
        if place is None:
            kept.append((hit, words))
            continue
        first, said = kept[place]
        if (hit.document, hit.doc_set) != (first.document, first.doc_set):
            kept[place] = replace(first, also_in=tuple(dict.fromkeys([*first.also_in, hit.document]))), said
    return tuple(hit for hit, _ in kept)


def _alike(first: Sequence[str], second: Sequence[str]) -> bool:
    if first == second:
        return True
    if min(len(first), len(second)) < _ALIKE * max(len(first), len(second)):
        return False
    pairs, others = Counter(pairwise(first)), Counter(pairwise(second))
    if (pairs & others).total() < _ALIKE * (pairs | others).total():
        return False
    said, told = Counter(first), Counter(second)
    return not any(_telling.fullmatch(word) for word in (said | told) - (said & told))
