"""Rich Text Format as Markdown: paragraphs, headings, tables, notes. Hidden and deleted text and pictures stay out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from ingestion.readers.base import ReaderResult, damaged, untrusted
from ingestion.readers.office import cell_text, table
from ingestion.readers.rtf_words import CHARSETS, PAGES, SKIPPED, SYMBOLS

_token = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n\0]+|([^\\{}\r\n\0]+)"
)
_MOST_DEPTH = 1_000
_heading = re.compile(r"(?:heading|标题)\s*([1-9])", re.IGNORECASE)
_INFO = {"title": "title", "author": "author", "subject": "subject", "keywords": "keywords"}


@dataclass(frozen=True, slots=True)
class _RtfGroup:
    """What holds up to the next closing brace."""

    where: str = "text"  # "text", "skip", "fonts", "styles", "note", or a key of the metadata
    blanks: int = 1  # characters that stand for one that follows "\\u"
    font: int = -1
    hidden: bool = False
    starred: bool = False  # "\\*": a destination that who does not know it must skip
    opens: bool = False  # nothing has come in it yet


@dataclass(slots=True)
class _Style:
    name: str = ""
    level: int = 0


@dataclass(slots=True)
class _Paragraph:
    style: int = 0
    level: int = 0
    in_table: bool = False
    texts: list[str] = field(default_factory=list)


@untrusted
def read_rtf(name: str, data: bytes) -> ReaderResult:
    """There are no pages in the file: what a citation shows is the section and the line."""
    document = _Document(name)
    document.read(data.decode("latin-1"))
    return ReaderResult(document.markdown(), "markdown", "rtf", document.metadata)


class _Document:
    def __init__(self, name: str) -> None:
        self.metadata: dict[str, Any] = {}
        self._name = name
        self._group = _RtfGroup()
        self._stack: list[_RtfGroup] = []
        self._page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font = self._default_font = -1  # the one that is described; the one without "\\f"
        self._styles: dict[int, _Style] = {}
        self._style = 0  # the one that is described
        self._bytes: list[str] = []  # not decoded yet
        self._skip = 0  # characters that only repeat a "\\u"
        self._paragraph = _Paragraph()
        self._outer: list[_Paragraph] = []  # around a note
        self._cells: list[str] = []
        self._rows: list[list[str]] = []
        self._blocks: list[str] = []
        self._notes: list[str] = []

    def read(self, text: str) -> None:
        at = 0
        while match := _token.match(text, at):
            at = match.end()
            word, number, byte, symbol, brace, run = match.groups()
            if brace:
                self._brace(brace)
                continue
            if word == "bin":
                at += max(0, int(number or 0))
            elif word:
                self._word(word, int(number) if number else None)
            elif byte:
                self._literal(chr(int(byte, 16)))
            elif symbol:
                self._symbol(symbol)
            elif run:
                self._literal(run)
            if run or word or byte:
                self._group = replace(self._group, opens=False) if self._group.opens else self._group
        self._decode()
        self._end_paragraph()
        self._end_table()

    def markdown(self) -> str:
        whole = "\n\n".join([*self._blocks, *(f"[^{nth}]: {note}" for nth, note in enumerate(self._notes, 1))])
        return whole.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # pairs come as two "\\u"

    # --- groups ------------------------------------------------------------------------------------------------

    def _brace(self, brace: str) -> None:
        self._decode()
        self._skip = 0
        if brace == "{":
            if len(self._stack) >= _MOST_DEPTH:
                raise damaged(self._name)
            self._stack.append(self._group)
            self._group = replace(self._group, opens=True, starred=False)
        elif self._stack:
            closed, self._group = self._group, self._stack.pop()
            if closed.where == "note" and self._group.where != "note" and self._outer:
                note = cell_text("".join(self._paragraph.texts))
                self._paragraph = self._outer.pop()
                if note:
                    self._notes.append(note)
                    self._paragraph.texts.append(f"[^{len(self._notes)}]")

    def _destination(self, word: str) -> bool:
        """Whether the word says what its group is."""
        group = self._group
        if group.where == "skip":
            return True
        if word in SKIPPED:
            self._group = replace(group, where="skip")
        elif word in ("fonttbl", "stylesheet"):
            self._group = replace(group, where={"fonttbl": "fonts", "stylesheet": "styles"}[word])
        elif word == "info":
            self._group = replace(group, where="info")
        elif group.where == "info" and group.opens:
            self._group = replace(group, where=_INFO.get(word, "skip"))
        elif word == "footnote":
            self._outer.append(self._paragraph)
            self._paragraph = _Paragraph()
            self._group = replace(group, where="note")
        elif group.starred and word not in ("shppict", "shpinst", "shptxt", "cs"):
            self._group = replace(group, where="skip")
        else:
            return False
        return True

    # --- words -------------------------------------------------------------------------------------------------

    def _word(self, word: str, number: int | None) -> None:
        if self._skip and word != "u":
            self._skip -= 1
            return
        if word == "u" and number is not None:
            self._decode()
            if self._group.where != "skip":
                self._write(chr(number % 65536))
            self._skip = self._group.blanks
            return
        self._decode()
        if self._destination(word):
            return
        if word in SYMBOLS:
            self._write(SYMBOLS[word])
        elif self._group.where in ("fonts", "styles"):
            self._describe(word, number or 0)
        elif not self._layout(word, number or 0):
            self._character(word, number)

    def _describe(self, word: str, number: int) -> None:
        if word == "f" and self._group.where == "fonts":
            self._font = number
        elif word == "fcharset" and number in CHARSETS:
            self._fonts[self._font] = CHARSETS[number]
        elif word == "s" and self._group.where == "styles":
            self._style = number
            self._styles[number] = _Style()
        elif word == "outlinelevel" and self._style in self._styles:
            self._styles[self._style].level = number + 1 if 0 <= number < 9 else 0

    def _character(self, word: str, number: int | None) -> None:
        """What holds for the characters that follow in the group."""
        group = self._group
        if word in ("v", "deleted"):
            self._group = replace(group, hidden=number != 0)
        elif word == "plain":
            self._group = replace(group, hidden=False, font=-1)
        elif word == "f":
            self._group = replace(group, font=number or 0)
        elif word == "uc":
            self._group = replace(group, blanks=min(number if number is not None else 1, 8))
        elif word == "ansicpg":
            self._page = PAGES.get(number or 0, f"cp{number}")
        elif word == "deff":
            self._default_font = number or 0
        elif word == "mac":
            self._page = "mac_roman"

    def _layout(self, word: str, number: int) -> bool:
        """Whether the word ends something, or says what the paragraph is."""
        if word in ("par", "page", "sect", "column"):
            self._end_paragraph()
        elif word == "cell":
            self._cells.append(cell_text("".join(self._paragraph.texts)))
            self._paragraph.texts.clear()
        elif word == "row":
            self._rows.append(self._cells)
            self._cells = []
        elif word == "intbl":
            self._paragraph.in_table = True
        elif word == "pard":
            self._paragraph.style = self._paragraph.level = 0
            self._paragraph.in_table = False
        elif word == "s":
            self._paragraph.style = number
        elif word == "outlinelevel":
            self._paragraph.level = number + 1 if 0 <= number < 9 else 0
        else:
            return False
        return True

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._group = replace(self._group, starred=True)
        elif symbol in "\r\n":
            self._decode()
            self._end_paragraph()
        elif symbol in "~_":
            self._decode()
            self._write(" " if symbol == "~" else "-")
        elif symbol in "{}\\":
            self._literal(symbol)

    # --- text --------------------------------------------------------------------------------------------------

    def _literal(self, text: str) -> None:
        if self._skip:
            dropped = min(self._skip, len(text))
            self._skip -= dropped
            text = text[dropped:]
        if text and self._group.where != "skip":
            self._bytes.append(text)

    def _decode(self) -> None:
        """Characters of two bytes may be written as one "\\'" and one letter: they are put together first."""
        if not self._bytes:
            return
        raw = "".join(self._bytes).encode("latin-1")
        self._bytes.clear()
        font = self._group.font if self._group.font >= 0 else self._default_font
        encoding = self._fonts.get(font, self._page)
        if encoding == "cp1252" and not raw.isascii():
            encoding = self._page
        try:
            self._write(raw.decode(encoding, "replace"))
        except LookupError:
            self._write(raw.decode("cp1252", "replace"))

    def _write(self, text: str) -> None:
        where = self._group.where
        if where in ("text", "note"):
            if not self._group.hidden:
                self._paragraph.texts.append(text)
        elif where == "styles":
            self._name_style(text)
        elif where in _INFO.values() and text.strip():
            self.metadata[where] = f"{self.metadata.get(where, '')}{text}".strip()[:500]

    def _name_style(self, text: str) -> None:
        style = self._styles.setdefault(self._style, _Style())
        style.name += text
        if found := _heading.match(style.name.strip()):
            style.level = int(found[1])

    def _end_paragraph(self) -> None:
        text = re.sub(r"[ \t\xa0]+", " ", "".join(self._paragraph.texts)).strip()
        if self._paragraph.in_table or self._group.where == "note":
            self._paragraph.texts.append("\n")
            return
        self._paragraph.texts.clear()
        self._end_table()
        if not text:
            return
        style = self._styles.get(self._paragraph.style, _Style())
        level = self._paragraph.level or style.level
        if level or style.name.strip(" ;").lower() in ("title", "标题"):
            text = f"{'#' * min(level or 1, 6)} {cell_text(text)}"
        elif text.startswith("#"):
            text = "\\" + text
        elif text[0] in "•·" and text[1:].strip():
            text = f"- {cell_text(text[1:])}"
        self._blocks.append(text)

    def _end_table(self) -> None:
        if self._cells:
            self._rows.append(self._cells)
            self._cells = []
        if self._rows and (text := table(self._rows)):
            self._blocks.append(text)
        self._rows = []
