"""Document sets in words: where to look, and where an upload is to be saved.

A set that exists counts as a place to look by `scope.py`; here stand the names of sets that do not exist. To ask in one
of these is said in few ways on purpose: whoever speaks of "the training document set" asks about it. Saving makes sets,
so there any name counts that stands beside a word for a set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from planning.terms import DOC_SET, FILES, LIBRARY, ONE_SET, URL
from planning.vocabulary import CUT, FIND, GROUP, SAVE, SET, STORE, THING, THIS

_noun_zh, _noun_en = f"(?:{SET.zh}|{GROUP.zh})", f"(?:{SET.en}|{GROUP.en})(?![a-z0-9_])"
_open, _close = "[《「\"'【]", "[》」\"'】]"
_quoted = rf"{_open}(?P<quoted>[^《》「」\"'【】\n]{{1,60}}){_close}"
_han = r"(?P<bare>[^\s,;:.?!、。《》「」\"'()\[\]【】\ue000-\uf8ff]{1,20}?)"
_word = rf"(?P<bare>[^\W_][\w&.\-]*(?:\s[^\W_][\w&.\-]*){{0,2}}?|{ONE_SET})"
_one_word = rf"(?P<bare>[^\W_][\w&\-]*(?:\.\w+)*|{ONE_SET})"
_det = r"(?:(?:the|a|an|my|our|new|existing|called|named|own)\s){0,4}"
# What stands before "set" without being its name: 所有文档集, "the same docset", 知识库目录.
_no_name_zh = re.compile(
    "这|那|哪|某|每|各|所有|全部|任何|其[他它]|别|另|整个|同|不同|多|几|[一两二三]|新的?$|旧|我|你|他|该|本|此"
    "|上|以上|现有|已有|当前|什么|到|进|里|中|内|吧|了|然后|并|再|的"
    rf"|.*[的了]$|.*[并按再把将]|(?:{STORE.zh})"
)
_no_name_en = re.compile(
    r"(?:the|a|an|my|our|new|existing|called|named|own|this|that|these|those|same|other|another|right|whole"
    r"|entire|any|all|each|every|which|what|some|one|its|their"
    r"|and|then|with|for|please|so|as|by|using|of|is|are|in|at|to|it|them|where|when|if|how|document|doc|file"
    rf"|{STORE.en})(?![a-z0-9_\-])"
)

_find_zh = rf"(?:{FIND.zh})"
_unknown = [
    re.compile(
        rf"(?:只|仅|就)?(?:能|要|需|用|看)?(?:在|从|去|到|查|搜索?|检索)\s*(?:{_quoted}|{_han})\s*(?:{SET.zh})"
        rf"\s*(?:这个)?(?:之中|里面|里头|里|中|内|上)?(?=\s*(?:$|[,:;。\n]|{_find_zh}))"
    ),
    re.compile(
        r"(?:^|(?<=[,;:.?!\n])|(?<=[,;:.?!]\s)|(?<![a-z])(?:only|just|please)\s)(?:(?:only|just|please)\s){0,2}"
        r"(?:(?:(?:search|look|check|find|answer)\s(?:only\s|just\s)?)?(?:in|within|from|inside|using)\s|search\s)"
        rf"(?:only\s|just\s)?(?:{_det}(?:{_quoted}|{_word})\s(?:{SET.en})|{_det}(?:{SET.en})\s"
        rf"(?:{_quoted.replace('quoted', 'quoted2')}|{_one_word.replace('bare', 'bare2')}))"
        r"(?=\s*(?:$|[,:;?.\n]|(?:for|about|to find)(?![a-z])))"
    ),
]
_between = (  # from the order to save to the words that say where
    r"(?:(?!(?<![a-z])(?:and|then|look|search|find|check|answer|tell|what|how|which"
    r"|where)(?![a-z]))[^,;:.?!\n]){0,80}?"
)
_put = f"(?:{SAVE.en}|{CUT.en}|file|group|sort|drop|stick|pop|throw)"
_verb_zh = f"(?:{SAVE.zh}|放|归|移动?|分)"
_new = rf"新(?:建的?|的|\s|(?={_noun_zh}))"  # and not the one of 新闻
_lead_zh = rf"(?:[到进入至在为]|去){{0,2}}\s*(?:{_new}|一个|名为|名叫|叫做?|我的|我们的){{0,3}}\s*"
_target = [
    re.compile(rf"{_verb_zh}{_lead_zh}(?P<all>(?:{_quoted}|{_han})\s*(?:的|这个)?{_noun_zh})"),
    re.compile(
        rf"{_verb_zh}{_lead_zh}(?P<all>{_noun_zh}\s*(?:[:=]|名为|叫做?)?\s*(?:{_quoted}|{_han}))(?=$|[\s,;:.?!、。])"
    ),
    re.compile(rf"{_verb_zh}{_lead_zh}(?P<all>(?P<bare>{ONE_SET})(?:\s*{_noun_zh})?)"),
    re.compile(
        rf"(?<![a-z]){_put}(?![a-z]){_between}(?<![a-z])(?:to|into|under|in)\s{_det}"
        rf"(?P<all>(?:{_quoted}|{_word})\s{_noun_en})"
    ),
    re.compile(
        rf"(?<![a-z]){_put}(?![a-z]){_between}(?<![a-z])(?:to|into|under|in)\s{_det}"
        rf"(?P<all>{_noun_en}\s(?:called\s|named\s)?(?:{_quoted}|{_one_word}))"
    ),
    re.compile(
        rf"(?<![a-z]){_put}(?![a-z]){_between}(?<![a-z])(?:to|into"
        rf"|under)\s{_det}(?P<all>[\"']?(?P<bare>{ONE_SET})[\"']?)"
    ),
]
_target += [  # "保存 https://… 和 https://… 到 竞品 文档集"
    re.compile(
        rf"{_verb_zh}(?:{URL}|[\s和与及、])+[到进入至在]{{1,2}}\s*(?:{_new}|一个|名为|名叫|我的|我们的){{0,3}}\s*"
        rf"(?P<all>(?:{_quoted}|{_han}|(?P<bare2>{ONE_SET}))\s*(?:的|这个)?{_noun_zh})"
    )
]
_target += [  # "…, document set: HR"
    re.compile(rf"(?P<all>(?:{SET.zh})\s*[:=]\s*(?:{_quoted}|{_han}))(?=$|[\s,;:.?!、。])"),
    re.compile(rf"(?<![a-z])(?P<all>(?:{SET.en})\s?[:=]\s?(?:{_quoted}|{_one_word}))"),
]
_beside = re.compile(rf"{_close}?\s*(?:的|这个)?(?:{_noun_zh}|{_noun_en})")
_behind = re.compile(rf"(?:{_noun_zh}|(?<![a-z]){_noun_en.removesuffix('(?![a-z0-9_])')})\s*:?\s*{_open}?$")


def stands_beside_noun(before: str, after: str) -> bool:
    """Whether a name is said to be one of a set, by what stands around it: “HR”文档集, "the HR collection"."""
    return bool(_beside.match(after) or _behind.search(before))


def unknown_sets(masked: str) -> Iterator[tuple[int, int]]:
    """Where names of sets stand that do not exist, in which a message asks to look."""
    for pattern in _unknown:
        for found in pattern.finditer(masked):
            if (span := _name_span(found)) and not re.search(f"[{LIBRARY}-{DOC_SET}]", masked[slice(*span)]):
                yield span


def save_target(masked: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Where the words for the set stand into which uploads are to be saved, and the name among them."""
    for pattern in _target:
        for found in pattern.finditer(masked):
            if span := _name_span(found):
                return found.span("all"), span
    return None


