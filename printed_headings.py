"""Headings that are told by their form alone: 第一章, 一、, 1.1, "2. Freezing", ARTICLE IV, OPENING HOURS, **bold**,
and the day over an entry of a diary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple


class _HeadingForm(NamedTuple):
    """A line of this form is a heading where it is short, ends without punctuation, and neither neighbour has the same
    form, which would make it an item of a list."""

    rank: float  # a lower one stands above a higher one; 1 to 6 are those of Markdown's marks
    pattern: re.Pattern[str]
    apart: bool = False  # needs a blank line above: it looks like the middle of a paragraph
    plain: bool = False  # of plain text alone: in Markdown, whose headings have marks, it is an item, or shouted words
    tight: bool = False  # its text begins in the next line: the date of a letter stands alone


_DIVISION = r"(?:[IVXLC]{1,7}|\d{1,3}(?:\.\d{1,2}){0,2}|[A-Z])(?=[\s.:–—-]|$)"
# A line that begins so is a step of instructions: "2. Restart the proxy", 3. 点击提交.
_INSTRUCTS = (
    "(?:add|apply|attach|build|call|change|check|choose|clean|click|close|configure|connect|copy|create|cut|define"
    "|delete|disable|download|drag|edit|enable|enter|export|fill|find|follow|generate|get|give|go|import|insert|install"
    "|keep|launch|let|log|make|mix|move|navigate|open|paste|pick|place|plug|press|pull|push|put|read|remove|rename"
    "|repeat|replace|restart|review|run|save|scan|select|send|set|sign|start|stop|submit|switch|take|tap|test|turn|type"
    r"|unplug|unzip|update|upload|use|verify|wait|write)\s(?!of\b)|打开|点击|单击|双击|选择|选中|勾选|安装|下载|创建|新建"
    "|填写|提交|登录|进入|输入|运行|执行|启动|重启|配置|设置|检查|复制|粘贴|上传|确认|准备|等待|添加|删除|拔|插|按|将|把"
)
_MONTH = (
    "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    "|Nov(?:ember)?|Dec(?:ember)?)"
)
_WEEKDAY = "(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|周[一二三四五六日天]|星期[一二三四五六日天])"
_NUMBER = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s\d{4})?"
_DAY = (  # as an entry of a diary begins, its weather included
    rf"(?:(?:{_WEEKDAY},?\s*)?(?:{_NUMBER}\.?\s{_MONTH}{_YEAR}|{_MONTH}\.?\s{_NUMBER}{_YEAR}"
    r"|\d{4}[-./]\d{1,2}[-./]\d{1,2}|(?:\d{4}\s?年)?\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号])"
    rf"(?:[,，]?\s*[（(]?{_WEEKDAY}[)）]?)?|{_WEEKDAY})(?:\s+[晴阴多雨雪雾][一-鿿]{{0,3}})?$"
)
_FORMS = (
    _HeadingForm(7, re.compile(r"第[一二三四五六七八九十百零〇两\d]+(?:编|部分|篇|卷)(?=\s|[:：]|$)")),
    _HeadingForm(8, re.compile(r"第[一二三四五六七八九十百零〇两\d]+章")),
    _HeadingForm(9, re.compile(r"第[一二三四五六七八九十百零〇两\d]+节(?!课)")),
    _HeadingForm(10, re.compile(r"第[一二三四五六七八九十百零〇两\d]+条(?=\s|$)")),
    _HeadingForm(11, re.compile(r"[一二三四五六七八九十百]+、")),
    _HeadingForm(12, re.compile(r"[（(][一二三四五六七八九十百]+[）)]")),
    _HeadingForm(12.2, re.compile(r"\d{1,2}\.\d{1,2}(?=\s)"), apart=True),
    _HeadingForm(12.3, re.compile(r"\d{1,2}\.\d{1,2}\.\d{1,2}(?=\s)"), apart=True),
    _HeadingForm(13, re.compile(r"\d{1,3}[.、．)]\s*(?:\*\*[^*]+\*\*|__[^_]+__)[:：]?$")),
    _HeadingForm(14, re.compile(r"(?:\*\*[^*]+\*\*|__[^_]+__)[:：]?$"), apart=True),
    _HeadingForm(7, re.compile(rf"(?:PART|Part)\s{_DIVISION}"), True, True),
    _HeadingForm(8, re.compile(rf"(?:CHAPTER|Chapter)\s{_DIVISION}"), True, True),
    _HeadingForm(9, re.compile(rf"(?:ARTICLE|Article|APPENDIX|Appendix)\s{_DIVISION}"), True, True),
    _HeadingForm(10, re.compile(rf"(?:SECTION|Section)\s{_DIVISION}"), True, True),
    _HeadingForm(11.5, re.compile(r"(?=(?:[^A-Z]*+[A-Z]){4})[A-Z\d][A-Z\d ,&/'’()–-]*+$"), True, True),
    _HeadingForm(12.05, re.compile(_DAY), True, True, True),
    _HeadingForm(12.1, re.compile(rf"\d{{1,2}}[.)、．]\s*(?=[^\W\d_])(?!{_INSTRUCTS})", re.IGNORECASE), True, True),
)

_date = r"\d{4}(?:[-./]\d{1,2}[-./]\d{1,2}|年\d{1,2}月(?:\d{1,2}日)?)"
_release = re.compile(
    rf"\W*+(?:version |release |版本\s*)?v?\d+(?:\.\d+){{1,3}}(?:[-.]?(?:rc|beta|alpha|a|b|post|dev)[-.]?\d*)?"
    rf"\W*+(?:{_date}\W*+)?",
    re.IGNORECASE,
)

_LONGEST, _LONGEST_PLAIN = 40, 60  # characters; columns, of which one of Chinese takes two
_start = re.compile(r" {0,3}[第一二三四五六七八九十百（(\d*_A-Z周星]")
_SENTENCE_ENDS = (*"。！？；，、,;.!?",)
_within_sentence = re.compile(r"[。！？：|]")
_goes_on = re.compile(r"\s|[a-z]|```|~~~")  # a line that was broken, or what belongs to an item
_anchor = re.compile(r"(?<!\s)\s*+\{\s*+[#.][^{}]*+\}$")
_link = re.compile(r"!?\[([^\[\]]*+)\]\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)")


def printed_heading(lines: Sequence[str], number: int, markdown: bool) -> tuple[float, str] | None:
    """The rank and the words of the heading that stands in a line; None where none does."""
    form = _form_of(lines[number], markdown)
    if form is None or (form.apart and number and lines[number - 1].strip()):
        return None
    before = next((n for n in range(number - 1, max(-1, number - 3), -1) if lines[n].strip()), None)
    after = next((n for n in range(number + 1, min(len(lines), number + 4)) if lines[n].strip()), None)
    if after is None or any(_form_of(lines[n], markdown) is form for n in (before, after) if n is not None):
        return None
    if (form.plain and _goes_on.match(lines[after])) or (form.tight and after > number + 1):
        return None
    return form.rank, heading_words(lines[number])


def heading_words(line: str) -> str:
    """A heading's words: no emphasis, links, anchors or closing marks."""
    line = _link.sub(r"\1", _anchor.sub("", line.strip()))
    return re.sub(r"\*\*|__|`", "", line).strip().rstrip(":：").strip(" \t*")


