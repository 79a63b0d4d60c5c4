"""Tables of ways from one place to another: which of two columns of the same places a question means by each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

Direction = Literal["from", "to"]

_titles: dict[Direction, re.Pattern[str]] = {
    "from": re.compile(
        r"^(?:from|origin|source|sender|start(?:ing)?|departure|departing)(?:[\s_]|$)|^(?:出发|始发|起运|发货|起飞|发出|起点|寄出|调出|来源)",
        re.IGNORECASE,
    ),
    "to": re.compile(
        r"^(?:to|destination|dest|receiver|recipient|end|arrival|arriving)(?:[\s_.]|$)"
        r"|^(?:到达|目的|抵达|收货|终点|到站|降落|送达|调入|去向)",
        re.IGNORECASE,
    ),
}
_before: dict[Direction, re.Pattern[str]] = {
    "from": re.compile(
        r"(?:\b(?:from|out of|leav(?:e|es|ing)|left|depart(?:s|ed|ing)?|origin|source|between)"
        r"(?: from)?(?: the)?\s|[从自由]|离开)\s?$"
    ),
    "to": re.compile(
        r"(?:\b(?:to|into|towards?|for|reach(?:es|ed|ing)?|arriv(?:e|es|ed|ing) (?:in|at)|destination|between \w+ and)"
        r"(?: the)?\s|[往到至去]|抵达)\s?$"
    ),
}
_behind: dict[Direction, re.Pattern[str]] = {
    "from": re.compile(r"\s?(?:出发|起飞|发出|开出|始发|寄出|发货|发车|启程)"),
    "to": re.compile(r"\s?(?:到达|降落|抵达|收货|终点)"),
}
MOTION = frozenset(
    """leave leaves leaving left depart departs departed departing fly flies flying flew flown run runs head heading
    reach reaches reached arrive arrives arrived arriving bound operate operated go going sail sailed ship shipped sent
    send travel travelled 飞 往 开 发 去 抵 达 运 寄 驶 出 前 离""".split()
)


def directions(titles: Mapping[int, str]) -> dict[int, Direction]:
    """Of columns of words by their places those of both ends; none where a table has not just one of each."""
    found = {
        at: side for at, title in titles.items() for side, pattern in _titles.items() if pattern.match(title.strip())
    }
    return found if sorted(found.values()) == ["from", "to"] else {}


def told_direction(text: str, start: int, end: int) -> Direction | None:
    """By what stands around a place in a question in lower case."""
    for side, pattern in _behind.items():
        if pattern.match(text, end):
            return side
    return next((side for side, pattern in _before.items() if pattern.search(text[max(0, start - 30) : start])), None)
