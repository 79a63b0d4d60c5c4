"""Files that a message calls by some words of their name: "the postmortem", "报销制度里", "in the Q3 report".

They stand where a place to look is named: behind "in the", "according to", or before 里; or they end with what a
document is called: "the backup policy", 绩效细则. The words must be in the name of one stored file alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from planning.folding import folded, normal

_en = re.compile(
    r"(?<![a-z])(?:in|from|inside|within|according to|as per|per|check|based on|going by) (?:the|my|our) "
    r"(?P<name>[a-z0-9]+(?:[ \-_][a-z0-9]+){0,3})(?=\s?(?:[,.?!:;]|$))"
)
_en_says = re.compile(
    r"(?<![a-z])(?:does|did|what|has) (?:the|my|our) (?P<name>[a-z0-9]+(?:[ \-_][a-z0-9]+){0,3})"
    r"(?= (?:say|says|mention|mentions|state|states|recommend|recommends|list|lists)(?![a-z]))"
)
_zh = re.compile("(?<![\u3400-\u9fff])(?P<name>[\u3400-\u9fff]{3,12}?)(?:里面|里头|里|中(?![\u3400-\u9fff]))")
_zh_by = re.compile("(?:根据|按照|依据|参照|依照)(?P<name>[\u3400-\u9fff]{3,12})(?=[,:])")
_lead_zh = re.compile("^(?:请|帮我|只|就|在|从|去|到|查一下|查|翻|看|我们|公司的|那份|这份|那个|那)+")
_noun_en = (
    "postmortem|runbook|playbook|changelog|lease|minutes|thesis|draft|transcripts?|notebook|handbook|manual|guide|policy"
    "|policies|report|contract|agreement|checklist|proposal|roadmap|memo|paper|review|notes|spec|specification|summary"
    "|faq|readme|tutorial|brochure|sheet|slides|deck|plan|letter|catalog(?:ue)?|journal|survey|invoice|budget"
    "|terms|nda|addendum|resume|cv|syllabus|recipe|recipes|itinerary"
)
_follows = (  # behind a name; a noun would make it part of another thing: "the runbook team"
    r"(?=\s?(?:[,.?!:;()\-–—\"']|$)|'s | (?:and|or|with|for|in|on|about|to|is|are|was|were|do|does|did|has|have|had"
    r"|that|again|into|by|using|already|also|say|says|said|mention|mentions|mentioned|state|states|require|requires|tell"
    r"|list|lists|allow|allows|cover|covers|define|defines|explain|recommend|recommends|ask|asks|only|alone|file"
    r"|document|doc|please|so|but|than|versus|vs|against|when|where|what|how|which|who|can|could|should|must|will"
    r"|would|anywhere|at|as|from|if|give|gives|under|here|there|tonight|now|then|we|i|you|people|and)(?![a-z]))"
)
_en_titled = re.compile(
    r"(?<![a-z0-9])(?:(?:the|my|our|your|that|this) )?"
    rf"(?P<name>(?:[a-z0-9]+[ \-_]){{0,3}}(?:{_noun_en})(?:[ \-_](?:{_noun_en}|[0-9v][0-9]*))?)(?![a-z]){_follows}"
)
_noun_zh = (
    "手册|指南|报告|说明书|规范|笔记|制度|细则|办法|合同|协议|论文|教程|记录|纪要|清单|计划|规程|公约"
    "|白皮书|须知|大全|条例|政策|章程|讲义|通知|公告|报价单|单|表|书|年报|预案|日志"
)
_zh_titled = re.compile(rf"(?P<name>[\u3400-\u9fff]{{2,10}}?(?:{_noun_zh}))")
_zh_that = re.compile(
    "(?P<name>[\u3400-\u9fff]{2,8}?)[那这](?:一)?[个份本篇张](?:文件|文档|手册|资料|表格?|报告|合同|书|制度|指南|材料)"
)
_COMMON_ZH = re.compile(
    "^(?:公司|集团|部门|单位|学校|医院|国家|政府|我们|一般|有关|相关|这|那|该|新|旧|一|每|各|某|本|个|份|多|几|什么|哪|所有|全部)+$"
)
_GENERIC = frozenset(
    "report reports manual handbook guide notes note final draft document documents doc docs file files paper book"
    " summary policy plan v1 v2 v3 new old version".split()
)  # alone these may as well mean what the question is about
_LONGEST = 2_000  # characters in which such names are looked for
_MOST = 6  # names of a kind that are looked at: each is compared with the whole library


def nicknames(masked: str, library: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Where a masked message calls a stored file by words that only its name has: (start, end, the file)."""
    taken = 0
    found = [*_placed(masked[:_LONGEST], library), *_titled(masked[:_LONGEST], library)]
    for start, end, name in sorted(found, key=lambda one: (one[0], -one[1])):
        if start >= taken:
            taken = end
            yield start, end, name


