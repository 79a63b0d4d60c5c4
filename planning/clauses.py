"""A message in clauses, and what kind of sentence a clause is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

from planning.around_words import AROUND, LEAD
from planning.terms import BilingualTerms, union
from planning.vocabulary import CHUNKERS, CONTENT_VERB, CUT, SAVE, STRATEGIES

_wh_en = r"what|what'?s|how|how's|why|who|who'?s|whom|whose|when|where|which"
_connector = (
    rf"\s{{0,3}}(?:,\s{{0,3}})?(?:然后|接着|随后|之后再|之后|并且|并(?=[^非不发行列存网]|列[出举一])|顺便|同时"
    rf"|(?<![然随之以最])[以之]?后(?=再|请|用|{CONTENT_VERB.zh})"
    r"|(?<![\ue000-\ue005])(?<![\ue000-\ue005]\s)再(?=[^次一])|完(?:了|之?后)?再"
    r"|(?<![a-z])(?:and then|after that|afterwards|then|and also)(?![a-z])"
    rf"|(?:(?<![a-z])and|&)(?! ?chunk (?:size|overlap|length))"
    rf"(?= ?(?:please |also |then |now )?(?:{_wh_en}|{CONTENT_VERB.en}|{SAVE.en}"
    rf"|{CUT.en}|use|let)(?![a-z])))"
)
_setting = "".join(  # a colon behind these gives a value: "chunk size: 300"
    f"(?<!{word})"
    for word in (
        "size overlap length chunk chunks chunking splitter strategy mode method "
        "limit max cap 切片 切分 分块 大小 长度 块长 字数 上限 最大 最长 重叠 策略 方式"
    ).split()
)
_methods = "|".join(f"(?<={word})" for word in "strategy mode method 策略 方式".split())
_break = re.compile(
    rf"[,;!?\n。()\[\]【】、—–…~|]+|{_setting}:+"
    rf"|(?:{_methods}):+(?!\s*{union(*STRATEGIES.values(), *CHUNKERS.values())})"
    r"|(?<![\d.])\.+(?=\s|$|[\u3400-\u9fff])|(?<=\d)\.(?=\s|$)| -+ "
    r"|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])"
    rf"|(?:(?<=[存传录入档][好完])|(?<=[存传录入档][好完][了后]))(?=就?(?:{CONTENT_VERB.zh}"
    rf"|[按用凭照先帮给请看]|麻烦|以(?!后)))"
    rf"|(?={_connector})"
)
_question_zh = re.compile(
    r"什么|啥|怎么|怎样|咋|如何|为何|哪|谁(?!的?都)|(?<![这那好十第前后上下近])几(?!乎|率|何|点儿)|多少|多久"
    r"|多长|多大|多高|多远|多快|多重|何时|何地|何人|何种|何处"
    r"|是不是|有没有|有无|区别|差别|含义|(?<![按照凭靠看以])意思(?=是|呢|$|\?)|是指|吗|么(?=$|\?)|呢(?=$|\?)"
    r"|能不能|能否|可否|可不可以|是否|会不会|要不要|对不对"
)
_strong_question_zh = re.compile(
    r"什么|啥|怎么|怎样|咋|如何|为何|哪|谁|(?<![这那好十第前后上下近])几(?!乎|率|何|点儿)|多少|多久|多长|多大"
    r"|多高|何时|何地|何种|何处|是不是|有没有|有无|区别|是指"
)
_question_en = re.compile(
    rf"(?:{_wh_en})(?![a-z])|(?:is|are|was|were|am|do|does|did|can|could|will|would|should|shall|may|might|must|has"
    rf"|have|had|isn'?t|aren'?t"
    r"|don'?t|doesn'?t|didn'?t|can'?t|won'?t)(?![a-z])"
)
_early_question = re.compile(
    rf"(?:i wonder |wondering |know |tell me |explain |show me )?(?:{_wh_en}|whether|if)(?![a-z])"
)
_wh_inside = re.compile(
    rf"(?<![a-z])(?<!of )(?:{_wh_en})(?![a-z])(?<!when(?= (?:you|i|we|it|they|[a-z]+ing)(?![a-z])))"
)
_whatever = re.compile(
    "(?:[管随][它他]|不管|无论|不论|随便|任凭|爱)(?:是|你)?(?:什么|怎么|怎样|哪[个种]?|谁|多少|啥|咋)"
    "|(?:哪里|哪儿|哪个地方|什么地方|何处)[^,?。]{1,12}?,?(?:就|便)(?:在|从|于)?(?:哪里|哪儿|那里|那儿|何处|哪个地方|什么地方)"
    "|(?:怎么|咋|如何)[^,?。]{0,4}?(?:都|全)?(?:随你|随便|由你|看你|你定|你决定|你看着|都行|都可以|都好|都成|无所谓)"
    r"|(?<![a-z])(?:no preference|no matter|regardless of|(?:i )?(?:do not|don'?t) (?:care|mind)|(?:it )?(?:does not"
    r"|doesn'?t) matter|not (?:bothered|fussed|picky))(?: (?:about|on|as to))? (?:how|which|what|where)(?![a-z])"
)  # asks nothing
MOST = 400


class Clause(NamedTuple):
    """A stretch of a message between two breaks, with its masked text and the break that ends it."""

    start: int
    end: int
    text: str
    stop: str

    @property
    def body(self) -> str:
        """Without what politely leads in."""
        return self.text[lead_length(self.text) :]


def clauses(masked: str) -> Iterator[Clause]:
    """The clauses of a masked message, in order, blank ones left out. Digits' own commas and points do not break.

    What comes behind the first MOST clauses, which no person writes, is one clause."""
    start = 0
    for found in islice(_break.finditer(masked), MOST):
        if "," in found[0] and re.fullmatch(r"\d,\d{3}", masked[max(0, found.start() - 1) : found.end() + 3]):
            continue
        if found.end() > found.start() or found.start() > start:
            yield from _trimmed(masked, start, found.start(), found[0])
            start = found.end()
    yield from _trimmed(masked, start, len(masked), "")


def _trimmed(masked: str, start: int, end: int, stop: str) -> Iterator[Clause]:
    text = masked[start:end]
    start, text = start + len(text) - len(text.lstrip()), text.strip()
    if text:
        yield Clause(start, start + len(text), text, stop)


_lead = re.compile(rf"(?:{union(LEAD)}|{_connector}|[\s,.\"'])+")


def lead_length(text: str) -> int:
    """How many characters of a clause are politeness and order words: "请帮我", "could you please", "and then"."""
    found = _lead.match(text)
    return found.end() if found else 0


def is_question(clause: Clause) -> bool:
    """Whether a clause asks, or orders an answer: 什么, how, can ...?, 总结, tell me."""
    body, text = _whatever.sub("", clause.body), _whatever.sub("", clause.text)
    return bool(
        "?" in clause.stop
        or _question_zh.search(text)
        or _question_en.match(body)
        or _question_en.match(text)
        or _content_order.match(body)
        or _wh_inside.search(text)
    )


def asks_how(clause: Clause) -> bool:
    """Whether a clause holds a question word, so that it cannot be a command: 怎么保存, how do I save."""
    return bool(_strong_question_zh.search(_whatever.sub("", clause.text)) or _early_question.match(clause.body))


# 查 or 问问题 alone tells what is to come ("以后要查", "之后我要问问题"): there is nothing to answer yet.
_no_object = r"(?:查询?|查阅|查找|检索|搜索?|问)(?:一些|几个)?(?:问题)?(?:了|吧|你|用|的)?$"
_content_order = re.compile(f"(?!{_no_object}){union(CONTENT_VERB)}")


def orders_answer(clause: Clause) -> bool:
    """Whether a clause begins with what is to be done with an answer: tell, find, 总结."""
    return bool(_content_order.match(clause.body))


@cache
def words(*terms: BilingualTerms) -> re.Pattern[str]:
    """All entries of the terms as one pattern, each alternative tried from the longest."""
    zh = sorted((piece for term in terms for piece in _pieces(term.zh)), key=_least, reverse=True)
    en = sorted((piece for term in terms for piece in _pieces(term.en)), key=_least, reverse=True)
    return re.compile(BilingualTerms("|".join(zh), "|".join(en)).either)


_group = re.compile(r"\(\?(?P<kind><?[:!=])(?P<inner>[^()]*)\)(?P<optional>\?)?")


def _least(piece: str) -> int:
    """Characters that a match of the piece has at least: optional parts do not count, of alternatives the shortest."""
    piece = re.sub(r"\[[^\]]*\]", "x", re.sub(r"\{\d+,\d+\}", "", piece))
    while found := _group.search(piece):
        counts = found["kind"] == ":" and not found["optional"]
        shortest = min(found["inner"].split("|"), key=len) if counts else ""
        piece = piece[: found.start()] + shortest + piece[found.end() :]
    return len(re.sub(r".\?|[\\*+]", "", piece))


def _pieces(pattern: str) -> Iterator[str]:
    """The top-level alternatives of a pattern."""
    depth = start = 0
    for i, c in enumerate(pattern):
        depth += c in "([" and pattern[i - 1 : i] != "\\"
        depth -= c in ")]" and pattern[i - 1 : i] != "\\"
        if c == "|" and depth == 0:
            yield pattern[start:i]
            start = i + 1
    if pattern[start:]:
        yield pattern[start:]


def residue(text: str, *terms: BilingualTerms) -> str:
    """What remains of a text when the words of the terms, and those that add no subject, are taken out."""
    rest = words(LEAD, AROUND, *terms).sub(" ", text)
    return re.sub(r"[\W_]+", "", rest)
