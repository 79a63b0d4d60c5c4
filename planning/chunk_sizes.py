"""Sizes and overlaps of chunks in a person's words: "500 each, a tenth shared", 两三百字一片, "twice as long"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, get_args

from planning.numerals import Number, find_numbers
from planning.terms import FILE, BilingualTerms, union
from planning.vocabulary import CHUNK, CHUNKERS, CUT, NOT_A_SIZE, OVERLAP, SAVE, SIZE, UNIT
from schema import ChunkerName, SizeUnit

_LARGE = 100  # in "900/90" without a word of cutting: the day of a month is smaller
_SMALLEST = 10  # characters; smaller numbers count files, not characters
WINDOW = 48  # how far around a number or a name its meaning is looked for

REST = BilingualTerms(  # the files that are not named
    "(?:其[他它余]|剩下|剩余|余下|(?:别|另外)(?=的))的?(?:(?:几|[一两二三四五])?(?:个|份|篇))?(?:文件|文档)?",
    "(?:all )?(?:the )?(?:rest|remainder|remaining|others?)(?: (?:ones?|files?|documents?|docs?|two|three))?"
    "|(?:everything|anything|all) else",
)
_copula = (
    r"(?:[\s:=~]|为|是|设置?[为成]?|定[为在]|调[到成整为]*|约|大约|大概|左右|到|在|取|用|不要|不能|不|别|要"
    r"|超过|大于|多于|最多|最大|至多|控制|限制|限定|保持|改[成为]?|给我|给|弄|搞"
    r"|换[成为]?|各|都|均|个|也|统一|一律|的"
    r"|(?<![a-z])(?:of|is|are|be|capped|cap|kept|keep|limited|equals?|come|comes|to|should|must|can|at|most"
    r"|about|around|approximately|approx\.?|roughly"
    r"|max(?:imum)?|up|no|not|more|longer|than|exceed(?:ing)?"
    r"|under|below|within|by|set|a|an|the|with|and)(?![a-z]))"
)
ANY_CHUNKER = union(*CHUNKERS.values())
CUT_WORD = re.compile(
    BilingualTerms("切片|切块|切成|切|分块|分片|分段|分割|片段|文本块|小块|段落|拆分", CHUNK.en + "|" + CUT.en).either
)
_left_overlap = re.compile(
    rf"{OVERLAP.either}(?:部分|长度|大小|字数|字符数|量|区域?|比例|占比|率|比)?(?: size| length| ratio"
    rf"| rate)?(?: (?:of|for|in) (?:the )?{FILE})?{_copula}{{0,8}}$"
    r"|(?:(?<![堆折])叠\s?|共[享用有]|(?:[两前后互相各块片段]|之间)\s?重"
    r"|(?:^|[,;。、\s]|互相|相互|彼此|前后|首尾|[块片段]间?|之间|各)(?:[压搭咬](?:着|上|住)?|搭接|搭界)"
    r"|(?<![a-z])(?:shar|repeat)(?:e|es|s|ing)? )(?:约|about |around |roughly )?$"
)
_left_neighbour = re.compile(  # “前后各带五十字”, "each repeats the last 40"
    r"(?:前后|首尾|头尾|两头|上下|相邻|邻近|[跟和与][上前下后]一?[块片段个])[^,。;\d]{0,8}?(?:带|留|含|加|搭"
    r"|接|叠|压|盖|连|重"
    r"|重复|共用|共享|保留|携带|交叉)(?:上|着|出|了)?"
    r"(?:约|大约|大概|差不多)?$"
    r"|(?:上|前|后|下)一?[块片段个]的?(?:末尾|结尾|最后|尾部|开头|头上?|尾巴?)的?$"
    r"|(?<![a-z])(?:first|last|final|leading|trailing|previous|preceding) $"
)
_left_stride = re.compile(  # how far each piece begins behind the one before
    r"(?:步长|步幅|步进|每次(?:往前|向前|往后|向后)?(?:移动?|前进|推进|滑动?)|(?<![a-z])(?:strides?|steps?(?: size)?"
    rf"|(?:mov|advanc|slid|shift|stepp?)(?:e|es|ing|s)?(?: (?:on|forward|along))? by)(?![a-z])){_copula}{{0,4}}$"
)
_right_stride = re.compile(rf"\s*-?(?:{UNIT.either})?\s*(?:的步长|步长|(?:stride|step)(?![a-z]))")
_right_part = re.compile(
    r"\s?of (?:each|every|a|the|that|its|all)?[^,.;?]{0,40}?(?:repeat(?:s|ed)?|shared|overlap|overlapping|in common"
    r"|carried over)(?![a-z])"
)
_left_file = re.compile(rf"(?:{FILE}|{REST.either})\s*[:=用切按]?\s*$")  # "a.md 500, the rest 300"
_at, _ends_size = re.compile("(?<![a-z])at $"), re.compile(r"\s?(?:$|[,;?!\n]|\.(?:\s|$)|(?:with|and|each)(?![a-z]))")
_plural = re.compile("(?<![a-z])(?:in|into|by) $")
_ends_there = re.compile(r"\s*(?:$|[,;。!\n]|\.(?:\s|$))")
_left_size = re.compile(
    rf"(?:{SIZE.either}(?: (?:of|for|in) (?:the )?{FILE})?|每(?:个|一)?(?:{CHUNK.zh})?|{CHUNK.either}"
    rf"|{CUT.either}|{ANY_CHUNKER}|(?<![a-z])(?:into|every"
    rf"|each|per)(?![a-z]))"
    rf"{_copula}{{0,8}}$"
)
_right_overlap = re.compile(
    rf"\s*-?(?:{UNIT.either})?\s*(?:的|of (?:that )?|as |for |chunk )?\s*{OVERLAP.either}(?!(?:部分"
    rf"|长度)?(?: by| of| is)?[\s:=为是]{{0,3}}[\d零一二两三四五六七八九十百])"
    rf"|\s*-?(?:{UNIT.either})?\s*(?:的共享|(?:是|的内容)?(?:一样|相同|共有)"
    r"|(?:of (?:context|text|it) )?(?:is |are |to be |being )?(?:repeated|shared|in common|carried over)"
    r"(?![a-z])|(?:of|from) the (?:previous|last|one before|preceding)(?![a-z]))"
)
_right_size = re.compile(
    rf"(?:-?ish(?![a-z])| or so(?![a-z]))?\s*-?\s*(?:{UNIT.either}|(?:characters?|chars?|tokens?)(?![a-z])"
    rf"|(?:左右|上下|以内|以下)?的(?:上限|大小|长度|块长)"
    rf"|(?:左右|上下|以内|以下)?(?:的|为?一|每|/|per |a |an )?\s*{CHUNK.either}|(?:each|apiece|long"
    rf"|max(?:imum)?|tops|at most|or (?:less|fewer))(?![a-z]))"
)
_units = (
    r"(?:(?P<characters>汉字|字符|字元|字(?!面)|(?:characters?|chars?|letters?)(?![a-z]))"
    r"|(?P<tokens>词元|tokens?(?![a-z]))|(?P<words>单词|词|words?(?![a-z])))"
)
_right_unit = re.compile(rf"^(?:-?ish(?![a-z])| or so(?![a-z]))?\s*-?\s*个?{_units}")
_left_unit = re.compile(rf"{_units}(?:数|上限|大小|长度|计|来|切|分|s)*{_copula}{{0,6}}$")
_part_shared = re.compile(
    r"\s*of (?:that|it|them|those|these|which) (?:are |is |being )?(?:shared|repeat(?:s|ed|ing)?"
    r"|(?:in )?common|overlap(?:s|ping)?)"
    r"(?![a-z])"
)
_reference = re.compile(r"(?:第|v|[§#№]\s?|(?<![a-z])(?:no|nr|art|sec|para)\.\s?)$")  # § 573c is no size
_pair = re.compile(r"\s*[/|]\s*$")
_size_of_pair = re.compile(r"\s?/\s?\d{1,4}(?![\d/])")
_finer = BilingualTerms(
    "(?:切|拆|分)?(?:得|的)?(?:碎|细|小|短)(?:一?点|一?些|块)(?:儿)?",
    "(?:smaller|shorter|finer|tinier)(?: (?:pieces|chunks|parts|bits))?(?! (?:ones|separators|units))",
)
_coarser = BilingualTerms(
    "(?:切|拆|分)(?:得|的)?(?:粗|大|长)(?:一?点|一?些)|(?:块|片|段)(?:切)?(?:得)?(?:大|长)(?:一?点|一?些)",
    "(?:bigger|larger|longer|coarser) (?:pieces|chunks|parts|bits)",
)
SCALES = [(re.compile(_finer.either), 50), (re.compile(_coarser.either), 200)]
_halves = BilingualTerms(
    "(?:砍|减|缩|小|短|切|改)(?:小|短|掉|成|为|到)?(?:原来的)?一半|减半|对半",
    "(?:half|halve)(?: (?:as (?:big|large|long)|(?:of )?(?:the|their|its) (?:size|length)))?",
)
_doubles = BilingualTerms(
    "翻一?倍|加倍|[大长]一倍|两倍[大长]?",
    "(?:twice|double)(?: (?:as (?:big|large|long)|the (?:size|length)))?",
)
_too_coarse = BilingualTerms(
    "(?:切|拆|分|片|块|切成)(?:得|都|还)*太[长大粗]|太[长大粗]了", "too (?:big|large|long|coarse(?:ly)?)"
)
_too_fine = BilingualTerms(
    "(?:切|拆|分|片|块)(?:得|都|还)*太[碎细小短]|太[碎细小短]了", "too (?:small|short|fine(?:ly)?|tiny)"
)
_resized = [  # what a clause about chunks says of their size; in percent of the usual one
    *SCALES, (re.compile(_halves.either), 50), (re.compile(_doubles.either), 200),
    (re.compile(_too_coarse.either), 50), (re.compile(_too_fine.either), 200),
]  # fmt: skip
_pages = [  # of some 500 words, or 1,000 Han
    (re.compile("(?<![a-z])half (?:a|of a) page(?![a-z])"), 1500),
    (re.compile("(?<![a-z])(?:a|one) page(?![a-z])"), 3000),
    (re.compile("半页"), 500), (re.compile("一页"), 1000),
]  # fmt: skip


class ChunkingFact(NamedTuple):
    """One stated fact about chunking. The value of `percent` is the overlap in percent of the size, that of
    `scale` the size in percent of the usual one: "a bit smaller"; that of `stride` the size without the overlap."""

    start: int
    end: int
    kind: Literal["strategy", "size", "overlap", "percent", "scale", "stride"]
    value: ChunkerName | int | float
    shared: bool = False  # said of all files
    unit: SizeUnit | None = None  # of a size or an overlap


def read_numbers(masked: str) -> tuple[list[ChunkingFact], list[Number]]:
    """The sizes and overlaps, and the numbers that are left over."""
    found: list[ChunkingFact] = []
    left_over: list[Number] = []
    taken = 0  # up to here a word for the overlap belongs to the number before it
    cuts = any(re.search(word, masked) for word in (CUT_WORD, ANY_CHUNKER, OVERLAP.either))
    pairs = cuts or bool(re.search(SAVE.either, masked))
    for number in find_numbers(masked):
        left = masked[max(0, number.start - WINDOW) : number.start]
        right = masked[number.end : number.end + WINDOW]
        unit = _unit(left, right)
        behind = _right_overlap.match(right)
        if behind or _tells_overlap(number, masked[max(taken, number.start - WINDOW) : number.start], left, right):
            share = 0 < number.value < 1  # “overlap 0.2” is a fifth
            value = number.value * 100 if share and not number.percent else number.value
            kind: Literal["percent", "overlap"] = "percent" if number.percent or share else "overlap"
            fact = ChunkingFact(number.start, number.end, kind, value if kind == "percent" else round(value), unit=unit)
        elif _left_stride.search(left) or _right_stride.match(right):
            fact = ChunkingFact(number.start, number.end, "stride", round(number.value), unit=unit)
        elif number.percent or NOT_A_SIZE.match(right) or number.value < _SMALLEST or _reference.search(left):
            continue
        elif found and found[-1].kind == "size" and _pair.search(left) and found[-1].end >= number.start - 3:
            fact = ChunkingFact(number.start, number.end, "overlap", round(number.value), unit=unit)
        elif _tells_size(number, left, right, pairs and (cuts or number.value >= _LARGE)):
            fact = ChunkingFact(number.start, number.end, "size", round(number.value), unit=unit)
        else:
            left_over.append(number)
            continue
        taken = number.end + behind.end() if behind else taken
        found.append(fact)
    if len(left_over) == 1 and cuts and all(fact.kind != "size" for fact in found):
        number = left_over.pop()
        around = masked[max(0, number.start - WINDOW) : number.start], masked[number.end : number.end + WINDOW]
        found.append(ChunkingFact(number.start, number.end, "size", round(number.value), unit=_unit(*around)))
    return found, left_over


def _tells_overlap(number: Number, own_left: str, left: str, right: str) -> bool:
    """Whether a number is an overlap by the words before it, or by those behind it that name no overlap."""
    return bool(
        _left_overlap.search(own_left)
        or _part_shared.match(right)
        or _left_neighbour.search(left)
        or (number.percent and _right_part.match(right))
    )


def _tells_size(number: Number, left: str, right: str, pairs: bool) -> bool:
    return bool(
        _left_size.search(left)
        or _right_size.match(right)
        or (pairs and _size_of_pair.match(right))
        or (pairs and _at.search(left) and _ends_size.match(right))
        or (pairs and _plural.search(left) and re.match("s(?![a-z])", right))  # “store it in 500s”
        or (_left_file.search(left) and _ends_there.match(right))
    )


def _unit(left: str, right: str) -> SizeUnit | None:
    """What a number is counted in, by the word behind it, or by one before it: "in tokens: 512"."""
    for pattern, text in ((_right_unit, right), (_left_unit, left)):
        if found := pattern.search(text):
            return next(unit for unit in get_args(SizeUnit) if found[unit])
    return None


def by_comparison(masked: str, found: Sequence[ChunkingFact]) -> Iterator[ChunkingFact]:
    """A size that is told by another: too big, half as long, half a page; in clauses that speak of chunks."""
    kinds: tuple[tuple[Literal["scale", "size"], list[tuple[re.Pattern[str], int]]], ...]
    kinds = (("scale", _resized), ("size", _pages))
    for clause in re.finditer(r"[^,;。!?\n]+", masked):
        if not (CUT_WORD.search(clause[0]) or re.search(CHUNK.either, clause[0])):
            continue
        if any(clause.start() <= one.start < clause.end() and one.kind == "size" for one in found):
            continue
        for kind, pairs in kinds:
            for pattern, value in pairs:
                if match := pattern.search(masked, clause.start(), clause.end()):
                    yield ChunkingFact(*match.span(), kind, value)
                    break