def _placed(masked: str, library: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    for start, end in _spans(masked):
        if name := _only(masked[start:end], library):
            yield start, end, name


def _spans(masked: str) -> Iterator[tuple[int, int]]:
    for pattern in (_en, _en_says):
        for found in pattern.finditer(masked):
            yield found.span("name")
    for pattern in (_zh, _zh_by):
        for found in pattern.finditer(masked):
            start, end = found.span("name")
            if lead := _lead_zh.match(found["name"]):
                start += lead.end()
            if end - start > 2:
                yield start, end


def _titled(masked: str, library: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Names that end with what a document is called, the longest that fits a file first."""
    for found in islice(_en_titled.finditer(masked), _MOST):
        start, end = found.span("name")
        while start < end:
            if name := _only(masked[start:end], library):
                before = re.search(r"(?:the|my|our|your|that|this) $", masked[max(0, start - 5) : start])
                if before or re.search(r"[ \-_]", masked[start:end]):
                    yield start, end, name
                break
            step = re.search(r"[ \-_]", masked[start:end])
            start = start + step.end() if step else end
    for pattern in (_zh_titled, _zh_that):
        for found in islice(pattern.finditer(masked), _MOST):
            yield from _han(masked, *found.span("name"), found.end(), library)


def _han(masked: str, start: int, end: int, whole: int, library: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    likely = [name for name in library if masked[end - 1] in _plain(name) or masked[start : start + 2] in _plain(name)]
    for first in range(start, end - 1):
        words, pair = masked[first:end], masked[first : first + 2]
        meant = [name for name in likely if pair in _plain(name) and _abbreviates(words, _plain(name))]
        if len(meant) == 1:
            yield first, whole, meant[0]
            return


def _abbreviates(words: str, title: str) -> bool:
    """Whether the words are the title's, in at most two pieces of two characters or more (绩效细则: 绩效考核细则)."""
    if len(words) < 3 and words not in title:
        return False
    for cut in range(len(words), 0, -1):
        first, last = words[:cut], words[cut:]
        place = title.find(first)
        if place < 0 or _COMMON_ZH.match(first):
            continue
        if not last:
            return len(words) > 2 or not place or bool(_COMMON_ZH.match(title[:place]))
        if len(first) > 1 and title.find(last, place + cut) >= 0 and re.fullmatch(_noun_zh, last):
            return True
    return False


def _only(words: str, library: Sequence[str]) -> str | None:
    """The one stored file whose name holds all these words; a Han phrase must stand in it as it is."""
    wanted = frozenset(re.findall(r"[a-z0-9]+", words))
    if wanted and wanted <= _GENERIC:
        return None
    meant = [name for name in library if (wanted <= _words(name) if wanted else words in _plain(name))]
    return meant[0] if len(meant) == 1 else None


@lru_cache(maxsize=50_000)
def _plain(name: str) -> str:
    return folded(normal(name)).rpartition(".")[0]


@lru_cache(maxsize=50_000)
def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", _plain(name)))
