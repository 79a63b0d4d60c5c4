"""What is to be said of an answer that does not hold, sentence by sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from schema import AcrossLanguages, Language, Message, Statement

_COMPARED: Mapping[AcrossLanguages, Message] = {
    "agree": Message(zh="{} 句的数字和名称一致", en="numbers and names agree in {}"),
    "subject": Message(
        zh="{} 句主题一致，没有可核对的数字或名称", en="the subject agrees in {}, with no number or name to compare"
    ),
    "differ": Message(zh="{} 句与来源不一致", en="differences in {}"),
    "not_found": Message(zh="{} 句的主题不在来源中", en="the subject was not found in {}"),
}
MOST = 10  # sentences that are named one by one
_LONGEST = 240  # characters of a sentence that is shown by itself
_written = re.compile(r"\A\s*(?:(?:[-*+>#]+|\d+[.)])\s+|(?:```|~~~)[^\n]*\n)|\*\*|`|~~~")


def doubts(statements: Sequence[Statement]) -> Iterator[Message]:
    """Which sentences no source supports, and why."""
    doubtful = [one for one in statements if one.doubtful]
    yield from map(_complaint, doubtful[:MOST])
    if (left := len(doubtful) - MOST) > 0:
        yield Message(zh=f"还有 {left} 句话没有来源支持。", en=f"No source supports {left} more sentences.")


def comparison_across_languages(statements: Sequence[Statement]) -> Message | None:
    """How many sentences compare in which way with lines in another language; None where all lines are in theirs."""
    count = Counter(one.across for one in statements if one.checkable)
    said = [(words, count[verdict]) for verdict, words in _COMPARED.items() if count[verdict]]
    zh, en = ([words.to(language).format(number) for words, number in said] for language in get_args(Language))
    if not zh:
        return None
    return Message(zh=f"跨语言核对：{'，'.join(zh)}", en=f"compared across languages: {', '.join(en)}")


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
