"""In which language a message wants its answer, and the message without the words that say so.

Only words that give an order count: a clause of its own ("…？请用英文回答", "English please"), a polite beginning
("请用英文告诉我…", "Tell me in Chinese …") or end ("… in English please"). A question about a language keeps
its words: "合同必须用英文写吗？", "how do I answer in Chinese?".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from schema import Language

_REACH = 200  # characters at the beginning and the end in which the words are looked for
_LONGEST = 80  # characters of a clause that only gives this order
_zh = "(?:简体|繁体)?(?:中文|汉语|普通话|国语|华语|英文|英语)"
_en = "(?:(?:simplified |plain |mandarin )?chinese|mandarin|(?:plain |simple )?english)"
_polite_zh = "(?:请你?|麻烦[你您]?|烦请|劳驾|拜托|务必|最好|记得|直接|统一|全部|都|只|并且?|然后|但是?|帮我|给我|你|您)"
_by_zh = "(?:使用|改用|换用|用|以|拿)"
_to_zh = "(?:来|去|再|给我|向我|帮我|跟我|对我|进行)"
_answer_zh = "(?:回答|作答|回复|答复|应答|告诉|告知|说明|解释|讲解|答|说|讲|回)"
_end_zh = "(?:一下|一遍|我|这个问题|上面的问题|问题|就好|就行|即可|吧|哦|啊|呀|谢谢[你您]?|多谢|[\\s,，])"
_polite_en = "(?:(?:please|kindly|pls|plz|and|but|then|also|just) )"
_you_en = "(?:(?:i want you to|i(?:'d| would) like you to|you (?:should|must)|make sure to|be sure to) )"
_answer_en = (
    "(?:(?:answer|reply|respond|write|explain|speak|say)(?: it| this| that| me| to me| the question| back)?"
    "|tell me|talk to me|give (?:me )?(?:the |your |an )?(?:answer|reply|response))"
)
_wish_en = (
    "(?:(?:i(?:'d| would)? (?:like|want|prefer|need)|give me|let me have) (?:it|that|this|the answer|your answer"
    "|an answer)|give (?:it|that|this|the answer) to me"
    "|(?:can|could|may) i (?:get|have) (?:it|that|this|the answer|your answer))"
)
_end_en = "(?:[ ,]+(?:please|pls|plz|only|instead|this time|thanks|thank you|ok|okay))"
_order = re.compile(
    rf"{_polite_zh}{{0,4}}{_by_zh}(?P<a>{_zh}){_to_zh}{{0,2}}(?:{_answer_zh})?{_end_zh}{{0,4}}"
    rf"|{_polite_zh}{{0,3}}(?P<b>{_zh})(?:{_to_zh}{{0,2}}(?:回答|作答|回复|答复)|版本?|谢谢){_end_zh}{{0,3}}"
    rf"|{_polite_zh}{{0,3}}(?:把|将)?(?:你的)?(?:回答|答案|答复|回复|结果|输出)(?:的?语言)?(?:请|都|需要?|须"
    rf"|应该?|务必|得|要)?"
    rf"(?:{_by_zh}|为|是|给我|(?:翻译|翻|译|写|转|改|换|变|切换?)[成为到])?(?P<c>{_zh})的?(?:{_to_zh}?(?:写|说|讲|列|给"
    rf"|整理|输出)(?:出来?|给我)?)?{_end_zh}{{0,3}}"
    rf"|{_polite_zh}{{0,3}}(?:回答|作答|回复)(?:时|的时候)?(?:请|要)?(?:说|讲|{_by_zh})(?P<m>{_zh}){_end_zh}{{0,3}}"
    rf"|我?{_polite_zh}{{0,3}}(?:想|要|希望|需要){{1,2}}(?:看|得到|听)?(?P<n>{_zh})的?(?:回答|答案|答复|回复){_end_zh}{{0,3}}"
    rf"|{_polite_zh}{{1,3}}[说讲](?P<o>{_zh}){_end_zh}{{0,3}}"
    rf"|{_polite_zh}{{0,3}}(?:翻译|翻|译)[成为到](?P<d>{_zh})(?:{_to_zh}{{0,2}}(?:回答|作答|回复"
    rf"|答复|告诉我))?{_end_zh}{{0,3}}"
    rf"|{_polite_en}{{0,3}}{_you_en}?{_answer_en}(?: only)? (?:in|using) (?P<e>{_en}){_end_en}{{0,3}}"
    rf"|{_polite_en}{{0,3}}{_wish_en} in (?P<p>{_en}){_end_en}{{0,3}}"
    rf"|{_polite_en}{{0,3}}(?P<q>{_en}) (?:answer|reply|response){_end_en}{{1,3}}"
    rf"|{_polite_en}{{0,3}}in (?P<f>{_en}){_end_en}{{0,3}}"
    rf"|{_polite_en}{{0,3}}(?:use|switch to )?(?P<g>{_en}){_end_en}{{1,3}}"
    rf"|{_polite_en}{{0,3}}(?:use|switch to) (?P<h>{_en})(?: (?:to answer|for (?:the|your) answer))?{_end_en}{{0,3}}"
    rf"|{_polite_en}{{0,3}}(?:your |the )?(?:answer|reply|response|output)(?: language)?"
    rf"(?: (?:should|must|has to|needs to))?(?: be)?(?: is)?(?: written)?(?: in)? (?P<i>{_en}){_end_en}{{0,3}}"
    rf"|{_polite_en}{{0,3}}translate (?:the|your) (?:answer|reply|response) (?:in)?to (?P<j>{_en}){_end_en}{{0,3}}",
    re.IGNORECASE,
)
_request = re.compile(  # as a question of its own, behind another one
    rf"(?:你|您)?(?:能不能|可不可以|能否|可否|可以"
    rf"|能){_by_zh}(?P<k>{_zh}){_to_zh}{{0,2}}{_answer_zh}{_end_zh}{{0,3}}(?:吗|么)?"
    rf"|{_wish_en} in (?P<r>{_en}){_end_en}{{0,3}}"
    rf"|(?:can|could|would|will) you (?:please )?{_answer_en} in (?P<l>{_en}){_end_en}{{0,3}}",
    re.IGNORECASE,
)
_first = re.compile(
    rf"\s*(?:请你?|麻烦[你您]?)(?:帮我)?{_by_zh}(?P<a>{_zh}){_to_zh}{{0,2}}(?:(?:回答|作答|告诉我|回复)(?:我"
    rf"|一下)?(?!吗|么|是|的)"
    r"|(?=总结|概括|归纳|解释|说明|列出|介绍|描述|比较))"
    rf"|\s*{_by_zh}(?P<b>{_zh})(?:告诉我|[跟和对]我[说讲](?!的)|给我(?=讲|解释|总结|列|介绍|说)|(?=总结一下|概括一下|解释一下|归纳一下|说说))"
    rf"|\s*{_polite_en}{{0,2}}(?:tell me|explain to me|answer me|let me know) in (?P<c>{_en})(?: that)?\s+(?=\w)"
    rf"|\s*please (?:answer|reply|respond|explain) in (?P<d>{_en})\s+(?=\w)",
    re.IGNORECASE,
)
_last = re.compile(
    rf"(?:请你?|麻烦[你您]?|并且?|然后){_by_zh}(?P<a>{_zh}){_to_zh}{{0,2}}(?:回答|作答|告诉我|回复)(?:我"
    rf"|一下)?[\s。.!！]*\Z"
    rf"|(?<= )(?:and|then|but|please)(?: please| then)? (?:answer|reply|respond|tell me)(?: me)?"
    rf" in (?P<b>{_en})(?: please)?[\s.!?？]*\Z"
    rf"|(?<= )in (?P<c>{_en}),? (?:please|pls|plz)[\s.!?？]*\Z",
    re.IGNORECASE,
)
_about_language = re.compile(  # "how do I answer | in Chinese please", "filled in | in English"
    r"(?:answer|repl(?:y|ied)|respond|say|said|write|written|wrote|speak|spoken|fill|filled|call|called|mean|spell"
    r"|translate|translated|in|is|are|be|published|available|submit|submitted|sign|signed|name|word|term)\s*\Z",
    re.IGNORECASE,
)
_break = re.compile(
    r"[,;:!?，；：！？。\n()（）]+|\.+(?=\s|\Z|[\u3400-\u9fff])|(?<=[\u3400-\u9fff])\s+|\s+(?=[\u3400-\u9fff])"
)
_ends = re.compile(r"[?？。.!！\n]")
_CHINESE = re.compile("中文|汉语|普通话|国语|华语|chinese|mandarin", re.IGNORECASE)


class AnswerLanguageWish(NamedTuple):
    """The message without the words that ask for a language; empty when it says nothing else."""

    language: Language | None
    message: str


def read_answer_language(message: str) -> AnswerLanguageWish:
    """“病假几天？请用英文回答”, "Answer in Chinese: …", "… in English please"; of several the last one counts."""
    language: Language | None = None
    cuts: list[tuple[int, int]] = []
    head, tail = min(len(message), _REACH), max(0, len(message) - _REACH)
    spans = [(0, len(message))] if head >= tail else [(0, head), (tail, len(message))]
    for start, end in spans:
        for a, b, found in _orders(message, start, end):
            cuts.append((a, b))
            language = _named(found)
    if not cuts and (begins := _first.match(message, 0, head)):
        cuts, language = [begins.span()], _named(begins)
    ends = None if cuts else _last.search(message, tail)
    if ends and not _about_language.search(message[tail : ends.start()]):
        cuts, language = [ends.span()], _named(ends)
    return AnswerLanguageWish(language, _without(message, cuts) if cuts else message)


def _orders(message: str, start: int, end: int) -> Iterator[tuple[int, int, re.Match[str]]]:
    """The clauses between two places that are such an order and no more, with the break that ends each."""
    before, place = "\n", start
    for found in [*_break.finditer(message, start, end), None]:
        until, stop = (found.start(), found[0]) if found else (end, "")
        text = message[place:until].strip()
        if 0 < len(text) <= _LONGEST and not (place == start > 0) and not (until == end < len(message)):
            asked = bool(re.match("[?？]", stop)) and not re.search(r"please|pls|请|麻烦", text, re.IGNORECASE)
            order = None if asked else _order.fullmatch(text)
            if not order and place and _ends.search(before):
                order = _request.fullmatch(text)
            if order:
                yield place, found.end() if found else end, order
        if found:
            before, place = found[0], found.end()


def _named(found: re.Match[str]) -> Language:
    return "zh" if _CHINESE.search(next(name for name in found.groups() if name)) else "en"


def _says_more(rest: str) -> bool:
    return bool(re.sub(r"[\W_]+|please|pls|thanks|thank you|谢谢你?|多谢", "", rest[:_REACH].lower()))


def _without(message: str, cuts: list[tuple[int, int]]) -> str:
    """What is left; a comma before an order at the end goes with it."""
    pieces, place = [], 0
    for start, end in sorted(cuts):
        pieces.append(message[place:start])
        place = max(place, end)
    pieces.append(message[place:])
    rest = "".join(pieces).strip()
    return re.sub(r"[\s,，;；:：(（、]{1,20}\Z", "", rest) if _says_more(rest) else ""
