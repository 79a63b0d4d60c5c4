"""What a clause orders of the web: to search it, or to read the addresses that it names."""

from __future__ import annotations

import re
from typing import NamedTuple

from planning.around_words import LEAD
from planning.chunking_facts import blank_chunking_facts
from planning.clauses import Clause, asks_how, is_question, lead_length, residue
from planning.terms import AND, DOC_SET, LIBRARY, MISSING, ONE_URL, UPLOAD, URL, BilingualTerms, union
from planning.vocabulary import (
    ASKING,
    CHANGE,
    CONTENT_VERB,
    CUT,
    ENGINE,
    EVERY_FILE,
    GROUP,
    SAVE,
    SET,
    STORE,
    THING,
    THIS,
    VISIT,
    WEB,
    WEB_FIND,
)

_web_first = re.compile(
    rf"(?:去|到|在|从|通过|使用|用|借助|打开|开启|结合|利用)?(?:{WEB.zh})(?:上|里|中)?(?:去|来|再|先|给我|帮我"
    rf"|帮忙|实时|进行|信息|\s)*(?:{WEB_FIND.zh}|有没有|怎么说"
    rf"|(?=$))"
    r"(?:一下|下|一查|一搜|一找)?(?:关于|有关|一些)?"
    rf"|(?:打开|使用|通过|用|在|上)?(?:{ENGINE.zh})(?:上|里)?(?:去)?(?:一下|一搜|下|搜索|搜一下|搜|查一下|查"
    rf"|找)(?:一下)?"
    rf"|(?:{WEB_FIND.zh})(?:一下|下|一查|一搜)?(?:互联网上?|因特网上?|网络上|网上|全网|外网|网络(?=$))(?!银行"
    rf"|购|申|报|课|商|平台|支付|办|会议)(?:的|有关|关于|有没有)?"
    r"|(?:do |run |perform |make )?(?:a |an )?(?:quick )?(?:web|internet|online|google) ?(?:search"
    r"|lookup)(?: (?:for|on|about|to find))?(?![a-z])"
    rf"|(?:{WEB_FIND.en})(?: out)?(?: (?:in|on|through|at|over|up|around))? (?:{WEB.en})(?: search)?(?: (?:for"
    rf"|to find|on"
    rf"|about|and find))?(?![a-z])"
    r"|(?:so |then )?(?:go|turn|switch) (?:on|over)?(?:to|onto) the (?:web|internet|net)(?: for| to find)?(?![a-z])"
    r"(?! (?:page|site|ui|portal|app|interface)(?![a-z]))"
    rf"|what (?:does|do|did|would) (?:{ENGINE.en}) (?:say|find|know|show)(?: (?:about|on))?(?![a-z])"
    rf"|(?:{WEB_FIND.en}) (?:it|this|that) (?:on|with|in|using) (?:{ENGINE.en})(?![a-z])"
    r"|(?:the )?(?:web|internet) (?:will|should|might|may) (?:know|have|tell)(?![a-z])"
    r"|(?:search|look|check|find|go|see what(?:'s| is)|look it up|look this up|search it|search this"
    r"|check it)(?: up)? online(?: (?:for|about|to find))?(?![a-z])"
    r"|(?<![a-z] )(?:see|find out) online(?= (?:if|whether|how|what|when|where|who|which)(?![a-z]))"
    rf"|(?:{ENGINE.en})(?: (?:for|search))?(?![a-z])(?= ?\S)(?! (?:is|was|has|does|can|will|maps|docs|cloud|workspace"
    r"|drive|sheets|calendar|analytics|ads|chrome|account|translate|api|forms|meet|play|pay"
    rf"|and)(?![a-z]))"
)
_web_last = re.compile(
    rf"(?:去|到|在|从|通过|使用|用)?(?:{WEB.zh})(?:上)?(?:{WEB_FIND.zh})(?:一下|下|看看|吧|看|\s)*$"
    r"|(?<![a-z])(?:on|from|via|using|over|across|through|with) (?:the )?(?:web|internet|net)(?: search)?(?: please)?$"
    r"|(?<![a-z])(?:online|(?:using|via|with) (?:a )?(?:web search|google))(?: please)?$"
)
_find_order = re.compile(
    r"(?:find|look up|look for|look|search for|search|get|check|see|tell me|show me|give me)(?![a-z])"
)
_about_web = re.compile(r"(?:怎么|怎样|如何)(?:操作|办理|弄|做|进行|查|实现|收费|使用|用)?$|比较安全|安全吗")
_not_web = re.compile(r"(?:怎么|如何|怎样|可以|能|允许|禁止|会|不|是否|需要|应该)$")


