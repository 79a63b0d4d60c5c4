"""Where a question is to be looked up: files and document sets that were named, and the words that name them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from planning.clauses import Clause
from planning.folding import folded
from planning.names import MaskedMessage
from planning.terms import AND, DOC_SET, EXCEPT_ZH, FILE, LIBRARY, ONE_SET, ONE_STEM, STEM, UPLOAD
from planning.vocabulary import FIND, GROUP, SET

_one = rf"[《「\"'`]?(?:{FILE}|{ONE_STEM})[》」\"'`]?"
_files = rf"{_one}(?:{AND}{_one}){{0,20}}"
_kind_zh = (
    r"(?:为准|来[看说讲](?=[,:]|$)|而言|那边|(?:这|那|该)?[一两三]?(?:个|份|篇|本)?"
    r"(?:文件|文档|手册|资料|报告|指南|表格?|书))?"
)
_in_zh = "(?:之中|当中|里面|里头|里|中|内|上面|上)"
_prep_zh = (
    "(?:在|从|去|到|关于|于|根据|依据|依照|按照|按|依|照|凭|以|据|基于|参考|参照|结合|借助|查阅|查看|查询|检索|搜索"
    "|翻看|翻阅|[查搜翻看瞧读问](?:一?[下眼查翻看瞧读问])?|打开|对照|仅限于?|限定在?|限于"
    "|范围(?:是|为|限定在?|:)?"
    "|针对|限制在|来自|就)"
)
_only_zh = "(?:请|只|仅仅?|单独|专门|就|单|限|帮我|麻烦|再|先|要|能){0,6}"
_find_zh = rf"(?:(?:这个|的)?(?:范围)?(?:里|内)?)?(?:去|来|只|再|帮我|给我)?(?:{FIND.zh})?(?:一下|一遍|下|出来)?"
_zh = [
    rf"{_only_zh}{_prep_zh}\s*{_files}\s*{_kind_zh}\s*(?:的(?:内容|说法|规定))?{_in_zh}?\s*{_find_zh}",
    rf"(?:拿|把|将)\s*{_files}(?:放一起|做个?|来|进行)?(?:对照|对比|比较|比对|比)(?:着看|一[下比]|看看)?(?=[,:]|$)",
    rf"(?:只|仅仅?)(?:用|看|查|要|认|信)?\s*{_files}\s*{_kind_zh}(?:的(?:内容|说法|规定))?{_in_zh}?\s*{_find_zh}",
    rf"{_files}\s*{_kind_zh}{_in_zh}",
]
_kind_en = (
    r"(?: (?:file|document|doc|guide|handbook|report|manual|notes?|paper|pdf|only|alone|itself|please)(?![a-z]))*"
)
_det = r"(?:(?:only|just|the|my|our|this|file|files|document|documents|doc|docs|content|contents|text|of|both)\s){0,5}"
_verb_en = (
    r"(?:(?:please |only |just )*(?:look|search|check|read|consult|query|find|answer|(?:pull|take|get|draw|dig"
    r"|fetch)(?: it| this| that| the answer)?(?= from )|scan|stay|go|refer"
    r"|(?:limit|restrict|confine|keep|stick)(?: (?:it|things|yourself|the search|(?:the|your) answer))?"
    r"(?= to )|focus)(?: it| this| up| only| just| exclusively| solely)*\s)"
)
_prep_en = (
    r"(?:as (?:stated|described|written|defined|given|mentioned|set out|laid down) in|inside of|inside|in"
    r"|within|under|from|according to|as per|per|based on|on the basis of|on|with reference to"
    r"|with respect to|using|use|only|through|into|at|to|by|over|among|across|judging by|going by)"
)
_for_en = r"(?:,?\s?(?:for|about|to find out|to find|and (?:find|tell me|answer)|regarding|concerning)(?![a-z]))?"
_en = [
    rf"^i(?:'m| am)? (?:only|just) (?:care about|interested in|need|want|mean)\s{_det}{_files}(?: here| now"
    rf"| for this| this time)?$",
    rf"(?<![a-z]){_verb_en}(?:{_prep_en}\s){{0,2}}{_det}{_files}{_kind_en}{_for_en}",
    rf"(?<![a-z])(?:only |just |solely |exclusively )?{_prep_en}\s{_det}{_files}{_kind_en}",
    rf"^{_det}{_files}(?: (?:file|document|doc))? (?:only|alone|exclusively)(?: please)?(?![a-z])",
    rf"^{_det}{_files},? (?:is|are|'s) (?:all|the only (?:one|thing|file|document|source|place)|what|the (?:one|file"
    r"|document|source)) (?:that )?(?:i|we|you)(?:'m| am| are|'re)? (?:care about|need|want|mean|trust|interested in"
    r"|asking about|have in mind|should (?:use|read))(?: here| now)?$",
    rf"^(?:my|this|the|our) (?:question|query) (?:is|goes) (?:about|on|to|concerning) {_det}{_files}$",
]
_says = (
    r"(?:does|do|did|what|which|has|is) (?:the |my |our )?"
    + rf"(?P<file>{ONE_STEM})"
    + r"(?: (?:file|document|doc))?(?= (?:say|mention|cover|state|contain|include|specify|require|recommend|tell"
    r"|list|define|explain|talk|have|allow)(?:s|ed)?(?![a-z]))"
)
_says_zh = (
    rf"(?P<file>[《「\"]?{ONE_STEM}[》」\"]?)(?=\s*(?:怎么|有没有|有无|是否|提到|规定|讲|写|说|关于|对|一共|总共))"
)
_before_colon = re.compile(rf"^{_det}{_files}$")  # “the runbook: how do I …”
_phrases = [re.compile(pattern) for pattern in [*_zh, *_en]]
_saying = [re.compile(_says), re.compile(_says_zh)]
_everything_but = (
    r"(?:(?:search|look|check|go)(?: in| through)? )?(?:everything|everywhere|anything|anywhere"
    r"|any(?: other)? (?:file|document|doc)|every(?: other)? (?:file|document|doc)|all(?: of)?(?: my| the)?"
    r"(?: other)?(?: files| documents| docs)?)(?: else)? (?:but|minus|save|except)(?: not)?(?: in| for| from)?"
)
_left_out_en = (
    r"(?:excluding|(?:leav|sett|putt)ing aside|nothing (?:from|in|out of)|except(?: for| in| from)?"
    r"|with the exception of|other than|but not(?: in| from)?|ignore"
    r"|ignoring|skip|skipping|bar|barring|save for|drop"
    r"|leave out|leaving out|omit|omitting|disregard(?:ing)?|exclude|exempt|minus|never mind|forget(?: about)?"
    r"|apart from"
    r"|aside from|besides|outside(?: of)?|not(?: in| from)?|without(?: using| looking (?:at|in))?"
    r"|(?:don'?t|do not|please don'?t|no need to|not necessary to)(?: (?:search|look|check|use|read|open|consult"
    r"|touch|bother))"
    r"(?: with| in| at| into| through| inside)?)"
)
_aside_en = r"(?:leave|leaving|set|setting|put|putting)"
_alone_en = r"(?:aside|out(?: of (?:it|this))?|alone|apart)"
_not_meant_en = (
    r"(?:,? (?:is|are) (?:out|not (?:meant|needed|relevant|included)|excluded|irrelevant|off limits)"
    r"|,? excluded|,? excepted|,? aside"
    r"|,? (?:does|do) ?n[o']t (?:count|matter))(?![a-z])"
)
_the_others_en = r"(?: and (?:look|search|check)(?: in)? (?:everywhere|everything|anywhere) else)?"
_the_rest_zh = (
    "(?:,?(?:(?:其[他它余]|剩下|余下|别|另外)的?(?:文件|文档|资料|材料|几[份个])?|(?:所有|全部)的?(?:文件|文档"
    "|资料))(?:里面?|中)?(?=[^,]))?"
)
_refuse_zh = "(?:不[要用]?再?|别再?|不用再?|不必再?|无需|不需要|甭|先不|可以不)"
_look_zh = "(?:在|从|去|到|看|查|翻|搜|找|理会?|管|用|参考|考虑|碰){1,2}"
_not_meant_zh = (
    r"(?:除外|以外|之外|先?(?:排除|剔除|抛)(?:在外|掉|开)?|先?不算|不在内|跳过|略过|忽略|撇开|先?放一边|去掉"
    rf"|(?:就|都|可以|先)?{_refuse_zh}{_look_zh}(?:了|它们?|吧)?)"
)
_exclusion = re.compile(
    rf"(?:(?:{EXCEPT_ZH}|排除掉?|剔除|去掉|撇开|抛开|跳过|略过|忽略|不包括|不含"
    rf"|{_refuse_zh}{_look_zh})(?:一下)?\s*{_files}"
    rf"\s*(?:以外|之外|外|里|中|不[看查])?(?:的话|的|都)?{_the_rest_zh}"
    rf"|(?:把|将)?\s*{_files}\s*(?:的|里|中|就|,)?\s*{_not_meant_zh}(?:的)?{_the_rest_zh}"
    rf"|(?<![a-z])(?:{_everything_but}|{_left_out_en})\s{_det}{_files}{_the_others_en}"
    rf"|(?<![a-z]){_aside_en}\s{_det}{_files} {_alone_en}(?![a-z])"
    rf"|(?<![a-z]){_det}{_files}{_not_meant_en})"
)
# All but these files is refused: they are the ones that are meant.
_refused_before = re.compile(
    r"(?<![a-z])(?:ignor(?:e|ing)|disregard(?:ing)?|skip(?:ping)?|leav(?:e|ing) out|omit(?:ting)?|exclud(?:e|ing)"
    r"|forget(?: about)?|never mind|nothing|(?:don'?t|do not)(?: please)? (?:search|look|check|use|read|open|consult)"
    r"(?: in| at| into| through)?)"
    r"(?: (?:everything|anything|all|any|every|each|what is|that is))?(?: of)?(?: my| the)?(?: other)?"
    r"(?: (?:files?|documents?|docs?))?(?: else)?\s$"
)
_refused_behind = re.compile(
    r"(?:以外|之外|外)?[,\s]*的?(?:其[他它余]|剩下|余下|别|另外)?的?(?:文件|文档|资料|材料|几[份个])?里?面?"
    rf"(?:都|全都?|一律|一概|统统|通通)?(?:(?:{_refuse_zh}|不){_look_zh}|忽略|跳过|略过|排除|撇开)(?:掉|了)?"
)
_set_noun, _set_noun_en = f"(?:{SET.zh}|{GROUP.zh})", f"(?:{SET.en}|{GROUP.en})"
_one_set = rf"[《「\"']?{ONE_SET}[》」\"']?"
_sets = rf"{_one_set}(?:\s*(?:{_set_noun}|{_set_noun_en})?{AND}{_one_set}){{0,20}}"
_set_phrases = [
    re.compile(
        rf"{_only_zh}{_prep_zh}?\s*{_sets}\s*的?(?:这个)?{_set_noun}(?:的?(?:文件|文档"
        rf"|资料))?{_in_zh}?\s*{_find_zh}"
        rf"|{_only_zh}{_prep_zh}?\s*{_set_noun}\s*[:为是]?\s*{_sets}{_in_zh}?\s*{_find_zh}"
        rf"|{_only_zh}(?:在|从|只查|仅查|查)\s*{_sets}\s*{_in_zh}{_find_zh}"
    ),
    re.compile(
        rf"(?<![a-z])(?:{_verb_en})?(?:{_prep_en}\s)?{_det}{_sets} {_set_noun_en}(?![a-z]){_for_en}"
        rf"|(?<![a-z])(?:{_verb_en})?(?:{_prep_en}\s)?{_det}{_set_noun_en} {_sets}{_for_en}"
        rf"|(?<![a-z])(?:only |just |{_verb_en}){_prep_en}\s{_det}{_sets}{_for_en}"
    ),
]
# A stem is a title, not a topic, when it looks like one: 员工手册, k8s-networking, travel policy; not 新生儿, rust.
_title_zh = re.compile(
    "(?:手册|指南|报告|文档|说明书?|规范|方案|汇总|总结|笔记|制度|规定|规则|合同|协议|论文|教程|记录|纪要|清单"
    "|计划|白皮书|须知|大全|办法|条例|政策|章程|标准|讲义|简介|介绍|通知|公告"
    "|书|表|档案|日志|年报|季报|预案|细则)"
    r"[\w.\-]{0,12}$"
)
_title_en = re.compile(
    r"[0-9_\-]|(?<![a-z])(?:report|handbook|guide|manual|notes?|policy|policies|contract|paper|book|faq|readme"
    r"|spec|specification|summary|plan|minutes|tutorial|changelog|docs?|reference|agreement|rules|overview"
    r"|brochure|sheet|review|letter|memo|proposal|roadmap|runbook|playbook|cookbook|catalog(?:ue)?|terms)$"
)


@dataclass
class ScopeMention:
    """What a clause says about where to look. Spans are offsets in the message."""

    documents: list[str] = field(default_factory=list)
    doc_sets: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    cuts: list[tuple[int, int]] = field(default_factory=list)  # phrases that only say where
    bare: list[tuple[int, int]] = field(default_factory=list)  # names that stand inside the question


_FILES = LIBRARY + UPLOAD + STEM
_steps: list[tuple[re.Pattern[str], Literal["excluded", "documents", "said", "doc_sets", "bare"]]] = [
    (_exclusion, "excluded"),
    *((pattern, "documents") for pattern in _phrases),
    (_before_colon, "documents"),
    *((pattern, "said") for pattern in _saying),
    *((pattern, "doc_sets") for pattern in _set_phrases),
    (re.compile(rf"(?P<file>[《「\"'`]?(?:(?<!{LIBRARY}){LIBRARY}++|(?<!{UPLOAD}){UPLOAD}++)[》」\"'`]?)"), "bare"),
]


def find_scope(reading: MaskedMessage, clause: Clause) -> ScopeMention:
    """The files and sets that a clause names as the place to look, with the words to take out of the question."""
    where = ScopeMention()
    if not re.search(f"[{LIBRARY}-{DOC_SET}]", clause.text):
        return where
    taken = bytearray(len(clause.text))
    for pattern, kind in _steps:
        for found in pattern.finditer(clause.text):
            start, end = found.span("file" if kind in ("said", "bare") else 0)
            if any(taken[start:end]) or not _admits(reading, clause, found):
                continue
            taken[start:end] = b"\1" * (end - start)
            span = (clause.start + start, clause.start + end)
            names = reading.named(DOC_SET if kind == "doc_sets" else _FILES, *span)
            if kind == "excluded" and (cut := _all_others_refused(reading, clause, span)):
                where.documents += names
                span = cut
            elif kind == "excluded":
                where.excluded += names
            elif kind == "doc_sets":
                where.doc_sets += names
            else:
                where.documents += names
            if kind == "bare":
                where.bare.append(span)
            elif kind != "said":
                where.cuts.append(span)
    return where


def _all_others_refused(reading: MaskedMessage, clause: Clause, span: tuple[int, int]) -> tuple[int, int] | None:
    """Where words around an exclusion turn it into its opposite, the span of all of them: "ignore all but"."""
    start, end = span
    if before := _refused_before.search(reading.masked[clause.start : start]):
        return clause.start + before.start(), end
    behind = _refused_behind.match(reading.masked, end)
    return (start, behind.end()) if behind else None


def beside_scope(reading: MaskedMessage, clause: Clause) -> Clause | None:
    """The clause without the words in front, or at its end, that only say where to look; None if it says no more."""
    start, end = clause.start, clause.end
    for a, b in sorted(find_scope(reading, clause).cuts):
        if not reading.masked[start:a].strip(" ,:"):
            start = b
        elif not reading.masked[b:end].strip(" ,:"):
            end = a
    text = reading.masked[start:end]
    start += len(text) - len(text.lstrip(" ,:"))
    text = text.strip(" ,:")
    return clause._replace(start=start, end=start + len(text), text=text) if text else None


def _admits(reading: MaskedMessage, clause: Clause, found: re.Match[str]) -> bool:
    """Whether every stem in a phrase may be a scope: titles in any phrase, other words only when marked as a file. A
    clause of names alone is one before a colon."""
    phrase = found[0]
    if found.re is _before_colon and ":" not in clause.stop:
        return False
    if STEM not in phrase:
        return True
    if re.search(
        rf"[《「\"'`]{STEM}|{STEM}[\s]*(?:这|那)?(?:个|份|篇)?(?:文件|文档|file|document|doc(?![a-z]))|^(?:请"
        rf"|帮我)*(?:只|仅)|^only"
        rf"|{STEM}{AND}[{LIBRARY}{UPLOAD}]|[{LIBRARY}{UPLOAD}]{AND}{STEM}",
        phrase,
    ):
        return True
    if re.match(r"(?:on|to|at|by|over|with)\s", phrase) or re.match(r"(?:就|到|去)", phrase):
        return False
    stems = reading.within(STEM, clause.start + found.start(), clause.start + found.end())
    return all(is_title(reading.text[stem.start : stem.end]) for stem in stems)


def is_title(stem: str) -> bool:
    """Whether a file's name without extension reads as a title rather than a topic."""
    return bool(_title_zh.search(folded(stem)) or _title_en.search(folded(stem)))
