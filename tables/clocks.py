"""Times of day as people write them: 06:40, 9:30 am, 2 pm, 下午2:30, 9点半; of 09:00-10:30 the beginning."""

from __future__ import annotations

import re
from functools import lru_cache

from tables.cells import han_value, plain

_clock = re.compile(
    r"(?:(?P<part>上午|早上|早晨|清晨|凌晨|中午|下午|傍晚|晚上|晚)\s?)?"
    r"(?:(?P<h>\d{1,2}):(?P<m>\d{2})(?::\d{2})?(?!\d)(?:\s?(?P<half>[ap])\.?m\b\.?)?"
    r"|(?P<h2>\d{1,2})\s?(?P<half2>[ap])\.?m\b\.?"
    r"|(?P<h3>\d{1,2}|[一二两三四五六七八九十]{1,3})点(?:钟|整|(?P<by>半)|(?P<m3>\d{1,2})分?)?(?!\d))"
)
_next_day = re.compile(r"\s?\(?\+(?P<days>\d)(?:\s?(?:day|天))?\)?|\s?\(?(?:次日|next day)\)?")
_to = re.compile(r"\s?(?:-|—|~|至|到|to\b|until\b)\s?")
_LONGEST = 40  # characters
_AFTERNOON = frozenset("下午 傍晚 晚上 晚 p".split())


@lru_cache(maxsize=20_000)
def clock_of(text: str) -> str | None:
    """ "06:40" of a cell that is a time or begins a stretch of time; "24:35" of one on the next day."""
    if len(text) > _LONGEST:
        return None
    text = plain(text)
    found = clock_at(text, 0)
    if found is None:
        return None
    time, end = found
    if later := _next_day.match(text, end):
        time, end = _later(time, int(later["days"] or 1)), later.end()
    if end < len(text) and (to := _to.match(text, end)):
        until = clock_at(text, to.end())
        if until is None:
            return None
        end = until[1]
        if later := _next_day.match(text, end):
            end = later.end()
    return time if end == len(text) else None


def clock_at(text: str, at: int) -> tuple[str, int] | None:
    """The time that begins at a place of a plain text, and where it ends."""
    found = _clock.match(text, at)
    if found is None:
        return None
    told = found["h"] or found["h2"] or found["h3"]
    number = float(told) if told.isdecimal() else han_value(told)
    minute = 30 if found["by"] else int(found["m"] or found["m3"] or 0)
    hour = int(number) if number is not None else -1
    half = found["half"] or found["half2"] or ""
    if not 0 <= hour <= 24 or minute > 59 or (half and not 1 <= hour <= 12):
        return None
    if half and hour == 12:
        hour = 0
    later = half == "p" or (found["part"] in _AFTERNOON and hour < 12) or (found["part"] == "中午" and hour < 10)
    return f"{hour + 12 * later:02d}:{minute:02d}", found.end()


def _later(time: str, days: int) -> str:
    return f"{int(time[:2]) + 24 * days:02d}{time[2:]}"