def web_order(clause: Clause) -> tuple[int, int] | None:
    """The span (within the clause) of an order to search the web; None when there is none."""
    lead = lead_length(clause.text)
    found = _web_first.match(clause.text, lead)
    if found and not (_about_web.search(clause.text) and not re.search("一下|帮|请", clause.text)):
        return 0, found.end()
    found = _web_last.search(clause.text, max(0, len(clause.text) - 40))
    if found and not _not_web.search(clause.text[: found.start()].rstrip()):
        english = found[0].isascii()
        if not english or _find_order.match(clause.body) or not clause.text[: found.start()].strip():
            return found.span()
    return None


# --- reading addresses -------------------------------------------------------------------------------------------
#
# A message that holds an address does not order to read it: "what does our manual say about https://intranet/login?"
# asks the library, a pasted error message asks for help. Read are, without doubt, an address that
#   1. is the object of an order: "抓取 …", "open …", "总结 …", "list the prices on …" (not where it tells of a failure:
#      "我打开 … 时报错"), whatever else the message names;
#   2. is what is asked, and the library is not named: "… 讲了什么？", "what does … say?", "根据 …", two compared;
#   3. stands alone, and the library is not named either.
# Not read, without doubt, where the library is named and nothing orders it. Of all others the rules have an opinion,
# and a model, where there is one, decides: a question about an address is taken to want it read, unless it asks how to
# use it, speaks of a failure, or quotes a command.


class AddressOrder(NamedTuple):
    """Whether the addresses of a clause are to be read, whether that is sure, and the words that only order it."""

    wanted: bool
    sure: bool
    cuts: tuple[tuple[int, int], ...] = ()  # within the clause


