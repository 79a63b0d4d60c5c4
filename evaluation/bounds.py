"""Sentences that set a limit, where it is asked for the most or the least: “不得超过28学分” to 最多能选多少学分."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.answer_reading import Array
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from text import simplified

_asks_most = re.compile(
    r"\b(?:at most|at the most|maximum|max|upper limit|up to (?:how|what))\b|最[多大高长](?!的)|上限|至多",
    re.IGNORECASE,
)
_asks_least = re.compile(r"\b(?:at least|minimum|min|lower limit)\b|最[少低短](?!的)|下限|至少|起码", re.IGNORECASE)
_says_most = re.compile(
    r"\b(?:at (?:the )?most|no more than|not more than|up to|maximum|max\.?|(?:may|must|can) ?not exceed|limited to"
    r"|\d to \d[\d.,]*|within)\b"
    r"|(?:不得?|不[能可]|不应)(?:超过|高于|多于|大于)|最[多大高长]|至多|上限|封顶|以内|限\d|[之以]下",
    re.IGNORECASE,
)
_says_least = re.compile(
    r"\b(?:at least|no less than|no fewer than|not less than|minimum|min\.?"
    r"|(?:may|must|can) ?not be (?:less|under|below))\b"
    r"|(?:不得?|不[能可]|不应)(?:少于|低于|小于|短于)|最[少低短]|至少|起码|下限|以上|起(?:步|订|售|租)",
    re.IGNORECASE,
)
_SAID = 30.0  # times as likely


def with_bounds(question: str, units: Sequence[SourceUnit], tied: Sequence[bool], shares: Array) -> Array:
    """Such a sentence is likelier where it, or what stands over it, says something of the question: it is `tied`."""
    asked = simplified(question)
    says = _says_most if _asks_most.search(asked) else _says_least if _asks_least.search(asked) else None
    if says is None:
        return shares
    set_limits = (says.search(simplified(unit.text)) is not None for unit in units)
    return raised(shares, [one and limit for one, limit in zip(tied, set_limits, strict=True)], _SAID)
