"""What of a question is looked for, and what only makes it a question."""

from __future__ import annotations

import re
from functools import lru_cache

from text import FUNCTION_WORDS_ZH, HAN, fold, search_tokens, simplified

_REMEMBERED = 32  # questions: whoever searches, translates or answers one asks for its words
_han = re.compile(f"[{HAN}]")


def question_terms(question: str) -> list[str]:
    """The search tokens of a question without what only makes it a question; all tokens when nothing else is left.

    Bigrams across 是由谁 or 什么时 are in few documents and in no answer, so that they would only mislead BM25, and so
    are the many of "how many", the time of "what time", the get of "when do I get my deposit back" and the mean of
    "what does it mean", the last of "how long does it last", the goes of "how much salt goes into it" and the now of
    "where is it now".
    """
    return [*_terms(question)]


@lru_cache(_REMEMBERED)
def _terms(question: str) -> tuple[str, ...]:
    asked = _measure.sub(" ", question)
    for asks, verb in _asks_by_verb:
        asked = verb.sub(" ", asked) if asks.search(question) else asked
    left = search_tokens(without_function_words(asked)) if asked != question else []
    return (*(left or search_tokens(without_function_words(question)) or search_tokens(question)),)


HOW_MUCH_ZH = r"怎么[算收](?:[费钱的取]|\W|$)"
_how_to = re.compile(
    r"\bhow (?:do|to|can|should|would|could)\b(?! (?:i|we|you) (?:reach|contact|get in touch)\b)"
    r"|\bwhat (?:to|(?:do|should|must|can) (?:i|we|you)) do\b|\bwhat now\b"
    r"|\bsteps (?:to|for|of|in)\b|\b(?:the|what|which) steps\b|\bfirst step\b"
    # not 会怎么样, which asks what happens, nor 怎么收费, which asks how much
    rf"|(?!{HOW_MUCH_ZH})怎么(?!会|样(?![才能做去]))|(?<!会)怎样|如何|步骤|流程|第一步",
    re.IGNORECASE,
)


def asks_how_to(question: str) -> bool:
    """True for a question that instructions answer: "how do I …", 怎样."""
    return bool(_how_to.search(simplified(question)))


# 哪一年, 几个月, 多少公里, 要不要, 什么意思: what is asked for, in words that no answer repeats; jieba leaves the 一年
# in them whole, and takes 餐补要 for a word.
_counted = "年月日天个位种次名家座所处项部本届代岁人些里时地国省市集期条场首支类间款层级分秒米元点块周斤台辆页倍遍"
_asked_for = re.compile(
    r"(?:第?几|多少)个(?:月|小时|钟头|星期|礼拜|工作日|人(?!员))"
    rf"|(?:哪一?|第?几|多少)(?:月份|小时|分钟|公里|块?钱|[{_counted}])|何[时地人处年种]|多[大长久高远少深重宽快]"
    r"|花[了掉费](?=多少|几[元块])|(?<=[要得共会该])花(?=多少|几[元块])|打?几[折成]|(?:解释|说明|总结|概括|列举|描述|分析)?一下(?![子午])"
    r"|要不要|会不会|能不能|该不该|行不行|用不用|好不好|对不对|是不是|有没有|可不可以|需不需要"
    rf"|才(?:能|可以)(?=[{HAN}])"  # 要几分才能申请: no talent
    r"|(?:是什么|什么|啥)意思|(?:出了?|存在)?(?:什么|啥|哪些)(?:问题|毛病)|怎么(?:回事|办(?=\W|[呢啊呀好才]|$))|[跟找向由给问归]谁说?"
)
_asks_amount = re.compile(r"[几多][少长久大高低远深重宽]|几")
_limit = re.compile(r"(?:最[多少高低长短晚迟早大小]|至[多少])(?!的)")  # 最多能坐几个人: an answer says “不超过”
_measure = re.compile(
    r"\bhow (?:many|much|long|often|soon|far|big|large|old|tall|high|deep|wide|heavy|fast|late|early)\b"
    r"|\b(?:what|which) (?:time|day|date|year|month)\b|\bgets?\b"
    r"|\b(?:right now|now|currently|nowadays|at the moment)\b"
    r"|\b(?:may|might|must|shall)(?= (?:i|we|you|he|she|it|they|one|the|my|our|his|her|your|people|anyone)\b)",
    re.IGNORECASE,
)

_parted_verb = re.compile(  # 洗了几次牙, 谁洗的牙
    rf"([{HAN}])(?:[了过完好](?:[一两几][次回下个])?的?|的(?=[{HAN}]\W*\Z))(?![会能可要就才还再不没被把])([{HAN}])"
)

_VERBS = 8  # of a question, that are looked for in parts

_asks_by_verb = (  # what asks, and the verb that goes with it
    (
        re.compile(r"\b(?:is|are|am) (?!there)", re.IGNORECASE),
        re.compile(r"\b(?:allowed|permitted|okay|ok)\b", re.IGNORECASE),
    ),
    (re.compile(r"\bwhat (?:does|do|did)\b", re.IGNORECASE), re.compile(r"\bmean(?=\W*\Z)", re.IGNORECASE)),
    (
        re.compile(r"\bhow long\b", re.IGNORECASE),
        re.compile(
            r"\b(?:last(?:s|ed)?|takes?|took)(?=\W*\Z)"
            r"|\btakes?(?= (?!altogether|overall|in|on|to|from|until|for|at|if)\w)",
            re.IGNORECASE,
        ),
    ),
    (
        re.compile(r"\bhow m(?:any|uch)\b", re.IGNORECASE),
        re.compile(r"\bgo(?:es)?(?= (?:in|into|on|to)\b)", re.IGNORECASE),
    ),
)


@lru_cache(_REMEMBERED)
def without_function_words(question: str) -> str:
    """The question with a space in place of each Chinese function word (English ones are no search tokens anyway)."""
    import rjieba

    folded = fold(question)
    if not _han.search(folded):
        return question
    folded = _parted_verb.sub(_joined_verb, folded, _VERBS)
    if _asks_amount.search(folded):
        folded = _limit.sub(" ", folded)
    words = rjieba.cut(_asked_for.sub(" ", folded))
    return "".join(" " if word in FUNCTION_WORDS_ZH else word for word in words)


def _joined_verb(parted: re.Match[str]) -> str:
    """A verb and its object that others stand between, as one word where they are one: 洗牙, and not 好人 of 好的人."""
    import rjieba

    behind = parted[2] + parted.string[parted.end() : parted.end() + 1]
    goes_on = _han.match(behind, 1) and len([*rjieba.cut(behind, False)]) == 1  # 出了事故 is no 出事
    verb = parted[1] + parted[2]
    known = len(rjieba.cut(verb, False)) == 1 or parted[0][1] in "了的"  # 坐过站: 坐站 only looks like one
    words = [*rjieba.tag(verb)] if known else []
    pieces = rjieba.cut(parted[0], False)
    parts = len(pieces) == 1 or (pieces[0] == parted[1] and pieces[-1] == parted[2])  # 完 of 工作完成 parts nothing
    parts = parts and len(rjieba.cut(parted[0][1:], False)) > 1  # nor 过 of 坐过站
    joined = parts and len(words) == 1 and words[0][1].startswith("v") and not goes_on
    return verb if joined else parted[0]
