"""Several stored files that a message calls together: "both leases", "the three Acme invoices", 三份周报里, 两份协议;
and those of a folder: "in the design folder", design 目录下.

The words must fit several files, and as many as are said where a number is. Without a number the words must stand where
a place to look is named: "all invoices are due in May" speaks of invoices, "in all invoices" of the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from planning.document_words import FILLERS, VAGUE, NameWords, latin_words, likely_files
from planning.folding import folded, normal
from planning.han_words import NOUNS, fit_in_han, fits_in_han
from planning.known_files import KnownFiles
from planning.name_calls import fit_of_word
from planning.name_versions import version_called
from planning.nicknames_zh import placed_in_han
from planning.numerals import whole_number
from tables.numerals import CARDINALS

_LONGEST = 2_000  # characters in which they are looked for
_BEFORE = 40
_numbers = "|".join(word for word, value in CARDINALS.items() if 1 < value < 21)
_count = rf"(?P<count>{_numbers}|[0-9]{{1,2}})"
_in_latin = re.compile(
    r"(?<![a-z])(?P<both>both)(?: of)?(?: the| my| our| these| those)? "
    rf"|(?<![a-z])(?:all )?(?:of )?(?:the|my|our|these|those|all)(?: {_count})? "
)
_plurals = re.compile(r"(?:[a-z0-9][a-z0-9'\-]{0,30} ){0,3}[a-z]{2,30}s(?![a-z0-9])")
_placed = re.compile(
    r"(?<![a-z])(?:in|from|across|within|through|throughout|according to|per|based on|compare|comparing|between|among"
    r"|only|just|search|check|read|over|look (?:in|at|through))\s$"
)
_left_out = re.compile(
    r"(?<![a-z])(?:except(?: for| in)?|excluding|but(?: not)?(?: in)?|other than|skip(?:ping)?|ignor(?:e|ing)"
    r"|leav(?:e|ing) out|not(?: in)?|without|apart from|aside from|besides|exclude|omit)\s$"
)
_one_of_them = re.compile(  # “the earlier of |the two minutes”
    r"(?:the )?(?P<which>older|newer|oldest|newest|earlier|earliest|later|latest|former|last) (?:one )?(?:of )?$"
)
_DOCUMENTS = frozenset("file document doc docs paper page".split())  # every file is one
_nouns = "|".join(noun for noun in NOUNS if len(noun) > 1)
_sheets = "表(?=都|里|中|上|的|,|$)"  # 两张表里
_measure = "(?:个月|个季度|个版本|[份个篇张期封本套次家版年周天届批轮])"
_words = rf"[\u3400-\u9fffa-z0-9 _\-]{{0,8}}?(?:{_nouns})"
_within = r"\s?(?:里|中(?!心|国)|当中)(?!面?(?:一般|通常))"
_in_han = re.compile(
    rf"[这那]?(?:(?P<count>[两二三四五六七八九十]|[0-9]{{1,2}}){_measure}|(?P<every>所有的?|全部的?|各{_measure}?|每一?{_measure})"
    rf"|(?:几|两三|三四){_measure}|[这那]些)的?\s?(?P<words>{_words}|{_sheets})"
)
_plain_in_han = re.compile(
    rf"(?:(?<![\u3400-\u9fffa-z0-9])|(?<=[在从看查翻搜管])){_words}(?={_within})"
    rf"|(?:(?<=[看查翻搜管过略])|(?<=除[了去开])|(?<=除)(?![了去开])){_words}(?=\s?[,:]|以?外|之外)|(?<=把){_words}(?=都|全|统一|一律)"
    rf"|(?<![\u3400-\u9fffa-z0-9]){_words}(?=(?:都|就)?(?:不[要用]?|别)[看查翻搜管])"
)
_folder_noun = re.compile(
    r" (?:folder|directory|dir)(?![a-z])|/(?![a-z0-9.])"
    r"|\s?(?:目录|文件夹)(?:下面?|里面?|中|内)?的?(?:所有|全部|各个?)?(?:文件|文档|资料)?"
)
_asked_of_all = re.compile(r"\s?(?:都|的|各|之间|有|是|放|一起|谁|哪|,|$|\?)")
_word_before = re.compile(r"[a-z0-9_\-/]$")
_compared = re.compile(  # 对比两次验血
    rf"(?:对比|比较|比对|对照|比一[下比])(?:一下)?[这那]?(?P<count>[两二三四五]){_measure}的?(?P<words>[\u3400-\u9fff]{{2,8}})"
)
_MOST = 8  # stretches that are looked at


def called_together(text: str, library: Sequence[str], known: KnownFiles) -> Iterator[tuple[int, int, list[str]]]:
    """(start, end, the files) of each such stretch of a masked message."""
    text = text[:_LONGEST]
    latin, han = [*islice(_in_latin.finditer(text), _MOST)], [*islice(_in_han.finditer(text), _MOST)]
    compared = _compared.search(text)
    if not (latin or han or compared or _plain_in_han.search(text)):
        return
    likely = likely_files(text, library, known.titles)
    if compared and not any(found.start() < compared.end() and compared.start() < found.end() for found in han):
        yield from _compared_in_han(compared, likely, library)
    for found in latin:
        count = 2 if found["both"] else _value(found["count"])
        before = text[max(0, found.start() - _BEFORE) : found.start()]
        left_out = bool(_left_out.search(before))
        end, names = _longest_plural(text, found.end(), likely, bool(count) or left_out)
        placed = left_out or _placed.search(before) or (not before.strip() and text[end : end + 1] == ":")
        if _are_meant(names, count, bool(placed), library):
            which = _one_of_them.search(before)
            version = version_called(f"{which['which']} ", names, names, known) if which else None
            yield found.start() - len(which[0]) if which else found.start(), end, [version[1]] if version else names
    taken = 0
    for found in han:
        if text[: found.start()].endswith("第") and text[found.start() + 1] in "版稿":  # 第二版 is one
            continue
        count = _value(found["count"])
        names, after = _named_in_han(found["words"], likely, count), text[found.end() : found.end() + 12]
        said = not found["every"] and (placed_in_han(after) or _asked_of_all.match(after))  # “所有合同都要审核吗”
        placed = bool(said or re.match(_within, after))
        if _are_meant(names, count, placed, library):
            taken = found.end()
            yield found.start(), taken, names
    for found in islice(_plain_in_han.finditer(text, taken), _MOST):
        names = _named_in_han(found[0], likely, 0)
        if _are_meant(names, 0, True, library):
            yield *found.span(), names


def _are_meant(names: Sequence[str], count: int, placed: bool, library: Sequence[str]) -> bool:
    """Whether words that fit these files call them: as many as are said, or where a place to look is named."""
    return 1 < len(names) < len(library) and (len(names) == count if count else placed)


def _compared_in_han(
    found: re.Match[str], likely: Sequence[tuple[str, NameWords]], library: Sequence[str]
) -> Iterator[tuple[int, int, list[str]]]:
    """The files, as many as are said, that the longest of the words fit."""
    for size in range(len(found["words"]), 1, -1):
        words = found["words"][:size]
        names = [name for name, its in likely if (fit := fit_in_han(words, "", its)) and fit.own]
        if _are_meant(names, _value(found["count"]), True, library):
            yield found.start("count"), found.start("words") + size, names
            return


def _value(count: str | None) -> int:
    if not count:
        return 0
    return 2 if count == "两" else CARDINALS.get(count) or whole_number(count)


def _longest_plural(
    text: str, start: int, likely: Sequence[tuple[str, NameWords]], sure: bool
) -> tuple[int, list[str]]:
    """The end of the longest plural from here on that fits several files, and these; `sure` that it calls files."""
    found = _plurals.match(text, start)
    words = found[0] if found else ""
    while words:
        if words.endswith("s") and len(names := _named_in_latin(words, likely, sure)) > 1:
            return start + len(words), names
        words = words.rpartition(" ")[0]
    return start, []


def _named_in_latin(words: str, likely: Sequence[tuple[str, NameWords]], sure: bool) -> list[str]:
    """The files whose names have, or mean, each of the words; the last one may be a word for any file."""
    said = [word for *_, word in latin_words(words) if word not in FILLERS - _DOCUMENTS]
    needed = said[:-1] if said and said[-1] in _DOCUMENTS else said
    if said and not needed:
        return [name for name, its in likely if said[-1] in its.latin | its.titled]
    if not needed or (len(needed) == 1 and needed[0] in VAGUE and not sure):
        return []
    fitting = {name: _least_fit(needed, its) for name, its in likely}
    meant = [name for name, fit in fitting.items() if fit > 1]
    if sure and len(needed) > 1 and not meant:  # "both parent meeting notes", of 家长会纪要
        return [name for name, fit in fitting.items() if fit]
    literal = [name for name in meant if fitting[name] > 2]
    return literal if len(literal) > 1 else meant  # a plural calls more than the one that has its word


def _least_fit(words: Sequence[str], its: NameWords) -> int:
    """How well the word fits that fits the name worst; the last may be a kind near the file's own."""
    *own, last = words
    return min([*(fit_of_word(word, its) for word in own), fit_of_word(last, its, 2 if own else 0)])


