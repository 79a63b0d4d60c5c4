"""The sentences of a hit with what they need to be read alone: the list's lead-in, the table's header, the code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from evaluation.chat_lines import without_times
from evaluation.code_blocks import SCAFFOLD, code_and_text, fenced
from evaluation.markup import ITEM, TABLE_ROW, without_comments, without_markup
from evaluation.mixed_questions import tells_and_asks
from evaluation.record_lines import with_record_breaks
from evaluation.run_in_titles import BOLD_TITLE, before_colon, titled_paragraphs
from evaluation.unmarked_questions import asks
from printed_headings import printed_heading
from schema import Hit
from text import CJK, detect_language, sentences

_run_in_title = re.compile(
    rf"\A(\s*(?:[-*+•]|\d{{1,3}}[.)])[ \t]+|\s*\d{{1,3}}、\s*){BOLD_TITLE}\s*(?=\S)"
)  # of an item
_apart = re.compile(  # a table, or a line in bold that asks, however many sentences it has
    r"(?:^[ \t]*\|.*\n?)+|^[ \t]*(?:\*\*(?!\s)[^*\n]{1,300}[?？]\*\*|__(?!\s)[^_\n]{1,300}[?？]__)[ \t]*$", re.MULTILINE
)
_rule_row = re.compile(r"[\s:|-]++\Z")
_no_text = re.compile(r"\s*+(?:[-*_=]{3,}+\s*+|<!--.*?-->\s*+|\W*+)\Z", re.DOTALL)
_stop = re.compile(r"(?<![。！？.!?；;：:])[。！？.!?；;：:]++\Z")

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
    run_in: bool = False  # whether the last of them is a title that runs in: only the first sentence of those has it

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
        """The same with a heading before it, where it does not begin with that."""
        if self.text.startswith((f"{heading}:", f"{heading}：")):
            return self
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
    path, lead, asked, run_in = " > ".join(hit.headings), "", "", ""
    titles = {*hit.headings, *(without_markup(heading) for heading in hit.headings)}
    groups = iter(range(len(hit.text) + 1))
    levels: list[_Level] = []
    opened = list(enumerate(map(without_markup, hit.headings), 1))  # ranks and titles; those of a hit are not told
    under = tuple(title for _, title in opened)
    found: list[SourceUnit] = []
    for kind, raw in _pieces(hit, titles):
        if len(found) >= most:
            return found[:most]
        if kind == "title":
            run_in = raw
            continue
        if kind == "code":
            header = lead if _is_lead_in(lead) else ""
            found.append(SourceUnit(number, "code", fenced(raw, hit), f"{path}\n{lead}", header))
            lead, levels = "", []
            continue
        if kind == "row":
            above = hit.headings[-1] if hit.headings and not found else ""  # of a table that began in a chunk before
            rows = _rows(number, raw, path, f"{number}.{next(groups)}", above)
            found += (replace(row, headings=under) for row in rows)
            lead, levels = "", []
            continue
        text = without_markup(_run_in_title.sub(before_colon, raw) if kind == "item" else raw)
        if not text:
            continue
        if raw.lstrip().startswith("#"):
            path, lead, asked, levels = text, "", "", []
            rank = len(raw.lstrip()) - len(raw.lstrip().lstrip("#"))
            opened = [*(one for one in opened if one[0] < rank), (rank, text)]
            under = tuple(title for _, title in opened)
        elif kind == "prose":
            if asks(text):  # what comes behind it answers it, and the question right before it
                again = bool(asked) and found and found[-1].text == asked
                asked = f"{asked} {text}" if again else text
            over, titled = (f"{path} > {run_in}".removeprefix(" > "), (*under, run_in)) if run_in else (path, under)
            context = over if text == asked else f"{over}\n{asked}".strip()
            found.append(
                SourceUnit(number, "prose", text, context, "", "", "-", _says_something(text), titled, bool(run_in))
            )
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


def _says_something(text: str) -> bool:
    """And is no question, no lead-in and no row of a table's heads."""
    asked = text[-1] in ":：" or asks(text)
    return (not asked or tells_and_asks(text)) and text.count(" | ") < 2


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


def _pieces(hit: Hit, titles: set[str]) -> Iterator[tuple[Kind | Literal["title"], str]]:
    """Code, tables, list items with all that is said in them, and sentences, as they are written; and before each
    paragraph the title that runs in, "" for none."""
    for is_code, block in code_and_text(hit.text):
        if is_code:
            yield "code", block
            continue
        lines = _with_marked_headings(block, titles, markdown=hit.origin.doc_type != "text")
        text = without_times(SCAFFOLD.sub("", without_comments("".join(lines))))
        text = "".join(with_record_breaks(text.splitlines(keepends=True)))
        position = 0
        for apart in [*_apart.finditer(text), None]:
            for title, paragraph in titled_paragraphs(text[position : apart.start() if apart else len(text)]):
                yield "title", title
                yield from _sentences_and_items(paragraph)
            if apart:
                yield "row" if TABLE_ROW.match(apart[0]) else "prose", apart[0].strip()
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
        begins = ITEM.match(raw)  # an item
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


def join_sentences(pieces: Iterable[str]) -> str:
    """Sentences in a row: a space between them, but none within Chinese text."""
    parts: list[str] = []
    for piece in pieces:
        if parts and parts[-1] and not (_chinese_end.search(parts[-1][-1]) and _chinese_start.match(piece)):
            parts.append(" ")
        parts.append(piece)
    return "".join(parts)
