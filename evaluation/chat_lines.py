"""Lines of an exported chat: “小雅 19:33：到了” says when it was written, which is no time that it tells."""

from __future__ import annotations

import re

_LEAST = 3  # lines of a text that are of a chat
_DAY = r"(?:\d{2,4}[-/.年])?\d{1,2}[-/.月]\d{1,2}日?,?\s+"
_TIME = rf"(?:{_DAY})?\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:\s?[ap]\.?m\.?)?"
_NAME = r"[^\s:：\[\]()（）|\d][^\s:：\[\]()（）|]{0,19}(?:[ ][^\s:：\[\]()（）|\d]{1,20})?"
_line = re.compile(
    rf"^(?:(?P<name>{_NAME})\s+[（(\[]?{_TIME}[)）\]]?\s?(?P<colon>[:：])\s*|{_TIME}\s[-–]\s(?P<writer>{_NAME}):\s*)(?=\S)",
    re.MULTILINE | re.IGNORECASE,
)


def without_times(text: str) -> str:
    """The text of a chat with who wrote each line, and without when; any other text as it is."""
    if sum(1 for _ in _line.finditer(text)) < _LEAST:
        return text
    return _line.sub(lambda line: f"{line['name'] or line['writer']}{line['colon'] or ': '}", text)
