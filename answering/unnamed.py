"""Questions where something is, who or how old somebody is, by which number to call them or what something costs,
beside an answer that does not say it.

What is shown then speaks of the flat, and not of where it is. Only questions that a name or an amount must answer are
looked at: "who pays" is answered by "the tenants" as well.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from evaluation.ages import asks_age
from evaluation.answer_types import holds
from evaluation.money import names_money
from schema import Message
from text import HAN, STOP_WORDS, search_tokens, simplified
from translation.dictionary import shipped

NO_PLACE = Message(
    zh="上面的内容没有提到具体地点，说的可能是别的。", en="No place is named here: this may be about something else."
)
NOBODY = Message(
    zh="上面的内容没有提到具体是谁，说的可能是别的。", en="Nobody is named here: this may be about something else."
)
NO_AMOUNT = Message(
    zh="上面的内容没有提到金额，说的可能是别的。", en="No amount is named here: this may be about something else."
)

NO_NUMBER = Message(
    zh="上面的内容没有给出号码或邮箱，说的可能是别的。",
    en="No number or address to reach anybody is given here: this may be about something else.",
)
NO_AGE = Message(
    zh="上面的内容没有提到年龄，说的可能是别的。", en="No age is given here: this may be about something else."
)

UNNAMED = (NO_PLACE, NOBODY, NO_AMOUNT, NO_NUMBER, NO_AGE)

_LOOKED_AT = 5_000  # characters of an answer
_asks_where = re.compile(
    r"\bwhere(?:'s| is| are| was| were| do| does| did| can| will)\b|在(?:哪里|哪儿|什么地方|何处)|地点(?:是|在)",
    re.IGNORECASE,
)
_asks_shop = re.compile(
    r"\bwhere (?:can|do|could|should) (?:i|we|you|one) (?:buy|order|get hold of)\b"
    r"|(?:哪里|哪儿)(?:可以|能)?(?:买|购买|订购)",
    re.IGNORECASE,
)
_shop = re.compile(
    r"\b(?:buy|bought|sells?|sold|orders?|ordered|shops?|stores?|suppliers?|supplied|desk|online|available|supermarkets?)\b"
    r"|[买购卖售店]|供应|供货|领取|订|商城|超市|发放|https?:",
    re.IGNORECASE,
)
_asks_identity = re.compile(
    r"\bwho(?:'s| is| are| was| were) (?:the|our|my|your|their|his|her)\b"
    r"|\bwho (?:wrote|founded|invented|discovered|designed|composed|painted|directed|built|baked|won|taught|hosted"
    r"|chaired|reviewed|interviewed|married|owns)\b"
    r"|谁是|哪位是|[郎娘师长人员理生板东客妈爸妻夫友任姐哥弟妹总]叫什么|是(?:谁|哪[位个]人?)(?=[呢啊]?[?？]?$)|谁(?:创办|创立|发明|发现|设计|作曲|导演|主讲|主持|评审)的|谁(?:赢|得)了",
    re.IGNORECASE,
)
_asks_price = re.compile(
    r"\bhow much (?:does|do|did|is|are|was|were|will|would)\b.{1,60}\bcosts?\b|\bwhat (?:does|do|did)\b.{1,60}\bcost\b"
    r"|\bwhat (?:is|are|was|were) the (?:price|fee|rent|fare)s?\b|多少钱|什么价|价[格钱位]是?多少",
    re.IGNORECASE,
)
_asks_number = re.compile(
    r"\b(?:phone|telephone|mobile|fax) number\b|\be-?mail address\b"
    r"|['’]s extension\b|(?:电话|手机|微信|邮箱|传真|分机)(?:号码?|地址)?是?(?:多少|什么|哪个)",
    re.IGNORECASE,
)
_whose = re.compile(
    rf"([{HAN}]{{2,4}}?)的(?:电话|手机|微信|邮箱|分机)|\b([A-Z]\w+)['’]s (?:phone|mobile|e-?mail|extension)"
)
_goes_on = re.compile(
    r"\W*(?:(?:her|his|he|she|call|phone|tel|e-?mail|mobile|ext)\b|[她他]|电话|手机|分机|邮箱|微信)", re.IGNORECASE
)
_number = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,64}\.\w|\d[\d() -]{3,20}\d"
    r"|(?:\b(?:call|dial|ring|phone|tel\.)|电话|热线|拨打)\D{0,8}\d{3}"  # 112, 报警电话 110
    r"|(?:\bext(?:\.|ension)?(?: number)?(?: is)?|分机号?[是为]?)[：: ]{0,2}\d|(?:微信号?|WeChat)[：: ]{1,3}\w",
    re.IGNORECASE,
)
_age = re.compile(
    r"\d\s?(?:years?|yrs?|months?|weeks?)\b|\b(?:aged?|born|built|founded|old)\b|\b(?:under|over|below|above) \d\d?\b"
    r"|(?:19|20)\d\d|[\d一二三四五六七八九十]个?(?:岁|周岁|月大|年)|出生|生于",
    re.IGNORECASE,
)
_share_of_thing = re.compile(
    r"\d[\d.,]{0,12}\s?%(?= (?:is|are|was|were|and|to|or|at|by|in)\b)", re.IGNORECASE
)  # “80 % is reached”
_amount_alone = re.compile(r"[：:|]\s*\d[\d,.]*")  # behind a label, or in a cell
_somewhere = re.compile(
    r"\b(?:in|at|on|near|under|behind|beside|inside|outside|opposite|above|below|to|from|via|by) "
    r"(?:the|an?|our|your|its|this|each|every) \w|\b(?:floor|room|street|road|avenue|building|hall|door|desk|online)\b"
    rf"|[{HAN}\d](?:楼|层|室|馆|厅|路|街|巷|店|园|站|湖|山|桥|柜|架|箱|库|中心|大厦|广场|小区|酒店|医院|学校|公司|教室|机房)"
    r"|位于|放在|存放|设在|门口|隔壁|旁边|附近|对面|线上|网上|地址|机构|\d号(?!码)",
    re.IGNORECASE,
)
_PARTIES = "[卖买甲乙丙]方|供[应货]商|房东|业主|客户|厂家|厂商|制造商|保险人|雇主"
_asks_party = re.compile(  # who may be a company
    r"\b(?:seller|buyer|supplier|vendor|contractor|landlord|lessor|lessee|tenant|owner|client|customer|publisher"
    r"|manufacturer|maker|insurer|employer|agent|agency|provider|sponsor|organi[sz]er)s?\b"
    rf"|{_PARTIES}|承包|发包|出租|承租|出版|主办|承办|单位",
    re.IGNORECASE,
)
_company = re.compile(
    rf"[{HAN}]{{2}}(?:公司|集团|银行|大学|学院|医院|事务所|研究院|工厂|[总分]厂|出版社)"
    r"|\b(?:Inc|Ltd|Limited|LLC|LLP|GmbH|plc|Corp|Corporation|Company|AG|Srl|AB|Group|Bank|University)\b"
)
_labelled_party = re.compile(rf"(?:{_PARTIES})[^：:\n]{{0,12}}[：:]\s*[\w“\"]")  # “乙方（寄养方）：喵驿生活馆”
_path = re.compile(r"~/|[/\\][A-Za-z.][\w.~-]{0,80}[/\\]|https?://\S|\S > \S")
_label = re.compile(r"[;；]\s*[^:：;；\n]{1,40}[:：]")  # of a row in a line
_somebody = re.compile(
    rf"[{HAN}](?:老师|先生|女士|小姐|经理|主任|师傅|医生|教授|同学|教练|护士|律师|阿姨|[校院所店队班站会部处科厂园]长|总(?![{HAN}]))|\b(?:Mr|Mrs|Ms|Dr|Prof)\b"
)
_capitalised = re.compile(r"(?<![A-Za-z'’-])[A-Z][\w'’]*")
_NAMES = frozenset("nr ns nt nz nrt nrfg".split())  # tags of words
_bullet = re.compile(r"^[ \t]{0,8}(?:[-*•]|\d{1,3}[.)])[ \t]{1,4}", re.MULTILINE)
_marker = re.compile(r"\[\d{1,3}\]")


def names_none(question: str, answer: str) -> Message | None:
    """That the answer names no place, nobody, no amount, no number to call or no age, where such is what the question
    asks for; None where it does, or something else is asked for."""
    cited = _bullet.sub("", simplified(answer[:_LOOKED_AT]).replace("**", ""))
    text = _marker.sub("", cited)
    if _asks_where.search(question) and not _says_where(text, simplified(question).lower()):
        return NO_PLACE
    if _asks_shop.search(question) and not _shop.search(text):
        return NO_PLACE
    if _asks_identity.search(question) and not _says_who(text, simplified(question)):
        return NOBODY
    first = _marker.split(cited, maxsplit=1)[0]  # the others may tell what else costs
    told = names_money(_share_of_thing.sub(" ", first)) or _amount_alone.search(first)
    if _asks_price.search(simplified(question)) and not told:
        return NO_AMOUNT
    if _asks_number.search(simplified(question)) and not _gives_number(simplified(question), cited):
        return NO_NUMBER
    if asks_age(question) and not _age.search(first):
        return NO_AGE
    return None


def _says_where(text: str, asked: str) -> bool:
    """Words of the question aside: "the meeting room must be booked" says nothing of where it is."""
    told = any(match[0].lower() not in asked for match in _somewhere.finditer(text))
    return told or bool(_path.search(text)) or holds("place", text) or _has_name(text)


def _gives_number(asked: str, cited: str) -> bool:
    """That of somebody who is named stands beside the name, or in a sentence behind it that goes on about it."""
    sentences = _marker.split(cited)
    whose = _whose.search(asked)
    name = (whose[1] or whose[2]) if whose else ""
    if not name or not any(name in one for one in sentences):  # 负责人的电话 may be his whose name is not told
        told = [one for one in sentences if not name or not name.isascii() or _goes_on.match(one)]
        return any(map(_number.search, told))
    return any(
        name in one and (_number.search(one) or (_goes_on.match(behind) and _number.search(behind)))
        for one, behind in zip_longest(sentences, sentences[1:], fillvalue="")
    )


def _says_who(text: str, asked: str) -> bool:
    told = _somebody.search(text)
    if _asks_party.search(asked):
        told = told or _company.search(text) or _labelled_party.search(text)
    named = {match[0] for match in _capitalised.finditer(asked)}  # “who won the half marathon in Leeds?”
    other = _capitalised.sub(lambda match: "" if match[0] in named else match[0], _label.sub("; ", text))
    return bool(told) or holds("person", other) or _has_name(other)


def _has_name(text: str) -> bool:
    """Whether a word in capitals is none that the dictionary has, or the name of a place there: at the start of a
    sentence, "Marek" and "Lisbon" are names."""
    return any(map(_is_name, {match[0] for match in _capitalised.finditer(text)}))


def _is_name(word: str) -> bool:
    import rjieba

    tokens = search_tokens(word)
    if not tokens or len(word) == 1 or word.lower() in STOP_WORDS:
        return False
    translations = shipped().chinese(" ".join(tokens))[:1]
    return not translations or any(rjieba.tag(one.text)[-1][1] in _NAMES for one in translations)
