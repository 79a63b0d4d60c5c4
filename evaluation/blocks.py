"""The sentences of a hit with what they need to be read alone: the list's lead-in, the table's header, the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from evaluation.code_blocks import SCAFFOLD, code_and_text, fenced
from evaluation.record_lines import with_record_breaks
from printed_headings import printed_heading
from schema import Hit
from text import CJK, detect_language, sentences

_item = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|\s*\d{1,3}、\s*")
_BOLD_TITLE = r"\*\*([^*.。:：\n]{1,60})(?:([.。])\*\*|\*\*([.。]))"  # "**Winter fair.** It takes place …"
_run_in_title = re.compile(
    rf"\A(\s*(?:[-*+•]|\d{{1,3}}[.)])[ \t]+|\s*\d{{1,3}}、\s*){_BOLD_TITLE}\s*(?=\S)"
)  # of an item
_run_in_paragraph = re.compile(rf"^{_BOLD_TITLE}[ \t]*(?=\S)", re.MULTILINE)
_apart = re.compile(  # a table, or a line in bold that asks, however many sentences it has
    r"(?:^[ \t]*\|.*\n?)+|^[ \t]*(?:\*\*(?!\s)[^*\n]{1,300}[?？]\*\*|__(?!\s)[^_\n]{1,300}[?？]__)[ \t]*$", re.MULTILINE
)
_row = re.compile(r"\s*\|")
_rule_row = re.compile(r"[\s:|-]++\Z")
_no_text = re.compile(r"\s*+(?:[-*_=]{3,}+\s*+|<!--.*?-->\s*+|\W*+)\Z", re.DOTALL)
_stop = re.compile(r"(?<![。！？.!?；;：:])[。！？.!?；;：:]++\Z")
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
_space = re.compile(r"\s+")
_may_be_marked = re.compile(r"[]`*_<>#{\0\n]|\A\s*+[-+•\d]")  # all that `tidy` takes away
_chinese_end, _chinese_start = re.compile(f"[{CJK}。！？；，、：”）]"), re.compile(f"[{CJK}“（《]")
_chinese_last = re.compile(f"[{CJK}，、）」』”]")  # before a marker, that needs no space

MOST = 400  # units of the texts of an answer: 20,000 characters that say something are not as many

Kind = Literal["prose", "item", "row", "code"]


@dataclass(frozen=True)
class SourceUnit:
    """A sentence, list item, table row or code block of a hit; `hit` counts from 1."""

    hit: int
    kind: Kind
    text: str  # tidied; code as it stands, in a fence
    context: str  # what it stands under: heading path, lead-in, the table's header
    header: str = ""  # of a table; the lead-in of code
    group: str = ""  # the same for all items of a list or rows of a table
    bullet: str = "-"  # of a list item: "-", or its number
    answers: bool = True  # False for a question or a lead-in alone
    headings: tuple[str, ...] = ()  # all that it stands under, the outermost first

    def rendered(self, first: bool) -> str:
        """As it stands in the answer, marker included; a row brings its header where it is the first of its table."""
        if self.kind == "row":
            return (f"{self.header}\n" if first else "") + f"{self.text.rstrip(' |')} [{self.hit}] |"
        if self.kind == "code":
            return (f"{self._marked(self.header)}\n\n" if self.header else "") + f"{self.text}\n[{self.hit}]"
        parts = [self.text[start:end] for start, end in sentences(self.text)]
        return (f"{self.bullet} " if self.kind == "item" else "") + join_sentences(
            self._marked(sentence) for sentence in parts
        )

    def is_sentence(self, longest: int) -> bool:
        """Whether it is one that says something by itself, of at most so many characters, and no row and no code."""
        return self.answers and self.kind in ("prose", "item") and len(self.text) <= longest

    def under_heading(self) -> str:
        """As one claim, its heading before a colon: where a sentence ended there, it would be one without a marker."""
        heading = (self.headings or ("",))[-1].strip(" ?？.。!！:：")
        sentence = replace(self, kind="prose")
        return (sentence.headed(heading) if heading else sentence).rendered(first=True)

    def headed(self, heading: str) -> SourceUnit:
        """The same with a heading before it."""
        return replace(self, text=f"**{heading}**{'：' if detect_language(heading) == 'zh' else ': '}{self.text}")

    def _marked(self, sentence: str) -> str:
        stop = _stop.search(sentence)
        cut = stop.start() if stop else len(sentence)
        space = "" if _chinese_last.match(sentence[:cut].rstrip("*")[-1:]) else " "
        return f"{sentence[:cut]}{space}[{self.hit}]{sentence[cut:]}"


class _Level(NamedTuple):
    """One level of a nested list."""

    key: tuple[int, bool]  # indentation, numbered
    group: int
    lead: str


def units(number: int, hit: Hit, most: int = MOST) -> list[SourceUnit]:
    """The first `most` units of a hit in order. Headings, rules and comments are not among them; they are context."""
    path, lead, asked = " > ".join(hit.headings), "", ""
    titles = {*hit.headings, *(without_markup(heading) for heading in hit.headings)}
    groups = iter(range(len(hit.text) + 1))
    levels: list[_Level] = []
    opened = list(enumerate(map(without_markup, hit.headings), 1))  # ranks and titles; those of a hit are not told
    under = tuple(title for _, title in opened)
    found: list[SourceUnit] = []
    for kind, raw in _pieces(hit, titles):
        if len(found) >= most:
            return found[:most]
        if kind == "code":
            found.append(
                SourceUnit(number, "code", fenced(raw, hit), f"{path}\n{lead}", lead if _is_lead_in(lead) else "")
            )
            lead, levels = "", []
            continue
        if kind == "row":
            above = hit.headings[-1] if hit.headings and not found else ""  # of a table that began in a chunk before
            rows = _rows(number, raw, path, f"{number}.{next(groups)}", above)
            found += (replace(row, headings=under) for row in rows)
            lead, levels = "", []
            continue
        text = without_markup(_run_in_title.sub(_before_colon, raw) if kind == "item" else raw)
        if not text:
            continue
        if raw.lstrip().startswith("#"):
            path, lead, asked, levels = text, "", "", []
            rank = len(raw.lstrip()) - len(raw.lstrip().lstrip("#"))
            opened = [*(one for one in opened if one[0] < rank), (rank, text)]
            under = tuple(title for _, title in opened)
        elif kind == "prose":
            asked = text if text[-1] in "?？" else asked  # what comes behind it answers it
            context = path if text == asked else f"{path}\n{asked}".strip()
            found.append(SourceUnit(number, "prose", text, context, answers=_says_something(text), headings=under))
            lead, levels = text, []
        else:
            numbered = re.match(r"\s*\d{1,3}[.)]", raw)
            key = (len(raw) - len(raw.lstrip(" \t")), bool(numbered))
            known = key in [level.key for level in levels]
            while levels and levels[-1].key != key and (known or levels[-1].key[0] > key[0]):
                levels.pop()
            if not levels or levels[-1].key != key:
                if levels and not _stop.search(found[-1].text):  # the title of what stands under it
                    found[-1] = replace(found[-1], answers=False)
                levels.append(_Level(key, next(groups), lead))
            context = "\n".join([path, *dict.fromkeys(level.lead for level in levels)]).strip()
            group, bullet = f"{number}.{levels[-1].group}", numbered[0].strip() if numbered else "-"
            answers = text[-1] not in ":：?？"
            found.append(SourceUnit(number, "item", text, context, "", group, bullet, answers, under))
            lead = text
    return found[:most]


def _before_colon(titled: re.Match[str]) -> str:
    """A title that runs in is no sentence: it leads to those behind it."""
    *bullet, title, inside, outside = titled.groups()
    return f"{''.join(bullet)}{title}{'：' if (inside or outside) == '。' else ': '}"


def _says_something(text: str) -> bool:
    """And is no question, no lead-in and no row of a table's heads."""
    return text[-1] not in ":：?？" and text.count(" | ") < 2