def _form_of(line: str, markdown: bool) -> _HeadingForm | None:
    if len(line) > 2 * _LONGEST or not _start.match(line):
        return None
    line = line.strip()
    bare = line.rstrip(":：")
    if bare.rstrip("*_").endswith(_SENTENCE_ENDS) or _within_sentence.search(bare):
        return None
    narrow = len(bare) <= _LONGEST_PLAIN // 2 or sum(2 if mark > "\u2e80" else 1 for mark in bare) <= _LONGEST_PLAIN
    forms, pattern = _forms(len(bare) <= _LONGEST, plain=narrow and not markdown)
    found = pattern.match(line)
    return forms[found.lastindex - 1] if found and found.lastindex else None


@cache
def _forms(short: bool, plain: bool) -> tuple[Sequence[_HeadingForm], re.Pattern[str]]:
    """Those that a line may have, and an expression with a group for each: one look at a line instead of sixteen."""
    forms = [form for form in _FORMS if (plain if form.plain else short)]
    cases = ("i" if form.pattern.flags & re.IGNORECASE else "" for form in forms)
    return forms, re.compile(
        "|".join(f"((?{case}:{form.pattern.pattern}))" for case, form in zip(cases, forms, strict=True)) or r"(?!)"
    )


def names_release(title: str) -> bool:
    """True for a heading that is nothing but a version, perhaps with its date."""
    return _release.fullmatch(title) is not None
