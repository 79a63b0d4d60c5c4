"""Whether a message asks for a new answer instead of the one that is remembered."""

from __future__ import annotations

import re
from typing import NamedTuple

_zh = (
    r"(?:请|麻烦)?你?(?:再|重新?)次?(?:回答|作答|生成|答)"
    r"(?:一[次遍下]|一个)?(?:这个问题|上[个一]个?问题)?(?:吧|一下)?"
)
_en = (
    r"(?:please )?(?:(?:answer|ask|try|generate|do) (?:it |this |that |the question )?(?:again|anew|afresh|once more)"
    r"|re-?generate(?: it| that| the (?:last )?answer)?|(?:give me )?a (?:new|fresh) answer)(?: please)?"
)
_first = re.compile(rf"\s*(?:{_zh}|{_en})\s*(?:[:：,，.。!！]+\s*|\Z)", re.IGNORECASE)
_last = re.compile(rf"(?:(?<=[?？。.!！，,])\s*|\s*[（(]\s*)(?:{_zh}|{_en})[\s。.!！)）]*\Z", re.IGNORECASE)
_REACH = 200  # characters at the beginning and the end in which the words are looked for


class NewAnswerWish(NamedTuple):
    """The message without the words that ask for a new answer; empty when it says nothing else."""

    anew: bool
    message: str


def read_new_answer_wish(message: str) -> NewAnswerWish:
    """“重新回答：年假几天？”, “Ask again: …”, “How long is it? (answer anew)”: the words stand first or last."""
    for found in (_first.match(message, 0, _REACH), _last.search(message, max(0, len(message) - _REACH))):
        if found:
            rest = message[: found.start()] + message[found.end() :]
            return NewAnswerWish(True, rest.strip())
    return NewAnswerWish(False, message)