def _is_lead_in(text: str) -> bool:
    return text.endswith((":", "："))


def _rows(number: int, table: str, path: str, group: str, above: str) -> Iterator[SourceUnit]:
    rows = [without_markup(row) for row in table.splitlines()[: MOST + 2]]
    named = len(rows) > 1 and bool(_rule_row.match(rows[1]))  # a chunk may begin within a table
    columns = max(len(re.findall(r"(?<!\\)\|", row)) - 1 for row in rows)
    known = f"| {above} |" if above.count("|") + 1 == columns else "|" + "   |" * columns
    header = f"{rows[0] if named else known}\n|{' --- |' * columns}"
    for row in rows[named:]:
        if not _rule_row.match(row):
            yield SourceUnit(number, "row", row, f"{path}\n{rows[0] if named else ''}".strip(), header, group)


# --- what a text is made of --------------------------------------------------------------------------------------


def _pieces(hit: Hit, titles: set[str]) -> Iterator[tuple[Kind, str]]:
    """Code, tables, list items with all that is said in them, and sentences, as they are written."""
    for is_code, block in code_and_text(hit.text):
        if is_code:
            yield "code", block
            continue
        lines = _with_marked_headings(block, titles, markdown=hit.origin.doc_type != "text")
        text = SCAFFOLD.sub("", _without_comments("".join(lines)))
        text = _run_in_paragraph.sub(_before_colon, "".join(with_record_breaks(text.splitlines(keepends=True))))
        position = 0
        for apart in [*_apart.finditer(text), None]:
            yield from _sentences_and_items(text[position : apart.start() if apart else len(text)])
            if apart:
                yield "row" if _row.match(apart[0]) else "prose", apart[0].strip()
                position = apart.end()


