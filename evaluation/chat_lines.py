"""Lines of an exported chat: “小雅 19:33：到了” says when it was written, which is no time that it tells.

Some exports begin with the time: “19:33 小雅：到了”. So do logs and timetables; but in those nobody asks anything, and
hardly anybody comes up twice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from evaluation.unmarked_questions import asks

_LEAST = 3  # lines of a text that are of a chat
_WRITERS = 2  # who wrote more than once, in a chat whose lines begin with the time
_DAY = r"(?:\d{2,4}[-/.年])?\d{1,2}[-/.月]\d{1,2}日?,?\s+"
_TIME = rf"(?:{_DAY})?\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s?[ap]\.?m\.?)?"
_NAME = r"[^\s:：\[\]()（）|\d][^\s:：\[\]()（）|]{0,19}(?:[ ][^\s:：\[\]()（）|\d]{1,20})?"
_NUMBERED = r"\d{0,6}" + _NAME  # “1204陈姐”, by the number of a flat
_line = re.compile(
    rf"^(?:(?P<name>{_NAME})\s+[（(\[]?{_TIME}[)）\]]?\s?(?P<colon>[:：])\s*|{_TIME}\s[-–]\s(?P<writer>{_NAME}):\s*)(?=\S)",
    re.MULTILINE | re.IGNORECASE,
)
_time_first = re.compile(
    rf"^{_TIME}\s+(?P<name>{_NUMBERED})(?P<colon>：|:\s)\s*(?P<said>\S.*)$", re.MULTILINE | re.IGNORECASE
)


def without_times(text: str) -> str:
    """The text of a chat with who wrote each line, and without when; any other text as it is."""
    if sum(1 for _ in _line.finditer(text)) >= _LEAST:
        return _line.sub(lambda line: f"{line['name'] or line['writer']}{line['colon'] or ': '}", text)
    if _is_talk([*_time_first.finditer(text)]):
        return _time_first.sub(lambda line: f"{line['name']}{line['colon']}{line['said']}", text)
    return text


def _is_talk(lines: Sequence[re.Match[str]]) -> bool:
    written = Counter(line["name"] for line in lines)
    again = sum(1 for count in written.values() if count > 1)
    return len(lines) >= _LEAST and again >= _WRITERS and any(asks(line[0]) for line in lines)
