"""Names in texts of two languages, found by rules: of people, places, works, terms. What a text says and is about."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, groupby
from pathlib import PurePath
from typing import NamedTuple

from schema import Chunk, Document
from text import CJK, FUNCTION_WORDS_ZH, HAN, STOP_WORDS, fold

_LONGEST = 60  # characters of a name
_LOOKED_AT = 200  # characters of what may hold one, with marks and words that are no part of it
_WORDS = 8  # of a name
_LEADING = 3  # chunks of a section that are its names' homes: its beginning says what they are
_CELL = 24  # characters of a first cell that can be a term


class ChunkNames(NamedTuple):
    """The names of a chunk, folded, each once, in order: those it is about are none of the others."""

    about: tuple[str, ...] = ()
    says: tuple[str, ...] = ()


class NamePlace(NamedTuple):
    """A chunk in which a name stands."""

    chunk_id: int
    home: bool  # the chunk is about what has the name, and does not only say it


class ConnectedName(NamedTuple):
    """A name that is asked about, or stands in several chunks of a library."""

    name: str
    chunks: int
    home: int  # a chunk that is about it
    asked: int = 0  # how often a question had it


def names_of(document: Document, chunks: Sequence[Chunk]) -> list[ChunkNames]:
    """Of each chunk of a document. A chunk is about what its section, or a definition in it, is called; the first one
    about the document as well."""
    lower = frozenset(_lower_word.findall(document.text))
    called: list[list[str]] = [[*_heading_line.findall(chunk.text), *_defined(chunk.text)] for chunk in chunks]
    for headings, group in groupby(range(len(chunks)), key=lambda place: chunks[place].headings):
        for place in list(group)[:_LEADING]:
            called[place] += headings[-1:]
    if chunks:
        called[0].append(_title(document.name))
    homes = [set(chain.from_iterable(map(_heading_names, some))) for some in called]
    return [
        ChunkNames(tuple(sorted(about)), tuple(name for name in said(chunk.text, lower) if name not in about))
        for chunk, about in zip(chunks, homes, strict=True)
    ]


def said(text: str, lower: frozenset[str] = frozenset()) -> list[str]:
    """The names that a text says, each once, in order. A single word that begins a sentence is none where its document
    has it in lower case, which `lower` tells."""
    text = fold(text)
    found = [*_capitalised(text, lower)]
    if _han_run.search(text):
        found += [*_quoted(text), *_tagged(text)]
    return [*dict.fromkeys(name for name in map(_bare, dict.fromkeys(found)) if name)]


def folded(name: str) -> str:
    """The form in which names are compared; "" for what is none."""
    return _bare(fold(name))


@lru_cache(20_000)  # a name that one chunk says, the next ones say too
def _bare(name: str) -> str:
    """Of what is folded already."""
    name = " ".join(name.split()).strip(_EDGES)
    name = _article.sub("", _possessive.sub("", name)).casefold() + ")" * ("(" in name and ")" not in name)
    if not 2 <= len(name) <= _LONGEST or name.count(" ") >= _WORDS:
        return ""
    if all(word in _CALENDAR or not _letter.search(word) for word in name.replace(",", " ").split()):
        return ""
    return "" if name in STOP_WORDS or name in FUNCTION_WORDS_ZH else name


_EDGES = " \t.,;:!?'\"*_`~#()[]{}<>-–—/|&·。，、；：！？“”‘’（）【】「」『』《》…"
_article = re.compile(r"^(?:the|an?) (?=\S)", re.IGNORECASE)
_possessive = re.compile(r"['’]s?$")
_letter = re.compile(rf"[^\W\d_]|[{CJK}]")
_CALENDAR = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday bc ad am pm""".split()
)

# --- what a text says ----------------------------------------------------------------------------------------------

# Both begin with a letter and look behind it then: most places are passed over without a look.
_lower_word = re.compile(r"[a-z](?<!\w.)[a-z]++(?!\w)")
_after_capital = rf"(?:\.(?:[A-Z]\.)*+|[A-Za-z\d]*+(?:[^\W_{CJK}]|[&'’-](?=[^\W_{CJK}]))*+)"
_join = r"[ ](?:(?:of|and|de|von|van|la|del|di|for)[ ](?:the[ ])?)?"
_run = re.compile(rf"[A-Z](?<![\w{CJK}].){_after_capital}(?:{_join}[A-Z]{_after_capital}|[ ]\d{{1,4}}\b)*")
_and = re.compile(r" and (?:the )?")
_sentence_start = re.compile(r"(?:^|[.!?:;\"”)\]*#>|•-])\s*$")


def _capitalised(text: str, lower: frozenset[str]) -> Iterator[str]:
    """Runs of capitalised words, joined over "of" and the like; of those joined by "and" also the parts."""
    for run in _run.finditer(text):
        name = run[0]
        if len(name) > _LOOKED_AT:
            continue
        while (parts := name.split(" ", 1))[0].lower() in STOP_WORDS and len(parts) > 1:
            name = parts[1]
        may_be_word = " " not in name and name.lower() in lower
        if may_be_word and _sentence_start.search(text, max(0, run.start() - 3), run.start()):
            continue
        yield name
        if len(parts := _and.split(name)) > 1:
            yield from parts


