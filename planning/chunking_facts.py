"""Facts about how files are to be cut, in a person's words: the method, the size, the overlap."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, cast, get_args

import numpy as np

from planning.classifier import Sums, classifier
from planning.clauses import Clause
from planning.numerals import Number, find_numbers
from planning.terms import FILE, BilingualTerms, union
from planning.vocabulary import (
    CHANGE,
    CHUNK,
    CHUNKERS,
    CUT,
    NO_OVERLAP,
    NOT_A_SIZE,
    OVERLAP,
    SAVE,
    SIZE,
    STRONG_FORMS,
    UNIT,
    WEAK_CHUNKERS,
)
from schema import ChunkerName, Chunking, SizeUnit

_SMALLEST = 10  # characters; smaller numbers count files, not characters
_LONGEST = 100  # characters of a clause that tells how to cut
_WINDOW = 40  # how far around a number or a name its meaning is looked for

REST = BilingualTerms(  # the files that are not named
    "(?:其[他它余]|剩下|剩余|余下|别)的?(?:(?:几|[一两二三四五])?(?:个|份|篇))?(?:文件|文档)?",
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
_any_chunker = union(*CHUNKERS.values())
_cut_word = re.compile(
    BilingualTerms("切片|切块|切成|切|分块|分片|分段|分割|片段|文本块|小块|段落|拆分", CHUNK.en + "|" + CUT.en).either
)
_left_overlap = re.compile(
    rf"{OVERLAP.either}(?:部分|长度|大小|字数|字符数|量|区域)?(?: size| length)?{_copula}{{0,8}}$"
    r"|(?:(?<![堆折])叠\s?|共[享用有]|(?:[两前后互相各块片段]|之间)\s?重"
    r"|(?<![a-z])(?:shar|repeat)(?:e|es|s|ing)? )(?:约|about |around |roughly )?$"
)
_left_neighbour = re.compile(  # “前后各带五十字”, "each repeats the last 40"
    r"(?:前后|首尾|头尾|两头|上下|相邻|邻近|[跟和与][上前下后]一?[块片段个])[^,。;\d]{0,8}?(?:带|留|含|加|重"
    r"|重复|共用|共享|保留|携带|交叉)(?:上|着|出|了)?"
    r"(?:约|大约|大概|差不多)?$"
    r"|(?<![a-z])(?:first|last|final|leading|trailing) $"
)
_right_part = re.compile(
    r"\s?of (?:each|every|a|the|that|its|all)?[^,.;?]{0,40}?(?:repeated|shared|overlap|overlapping|in common"
    r"|carried over)(?![a-z])"
)
_left_file = re.compile(rf"(?:{FILE}|{REST.either})\s*[:=用切按]?\s*$")  # "a.md 500, the rest 300"
_ends_there = re.compile(r"\s*(?:$|[,;。!\n]|\.(?:\s|$))")
_left_size = re.compile(
    rf"(?:{SIZE.either}|每(?:个|一)?(?:{CHUNK.zh})?|{CHUNK.either}|{CUT.either}|{_any_chunker}|(?<![a-z])(?:into|every"
    rf"|each|per)(?![a-z]))"
    rf"{_copula}{{0,8}}$"
)
_right_overlap = re.compile(
    rf"\s*-?(?:{UNIT.either})?\s*(?:的|of (?:that )?|as |for |chunk )?\s*{OVERLAP.either}(?!(?:部分"
    rf"|长度)?[\s:=为是]{{0,3}}[\d零一二两三四五六七八九十百])"
    rf"|\s*-?(?:{UNIT.either})?\s*(?:的共享"
    r"|(?:is |are |of it |to be |being )?(?:repeated|shared|in common|carried over)"
    r"(?![a-z])|(?:of|from) the (?:previous|last|one before|preceding)(?![a-z]))"
)
_right_size = re.compile(
    rf"\s*-?\s*(?:{UNIT.either}|(?:characters?|chars?|tokens?)(?![a-z])"
    rf"|(?:左右|上下|以内|以下)?的(?:上限|大小|长度|块长)"
    rf"|(?:左右|上下|以内|以下)?(?:的|为?一|每|/|per |a |an )?\s*{CHUNK.either}|(?:each|apiece|long)(?![a-z]))"
)
_units = (
    r"(?:(?P<characters>汉字|字符|字元|字(?!面)|(?:characters?|chars?|letters?)(?![a-z]))"
    r"|(?P<tokens>词元|tokens?(?![a-z]))|(?P<words>单词|词|words?(?![a-z])))"
)
_right_unit = re.compile(rf"^\s*-?\s*个?{_units}")
_left_unit = re.compile(rf"{_units}(?:数|上限|大小|长度|计|来|切|分|s)*{_copula}{{0,6}}$")
_part_shared = re.compile(r"\s*of (?:that|it) shared(?![a-z])")
_pair = re.compile(r"\s*[/|]\s*$")
_size_of_pair = re.compile(r"\s?/\s?\d{1,4}(?![\d/])")
_how = re.compile(
    r"(?:按照?|用|以|依照?|根据|[换改切]成|[换改]为|改用|:|=|(?<![a-z])(?:with|by|using|use|to|via|as|at|into|on)"
    rf"|{FILE}|{REST.either})\s*(?:the |a )?$"
)
_a_file = re.compile(
    r"\s*(?:格式|类型|语言)?的?(?:文件|文档|笔记|手册|资料|库|file|document|doc(?![a-z])|notes?|repo|manual|handbook)"
)
_for_file = re.compile(rf" for (?:the )?{FILE}")
_negated = re.compile(
    r"(?:不要再?用?|不用|别用?|不是|而非|不想用|(?<![a-z])(?:not|without|don't use|do not use|instead of|rather than"
    r"|no))\s*(?:the |a |按照?|用)?$"
)
_shared = re.compile("都|均|统一|一律|两个|(?<![a-z])(?:all|both)(?![a-z])")


_finer = BilingualTerms(
    "(?:切|拆|分)?(?:得|的)?(?:碎|细|小|短)(?:一?点|一?些|块)(?:儿)?",
    "(?:smaller|shorter|finer|tinier)(?: (?:pieces|chunks|parts|bits))?",
)
_coarser = BilingualTerms(
    "(?:切|拆|分)(?:得|的)?(?:粗|大|长)(?:一?点|一?些)|(?:块|片|段)(?:切)?(?:得)?(?:大|长)(?:一?点|一?些)",
    "(?:bigger|larger|longer|coarser) (?:pieces|chunks|parts|bits)",
)
_EVERYDAY = 0.75  # the least probability of a way to cut that is told in everyday words
_scales = [(re.compile(_finer.either), 50), (re.compile(_coarser.either), 200)]


class ChunkingFact(NamedTuple):
    """One stated fact about chunking. The value of `percent` is the overlap in percent of the size, that of
    `scale` the size in percent of the usual one: "a bit smaller"."""

    start: int
    end: int
    kind: Literal["strategy", "size", "overlap", "percent", "scale"]
    value: ChunkerName | int | float
    shared: bool = False  # said of all files
    unit: SizeUnit | None = None  # of a size or an overlap


def find_chunking_facts(masked: str) -> list[ChunkingFact]:
    """The facts about chunking in masked text, in order."""
    found = [*_chunkers(masked), *_read_numbers(masked)[0]]
    found += [ChunkingFact(*match.span(), "overlap", 0) for match in NO_OVERLAP.finditer(masked)]
    shared = [match.start() for match in _shared.finditer(masked)]
    breaks = [0, *(match.end() for match in re.finditer(r"[,;。\n]", masked)), len(masked) + 1]
    common = [(a, b) for a, b in pairwise(breaks) if any(a <= place < b for place in shared)]
    return sorted(
        (atom._replace(shared=any(a <= atom.start < b for a, b in common)) for atom in found),
        key=lambda atom: atom.start,
    )


def everyday_chunking_facts(clauses: Sequence[Clause]) -> list[ChunkingFact]:
    """What clauses about saving say in everyday words: "wherever he changes the subject", 切碎一点.

    A clause that names a method says no other. Those that are left are judged one by one, and together.
    """
    found: list[ChunkingFact] = []
    left: list[Clause] = []
    sized = any(atom.kind == "size" for clause in clauses for atom in find_chunking_facts(clause.text))
    for clause in clauses:
        atoms = find_chunking_facts(clause.text)
        if not sized:
            found += [
                ChunkingFact(clause.start + match.start(), clause.start + match.end(), "scale", value)
                for pattern, value in _scales
                if (match := pattern.search(clause.text))
            ]
        if any(atom.kind == "strategy" for atom in atoms):
            return found
        if len(clause.text) <= _LONGEST:
            left.append(clause)
    return [*found, *_everyday_chunker(left)]


def _everyday_chunker(clauses: Sequence[Clause]) -> Iterator[ChunkingFact]:
    model = classifier("cut")
    read = [model.read(clause.text).whole for clause in clauses]
    if not read:
        return
    sums = [*read, Sums(*(np.sum(part, axis=0) for part in zip(*read, strict=True)))]
    spans = [*((clause.start, clause.end) for clause in clauses), (clauses[0].start, clauses[-1].end)]
    judged = [
        (chance, label, span)
        for one, span in zip(sums, spans, strict=True)
        for chance, label in zip(np.exp(model.judge(one)[0]).tolist(), model.labels, strict=True)
    ]
    chance, label, span = max((one for one in judged if one[1] != "content"), key=lambda one: one[0])
    if chance >= _EVERYDAY:
        yield ChunkingFact(*span, "strategy", cast(ChunkerName, label))


def tells_how_to_cut(clause: Clause) -> bool:
    """Whether a clause says in everyday words how to cut."""
    return len(clause.text) <= _LONGEST and any(everyday_chunking_facts([clause]))


def _chunkers(masked: str) -> Iterator[ChunkingFact]:
    matches = [
        (match.start(), -match.end(), name)
        for name, terms in CHUNKERS.items()
        for match in re.finditer(terms.either, masked)
    ]
    last = 0
    for start, negative_end, name in sorted(matches):
        end = -negative_end
        if start < last:
            continue
        last = end
        left, right = masked[max(0, start - _WINDOW) : start], masked[end : end + _WINDOW]
        if _negated.search(left):
            continue
        if name in WEAK_CHUNKERS and not STRONG_FORMS.search(masked[start:end]):
            clause = re.split(r"[,;。!?\n]", left)[-1] + " \ue00f " + re.split(r"[,;。!?\n]", right)[0]
            if _a_file.match(right) or not (_how.search(left) or _for_file.match(right) or _cut_word.search(clause)):
                continue
        yield ChunkingFact(start, end, "strategy", name)


def left_over_numbers(masked: str) -> list[Number]:
    """The numbers that may be meant for chunks, but say neither a size nor an overlap."""
    return _read_numbers(masked)[1]


def _read_numbers(masked: str) -> tuple[list[ChunkingFact], list[Number]]:
    """The sizes and overlaps, and the numbers that are left over."""
    found: list[ChunkingFact] = []
    left_over: list[Number] = []
    sized = False
    cuts = bool(_cut_word.search(masked) or re.search(_any_chunker, masked))
    last: ChunkingFact | None = None
    for number in find_numbers(masked):
        left = masked[max(0, number.start - _WINDOW) : number.start]
        right = masked[number.end : number.end + _WINDOW]
        kind: Literal["size", "overlap", "percent"] | None = None
        if (
            _left_overlap.search(left) or _right_overlap.match(right) or _part_shared.match(right)
            or _left_neighbour.search(left) or (number.percent and _right_part.match(right))
        ):  # fmt: skip
            share = 0 < number.value < 1  # “overlap 0.2” is a fifth
            kind = "percent" if number.percent or share else "overlap"
            number = number._replace(value=number.value * 100) if share and not number.percent else number
        elif number.percent or NOT_A_SIZE.match(right) or number.value < _SMALLEST or left.endswith(("第", "v")):
            continue
        elif last and last.kind == "size" and _pair.search(left) and last.end >= number.start - 3:
            kind = "overlap"
        elif (
            _left_size.search(left)
            or _right_size.match(right)
            or (cuts and _size_of_pair.match(right))
            or (_left_file.search(left) and _ends_there.match(right))
        ):
            kind = "size"
        if kind:
            sized |= kind == "size"
            value = number.value if kind == "percent" else round(number.value)
            last = ChunkingFact(number.start, number.end, kind, value, unit=_unit(left, right))
            found.append(last)
        else:
            left_over.append(number)
    if len(left_over) == 1 and not sized and cuts:
        number = left_over.pop()
        around = masked[max(0, number.start - _WINDOW) : number.start], masked[number.end : number.end + _WINDOW]
        found.append(ChunkingFact(number.start, number.end, "size", round(number.value), unit=_unit(*around)))
    return found, left_over


def _unit(left: str, right: str) -> SizeUnit | None:
    """What a number is counted in, by the word behind it, or by one before it: "in tokens: 512"."""
    for pattern, text in ((_right_unit, right), (_left_unit, left)):
        if found := pattern.search(text):
            return next(unit for unit in get_args(SizeUnit) if found[unit])
    return None


def blank_chunking_facts(masked: str) -> str:
    """The text without its facts about chunking, for looking at what else it says."""
    chars = list(masked)
    for atom in find_chunking_facts(masked):
        chars[atom.start : atom.end] = " " * (atom.end - atom.start)
    rest = "".join(chars)
    for number in find_numbers(rest):
        chars[number.start : number.end] = " " * (number.end - number.start)
    return re.sub(union(SAVE, CUT, SIZE, OVERLAP, UNIT, CHUNK, CHANGE), " ", "".join(chars))


def chunking_of(atoms: Sequence[ChunkingFact], usual: Chunking) -> Chunking:
    """One wish from its facts; the first of a kind counts. A percentage refers to the size, said or usual."""
    facts: dict[str, ChunkerName | int | float] = {}
    for atom in atoms:
        facts.setdefault(atom.kind, atom.value)
    if isinstance(scale := facts.get("scale"), int) and usual.size:
        facts.setdefault("size", usual.size * scale // 100)
    size, overlap, percent = facts.get("size"), facts.get("overlap"), facts.get("percent")
    if overlap is None and percent is not None:
        overlap = round((size if isinstance(size, int) else usual.size or 0) * float(percent) / 100)
    units = {atom.kind: atom.unit for atom in reversed([*atoms]) if atom.unit}
    unit = units.get("size") or units.get("overlap")
    fields = {"strategy": facts.get("strategy"), "size": size, "overlap": overlap}
    return Chunking.model_validate({**fields, "unit": None if unit == usual.unit else unit})
