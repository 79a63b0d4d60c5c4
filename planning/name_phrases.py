"""Phrases of a message that stand where a document's name does: in front of a colon, a comma or 里, behind "in the".

Which words they are made of is no matter here; planning/meant_names.py holds what they mean against the stored names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from planning.clauses import lead_length

_BACK = 24  # characters of a Chinese phrase in front of 里
_HAN = "\u3400-\u9fff"

# “三月的访客反馈|里，…”, “报价单|里头…”, “规程|中的…”, “检验单|上写…”; not 中心, 上级, 里程
_inside = re.compile(
    r"里头|当中|里面?(?!程)|中(?=[,的:]|[写说提规]|$)|(?P<on>上)(?=[,的:写说标印]|面?[写说标印有])"
    r"|(?:(?<=[单表册证卡簿函])|(?<=[^日成基根资版]本))上(?![传海班线限级涨升调报市架门岗午周月年半下交缴浮诉述司课网面])"
)
_run = re.compile(rf"[{_HAN}a-z0-9 _'\-]+$")
# “陈老师那篇文章|怎么解释…”, “秋天那次巡检|，…”: up to 那 with a measure word, and what is counted
_that_one = re.compile(
    rf"(?:^|(?<=[,.:;?!\n]))\s?(?P<words>[{_HAN}a-z0-9 _\-]{{2,12}}?那[篇份本个张封期次回][{_HAN}]{{0,4}}?)"
    r"(?=[,怎里说写有是中讲提对关])"
)
# “in |the older running order|, who …”, “according to |our bylaws| what …”
_in_the = re.compile(
    r"(?<![a-z])(?:in|under|per|according to|going by|by|from|check|read|see) (?:the|our|my) "
    r"(?P<words>(?:[a-z0-9'\-]+ ){0,5}?[a-z0-9'\-]+)"
    r"(?=\s?[,:?.!]|\s?$| (?:is|are|was|were|does|do|did|what|how|who|when|where|which|says?)(?![a-z]))"
)
# “consent form for anaesthesia|, does it …”, “operating procedure|: …”, “按食谱|，…”: all that a sentence begins with
_topic = re.compile(r"(?:^|(?<=[.?!\n]))\s*(?P<words>[^,.:;?!\n]{2,60}?)\s?(?:[,:]|\s[-–—]\s)(?=\s?\S)")
_topic_lead = re.compile(
    r"(?:(?:in|by|per|under|from|according to|going by|on|as for|regarding)(?![a-z])|看|查|在|从|按照|按|照|就|根据"
    r"|check ?(?:一下|下)?)\s?"
)
# “京都酒店订单|能免费取消到几号”: what a question begins with, up to a word for a document and what is asked of it
_subject = re.compile(
    rf"(?:^|(?<=[,.:;?!\n]))\s?(?P<words>[{_HAN}a-z0-9 _\-]{{2,12}}?(?:[单表册证簿函稿]|(?<=[^日成基根资版])本|排班"
    r"|盘点"
    r"|分镜|预订|检测|体检|测试|巡检|验收|评估|访谈))(?=能|可以|会|要|应|需|什么|啥|多少|几|有没有|有无|是|怎么|咋|哪|谁|显示|写|说)"
)
_the_one_for = re.compile(
    r"(?<![a-z])(?P<first>(?:the |our |my )?(?P<head>(?:[a-z\-]+ ){0,3}[a-z\-]+) (?P<by>for|from|of|by|about|on) "
    r"(?:the |our )?(?P<one>(?:[a-z0-9'\-]+ ){0,3}?[a-z0-9'\-]+)),? (?:and|or|vs\.?|versus|against|with)"
    r" (?P<second>(?:the one|that|the other|the other one) (?P=by) (?:the |our )?(?P<other>(?:[a-z0-9'\-]+ ){0,3}?"
    r"[a-z0-9'\-]+))(?=\s?[,:?.!\-–—]|\s?$| (?:is|are|was|were|does|do|did|differ|says?|which|who|what|how)(?![a-z]))"
)
_one_s_and_another_s = re.compile(  # “起点的志愿者排班和补给站的|，…”
    rf"(?:^|(?<=[,.:;?!\n比较看]))(?P<first>[{_HAN}a-z0-9]{{1,8}}的(?P<head>[{_HAN}]{{2,8}}))[和跟与](?P<second>"
    rf"(?P<other>[{_HAN}a-z0-9]{{1,8}})的)(?:那[份个篇张]|这[份个篇张])?(?=[,:比哪差有谁])"
)
_asks = re.compile(
    r"\s?[,:\-–—]\s?(?:(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|any|what|what's|how"
    r"|who|who's|whose|when|where|which|why|whether|if)(?![a-z])"
    r"|[^,.?!;]{0,24}(?:什么|啥|多少|几|谁|哪|吗|怎么|咋|有没有|有无|是不是|能不能|要不要|何时|多久|多长|多大|多高))"
)
# Words that a Chinese phrase begins behind: “帮我看看|报价单里”. They stand alone: 说 is not the 说 of 说明书.
_LEADS = frozenset(
    "根据 按照 依据 参照 参考 查 查查 查看 查阅 看 看看 翻 翻翻 翻阅 打开 读 帮 我 帮我 请 请问 从 在 去 到 说 问 只 把"
    " 一下 下 了 就 按 照 用 check 我们 咱们 想 知道 告诉 关于".split()
)
# What says that words are a sentence, or an order: no name of a document has it.
_sentence = re.compile(
    r"(?<![a-z])(?:is|are|was|were|am|do|does|did|can|could|should|would|will|have|has|i|we|you|they|he|she|it|what|how"
    r"|who|when|where|which|why|if|search|look|find|thanks|please|use)(?![a-z])|什么|怎么|为什么|哪|谁|多少|能不能|吗"
    r"|[找搜别]|不(?!动产)|https"
)
# Documents that are counted, of which no one is meant: "the four leases", 三份合同.
_several = re.compile(
    r"(?<![a-z])(?:three|four|five|six|seven|eight|nine|ten|several|all|each|every|any|other)(?![a-z])"
    r"|(?:[三四五六七八九十几每各某]|所有|全部|其[他它])[份个篇本张期封]?(?=[的文合报])|[三四五六七八九十几每][份篇本张封]"
)
_private = re.compile("[\ue000-\uf8ff]")


class NamePhrase(NamedTuple):
    """Words of a message from `start` to `end`; `inside`: they stand in front of 里, where much else than a document's
    name does not stand, or end as such names do; `asked`: a question follows, of what they name."""

    start: int
    end: int
    text: str
    inside: bool = False
    asked: bool = False


def name_phrases(text: str) -> Iterator[NamePhrase]:
    """The phrases of a masked message, each once."""
    seen = set[str]()
    for phrase in _candidates(text):
        words = phrase.text
        if words in seen or len(words) < 2 or words.isdigit():
            continue
        if _private.search(words) or _sentence.search(words) or _several.search(words):
            continue
        seen.add(words)
        yield phrase


def two_phrases(text: str) -> list[NamePhrase]:
    """Two that share their first words, “the roster |for the start| and the one |for the aid station|”, each with all
    of its words and asked of."""
    if found := _the_one_for.search(text):
        head = found["head"]
        first = NamePhrase(*found.span("first"), f"{head} {found['by']} {found['one']}", asked=True)
        return [first, NamePhrase(*found.span("second"), f"{head} {found['by']} {found['other']}", asked=True)]
    if found := _one_s_and_another_s.search(text):
        first = NamePhrase(*found.span("first"), found["first"], asked=True)
        return [first, NamePhrase(*found.span("second"), f"{found['other']}的{found['head']}", asked=True)]
    return []


def _candidates(text: str) -> Iterator[NamePhrase]:
    for found in _inside.finditer(text):
        if run := _run.search(text, max(0, found.start() - _BACK), found.start()):
            yield _trimmed(text, run.start() + _behind_leads(run[0]), found.start(), not found["on"])
    yield from (_trimmed(text, *found.span("words")) for found in _that_one.finditer(text))
    for found in _in_the.finditer(text):
        yield _trimmed(text, *found.span("words"))._replace(asked=bool(_asks.match(text, found.end("words"))))
    for found in _subject.finditer(text):
        yield _trimmed(text, found.start("words") + _behind_leads(found["words"]), found.end("words"), True)._replace(
            asked=True
        )
    for found in _topic.finditer(text):
        start, end = found.span("words")
        start += lead_length(text[start:end])
        lead = _topic_lead.match(text, start, end)
        phrase = _trimmed(text, lead.end() if lead else start, end)
        yield phrase._replace(asked=bool(_asks.match(text, found.end("words"))))


def _behind_leads(run: str) -> int:
    """Where a phrase begins in the words that end with it: behind the last word that only leads to it."""
    import rjieba

    start = at = 0
    for word in rjieba.cut(run):
        at += len(word)
        start = at if word in _LEADS and at < len(run) else start
    return start


def _trimmed(text: str, start: int, end: int, inside: bool = False) -> NamePhrase:
    """Without blanks and quotes around it, and the article."""
    while start < end and text[start] in " '\"":
        start += 1
    while end > start and text[end - 1] in " '\"":
        end -= 1
    for article in ("the ", "our ", "my "):
        start += len(article) if text.startswith(article, start, end) else 0
    return NamePhrase(start, end, text[start:end], inside)
