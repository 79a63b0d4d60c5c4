"""Sentences that only say where more stands: "see also", 另见."""

from __future__ import annotations

import re

_pointer = re.compile(
    r"\W{0,4}(?:"
    r"see (?:also|below|above)\b"
    r"|(?:see|refer to|check(?: out)?|consult|read|visit) (?:the|our|this|its|their)?\b[^.]{0,80}?"
    r"\b(?:documentation|docs|guide|manual|section|chapter|page|appendix|article|tutorial|reference)\b"
    r"|see\b[^.]{0,120}?\bfor (?:more|further|details|additional)\b"
    r"|(?:for|to find) (?:more|further|additional)\b[^.]{0,100}?\b(?:see|refer|check|consult|read|visit)\b"
    r"|(?:to|if you want to|you can) (?:learn|read|know|find out) more\b"
    r"|(?:further|related) (?:reading|topics|links|resources|documents)\b"
    r"|(?:更多|详细|具体|其他|其它|相关)[^。，]{0,20}[，,]?请?(?:参[见阅考看]|查[看阅]|见)"
    r"|请?(?:另外?|也可|同时)?(?:参[见阅看]|另见|详见)"
    r"|请参考"
    r"|(?:如|如果|若)?(?:你|您)?(?:想|希望|需)要?(?:进一步)?了解更多"
    r"|(?:相关|延伸)(?:链接|阅读|资源)"
    r")",
    re.IGNORECASE,
)


def is_pointer(text: str) -> bool:
    """True for a sentence that sends the reader elsewhere and says nothing else."""
    return bool(_pointer.match(text))
