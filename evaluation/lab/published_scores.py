"""Exact match and F1 as the scripts of SQuAD and CMRC 2018 compute them, sign for sign: figures that are compared with
published ones. Whether an answer is right is judged more leniently, by `wording`.

evaluate-v2.0.py (Rajpurkar et al., 2018), which agrees with evaluate-v1.1.py wherever something is left of a reference;
cmrc2018_evaluate.py (Cui et al., 2019), whose Latin runs are cut by the word tokeniser of NLTK.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_CMRC_DROPS = frozenset("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』")  # its "……" is two signs and never met
_articles = re.compile(r"\b(a|an|the)\b")
_han = re.compile(r"[\u4e00-\u9fa5]")
_nltk_parts = re.compile(
    r"[;@#$%&?!\[\](){}<>\"«»“”‘„—]|,(?!\d)|\.{2,}|\.(?=\s*(?:\Z|[\u4e00-\u9fa5]))|'(?:s|m|d|ll|re|ve)\b|n't\b|(?<!\w)'|'(?!\w)"
)  # what its word_tokenize cuts off


class PublishedScores(NamedTuple):
    """Of the reference that the answer agrees with most, in [0, 1]."""

    exact: float
    f1: float


def squad_scores(answer: str, references: Sequence[str]) -> PublishedScores:
    """Words in lower case without ASCII punctuation and articles; F1 of them as bags."""
    said = _squad_words(answer)
    wanted = [words for one in references if (words := _squad_words(one))] or [[]]
    return PublishedScores(float(said in wanted), max(_f1(said, one, _common(said, one)) for one in wanted))


def cmrc_scores(answer: str, references: Sequence[str]) -> PublishedScores:
    """Each Chinese character and what the tokeniser makes of all between; F1 of the longest run that both have. Exact
    match compares the strings, so white space within them counts."""
    said, plain = _cmrc_segments(answer), _cmrc_plain(answer)
    wanted = [(_cmrc_segments(one), _cmrc_plain(one)) for one in references]
    return PublishedScores(
        max((float(plain == one) for _, one in wanted), default=0.0),
        max((_f1(said, one, _longest_run(said, one)) if said and one else 0.0 for one, _ in wanted), default=0.0),
    )


def _squad_words(text: str) -> list[str]:
    bare = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return _articles.sub(" ", bare).split()


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return sum((Counter(one) & Counter(other)).values())


def _cmrc_plain(text: str) -> str:
    return "".join(sign for sign in text.lower().strip() if sign not in _CMRC_DROPS)


def _cmrc_segments(text: str) -> list[str]:
    return _nltk_parts.sub(r" \g<0> ", _han.sub(r" \g<0> ", _cmrc_plain(text))).split()


def _f1(one: Sequence[str], other: Sequence[str], common: int) -> float:
    if not one or not other:
        return float(one == other)
    return 2 * common / (len(one) + len(other))


def _longest_run(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest run of tokens that both have."""
    longest, before = 0, [0] * (len(other) + 1)
    for token in one:
        row = [0] * (len(other) + 1)
        for n, beside in enumerate(other, 1):
            if token == beside:
                row[n] = before[n - 1] + 1
        longest, before = max(longest, *row), row
    return longest
