"""Names of files that stand beside each other: "the runbook and the release notes", "draft vs review"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planning.name_calls import NameCall
from planning.terms import LIBRARY, STEM, UPLOAD

BEGINS = re.compile(r"(?:^|[,.:;?!(–—\n]|\s-)\s*$")  # a clause
_owner = re.compile(r"(?<![a-z])(?:the|my|our|your) $")
_beside = re.compile(
    r"\s*(?:,|/|&|\+|、|和|与|跟|及|以及|或|还是|(?:, )?(?:and|or|with|to|versus|vs\.?|against|nor))?\s*(?:in "
    r"|from )?(?:the |my |our )?"
)
_versus = re.compile(r"(?<![a-z])(?:vs|versus|against)(?![a-z])")
_asked_of_both = re.compile(  # “Jones and Smith, do they agree on …”, but not “caffeine and sleep, are they related”
    r" both (?:agree|say|mention|cover|give|list|state|allow|require)(?![a-z])"
    r"|(?:,|:| -) (?:do (?:they|both|the two) (?:both )?(?:agree|say|mention|cover|contradict|use|give|list"
    r"|report|state)"
    r"|which (?:one|of (?:them|the two|these)))(?![a-z])"
)
_comparing = re.compile(r"(?<![a-z])(?:compar(?:e|ing)|contrast(?:ing)?|between)\s(?:the |my |our )?$")


def is_beside(
    text: str,
    call: NameCall,
    judged: dict[NameCall, bool],
    found: dict[tuple[int, int], str],
    calls: Sequence[NameCall],
) -> bool:
    """Whether the words of a call stand beside those for another file, or are compared with another of the `calls`."""
    return _stands_beside(text, call, judged, found) or _is_compared(text, call, calls)


def _is_compared(text: str, call: NameCall, calls: Sequence[NameCall]) -> bool:
    """Whether the words name one of two files that are compared: "thesis draft vs literature review"."""
    for other in calls:
        first, second = sorted((call, other), key=lambda one: one.start)
        if other.file != call.file and len(joint := text[first.end : second.start]) < 20 and _beside.fullmatch(joint):
            asked = BEGINS.search(_owner.sub("", text[: first.start])) and _asked_of_both.match(text, second.end)
            return bool(
                asked or _versus.search(joint) or _comparing.search(text[max(0, first.start - 16) : first.start])
            )
    return False


def _stands_beside(text: str, call: NameCall, judged: dict[NameCall, bool], found: dict[tuple[int, int], str]) -> bool:
    """Whether the words stand beside another file, joined to it: "the runbook and the release notes"."""
    if not (call.own or call.kind):
        return False
    edges = [(one.start, one.end) for one, right in judged.items() if right and one.file != call.file]
    edges += [span for span, file in found.items() if file != call.file]
    for start, end in edges:
        between = text[end : call.start] if end <= call.start else text[call.end : start] if call.end <= start else "-"
        if between.strip() and len(between) < 20 and _beside.fullmatch(between):
            return True
    around = text[max(0, call.start - 12) : call.start], text[call.end : call.end + 12]
    marks = f"[{LIBRARY}{UPLOAD}{STEM}]"
    return bool(
        re.search(rf"{marks}{_beside.pattern}$", around[0]) and around[0].strip()[-1:] not in (LIBRARY, "")
    ) or bool(re.match(rf"{_beside.pattern}{marks}", around[1]))
