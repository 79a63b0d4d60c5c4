"""All stored files of one type, called by it: "only the PDFs", "in the Word documents", 只看表格, md文件里.

The type alone is no name: it must stand where a place to look is named, or left out. "How do I merge PDFs" and
表格怎么画 are about such files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from planning.terms import EXCEPT_ZH

_LONGEST = 2_000  # characters in which they are looked for
_MOST = 8  # stretches that are looked at
_BEFORE = 40
_TYPES = (  # endings, and what several files with them are called in English and in Chinese
    ("pdf", "pdfs", "pdf"),
    ("docx doc", "word (?:documents|docs|files)", "word"),
    (
        "xlsx xls csv tsv ods",
        "spreadsheets|(?:excel|spreadsheet) (?:files|sheets|tables)|workbooks",
        "excel|电子表格|表格",
    ),
    ("pptx ppt odp", "slides|(?:slide ?)?decks|presentations|powerpoints|powerpoint files", "ppt|幻灯片|演示文稿"),
    ("csv", "csvs|csv files", "csv"),
    ("md markdown", "(?:md|markdown) (?:files|documents|docs|notes)", "md|markdown"),
    ("txt", "(?:txt|text) files", "txt|文本文件"),
    ("html htm", "html (?:files|pages)", "html"),
    ("eml msg", "e-?mails", "邮件"),
)
_english = "|".join(english for _, english, _ in _TYPES)
_en = re.compile(rf"(?<![a-z])(?:(?:all|the|my|our|of|those|these) ){{0,3}}(?P<type>{_english})(?![a-z])")
_zh = re.compile(
    rf"(?:所有的?|全部的?|那些|这些)?(?P<type>(?<![a-z]){'|(?<![a-z])'.join(zh for *_, zh in _TYPES)})"
    r"(?![a-z])\s?(?:格式的?)?(?:文件|文档|表格?|资料|课件)?"
)
_where = re.compile(
    r"(?:(?P<begins>^|[.;:?!(]\s?)|(?<![a-z]))(?:please |and |but |so |can you |could you )?(?:(?P<only>only|just)"
    r"|in|from|within|through|across|(?:search|check|look|limited|limit|stick|keep)(?: it| this)?(?: in| at| through"
    r"| to)?|according to|per|except(?: for| in)?|excluding|but(?: not)?(?: in)?|skip(?:ping)?|ignor(?:e|ing)"
    r"|leav(?:e|ing) out|leave|not(?: in)?|without|apart from|aside from|other than|besides|omit|exclude"
    r"|don'?t (?:look|search|check)(?: in| at)?)(?: only| just)?\s$"
)
_begins = re.compile(r"(?:^|[,.;:?!(]\s?)$")
_stops = re.compile(r"(?: (?:please|pls|for|about))?\s?(?:[:;,.?!)–—]| - |$)| (?:please|for|about)(?![a-z])")
_alone = re.compile(r"(?: please| pls)?\s?(?:only|alone|exclusively|out of it|aside)(?![a-z])")
_colon = re.compile(r"(?: (?:please|pls|only|alone))?\s?(?::|[–—]| - )")
_placed_zh = re.compile("(?:[只仅单光就](?:在|看|查|搜|用|翻|从)|[在从][这那]?|[只仅])(?:所有的?)?$")
_left_out_zh = re.compile(
    rf"(?:{EXCEPT_ZH}|不[要用]?[看查搜翻管算含]|别[看查搜翻管]|排除掉?|跳过|略过|忽略|去掉|不包括)$"
)
_within_zh = re.compile(
    r"\s?(?:(?:里面?|里头|中(?!心|国)|当中)(?!\s?(?:怎么|如何|咋)(?![说写讲算规定描]))|(?:以|之)?外"
    r"|(?:都|就)?(?:不[用要]?|别)[看查搜翻管])"
)
_says_zh = re.compile(r"\s?(?:[,:]|$)")


def called_by_type(text: str, library: Sequence[str]) -> Iterator[tuple[int, int, list[str]]]:
    """(start, end, the files) of each such stretch of a masked message."""
    text = text[:_LONGEST]
    for found in islice(_en.finditer(text), _MOST):
        before, after = text[max(0, found.start() - _BEFORE) : found.start()], text[found.end() : found.end() + 20]
        where, owned = _where.search(before), found.start("type") > found.start()
        placed = where and (owned or where["begins"] is not None) and (not where["only"] or _stops.match(after))
        if placed or (_begins.search(before) and (_alone.match(after) or _colon.match(after))):
            yield from _files(found, found["type"], library)
    for found in islice(_zh.finditer(text), _MOST):
        before, after = text[max(0, found.start() - 8) : found.start()], text[found.end() : found.end() + 8]
        placed = bool(_placed_zh.search(before) or _left_out_zh.search(before))
        begins = not before or before[-1:] in ",。;:?!"
        if (_within_zh.match(after) and (placed or begins)) or (placed and _says_zh.match(after)):
            yield from _files(found, found["type"], library)


def _files(found: re.Match[str], said: str, library: Sequence[str]) -> Iterator[tuple[int, int, list[str]]]:
    """The files of the type, where not all are."""
    endings = next(endings for endings, en, zh in _TYPES if re.fullmatch(f"{en}|{zh}", said))
    names = [name for name in library if name.lower().rpartition(".")[2] in endings.split()]
    if names and len(names) < len(library):
        yield found.start(), found.end(), names
