"""What is to be said of an answer that does not hold, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from schema import Message, Statement

MOST = 10  # sentences that are named one by one
_LONGEST = 240  # characters of a sentence that is shown by itself
_written = re.compile(r"\A\s*(?:(?:[-*+>#]+|\d+[.)])\s+|(?:```|~~~)[^\n]*\n)|\*\*|`|~~~")


def doubts(statements: Sequence[Statement]) -> Iterator[Message]:
    """Which sentences no source supports, and why."""
    doubtful = [one for one in statements if one.doubtful]
    yield from map(_complaint, doubtful[:MOST])
    if (left := len(doubtful) - MOST) > 0:
        yield Message(zh=f"还有 {left} 句话没有来源支持。", en=f"No source supports {left} more sentences.")


def plain_sentence(statement: Statement) -> str:
    """As words: without the markup that it was written in."""
    sentence = " ".join(_written.sub("", statement.text).split())
    return sentence if len(sentence) <= _LONGEST else f"{sentence[:_LONGEST]} …"


def _complaint(statement: Statement) -> Message:
    reasons = [reason for citation in statement.citations for reason in citation.support.reasons]
    zh, en = "；".join(dict.fromkeys(r.zh for r in reasons)), "; ".join(dict.fromkeys(r.en for r in reasons))
    sentence = plain_sentence(statement)
    if not statement.citations:
        return Message(zh=f"这句话没有标注来源：“{sentence}”", en=f"No source is given for: “{sentence}”")
    return Message(
        zh=f"引用的原文不支持这句话：“{sentence}”" + (f"（{zh}）" if zh else ""),
        en=f"The cited lines do not support: “{sentence}”" + (f" ({en})" if en else ""),
    )