_urls = rf"{ONE_URL}(?:(?:{AND}|\s++){URL}++)*+"
_behind = r"(?:\s?的?(?:全部|主要|正文|网页|页面|所有)?(?:内容|全文|正文|信息)|\s?这[个些]?)?"
_visit = re.compile(
    rf"(?:{VISIT.zh})(?:一下|下|一遍)?\s?{_urls}{_behind}\s?(?:上|里|中)?(?:来|去)?(?=$|[^\w]|\w)"
    rf"|(?:{VISIT.en})(?: (?:me|us|all(?: of)?|both|everything (?:on|from|at)|the (?:whole|full|entire)))? {_urls}"
    r"(?:\s?(?:for|to|about|and)(?![a-z]))?"
)
_order_zh = re.compile(rf"(?:{CONTENT_VERB.zh})(?P<gap>[^,{URL}]{{0,40}}?){_urls}(?P<last>$)?")
_order_en = re.compile(rf"(?:{CONTENT_VERB.en}|{VISIT.en})(?P<gap>(?: [^,{URL}]{{0,80}}?)?) {_urls}")
_given = re.compile(
    rf"(?:(?:{LEAD.zh})*+(?:把|将)\s?(?={_urls}\s?(?:{VISIT.zh})))(?P<taken>{_urls})\s?(?:{VISIT.zh})(?:下来"
    rf"|过来|一[下遍]|下)*"
    rf"|(?:(?:{LEAD.zh})*+(?:把|将)\s?)?(?P<page>{_urls})\s?(?:(?:{LEAD.zh})*+(?:{CONTENT_VERB.zh})(?![了的过着])"
    rf"|(?:(?:{LEAD.en}) )*+(?:{CONTENT_VERB.en})(?![a-z]))"
)
_compares = re.compile("对比|比较|compare|contrast|diff")
_source = re.compile(
    rf"(?:(?:只|仅)?(?:根据|依据|依照|按照|基于|参考|参照|结合|利用|使用|用|从|在|去|到)\s?{_urls}\s?(?:里面?"
    rf"|中|上面?|当中)?{_behind}(?:来|去)?"
    rf"(?:查询|查找|查一?[查下]|查|搜索|搜一?[搜下]|搜)?"
    rf"|(?<![a-z])(?:according to|based on|going by|judging by|as per|per|from|in|on|at|within|using|via|with|use)"
    rf" (?:only )?{_urls})"
)
_subject = re.compile(
    rf"{_urls}\s?(?:里面?|中|上面?|当中|页面)?(?:都|各自?|分别|主要|大概|究竟|到底|具体|是否|有没有|有无)*"
    r"(?:讲|说|写|谈|介绍|描述|提|提供|包含|包括|涉及|推荐|支持|列|解释|发布|更新|卖|有[哪什啥几多没]|多少)"
    rf"|{_urls}\s?(?:里面?|中|上面?)(?![a-z])|{_urls}\s?的"
    rf"|{_urls}'s|{_urls} (?:says?|mentions?|covers?|contains?|describes?|explains?|recommends?|offers?|lists?"
    rf"|reports?"
    r"|claims?|argues?|states?|defines?|teach(?:es)?|suggests?|provides?|includes?|talks?|announces?"
    r"|conclude[sd]?|tell"
    r"|have|has|about|mean|all about|require[sd]?)(?![a-z])"
)
_two = rf"{ONE_URL}(?:{AND}|\s++){URL}"
_compared = re.compile(
    rf"{_two}[^,]{{0,200}}(?:区别|不同|差[别异]|相同|一样|对比|比较|相比|哪个|谁|更|关系|共同)"
    rf"|(?:differ|compare|versus|vs|better|between|same|which)(?![a-z])[^,]{{0,200}}{_two}"
    rf"|{_two}[^,]{{0,200}}(?:differ|compare|better|same)"
)
_failure = re.compile(
    r"报错|出错|失败|超时|异常[:退]|无法|打不开|连不上|进不去|登不上|访问不了|不能访问|拒绝(?:访问|连接)|状态码"
    r"|崩溃|卡住"
    r"|(?<![a-z0-9_])(?:[a-z0-9_.]+error|error(?=\s?[:\d])|[a-z0-9_.]+exception|traceback|failed|refused"
    r"|time[sd]? ?out|denied|forbidden|unreachable|not found|unable|cannot|can'?t|could not|couldn'?t|won'?t"
    r"|doesn'?t (?:work|open|load)|is down|40[0-9]|50[0-9]|econn[a-z]*)(?![a-z0-9_])"
)
_trace = re.compile(r"(?<![a-z0-9_])(?:[a-z0-9_.]+(?:error|exception)|traceback|error\s?:|econn[a-z]*)(?![a-z0-9_])")
_fails = re.compile(
    r"\s?(?:为什么|为何|怎么)?(?:的?时候?(?!间)|之?后[,总会就]?|总是|一直|会|就|[,\s]*(?:报错|出错|失败|超时"
    r"|提示|打不开|不了|出现))"
    r"|\s?[,:-]?\s?[45]\d\d(?!\d)|\s?(?:returns?|gives?|fails?|failed|times? out|errors?|shows?"
    r"|is (?:down|blocked|slow|refused)|and (?:i|we) (?:get|got|see)|i (?:get|got)"
    r"|it (?:fails|says|shows|returns))(?![a-z])"
)
_command = re.compile(
    rf"(?<![a-z])(?:curl|wget|git|pip3?|npm|docker|helm|ssh|export|set)(?![a-z])[^,]{{0,80}}{URL}|[=@`\"']{URL}"
)
_how = re.compile(
    r"怎么|怎样|如何|(?<![a-z])how (?:do|can|could|should|would|to|did)(?![a-z])(?! (?:you|it|this|they|the)(?![a-z]))"
    r"|(?<![a-z])(?:can|may|should|must|do) (?:i|we)(?![a-z])"
)
_told = re.compile(r"(?<![帮给替为让教])(?:我们?|用户|客户|同事|他们?)(?:在|刚|刚才|去|要|一)?\s?$")
_whether = re.compile(
    r"(?: (?:if|whether|why|how|when|who|that)(?![a-z])|.*(?:为什么|为何|是否|怎么|如何|能不能)"
    rf"|.*(?:{_failure.pattern}))"
)
_docs_zh = "(?:手册|说明书|文档|文件|资料库?|知识库|数据库|文库|库|规章|制度|规定|指南|合同|附件|笔记)"
_docs_en = (
    "(?:manuals?|handbooks?|docs?|documents?|documentation|library|knowledge base|kb|files?|wiki|runbooks?|notes?"
    "|guides?|guidelines?|polic(?:y|ies)|contracts?|uploads?|readme)"
)
_library = re.compile(
    rf"[{LIBRARY}{UPLOAD}{MISSING}{DOC_SET}]"
    rf"|{_docs_zh}(?:里面?|中|上面?|内|之中|当中|怎么|如何|是否|有没有|对|关于|提[到及]|写|说|讲|规定)"
    rf"|(?:根据|按照?|依据|参考|查|翻|在|看|我们?的?|咱们的?|公司的?|内部的?|本地的?)[^,{URL}]{{0,6}}{_docs_zh}"
    rf"|(?<![a-z])(?:our|my|your|the|company|internal|local|stored|uploaded|saved) (?:\w+ ){{0,2}}{_docs_en} (?:\w+ )?"
    r"(?:say|says|mention|mentions|tell|describe|describes|contain|contains|explain|explains|state|states|refer|cover)"
    rf"|(?<![a-z])(?:in|from|to|per|by|check|search|consult|within|does|do|did) (?:the|our|my|any|these|those|this) "
    rf"(?:\w+ ){{0,2}}{_docs_en}(?![a-z])"
)


