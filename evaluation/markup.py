"""Text without Markdown's marks, so that it reads well; its words and code spans stay as they are."""

from __future__ import annotations

import re
from collections.abc import Callable

from text import CJK

ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|\s*\d{1,3}、\s*")
TABLE_ROW = re.compile(r"\s*\|")
_code_span = re.compile(r"(?<!`)`++[^`]++`++")
_strong_mark = re.compile(r"(?<!\*)\*\*(?!\*\*|\s)|(?<!_)__(?!__|\s)")  # four in a row hide something: 138****5566
_closing_mark = {
    mark: re.compile(rf"(?<=\S)(?<!{re.escape(mark[0])}){re.escape(mark)}(?!{re.escape(mark)})")
    for mark in ("**", "__")
}
_image = re.compile(r"!\[([^\]\[]{0,1000}+)\]\([^)(]{0,2000}+\)")
_link = re.compile(r"\[([^\]]{1,1000}+)\]\([^)(\s]{0,2000}+(?:\s[^)(]{0,1000}+)?\)")
_reference = re.compile(r"(?<!`)\[\^?\d{1,3}\](?!`)")  # a source's own references are not ours
_quoted = re.compile(r"^[^\S\n]*+(?:#{1,6}\s+|>\s?)+", re.MULTILINE)
_anchor = re.compile(r"\{\s*#[\w-]+\s*\}\s*$")  # of a heading
_chinese_line = re.compile(rf"(?<=[{CJK}，。；：、])[^\S\n]*+\n\s*+(?=[{CJK}\d])")
_emphasis = re.compile(r"(?<![A-Za-z0-9_*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![A-Za-z0-9_*])")
_tag = re.compile(r"</?[a-zA-Z][^<>\n]*+>")
_code_place = re.compile("\0")
_may_be_marked = re.compile(r"[]`*_<>#{\0\n]|\A\s*+[-+•\d]")  # all that `tidy` takes away
_space = re.compile(r"\s+")


def without_markup(text: str) -> str:
    """The sentence without Markdown's marks, so that it reads well; its words and code spans stay as they are."""
    if TABLE_ROW.match(text) or not _may_be_marked.search(text):
        return _space.sub(" ", text).strip()
    text = without_comments(text).replace("\0", "")
    if "[" in text:
        text = _reference.sub("", _link.sub(r"\1", _image.sub("", text)))
    if item := ITEM.match(text):
        text = text[item.end() :]
    text = _replaced("{", _anchor, _quoted.sub("", text))
    text = _replaced("\n", _chinese_line, text)
    code = iter(_code_span.findall(text) if "`" in text else ())
    text = _without_strong(_replaced("`", _code_span, text, "\0"))
    text = _replaced("<", _tag, _replaced("*", _emphasis, text, r"\1"))
    text = _replaced("\0", _code_place, text, lambda _: next(code))
    return _space.sub(" ", text).strip()


def _replaced(sign: str, pattern: re.Pattern[str], text: str, by: str | Callable[[re.Match[str]], str] = "") -> str:
    """The text with something else for what matches, all of which has a sign that most texts do not have."""
    return pattern.sub(by, text) if sign in text else text


def without_comments(text: str) -> str:
    """The text without what HTML hides; a comment that nothing ends is text, and so is all behind it."""
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts.append(text[at:start])
        at = end + 3
    return "".join([*parts, text[at:]])


def _without_strong(text: str) -> str:
    """The text without ** and __ around words. A mark that nothing closes is not looked for behind again."""
    parts: list[str] = []
    at = place = 0
    unclosed: set[str] = set()
    while found := _strong_mark.search(text, place):
        mark, place = found[0], found.start() + 1
        if mark not in unclosed and (closing := _closing_mark[mark].search(text, found.end() + 1)):
            parts += [text[at : found.start()], text[found.end() : closing.start()]]
            at = place = closing.end()
        else:
            unclosed.add(mark)
    return "".join([*parts, text[at:]])
