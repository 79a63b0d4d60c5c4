"""Names and numbers of a claim that were read from a picture, and perhaps misread."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from schema import Message, Place, Support

_NUMERALS = re.compile("[〇零一二两三四五六七八九十百千万亿]")
_UNSURE = 0.6  # of a Chinese word that is no number: below, it may be any other one


def with_misreadings(support: Support, claim: str, places: Sequence[Place]) -> Support:
    """What the claim has of a word that was not read for sure holds no more than the reading."""
    found = dict(_misreadings(claim, places))
    if not found or not support.comparable:
        return support
    reasons = tuple(_reason(word, score) for word, score in found.items())
    return replace(
        support,
        score=min(support.score, *found.values()),
        supported=False,
        reasons=(*support.reasons, *reasons),
    )


def _misreadings(claim: str, places: Sequence[Place]) -> Iterator[tuple[str, float]]:
    for place in places:
        for doubt in place.doubts:
            word, _, score = doubt.rpartition(" ")
            if _is_said(word, claim) and (_is_name_or_number(word) or float(score) < _UNSURE):
                yield word, float(score)


def _is_said(word: str, claim: str) -> bool:
    if not word.isascii():
        return word in claim
    alone = rf"(?<![A-Za-z0-9])(?<!\d[.,]){re.escape(word)}(?![A-Za-z0-9])(?![.,]\d)"  # "000" is no part of 8,000
    return re.search(alone, claim) is not None


def _is_name_or_number(word: str) -> bool:
    return word[:1].isupper() or any(mark.isdigit() for mark in word) or bool(_NUMERALS.search(word))


def _reason(word: str, score: float) -> Message:
    return Message(
        zh=f"“{word}”是从图片中识别的，把握只有 {score:.2f}，请对照原页",
        en=f'"{word}" was read from a picture, with a confidence of only {score:.2f}: check the page',
    )