def _with_marked_headings(block: str, titles: set[str], markdown: bool) -> Iterator[str]:
    """Its lines. One of the titles that all of it stands under is left out, and any other heading that is told by its
    form has Markdown's mark."""
    lines = block.split("\n")
    for number, line in enumerate(lines):
        if line.strip() in titles:
            yield "\n"
        elif printed_heading(lines, number, markdown):
            yield f"\n# {line.strip()}\n"
        else:
            yield line + "\n"


def _sentences_and_items(text: str) -> Iterator[tuple[Kind, str]]:
    item = ""
    end = 0
    for first, last in sentences(text):
        raw = text[first:last]
        while first and text[first - 1] in " \t":  # its indentation
            first -= 1
        begins = _item.match(raw)  # an item
        if item and (begins or raw.startswith("#") or re.search(r"\n\s*\n", text[end:first])):
            yield "item", item
            item = ""
        end = last
        if item:
            item += " " + raw
        elif begins:
            item = text[first:last] if not first or text[first - 1] == "\n" else raw
        elif raw.startswith("# ") or (not _no_text.match(raw) and not _no_text.match(without_markup(raw))):
            yield "prose", raw
    if item:
        yield "item", item


def without_markup(text: str) -> str:
    """The sentence without Markdown's marks, so that it reads well; its words and code spans stay as they are."""
    if _row.match(text) or not _may_be_marked.search(text):
        return _space.sub(" ", text).strip()
    text = _without_comments(text).replace("\0", "")
    if "[" in text:
        text = _reference.sub("", _link.sub(r"\1", _image.sub("", text)))
    if item := _item.match(text):
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


def _without_comments(text: str) -> str:
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


def join_sentences(pieces: Iterable[str]) -> str:
    """Sentences in a row: a space between them, but none within Chinese text."""
    parts: list[str] = []
    for piece in pieces:
        if parts and parts[-1] and not (_chinese_end.search(parts[-1][-1]) and _chinese_start.match(piece)):
            parts.append(" ")
        parts.append(piece)
    return "".join(parts)