def names_address(clause: Clause) -> bool:
    return URL in clause.text


class Surroundings(NamedTuple):
    """What the rest of a message says about the addresses in it."""

    masked: str
    names_library: bool
    tells_failure: bool
    quotes_error: bool

    @classmethod
    def of(cls, masked: str) -> Surroundings:
        return cls(masked, *(bool(pattern.search(masked)) for pattern in (_library, _failure, _trace)))


def read_addresses(clause: Clause, around: Surroundings, *, upload: bool) -> AddressOrder:
    """Whether the addresses that a clause names are to be read."""
    return _ordered(clause) or _asked_of(clause, around) or _alone(clause, around, upload) or _opinion(clause, around)


def _ordered(clause: Clause) -> AddressOrder | None:
    lead, text, first = lead_length(clause.text), clause.text, clause.text.index(URL)
    if _told.search(text[:lead]) or _command.search(text):
        return None
    if (web := web_order(clause)) and web[0] == 0 and web[1] <= first + 1:
        return AddressOrder(True, True, ((0, min(web[1], first)),))
    if (found := _visit.match(text, lead)) and not _fails.match(text, found.end()):
        return AddressOrder(True, True, ((0, found.end()),))
    if (given := _given.match(text)) and not _fails.match(text, given.end("page")):  # “https://… 帮我总结一下”
        return AddressOrder(True, True, ((0, given.end() if given["taken"] else given.end("page")),))
    found = _order_zh.match(text, lead) or _order_en.match(text, lead)
    if not found or _whether.match(found["gap"]) or _fails.match(text, found.end()):
        return None
    if _compares.match(text, lead):
        return AddressOrder(True, True)
    if _library.search(found["gap"]):
        return None
    source = _source.search(text, lead)
    if source and source.end() == len(text) and source.start() > lead:
        return AddressOrder(True, True, (source.span(),))  # "list the prices on https://…"
    if found.re is _order_zh and not re.search(rf"[^{URL}]", text[first:]):
        return AddressOrder(True, True, ((first, len(text)),))  # “总结一下 https://…”
    return AddressOrder(True, True)


