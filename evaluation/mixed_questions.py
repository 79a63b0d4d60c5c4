"""Questions that tell something before they ask: “我下周六搬家，从滨江搬到余杭，大家有空来帮忙吗？”."""

from __future__ import annotations

import re

_LEAST = 8  # characters of what is told; twice as many of English
_asks = re.compile(
    r"[吗呢么谁哪几]|什么|怎[么样]|多少|如何|是否|有没有|\b(?:who|what|when|where|which|why|how|whether|if)\b"
    r"|(?:\A|[:：]\s)\s*(?:is|are|do|does|did|can|could|will|would|should)\b",
    re.IGNORECASE,
)
_asks_to_end = re.compile(
    r"(?:吗|呢|吧|么)[?？]\Z"
    r"|\A\s*(?:@?(?-i:[A-Z])\w+ )?"
    r"(?:can|could|will|would|is|are|do|does|did|may|shall|should|who|what|when|where|how)\b",
    re.IGNORECASE,
)


def tells_and_asks(text: str) -> bool:
    """Whether its last clause asks, and those before it tell enough and ask nothing."""
    told, comma, asked = text.rpartition("，" if "，" in text else ",")
    least = 2 * _LEAST if text.isascii() else _LEAST
    return bool(comma) and len(told) >= least and bool(_asks_to_end.search(asked)) and not _asks.search(told)
