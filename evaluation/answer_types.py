"""What kind of answer a question asks for, by its words, and where a text holds one of that kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Literal

from question_words import HOW_MUCH_ZH
from text import HAN, simplified

AnswerType = Literal["number", "time", "duration", "person", "place", "reason", "contact"]

_asks: dict[AnswerType, re.Pattern[str]] = {
    "time": re.compile(
        r"\bwhen\b|\b(?:what|which|in what) (?:year|date|day|time|month|century|decade)\b|\bhow (?:long ago|old)\b"
        r"|何时|什么时候|什么时间|哪一?[年天月日]|几[年月]|[年日]期|时间|哪个(?:年代|世纪|朝代|月)|多久|年份|几点",
        re.IGNORECASE,
    ),
    "number": re.compile(
        r"\bhow (?:many|much|long|old|far|tall|high|large|big|often|deep|fast|wide|heavy)\b"
        r"|\b(?:what|which) (?:number|percent\w*|age|amount|size|proportion|fraction|share|rate|price|cost|limit)\b"
        rf"|{HOW_MUCH_ZH}"
        r"|多少|几[个位名天次岁种人条层级项家座所处部分]|多[长大高远深重快宽久]|第几|比例|数量|人数|面积|价格|费用|上限",
        re.IGNORECASE,
    ),
    "duration": re.compile(r"\bhow (?:long|often|soon|quickly)\b(?! ago)|多久(?!以?前)|多长时间", re.IGNORECASE),
    "person": re.compile(r"\bwho(?:m|se)?\b|谁|哪[位些]人|何人|什么人|哪位", re.IGNORECASE),
    "place": re.compile(
        r"\bwhere\b|\b(?:what|which) (?:city|country|state|county|town|place|river|region|street|continent|province)\b"
        r"|哪里|哪儿|何处|何地|哪个?(?:城市|国家?|省|市|县|地方|地区|区|州|岛)|什么(?:地方|位置)|位于|在哪",
        re.IGNORECASE,
    ),
    "contact": re.compile(
        r"\bwho(?:m)? (?:to|(?:do|can|should|must|could|may) (?:i|we|you|one)) (?:call|contact|ask|write|e-?mail|phone"
        r"|ring|turn|talk|speak)\b|\b(?:phone|telephone|e-?mail|contact) (?:number|address|details?)\b"
        r"|\b(?:service|support|customer services?|help ?desk|emergency) number\b"
        r"|\bhow (?:do|can) (?:i|we) (?:reach|contact|get in touch)\b"
        r"|找谁|联系谁|问谁|打给谁|联系方式|怎么联系|电话(?:号码)?是?多少|(?:什么|哪个)电话|邮箱是",
        re.IGNORECASE,
    ),
    "reason": re.compile(
        r"\bwhy\b|\bwhat (?:caused|causes|reason)|\breasons?\b|为什么|为何|原因|为啥|怎么会", re.IGNORECASE
    ),
}

_asks_days = re.compile(r"(?<!第)(?:几|多少)(?:个?(?:小时|钟头|星期|礼拜)|个月|分钟|[天周])(?![前后])")
_whether = re.compile(
    r"(?:^|[,.;:!?]\s*)(?:is|are|was|were|am|do|does|did|can|could|may|might|must|should|shall|will|would|has|have|had)\b"
    r"|\b(?:whether|is (?:it|this|that) true)\b"
    r"|吗|(?<![什怎多])么\s*(?:[?？]\s*)?$|是否|能否|可否|是不是|有没有|能不能|可不可以|会不会|要不要|对不对",
    re.IGNORECASE,
)
_number_words = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands "
    "million millions billion billions trillion dozen dozens half third quarter twice once double triple"
).split()
MONTHS = "January February March April May June July August September October November December".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_DAYS = frozenset((*MONTHS, *WEEKDAYS))
_zh_digits = "〇零一二两三四五六七八九十百千万亿半"
_counted = "个位名年月天次岁种人元块条层级项家座所处部分米里度公斤小时间平方倍成点本张台辆艘届期集章万亿周秒%"
_number = re.compile(
    rf"[{_zh_digits}]{{1,6}}分之[{_zh_digits}]{{1,6}}|[$€£¥]?\d[\d,.]*\d%?|[$€£¥]?\d%?|(?i:\b(?:{'|'.join(_number_words)})\b)"
    rf"|[{_zh_digits}]{{1,12}}(?=[多余来几]?[{_counted}])|第[{_zh_digits}]{{1,8}}"
)
_unit = re.compile(  # words of two characters and more first: 两分钟 is not 两分
    r"[ \t]?(?:%|per ?cent\b|分钟|秒钟?|个?(?:工作日|小时|星期)|个?月|(?:平方|立方)?(?:公里|千米|厘米|毫米|米)"
    rf"|千克|毫升|毫秒|[千兆]?帕|[千兆]赫|千瓦时?|[{_counted}]{{1,4}})"
)
_time = re.compile(
    rf"(?:\b(?:{'|'.join(MONTHS)})\b\.?(?:[ \t]\d{{1,2}}\b)?,?(?:[ \t]\d{{4}}\b)?)"
    rf"|\b\d{{1,2}}[ \t](?:{'|'.join(MONTHS)})\b(?:,?[ \t]\d{{4}}\b)?"
    r"|\b(?:1\d{3}|20\d{2})s?\b|\b\d{1,2}(?:st|nd|rd|th) century\b|\b\d{1,4} (?:BC|AD|BCE|CE)\b"
    r"|(?<![\d:])\d{1,2}:\d{2}(?![\d:])|(?<![\d.:])\d{1,2}(?: o['’]clock\b|(?:[.:][0-5]\d)? ?[ap]\.?m\b\.?)"
    r"|(?<=\b(?:at|by) )(?:[01]?\d|2[0-3])\.[0-5]\d(?![\d.%]| ?(?:per|percent|%|[a-z]{1,2}\b))"  # “at 9.15”
    r"|(?<=\b(?:on|by) the )\d{1,2}(?:st|nd|rd|th)\b(?! [a-z])"
    rf"|\b(?:{'|'.join(WEEKDAYS)})s?\b"
    rf"|(?:公元前?)?[\d{_zh_digits}]{{1,5}}(?:年代?|世纪|月份?|日|号|点钟?|时)(?:[\d{_zh_digits}]{{1,3}}(?:月份?|日|号|时|分))*"
    r"|[上中下]旬|周[一二三四五六日]|星期[一二三四五六日天]|[明清唐宋元汉隋秦晋]朝"
)
_span = (  # of time, in words of either language
    rf"(?:\b(?:\d[\d.,]{{0,15}}|an?|{'|'.join(_number_words)})[ \t-](?:(?:more|full|working|business|calendar)[ \t])?"
    r"(?:(?:milli)?second|minute|hour|day|night|week|fortnight|month|quarter|year|decade)s?\b"
    rf"|(?:\d[\d.,]{{0,15}}|[{_zh_digits}]{{1,5}}|几)[ \t]?"
    r"(?:(?:h|hrs?|mins?|secs?)\b|分钟|秒钟?|个?(?:工作日|小时|钟头|星期|季度|学时|课时)|个半?月|[天日年周])半?)"
)
SPAN = re.compile(_span, re.IGNORECASE)
_duration = re.compile(
    rf"{_span}|\bevery (?:day|night|week|month|quarter|year)\b|\b(?:daily|hourly|weekly|monthly|quarterly|yearly)\b"
    r"|每个?(?:[天日周年月]|星期|季度)|\d[\d.,]{0,15}[ \t]?(?:[cmk]?m|miles?|feet|ft|(?:kilo)?met(?:er|re)s?)\b"
    r"|\d[\d.,]{0,15}[ \t]?(?:公里|千米|厘米|毫米|英里|[米里])",
    re.IGNORECASE,
)
_by_then = re.compile(  # "within ten working days", 30天内
    rf"\b(?:within|after|before|in|until)[ \t](?:the[ \t])?(?:first[ \t]|next[ \t])?{_span}"
    rf"|{_span}(?:[之以]?[内后前]|起)|{_span}[ \t](?:after|later|from)\b",
    re.IGNORECASE,
)
_capitalised = re.compile(
    r"\b[A-Z][\w'’.-]*(?:[ \t](?:(?:of|the|de|van|von|and|la|le|du|al|bin)[ \t])?[A-Z][\w'’.-]*){0,6}"
)
_reason = re.compile(
    r"\b(?:because|due to|since|so that|in order to|as a result|caused by|owing to|thanks to|to avoid|to prevent"
    r"|therefore|reason)\b"
    r"|因为?|由于|因此|为了|所以|使得|导致|以便|以免|原因|故此?",
    re.IGNORECASE,
)
_place_before = re.compile(
    r"\b(?:in|at|from|near|to|of|into|on|through|between|across|outside)(?: the)?[ \t]\Z", re.IGNORECASE
)
_contact = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,64}|(?<![\d.])(?!\d{4}-\d\d-\d\d)\+?\d[\d -]{5,18}\d(?![\d.])"
    r"|\b(?:extension|ext\.|phone|tel\.|telephone|call|ring|dial)(?:[ \t](?:number[ \t])?is)?[ \t]?:?[ \t]?\d{2,12}"
    r"|(?:分机|电话|热线|手机|拨打?|致电)[号：: ]{0,3}"
    r"\d[\d-]{1,14}",
    re.IGNORECASE,
)
_begins = re.compile(r"(?:\A|[.!?:|\"(\n][ \t]*)\Z")  # a capital there says nothing
_surname = re.compile(  # the commonest: jieba's tagger takes all kinds of words for names
    "[王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任"
    "姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文欧诸司毕庄柯倪翟葛祝佟纪俞聂焦鲍耿阮骆滕殷樊颜冉霍]"
)
_han_name = re.compile(rf"(?<![{HAN}])[{HAN}]{{2,4}}(?:·[{HAN}]{{1,8}})+")


@lru_cache(maxsize=64)
def expected_types(question: str) -> frozenset[AnswerType]:
    """The kinds of answer that a question asks for; empty where its words do not tell."""
    kinds: set[AnswerType] = {kind for kind, words in _asks.items() if words.search(question)}
    if "contact" in kinds:
        kinds -= {"person", "number"}
    if "duration" in kinds:  # “9–17” is none
        kinds -= {"number", "time"}
    if "time" in kinds and re.search(r"\bwhen\b|何时|什么时候|哪一?[年天月日]", question, re.IGNORECASE):
        kinds.discard("number")
    return frozenset(kinds)


def expected_of_titles(question: str) -> frozenset[AnswerType]:
    """The same, of what stands under a title: “几天” asks for a length of time too."""
    kinds = expected_types(question)
    return kinds | {"duration"} if _asks_days.search(question) else kinds


def asks_whether(question: str) -> bool:
    """True for a question that yes or no answers."""
    return bool(_whether.search(question))


def spans(kind: AnswerType, text: str) -> Iterator[tuple[int, int]]:
    """Where a text, in either Chinese script, holds an answer of a kind: (start, end) in order, each looked for when it
    is asked for where that can be."""
    return iter(_finders[kind](simplified(text)))


def holds(kind: AnswerType, text: str) -> bool:
    """Whether a text holds an answer of a kind."""
    return any(True for _ in spans(kind, text))


def _numbers(text: str) -> Iterator[tuple[int, int]]:
    """Numbers with the unit or noun that follows them."""
    for match in _number.finditer(text):
        unit = _unit.match(text, match.end())
        yield match.start(), unit.end() if unit else match.end()


def _times(text: str) -> list[tuple[int, int]]:
    return sorted({match.span() for pattern in (_time, _by_then) for match in pattern.finditer(text)})


def _durations(text: str) -> Iterator[tuple[int, int]]:
    """Lengths of time and of things: "how long" asks for either."""
    return (match.span() for match in _duration.finditer(text))


def _persons(text: str) -> list[tuple[int, int]]:
    tagged = [(a, b) for a, b in _tagged(text, ("nr",)) if _surname.match(text, a)]
    return [*_names(text), *tagged, *(match.span() for match in _han_name.finditer(text))]


def _contacts(text: str) -> list[tuple[int, int]]:
    """Addresses and numbers to reach somebody by, and who that is."""
    return sorted({*(match.span() for match in _contact.finditer(text)), *_persons(text)})


def _places(text: str) -> list[tuple[int, int]]:
    names = [(start, end) for start, end in _names(text) if _place_before.search(text, max(0, start - 14), start)]
    return [*names, *_tagged(text, ("ns", "nt"))]


def _reasons(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _reason.finditer(text))


def _names(text: str) -> list[tuple[int, int]]:
    """Runs of capitalised words; one word alone counts only within a sentence, and no month or day does."""
    return [
        match.span()
        for match in _capitalised.finditer(text)
        if match[0] not in _DAYS
        and (" " in match[0] or not _begins.search(text, max(0, match.start() - 3), match.start()))
    ]


@lru_cache(maxsize=4096)
def _tags(text: str) -> tuple[tuple[str, str], ...]:
    import rjieba

    return tuple(rjieba.tag(text))


def _tagged(text: str, tags: tuple[str, ...]) -> list[tuple[int, int]]:
    """Words of Chinese text with one of the part-of-speech tags of jieba."""
    if not re.search(f"[{HAN}]", text):
        return []
    found, place = [], 0
    for word, tag in _tags(text):
        if tag.startswith(tags) and len(word) > 1:
            found.append((place, place + len(word)))
        place += len(word)
    return found


_finders: dict[AnswerType, Callable[[str], Iterable[tuple[int, int]]]] = {
    "number": _numbers,
    "time": _times,
    "duration": _durations,
    "person": _persons,
    "place": _places,
    "reason": _reasons,
    "contact": _contacts,
}
