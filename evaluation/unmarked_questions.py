"""Questions that end without a mark, as people type them in a chat: “701小孟：充满了不开走怎么算”."""

from __future__ import annotations

import re

_MARKS = ("?", "？")
_line = re.compile(
    r"(?:\d{1,2}:\d{2}\S{0,3}\s+)?[^:：\n]{2,24}[:：]\s*(?=\S)"
)  # when it was written, and by whom; “A:” is nobody
_ends = re.compile(  # with what asks
    r"(?:吗|[了过到好完]没有?|(?:怎么|咋)(?:回事|[办弄搞做走用投算说去了])|(?:什么|啥)时候.{0,3}|[多几][少久]钱?"
    r"|哪(?:里|儿|天|个|位)|[是找问]谁)[呀啊呢]?\Z"
)
_begins = re.compile(  # with what asks, and has no stop
    r"(?:请问|想问|问一?下|有没有人|谁(?:家|有|知道)|(?:does|do|has|have|is|can|could|did) (?:any|some)(?:one|body)\b"
    r"|(?:do|does|did|is|are|can|could|will|would|should) (?:we|i|you|they|there|the)\b"
    r"|(?:who|what|when|where|which|how) (?:is|are|was|were|do|does|did|can|will|much|many|long|far)\b"
    r")[^.。!！;；]*\Z",
    re.IGNORECASE,
)


def asks(text: str) -> bool:
    """Whether a sentence asks: by its mark or, in a line that somebody wrote, by its words. A title may ask as these
    do, and tells what stands beneath."""
    told = text.rstrip()
    if told.endswith(_MARKS):
        return True
    line = _line.match(told)
    return line is not None and (_ends.search(told, line.end()) or _begins.match(told, line.end())) is not None