_han_run = re.compile(f"[{HAN}]")
_quotes = re.compile("《([^《》\n]{1,30})》|「([^「」\n]{2,20})」|『([^『』\n]{2,20})』|“([^“”\n]{2,20})”")
_SUFFIXES = frozenset(
    """省 市 县 区 镇 乡 村 州 岛 山 峰 河 江 湖 海 湾 港 桥 路 街 寺 塔 宫 大学 学院 中学 小学 公司 集团
    银行 医院 博物馆 图书馆 研究所 研究院 协会 学会 基金会 委员会 出版社 工厂 车站 机场 铁路 奖 节 战役
    条约 制度 办法 条例 系统 计划 工程""".split()
)
_NAMES = ("nr", "ns", "nt", "nz")
_NOUNS = ("n", "j", "vn", "an", "b", "eng")
_JOINED = 4  # words of a name


def _quoted(text: str) -> Iterator[str]:
    for found in _quotes.finditer(text):
        yield next(filter(None, found.groups()))


def _tagged(text: str) -> Iterator[str]:
    """What the tagger takes for a name, alone and together with the nouns behind it; and nouns up to a word such as
    镇 or 大学, which a name of a place or an institution ends with."""
    import rjieba

    words: list[tuple[str, bool]] = []  # of the run of names and nouns that goes on
    for word, tag in [*rjieba.tag(text), ("", "x")]:
        is_name = _is_name(tag)
        if is_name is not None and _letter.search(word):
            words.append((word, is_name))
        elif words:
            yield from _in_run(words)
            words = []


@cache
def _is_name(tag: str) -> bool | None:
    """Whether words with this tag are names; None for what is no noun either."""
    return tag.startswith(_NAMES) if tag.startswith((*_NAMES, *_NOUNS)) else None


def _in_run(words: Sequence[tuple[str, bool]]) -> Iterator[str]:
    for first, (word, is_name) in enumerate(words):
        if is_name and len(word) > 1:
            yield word
        for last in range(first + 1, min(first + _JOINED, len(words))):
            if words[last][0] in _SUFFIXES or (is_name and last == first + 1):
                yield "".join(one for one, _ in words[first : last + 1])


# --- what a text is about ------------------------------------------------------------------------------------------

_heading_line = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_numbering = re.compile(
    r"^(?:第[\d〇零一二三四五六七八九十百]+[章节条篇部]|\d+(?:\.\d+)+\.?"
    r"|[（(]?[\d一二三四五六七八九十]{1,3}[)）.、．])[ \t]*"
)
_markup = re.compile(r"\[([^\]]{0,200})\]\([^)]{0,500}\)|[*_`]+|\{[^}]{0,200}\}|(?<!#)#++[ \t]*+$")
_aside = re.compile(r"(?<![ ])[ ]*[（(][^（）()]{0,200}[)）][ ]*+$")
_rule = re.compile(r"[:-]+")
_term = re.compile(r"^[ \t]*(?:[-*][ \t]+)?(?:\*\*|__)([^*_\n]{2,40}?)[:：]?(?:\*\*|__)[ \t]*[:：—–-]", re.MULTILINE)


def heading_name(heading: str) -> str:
    """What a section of this heading is called; "" where that is no name."""
    return next(iter(_heading_names(heading)), "")


def document_name(name: str) -> str:
    """What a document of this name is called; "" where that is no name."""
    return heading_name(_title(name))


def _title(name: str) -> str:
    return PurePath(name).stem.replace("_", " ")


@lru_cache(4_096)  # a heading stands over several chunks, and in the first of them
def _heading_names(heading: str) -> tuple[str, ...]:
    """A heading without its number and marks; where it ends in brackets, also without them."""
    if "|" in heading or len(heading) > _LOOKED_AT:  # the header of a table; a paragraph
        return ()
    bare = _numbering.sub("", _markup.sub(lambda found: found[1] or "", heading).strip())
    names = dict.fromkeys((folded(bare), folded(_aside.sub("", bare))))
    return tuple(name for name in names if name and sum(map(str.isdigit, name)) <= len(name) // 2)


def _defined(text: str) -> Iterator[str]:
    """The first column of a table, below its header, and terms in bold with what they mean behind them."""
    rows = (line.strip() for line in text.split("\n"))
    cells = [row.split("|", 2)[1].strip() for row in rows if row.startswith("|") and row.count("|") > 2]
    ruled = next((place for place, cell in enumerate(cells) if _rule.fullmatch(cell)), None)
    terms = cells[ruled + 1 :] if ruled is not None else []
    yield from (cell for cell in terms if len(cell) <= _CELL)
    yield from _term.findall(text)


# --- what a text may name --------------------------------------------------------------------------------------

_stretch = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<words>[^{CJK}]+)")
_MOST_WORDS = 4  # of a name that is looked up


def possible_names(text: str) -> list[str]:
    """Every run of a few words that could be a name which a library knows, folded, each once, in order."""
    import rjieba

    found: dict[str, None] = {}
    for stretch in _stretch.finditer(fold(text)):
        is_cjk = stretch.lastgroup == "cjk"
        words = rjieba.cut(stretch[0]) if is_cjk else stretch[0].split()
        empty = FUNCTION_WORDS_ZH if is_cjk else STOP_WORDS
        ends = [place + 1 for place, word in enumerate(words) if word.lower() not in empty]
        for first in range(len(words)):
            if is_cjk and words[first] in empty:
                continue
            for last in (end for end in ends[bisect_right(ends, first) :][:_MOST_WORDS] if end - first <= _MOST_WORDS):
                if name := _bare(("" if is_cjk else " ").join(words[first:last])):
                    found[name] = None
    return list(found)