def _asked_of(clause: Clause, around: Surroundings) -> AddressOrder | None:
    text, asks = clause.text, is_question(clause)
    first = text.index(URL)
    fails = around.quotes_error or _failure.search(text, 0, first)
    if fails or _command.search(text) or around.names_library or _told.search(text[:first]):
        return None
    source = _source.search(text)
    if source and not _told.search(text[: source.start()]) and not _how.search(text, 0, source.start()):
        before = text[: source.start()]
        whole = not residue(before) or (source.end() == len(text) and bool(residue(before, ASKING)))
        return AddressOrder(True, asks or whole, (source.span(),) if whole else ())
    if (_subject.search(text) or _compared.search(text)) and not _how.search(text, 0, first):
        return AddressOrder(True, asks)
    return None


def _alone(clause: Clause, around: Surroundings, upload: bool) -> AddressOrder | None:
    asks = "?" in clause.stop and re.search(r"[^\W_]", clause.text)
    if residue(clause.text) or asks or upload or around.tells_failure or around.names_library:
        return None
    beside_a_name = around.masked[max(0, clause.start - 2) : clause.start].rstrip().endswith("(")
    return AddressOrder(True, not beside_a_name, ((0, len(clause.text)),))


def _opinion(clause: Clause, around: Surroundings) -> AddressOrder:
    if around.names_library:
        return AddressOrder(False, True)
    if _command.search(clause.text) or around.tells_failure or _how.search(clause.text):
        return AddressOrder(False, False)
    return AddressOrder(is_question(clause), False)


_afresh = re.compile(
    r"重新|刷新|更新|再[次抓爬读采]|(?<![a-z])(?:again|anew|afresh|updat(?:e|ing)|refresh(?:ing)?|reload"
    r"|re-?(?:fetch|read|crawl))(?![a-z])"
)


def fetches_afresh(clause: Clause) -> bool:
    """Whether pages are to be fetched although they were fetched before: “重新抓取”, "refresh"."""
    return bool(
        _afresh.search(clause.text[: clause.text.find(URL)])
        or re.search(rf"{URL} (?:again|anew)(?![a-z])", clause.text)
    )


_kept = BilingualTerms("收藏|剪藏", "bookmark|clip|copy|snapshot")
_page = BilingualTerms(
    "网页|网站|网址|链接|页面|文章|帖子|页", "(?:web ?)?pages?|web ?sites?|sites?|links?|urls?|articles?|posts?"
)


def keeps_page(clause: Clause) -> bool:
    """Whether a clause orders to save pages that it, or an address behind it, names, and says nothing else: how, where
    to."""
    if asks_how(clause) or not re.search(union(SAVE, _kept), clause.text):
        return False
    text = EVERY_FILE.sub(" ", blank_chunking_facts(clause.text))
    return not residue(text, SAVE, CUT, CHANGE, THING, THIS, STORE, SET, GROUP, VISIT, _kept, _page)


def keeps_next_page(before: Clause, clause: Clause) -> bool:
    """Whether a clause is no more than the address of a page that the one before orders to save: "add this page: …"."""
    return is_address(clause) and not names_address(before) and keeps_page(before)


def is_address(clause: Clause) -> bool:
    return names_address(clause) and not residue(clause.text)
