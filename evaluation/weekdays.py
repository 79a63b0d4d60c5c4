"""Days of the week in Chinese, which jieba cuts apart: a sentence that says 周四 where its source says 周三."""

from __future__ import annotations

import re
from collections.abc import Iterable

from schema import Message

_DAYS = "一二三四五六日"
_NAME = r"(?:[周週]|星期|礼拜)"
_day = re.compile(  # 每两周一次 and 一周五天 name none
    rf"(?:(?<![\d一二两三四五六七八九十几半多])|(?<=[周週期拜][一二三四五六日天])){_NAME}([一二三四五六日天])(?![月年次回遍趟个天])"
)
_row = re.compile(  # 周一至周五, 周二、四
    rf"{_NAME}([一二三四五六日天])(?P<to>至|到|[-—~～])?(?:[、和及]|(?<=[至到\-—~～])){_NAME}?([一二三四五六日天])"
    r"(?![月年次回遍趟个天])"
)
_all = re.compile(r"每[天日]|天天|全周|工作日|周末|双休")  # a source that says so may mean any


def wrong_weekday(text: str, sources: Iterable[str]) -> Message | None:
    """That a day of the week stands in no source, where one of them names others; all texts folded."""
    said = _days(text)
    if not said:
        return None
    read = [*sources]
    given = set().union(*map(_days, read))
    if not given or said <= given or any(map(_all.search, read)):
        return None
    day = sorted(said - given, key=_DAYS.index)[0]
    return Message(zh=f"来源中没有“周{day}”", en=f"the day “周{day}” is not in the source")


def _days(text: str) -> set[str]:
    found = {_plain(match[1]) for match in _day.finditer(text)}
    for match in _row.finditer(text):
        first, last = _DAYS.index(_plain(match[1])), _DAYS.index(_plain(match[3]))
        found |= {*_DAYS[first : last + 1]} if match["to"] else {_DAYS[first], _DAYS[last]}
    return found


def _plain(day: str) -> str:
    return "日" if day == "天" else day
