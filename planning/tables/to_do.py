"""What a question says of a column of yes and no, as "Fee paid": that it is so, that it has still to be done, or
nothing but its noun."""

from __future__ import annotations

import re

from planning.tables.operators import operator_phrases, tokens
from planning.tables.unclear import Unclear

_still_to = re.compile(
    r"[还仍尚](?:需要|[要得需须])\s?$|\b(?:still (?:has|have|had|needs?)|(?:has|have|had|is|are) yet) to(?: be)?\s$"
)
_ought = re.compile(
    r"(?:[要得需须该应必免忘]|不用)\s?$|\b(?:to|must|should|shall|will|may|might|can|could|would)(?: be)?\s$"
)
_verb = re.compile(r"已([\u4e00-\u9fff]{1,2})$")
_done_in_chinese = re.compile(r"(?<=.)(?:是否)?[已未]")
_DONE = (*"ed paid sent done kept made met given taken seen back in out up off".split(),)


def is_still_to_do(before: str) -> bool:
    """ "Who still has to pay", “谁还要交”. Raises Unclear where nobody knows whether it is done: "who has to pay"."""
    if _still_to.search(before):
        return True
    if _ought.search(before):
        raise Unclear
    return False


def is_only_its_noun(said: str, title: str) -> bool:
    """Whether "fee" of "Fee paid", "sections" of "Section leader", “会费” of “会费已缴” is said alone: what a column is
    about, and not that it is so."""
    if (found := _done_in_chinese.search(title)) is not None:
        return said in title[: found.start()]
    words = title.lower().split()
    if len(words) < 2 or not said.isascii() or {*tokens(words[-1])} <= {*tokens(said)}:
        return False
    return words[-1].endswith(_DONE) or (said.lower().endswith("s") and tokens(words[0]) == tokens(said))


def verb_of(title: str) -> str:
    """ "交" of “作业已交”; "" where a title has no such verb, or one that does something else in a question."""
    found = _verb.search(title)
    return found[1] if found is not None and tokens(found[1]) not in operator_phrases() else ""
