"""Files of one series that a message calls together by what tells them apart: 第一集和第二集分镜, "the reports for
sites 04 and 09", "handbook 24-25 vs 25-26".

Names are of one series where they differ in numbers, days, letters or stages alone. Two of these that stand beside each
other call the files that have them, where a word of the series stands next to them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from planning.document_words import FILLERS, VAGUE, NameWords, latin_words, likely_files
from planning.folding import folded, normal
from planning.han_words import fit_in_han
from planning.known_files import KnownFiles
from planning.name_calls import fit_of_word
from planning.name_marks import marks

_LONGEST = 2_000  # characters in which they are looked for
_MOST = 4  # pairs that are looked at
_REACH = 40  # characters beside a pair in which a word of the series stands
_units = "[集期级届年月号章卷册版稿轮批周次季楼栋棚班组标段场回份]"
_months = "|".join("jan feb mar apr may june? july? aug sept? oct nov dec".split())
_one = (
    rf"(?:(?:(?:19|20)?[0-9]{{2}}年?)?[春夏秋冬]|第?[0-9]{{1,4}}(?:[-./][0-9]{{1,4}}){{0,2}}"
    rf"|第?[一二三四五六七八九十]{{1,3}}(?={_units})|q[1-4]|[a-h](?![a-z])|(?:{_months})[a-z]{{0,6}}(?![a-z])"
    rf"|spring|summer|autumn|winter|draft|final|初稿|终稿|草稿|定稿)(?:{_units}{{1,2}}(?:刊|度|学期)?)?"
)
_and = r"\s?(?:,|、|&|/|和|与|跟|及|以及|还是|比|对比|(?<![a-z])(?:and|or|vs\.?|versus|with|to|against)(?![a-z]))\s?"
_pair = re.compile(
    rf"(?:(?<![a-z])(?P<word>[a-z]{{3,20}}) )?(?<![a-z0-9.])(?P<first>{_one}){_and}(?:the )?(?:(?P=word) )?"
    rf"(?P<second>{_one})(?![0-9a-z])"
)
_SORTS = frozenset("表单书册函稿")  # of documents, at the end of a word
_further = re.compile(rf"{_and}(?P<one>{_one})(?![0-9a-z])")
_version = re.compile(r"(?<![a-zA-Z])[vV][0-9]+")  # of an episode 2, no number that it is told by
# What is counted, in Chinese: its Latin words say nothing else of a name.
_COUNTED = {
    "楼": "building block", "栋": "building block", "棚": "greenhouse", "集": "episode part", "季": "season",
    "期": "issue phase", "班": "class group", "周": "week", "卷": "volume", "册": "volume book", "批": "batch lot",
    "轮": "round", "版": "version edition", "届": "session", "层": "floor", "组": "team group", "号": "number no",
    "级": "class grade", "场": "session game", "单元": "unit",
}  # fmt: skip
_counted_else = re.compile(  # of what there are many in each file
    r"(?<![a-z])(?:pages?|rows?|lines?|steps?|questions?|sections?|chapters?|clauses?|articles?|items?|paragraphs?"
    r"|tables?|figures?|columns?|rules?|floors?|between|from|of)\s$|[第]$"
)
_counts_else = re.compile(r"\s?(?:[页行条题步款项点段天元%人个岁米倍]|小时|分(?:钟|[,\s]|$))")
_long_number = re.compile(
    r"(?<![0-9.,\-/])(?!(?:19|20)[0-9][0-9](?![0-9]))[0-9]{3,12}(?![0-9年月日号元块字人个%]|[.,\-/][0-9])"
)
_digits = re.compile("[0-9]+")
_ends = re.compile(r"[,.:;?!\n]")
_behind = re.compile(
    r"\s?(?:学年|年度|两[次份个集期级版]|[那这]?两?[次份个篇张])?的?\s?(?P<words>[\u3400-\u9fffa-z]{2,12})"
)


def called_by_marks(text: str, library: Sequence[str], known: KnownFiles) -> Iterator[tuple[int, int, list[str]]]:
    """(start, end, the files) of each such pair in a masked message, with the words of the series beside it."""
    text = text[:_LONGEST]
    pairs = [*islice(_pair.finditer(text), _MOST)]
    if not pairs:
        return
    likely = dict(likely_files(text, library, known.titles))
    series = _series([*likely])
    for found in pairs:
        start, end, said = found.start("first"), found.end(), [found["first"], found["second"]]
        while further := _further.match(text, end):
            end, said = further.end(), [*said, further["one"]]
        if _counted_else.search(text[:start]) or _counts_else.match(text, end):
            continue
        for names in series:
            told = [_told(one, names) for one in said]
            apart = all(told) and len(set(told)) == len(told)
            if apart and (words := _words_beside(text, start, end, likely[names[0]])):
                if (text[: words[0]] + text[words[1] :]).strip(" .!?"):  # else nothing is asked of them
                    yield *words, [name for name in told if name]
                break


def called_by_number(text: str, library: Sequence[str], known: KnownFiles) -> Iterator[tuple[int, int, list[str]]]:
    """The same of a file by a number of three digits or more that its name has, beside a word for it: 发票2207."""
    text = text[:_LONGEST]
    numbers = [*islice(_long_number.finditer(text), _MOST)]
    likely = likely_files(text, library, known.titles) if numbers else []
    for found in numbers:
        having = [(name, its) for name, its in likely if found[0] in _digits.findall(name)]
        beside = {name: words for name, its in having if (words := _words_beside(text, *found.span(), its))}
        if len(beside) == 1:
            ((name, words),) = beside.items()
            if (text[: words[0]] + text[words[1] :]).strip(" .!?"):
                yield *words, [name]


def _series(names: Sequence[str]) -> list[list[str]]:
    """The names that differ in their marks alone, those of each series together."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in names:
        found[_without_marks(name)].append(name)
    return [some for some in found.values() if len(some) > 1]


