"""Sentences that give the number which is asked for: “20 g of salt” to "how much salt", “血压 128/82” to 血压多少, and
“every night” to "how often"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from evaluation.answer_reading import Array
from evaluation.blocks import SourceUnit
from question_words import question_terms
from text import HAN, search_tokens, simplified

_how_many = re.compile(
    r"\bhow (?:many|much) ((?:[a-z][\w-]* ){1,3}?)(?:do|does|did|is|are|was|were|am|can|could|may|must|should|will"
    r"|would|has|have|had|goes?|comes?|takes?|needs?|in|on|at|for|per|of|to|from)\b",
    re.IGNORECASE,
)
_said_how_many = re.compile(
    rf"([{HAN}]{{2,6}}?)(?:大概|大约|一共|总共|现在)?(?:[是有为要交付收]|还有|还剩|[要需得][交付给收])?(?:多少|几)(?!钱)"
)
_each = re.compile(r"\s(?:an?|per)(?:\s|\Z)", re.IGNORECASE)
_word = re.compile(r"[A-Za-z][\w'’-]*|\d[\d.,]*")
_number = re.compile(
    r"\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|no)\Z",
    re.IGNORECASE,
)
_part = re.compile(r"\b(?:first|last|next|other)\s[\w-]{1,12}", re.IGNORECASE)  # “the first two lessons”: some of them
_how_often = re.compile(
    r"\bhow (?:often|frequently)\b|多久.{0,8}[一1]次|多长时间.{0,8}[一1]次|[几多少]天.{0,8}[一1]次|频率", re.IGNORECASE
)
_says_how_often = re.compile(
    r"\bevery (?:\w{1,12} ){0,2}(?:seconds?|minutes?|hours?|days?|nights?|mornings?|evenings?|weeks?|weekdays?|months?"
    r"|quarters?|years?|[a-z]{3,6}days?)\b|\b(?:once|twice|\w{1,12} times) (?:an?|per|each|every|in)\b"
    r"|\b(?:hourly|daily|nightly|weekly|fortnightly|monthly|quarterly|yearly|annual(?:ly)?)\b"
    r"|每隔?[\d一二两三四五六七八九十半]{0,3}个?(?:小时|[天日周月年晚]|星期|季度)|[天日周月年]一次|每[天日周月年班人单台]\D{0,2}\d{1,5}\s?次",
    re.IGNORECASE,
)
_how_many_fit = re.compile(
    r"\bhow many (?:[a-z]+ ){1,3}?(?:can|may|could|will be able to) "
    r"(?:go|come|join|attend|take part|participate|fit|sit|enrol|sign up|register|be (?:accepted|taken|seated))\b",
    re.IGNORECASE,
)
_ROOM = ("place", "seat", "spot", "space", "particip")  # search tokens: “46 places are available”
_COUNTED = 8.0  # times as likely
_OFTEN = 50.0
_FIT = 100.0  # no word of it is in the question
_BEFORE = 4  # words between a number and what it counts, at most: "900 g of strong white flour"


@lru_cache(maxsize=64)
def counted_noun(question: str) -> str:
    """The noun whose number is asked for, English ones as a search token; "" where none is told."""
    if match := _how_many.search(question):
        words = _each.split(match[1].strip())[0].split()  # “hours a week”: the hours
        tokens = search_tokens(words[-1])
        return tokens[0] if tokens else ""
    match = _said_how_many.search(simplified(question))
    return match[1] if match else ""


def gives_number_of(noun: str, text: str) -> bool:
    """Whether a number stands right before an English noun, or right behind a Chinese one."""
    if not noun.isascii():
        return bool(re.search(rf"{noun}[：: \t约为是]{{0,3}}\d", simplified(text)))
    words = _word.findall(_part.sub(" ", text))
    for i, word in enumerate(words):
        if search_tokens(word)[:1] == [noun] and any(map(_number.match, words[max(i - _BEFORE, 0) : i])):
            return True
    return False


def asks_how_often(question: str) -> bool:
    return _how_often.search(simplified(question)) is not None


def with_counted(question: str, units: Sequence[SourceUnit], shares: Array) -> Array:
    """What gives the number of the noun that is asked for is likelier than what has a number of something else, and so
    is what says how often, if that is asked for."""
    if asks_how_often(question):
        return raised(shares, [_says_how_often.search(simplified(unit.text)) is not None for unit in units], _OFTEN)
    noun = counted_noun(question)
    shares = raised(shares, [gives_number_of(noun, unit.text) for unit in units], _COUNTED) if noun else shares
    if not _how_many_fit.search(question):
        return shares
    return raised(shares, [any(gives_number_of(room, unit.text) for room in _ROOM) for unit in units], _FIT)


def says_all(question: str, text: str) -> bool:
    """Whether a text says every word of a question of several."""
    asked = frozenset(question_terms(question))
    return len(asked) > 1 and asked <= frozenset(search_tokens(text))


def raised(shares: Array, chosen: Sequence[bool], factor: float) -> Array:
    """The shares, adding up to 1, with those of the chosen units so many times as large; as they are where none is."""
    weighted = np.where(np.array(chosen, dtype=bool), factor, 1.0)
    if not (shares[weighted > 1] > 0).any():
        return shares
    return np.asarray(shares * weighted / (shares @ weighted))
