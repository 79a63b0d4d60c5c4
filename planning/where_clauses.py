"""Words beside a file's name that only say where to look: "I think it's in the lease", 应该在合同里."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from planning.clauses import Clause, residue
from planning.small_talk import SMALL_TALK
from planning.terms import DOC_SET, LIBRARY, MISSING, UPLOAD, BilingualTerms
from planning.vocabulary import FIND

_WHERE = BilingualTerms(
    "应该|应当|可能|大概|也许|估计|或许|多半|好像|似乎|记得|印象中?|觉得|认为|猜|知道|明白|清楚|写着?|说|讲|提到?|提及|记录?|没有?|过|着"
    "|里面|里头|那边|这边|而言|来说|来看|为准|关于|至于|对于|针对|打开|翻[开看阅]?|问|瞧|瞅|参照|参考|依据|帮|辛苦|眼"
    "|那?[份个篇本]|文件|文档|资料",
    "looking|looked|checking|checked|read(?:ing)?|open(?:ing)?|consult(?:ing)?|going|goes?|it|it'?s|this|that'?s|that"
    "|they|should|must|may|might|have|say|says|know|mention(?:s|ed)?|cover(?:s|ed)?|contains?|i'?m|i'?d|i'?ll|think"
    "|thought|believe|guess|suppose|remember|recall|reckon|probably|perhaps|likely|certain|somewhere|written|stated"
    "|described|listed|stands?|mind|hopefully|has|bet|if|regarding|concerning|re|as for|take|give|files?|documents?"
    "|docs?|look|glance|peek|page|thing|inside|there|we",
)
_file = f"[{LIBRARY}{UPLOAD}]"
_another_mark = re.compile(f"[{MISSING}-{DOC_SET}]")  # an address, a title that may be a topic
_asks_of_someone = re.compile(  # “can I … smoke” asks more than “can you look in …”
    r"(?<![a-z])(?:can|could|may|must|should|shall|do|does|did|is|are|was|were|will|would|has|have|had)"
    r" (?!you|it possible)"
)


def only_says_where(text: str) -> bool:
    """Whether a text has no words but those of looking something up, whatever files it names."""
    return not (_another_mark.search(text) or residue(re.sub(_file, " ", text), _WHERE, FIND, SMALL_TALK))


def where_cuts(clauses: Sequence[Clause], cuts: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans that go with the names of files: clauses that say no more where another says something, and in the
    others the words in front of `cuts`."""
    named = [clause for clause in clauses if re.search(_file, clause.text)]
    idle = [clause for clause in named if only_says_where(clause.text)]
    if any(clause not in idle and not only_says_where(clause.text) for clause in clauses):
        yield from ((clause.start, clause.end) for clause in idle)
    for clause in named:
        inside = [(a, b) for a, b in cuts if clause.start <= a < b <= clause.end]
        if clause in idle or not inside:
            continue
        start, end = min(inside)
        before, after = clause.text[: start - clause.start], clause.text[end - clause.start :]
        if before and only_says_where(before) and not only_says_where(after) and not _asks_of_someone.search(before):
            yield clause.start, start