def _named_in_han(words: str, likely: Sequence[tuple[str, NameWords]], count: int) -> list[str]:
    """Where names in Chinese only mean the words, one of them fits better than the rest."""
    words = "表格" if words == "表" and count else words
    vague = words in VAGUE and not count
    fitting = [] if vague else [(name, its.han) for name, its in likely if fits_in_han(words, its)]
    loosely = any(han for _, han in fitting) and not any(words in han for _, han in fitting)
    if len(fitting) == count:
        return [name for name, _ in fitting]
    return [] if loosely else [name for name, han in fitting if words in han] or [name for name, _ in fitting]


def files_of_folders(text: str, library: Sequence[str], besides: Sequence[str]) -> Iterator[tuple[int, int, list[str]]]:
    """(start, end, the files) where a masked message names a folder of the library; `besides` are names of sets, which
    go before folders."""
    if not _folder_noun.search(text[:_LONGEST]):
        return
    for folder, names in _folders(library).items():
        start = -1 if folder in besides else text.find(folder, 0, _LONGEST)
        if (
            start >= 0
            and (noun := _folder_noun.match(text, start + len(folder)))
            and not _word_before.search(text[:start])
        ):
            yield start, noun.end(), names


def _folders(library: Sequence[str]) -> dict[str, list[str]]:
    """The files below each folder, by its path and by its own name, the longest first."""
    found: dict[str, dict[str, None]] = {}
    for name in library:
        parts = folded(normal(name)).split("/")[:-1]
        for place, part in enumerate(parts):
            for key in ("/".join(parts[: place + 1]), part):
                found.setdefault(key, {})[name] = None
    return {key: [*found[key]] for key in sorted(found, key=len, reverse=True) if key}