def _name_span(found: re.Match[str]) -> tuple[int, int] | None:
    for group, text in found.groupdict().items():
        if text and group.startswith("quoted"):
            return found.span(group)
        if text and group.startswith("bare") and not (_no_name_zh.match(text) or _no_name_en.match(text)):
            return found.span(group)
    return None


# --- managing sets: done on the page, not by a message -----------------------------------------------------------

_moves = re.compile(
    rf"(?:把|将)[^,]{{1,80}}?(?:移动?|挪|搬|转移?|放|归)(?:到|入|进|至|去)[^,]{{0,40}}?(?:{_noun_zh}"
    rf"|{ONE_SET})[里中下去吧]*$"
    rf"|(?:移动|挪动)\s*(?:{FILES}|{THING.either}|{THIS.either})[^,]{{0,40}}?(?:{_noun_zh}|{ONE_SET})[里中下去吧]*$"
    rf"|(?:move|transfer|shift)\s[^,]{{0,20}}?(?:{FILES}|{THING.either}|{THIS.either})[^,]{{0,60}}?\s(?:to"
    rf"|into)\s[^,]{{0,40}}?"
    rf"(?:{_noun_en}(?:\s[^\W_][\w\-]*)?|{ONE_SET})(?:\splease)?$"
)
_makes = re.compile(
    rf"(?:新建|创建|建立?|添加|新增|合并|重命名)(?:一个|新的?"
    rf"|个)*\s*(?:[^\s,]{{1,20}}\s*)?(?:{SET.zh})(?:\s*[:]?\s*[^,]{{1,30}})?$"
    rf"|(?:create|make|add|start|merge|rename)\s{_det}(?:[\w\"'&\-]+\s){{0,3}}?(?:{SET.en})(?:\s(?:called|named"
    rf"|for|to|into))?"
    r"(?:\s[^,]{1,30})?$"
)


def manages_sets(body: str) -> bool:
    """Whether a clause, without what leads in, orders to move files among sets, or to make or rename one."""
    return bool(_moves.match(body) or _makes.match(body))
