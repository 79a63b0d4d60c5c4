"""Which retrieval strategy a clause orders, and which words order it. Asking about a strategy orders nothing."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from planning.clauses import Clause, lead_length
from planning.terms import DOC_SET, LIBRARY, union
from planning.vocabulary import CUT, FIND, MANNER, OWN_NAMES, RETRIEVAL, STRATEGIES
from schema import StrategyName

_reranks = re.compile(r"re-?rank|cross-?encoder|重排|精排|重新排序", re.IGNORECASE)


def names_reranking(message: str) -> bool:
    """Whether it speaks of sorting again what was found."""
    return _reranks.search(message) is not None


class StrategyOrder(NamedTuple):
    """A strategy and the span of the words that order it, within the clause; `sure`: nothing else can be meant."""

    strategy: StrategyName
    start: int
    end: int
    sure: bool


_name = union(*STRATEGIES.values())
_noun = rf"(?:{RETRIEVAL.either}|{MANNER.either})"
_full = rf"{_name}(?:\s?(?:{RETRIEVAL.zh}|{MANNER.zh})|[ -]?{_noun})(?:\s?{MANNER.either})?"  # 向量检索, hybrid search
_own = rf"(?:{OWN_NAMES.pattern})(?![a-z])"
_contrast = rf"(?:\s?(?:,\s?)?(?:instead of|rather than|而不是|而非)\s?(?:the )?(?:{_full}|{_name}))"
_only = rf"(?:{_contrast}|\s(?:only|please|pls|instead|alone|here|now|this time|for this(?: one| question)?)(?![a-z]))*"
_by_zh = (
    "(?:(?:做|跑|来|试)(?:个|一次|一遍|一下)|使用|采用|利用"
    "|改用|换用|换成|改成|切换[到成为]|切到|换|通过|借助|基于|按照|依照|照着?|按|用|以|走|选择?|拿|结合|恢复[到成为]?|回到"
    "|还原[到成为]?)"
)
_by_en = (
    "(?:use|using|with|via|by means of|by|through|try|run|do it with|do|apply|perform|go with|switch to|choose"
    "|pick|employ|in|prefer|make it|combine|combining)"
)
_find_zh = rf"(?:来|去|再|帮我|给我)?(?:{FIND.zh})?(?:一下|一遍|一次|一查|下)?(?:关于|有关)?"
_purpose = (
    r"(?:\s(?:for|on|about|over|to (?:find out|find|answer|look up|search for|search|retrieve)|and (?:find|answer"
    r"|tell me))(?![a-z]))?"
)
_mark = f"[{LIBRARY}-{DOC_SET}]"
# What makes a name the subject of its clause.
_subject = r"(?:[的是和与跟及或有在比能可会怎如何为需策算技模系引效还、中吗呢]|一般|通常|往往)"

# bm25rerank is the hybrid strategy: what keywords and vectors find is sorted again by the reranker that is set.
_rerank_en = (
    r"(?:please |then |now )?re-?rank(?: (?:the|all|these|your))?(?: (?:results?|hits?|candidates?|passages?|chunks?))?"
    r"(?: (?:first|again|once more|before (?:answering|you answer)))?"
    r"(?: (?:with|by|using) (?:a |the |your )?(?:cross-?encoder|re-?ranker|re-?ranking model|model))?"
)
_sort_again_en = (
    r"(?:please |then )?(?:sort|rank|order|score) (?:the |all )?(?:results?|hits?|candidates?|passages?)?"
    r"(?: (?:again|anew|once more|a second time))? (?:with|by|using) (?:a |the |your )?(?:cross-?encoder|re-?ranker)"
)
_rerank_zh = (
    r"(?:请|先|再|然后|帮我|找[完到了好]+|搜[完到]+|检索[完后]*)*(?:把|对|将)?(?:检索|搜索|召回|候选)?(?:结果|片段|候选)?(?:再|先|重新|做|进行|用交叉编码器)*"
    r"(?:重排序?|精排|重新排序|re-?rank)(?:一下|一遍|一次|一轮)?(?:之?后|以后)?(?:再|来)?(?:回答|作答|答)?"
)

_starts = [
    (True, rf"(?:{_rerank_en}|{_sort_again_en}|{_rerank_zh})(?=$)"),
    (
        True,
        rf"{_by_zh}\s*(?:一[下遍次个]|着|个)?\s*(?:{_full}|{_own}|{_name}(?=\s*(?:$|{FIND.zh}|来|去|{_contrast})))"
        rf"(?:{_contrast})?\s*{_find_zh}",
    ),
    (
        True,
        r"(?:把|将)?(?:检索|搜索|查询)?的?(?:策略|方式|模式|方法)\s*(?:请|就|要)?(?:使用|采用|选择?|换[成为到]"
        r"|改[成为]|设[成为]|定为|调[成为到]|切换?[到成]|为|是|用|[=:]|\s)*"
        rf"{_name}(?:{_noun})?",
    ),
    (
        True,
        rf"{_by_en} (?:(?:a|an|the|your|my) )?(?:(?:quick|simple|pure|plain) )?(?:{_noun} )?"
        rf"(?:{_full}|{_name}(?={_only}(?:$| to (?:answer|find|search)))|{_own}){_only}{_purpose}",
    ),
    (
        True,
        rf"(?:(?:set|change|switch) )?(?:the |your |retrieval |search )*(?:strategy|mode|method)"
        rf"(?:\s|[=:]|is|should be|to)*{_name}",
    ),
    (True, rf"[/#@]{_name}(?:[ -]?{_noun})?(?=\s|$)"),
    (True, r"(?:bm25[- ]?re-?rank(?:er|ing)?|faiss[- ]?bert)(?=$|\s)"),
    (
        False,
        rf"(?:search|look|find|answer|retrieve|query)(?: up| it| this| that)? (?:with|using|by|via|through) (?:the "
        rf"|a )?(?:{_full}|{_own}|{_name}){_only}{_purpose}",
    ),
    (
        False,
        rf"{_full}{_only}(?:一下|一遍|\s(?:for|on|about)(?![a-z])|(?=$|\s?{_mark}|\s+[^\s的是和与])"
        rf"|(?<=[\u3400-\u9fff])(?=[\u3400-\u9fffa-z\"《「])(?!{_subject}))",
    ),
    (
        False,
        rf"{_own}{_only}(?=$|\s+(?!{_subject}|论文|方法|算法|技术|原理|模型|检索|参数|公式|全称|英文|作者|优"
        rf"|缺)[\u3400-\u9fff]|\s+(?:what"
        rf"|how|why|who|when|where|which|find"
        rf"|tell)(?![a-z]))",
    ),
    (False, rf"(?:纯|只用?|仅用?|单纯|光用?)?(?:{_name}){_only}(?=$)"),
]
_ends = [
    rf"(?<!怎么)(?<!如何)(?<!可以)(?<!应该)(?<!能)(?<!要){_by_zh}(?:{_full}|{_own})(?:来|去)?(?:{FIND.zh})?"
    r"(?:一下|一遍|下)?吧?$",
    rf"(?<![a-z])(?:using|with|via|by means of|by|through|in) (?:(?:a|the|your) )?(?:{_full}|{_own}"
    rf"|{STRATEGIES['keyword'].either}|(?:embeddings|vectors)){_only}$",
    rf"(?<![a-z])(?:with|using|by|via|through) (?:the |a )?(?:{_full}|{_own})(?= (?:for|about|on) )",
]
# Few messages name a strategy: what the others need not be held against is not even compiled for them.
_named = re.compile(rf"{_name}|{_own}|bm25|faiss|embeddings|vectors")
_end_reach = 60  # how far from a clause's end an order may begin
_negated = re.compile(
    r"(?:不要再?|不|别再?|(?<![a-z])(?:not|don'?t|do not|never|without|instead of|rather than|than"
    r"|(?:don'?t|do not) (?:bother|trouble|care)(?: yourself)? (?:with|about)|no need (?:for|of)|forget(?: about)?"
    r"|skip|leave out|never mind)(?: the| any)? ?)$"
)
_comparing = re.compile(
    rf"(?<![a-z])(?:compared?|differs?|different|difference|better|worse|versus|vs|than|instead of"
    rf"|rather than)(?![a-z])|而不是|区别|不同|对比|相比|还是{_name}|更[好快准]"
)
_any_contrast = re.compile(_contrast)
_search_verb = re.compile(rf"(?:{_by_en}|search|look|find|answer|retrieve|query|{_by_zh})(?![a-z])")
_cuts_by_meaning = re.compile(  # "semantic" is then a way to cut, not to search
    rf"(?:语义|semantic(?:ally)?)(?!{RETRIEVAL.zh}| {RETRIEVAL.en})[^,]{{0,20}}?(?:{CUT.either})"
)
_refused = (
    rf"(?:(?:不要|别|不|不想)(?:再|使?用){{1,2}}|(?:don'?t|do not|not) (?:use )?)\s*(?:{_full}|{_own}"
    rf"|{_name})(?:了|吧)?"
)
_making = re.compile(
    r"(?:how (?:do|can|could|should|would|did|does) (?:i|we|you|one|they)|how to|can (?:i|we)|could (?:i|we)|may i"
    r"|is it possible to)(?: best)? "
    r"(?:use|build|implement|create|write|make|improve|develop|set up|configure|combine|integrate|do|perform"
    r"|enable|speed|run|add|program|rank|search|find)(?![a-z])"
)

_another_searches = re.compile(  # "can the API search by keyword"
    r"(?:can|could|does|do|did|will|is|are|how (?:does|do)) (?:the|our|its?|their|this|that|an?) (?:[a-z-]+ ){1,3}"
    r"(?:search|retrieve|match|find|look|query|use|rank|sort|order|score|filter|index)(?![a-z])"
)


def strategy_order(clause: Clause) -> StrategyOrder | None:
    """The strategy that a clause orders, in front ("用混合检索…", "hybrid: …") or at its end ("… using hyde")."""
    text = clause.text
    if not _named.search(text) or _cuts_by_meaning.search(text):
        return None
    lead = lead_length(text)
    plain = _any_contrast.sub("", text) if _search_verb.match(text, lead) else text
    compares = bool(_comparing.search(plain) or _making.match(text) or _another_searches.match(text))
    for place in {lead: None, 0: None}:  # a leading word may belong to the order: "for", "以"
        for sure, pattern in _start_patterns():
            found = None if compares and not sure else pattern.match(text, place)
            if found and not _negated.search(text[:place].rstrip()):
                named = ":" in clause.stop and found.end() == len(text)
                return StrategyOrder(_strategy_in(found[0]), 0, found.end(), sure or named)
    for pattern in () if compares else _end_patterns():
        found = pattern.search(text, max(0, len(text) - _end_reach)) or pattern.search(text, 0, 200)
        if found and not _negated.search(text[: found.start()].rstrip()):
            return StrategyOrder(_strategy_in(found[0]), *found.span(), False)
    return None


def refuses_strategy(clause: Clause) -> bool:
    """Whether a clause says no more than which strategy not to use."""
    return bool(_named.search(clause.body) and _refusal().fullmatch(clause.body))


@cache
def _start_patterns() -> list[tuple[bool, re.Pattern[str]]]:
    return [(sure, re.compile(pattern)) for sure, pattern in _starts]


@cache
def _end_patterns() -> list[re.Pattern[str]]:
    return [re.compile(pattern) for pattern in _ends]


@cache
def _refusal() -> re.Pattern[str]:
    return re.compile(_refused)


def _strategy_in(words: str) -> StrategyName:
    return next(name for name, terms in STRATEGIES.items() if re.search(terms.either, words))