_mark = re.compile(
    rf"(?<![a-z])(?:v|ver|version|rev|draft|final|signed|copy|edited|raw|spring|summer|autumn|winter|q[1-4]|[a-h]"
    rf"|(?:{_months})[a-z]{{0,6}})(?![a-z])|[初终草定]稿|[春夏秋冬]|已签|第?[一二三四五六七八九十]{{1,3}}(?={_units})|v?[0-9]+"
    rf"|[\W_第]"
)


@lru_cache(maxsize=20_000)
def _without_marks(name: str) -> str:
    plain = folded(normal(name.rpartition("/")[2]))
    return _mark.sub("", plain.rpartition(".")[0] or plain)


def _told(words: str, names: Sequence[str]) -> str | None:
    """The file of a series that has what the words say, if no other has."""
    said = marks(words)
    having = [name for name in names if said and said <= marks(_version.sub(" ", name))]
    having = having or [name for name in names if said and said <= marks(name)]
    return having[0] if len(having) == 1 else None


def _words_beside(text: str, start: int, end: int, its: NameWords) -> tuple[int, int] | None:
    """Where the words of a series reach that stand right beside a pair, in front of it or behind; None without any."""
    behind = _reach_behind(text, end, its)
    before = _reach_before(text, start, its)
    return (before, behind) if (before, behind) != (start, end) else None


def _reach_before(text: str, start: int, its: NameWords) -> int:
    first = max([0, start - _REACH, *(found.end() for found in _ends.finditer(text, max(0, start - _REACH), start))])
    reach, enough = start, False
    for a, b, word in reversed(latin_words(text[first:start])):
        gap = text[first + b : reach]
        if not re.fullmatch(r"[\s\-]?", gap) and not gap.isspace():
            break
        if word in FILLERS or word in ("year", "no", "number"):
            reach = first + a
            continue
        if not (fit_of_word(word, its, 2) or _is_counted(word, its)):
            break
        reach, enough = first + a, enough or not (word in VAGUE or word.isdigit())
    if enough:
        return reach
    run = re.search(r"[\u3400-\u9fff]{2,10}\s?的?\s?$", text[first:start])
    return start - _han_tail(run[0], its) if run else start


def _reach_behind(text: str, end: int, its: NameWords) -> int:
    stop = _ends.search(text, end)
    last = min(len(text), end + _REACH, stop.start() if stop else len(text))
    run = _behind.match(text, end, last)
    if run:
        words = run["words"]
        for size in range(len(words), 1, -1):
            if _in_series(words[:size], its):
                return run.start("words") + size + (words[size : size + 1] in _SORTS)
    reach = end
    for a, b, word in latin_words(text[end:last]):
        if not re.fullmatch(r"\s", text[reach : end + a]) or not fit_of_word(word, its, 2) or word in VAGUE:
            break
        reach = end + b
    return reach


def _han_tail(words: str, its: NameWords) -> int:
    stripped = words.rstrip(" 的")
    for size in range(len(stripped), 1, -1):
        if _in_series(stripped[-size:], its):
            return size + len(words) - len(stripped)
    return 0


def _in_series(words: str, its: NameWords) -> bool:
    """Whether a name has these words, or one of them is for its kind."""
    if words in VAGUE:
        return False
    return words in its.han or bool((fit := fit_in_han(words, "", its)) and (fit.own or fit.kind))


def _is_counted(word: str, its: NameWords) -> bool:
    return any(word in words.split() for unit, words in _COUNTED.items() if unit in its.han)
