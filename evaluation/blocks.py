"""The sentences of a hit with what they need to be read alone: the list's lead-in, the table's header, the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from schema import Hit
from text import CJK, sentences

_fence = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1[^\n]*(?:\n|\Z)|\Z)", re.MULTILINE | re.DOTALL)
_item = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|\s*\d{1,3}、\s*")
_row = re.compile(r"\s*\|")
_rule_row = re.compile(r"\s*\|?[\s:|-]+\|?\s*\Z")
_no_text = re.compile(r"\s*(?:[-*_=]{3,}|<!--.*?-->|[^\w]*)\s*\Z", re.DOTALL)
_stop = re.compile(r"[。！？.!?；;]+\Z")


Kind = Literal["prose", "item", "row", "code"]


@dataclass(frozen=True)
class Unit:
    """A sentence, list item, table row or code block of a hit; `hit` counts from 1."""

    hit: int
    kind: Kind
    text: str  # tidied
    context: str  # what it stands under: heading path, lead-in, the table's header
    header: str = ""  # of a table
    group: str = ""  # the same for all items of a list or rows of a table
    bullet: str = "-"  # of a list item: "-", or its number
    answers: bool = True  # False for a question or a lead-in alone

    def rendered(self, first: bool) -> str:
        """As it stands in the answer, marker included; a row brings its header where it is the first of its table."""
        if self.kind == "row":
            return (f"{self.header}\n" if first and self.header else "") + f"{self.text.rstrip(' |')} [{self.hit}] |"
        if self.kind == "code":
            return f"{self.header} [{self.hit}]\n\n{self.text}" if self.header else f"{self.text}\n[{self.hit}]"
        said = [self.text[start:end] for start, end in sentences(self.text)]
        return (f"{self.bullet} " if self.kind == "item" else "") + " ".join(
            self._marked(sentence) for sentence in said
        )

    def _marked(self, sentence: str) -> str:
        stop = _stop.search(sentence)
        cut = stop.start() if stop else len(sentence)
        space = "" if re.search(f"[{CJK}，、）」』”]\\Z", sentence[:cut]) else " "
        return f"{sentence[:cut]}{space}[{self.hit}]{sentence[cut:]}"


def units(number: int, hit: Hit) -> Iterator[Unit]:
    """The units of a hit in order. Headings, rules and comments are not among them; they are context."""
    path = " > ".join(hit.headings)
    lead, header, group = "", "", 0
    kind: Kind | None = None
    position = 0
    for block in [*_fence.finditer(hit.text), None]:
        for start, end in sentences(hit.text[position : block.start() if block else len(hit.text)]):
            raw = hit.text[position + start : position + end]
            text = tidy(raw)
            if _rule_row.match(raw) or _no_text.match(text):
                continue
            if raw.lstrip().startswith("#"):
                path, lead = text, ""
                continue
            before, kind = kind, "row" if _row.match(raw) else "item" if _item.match(raw) else "prose"
            if kind != before:
                group += 1
                header = ""
            if kind == "row" and not header:
                columns = raw.count("|") - 1
                header = f"{raw.strip()}\n|{' --- |' * columns}"
                continue
            context = f"{path}\n{lead if kind == 'item' else ''}\n{tidy(header)}".strip()
            name = f"{number}.{group}" if kind in {"item", "row"} else ""
            numbered = re.match(r"\s*\d{1,3}[.)]", raw)
            bullet = numbered[0].strip() if numbered else "-"
            yield Unit(number, kind, text, context, header, name, bullet, text[-1] not in ":：?？")
            if kind == "prose":
                lead = text
        if block:
            kind = "code"
            yield Unit(number, "code", block[0].strip("\n"), f"{path}\n{lead}", lead)
            position = block.end()


def tidy(text: str) -> str:
    """The sentence without Markdown's marks, so that it reads well; its words stay as they are."""
    if _row.match(text):
        return re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]+)\]\([^)\s]*(?:\s[^)]*)?\)", r"\1", text)
    text = re.sub(r"(?<!`)\[\^?\d{1,3}\](?!`)", "", text)  # a source's own references are not ours
    text = _item.sub("", text, count=1) if _item.match(text) else text
    text = re.sub(r"^\s*(?:#{1,6}\s+|>\s?)+", "", text, flags=re.MULTILINE)
    text = re.sub(r"\{\s*#[\w-]+\s*\}\s*$", "", text)  # a heading's anchor
    text = re.sub(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", text, flags=re.DOTALL)
    text = re.sub(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])", r"\1", text)
    text = re.sub(r"</?[a-zA-Z][^>\n]*>", "", text)
    text = re.sub(rf"(?<=[{CJK}，。；：、])\s*\n\s*(?=[{CJK}])", "", text)
    return re.sub(r"\s+", " ", text).strip()
