"""HTML to Markdown: headings, paragraphs, lists, tables, preformatted text. Linear in the size of the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingestion.readers.base import fenced_block

_DROPPED = (
    "script", "style", "noscript", "template", "iframe", "object", "embed", "applet", "svg", "canvas", "audio",
    "video", "head", "select", "datalist", "textarea", "map", "frameset",
)  # fmt: skip
_FURNITURE = (
    "//nav | //footer | //aside | //dialog | //header[not(ancestor::article or ancestor::main)] | //*[@role="
    "'navigation' or @role='banner' or @role='contentinfo' or @role='search' or @role='complementary']"
)
_FURNITURE_NAMES = frozenset(  # classes and ids of such parts where the page is made of nothing but "div"
    "nav navbar navigation sidebar footer breadcrumb breadcrumbs site-header site-footer page-footer".split()
)
_INLINE_BLOCKS = ("button", "label", "option", "output")  # stand apart from the words beside them
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form header hr html legend li main nav ol p section summary table tbody tfoot thead title tr td th "
    "ul".split()
)
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_DEEPEST = 6  # levels of lists that are indented
_white = re.compile(r"[ \t\n\r\f\v\u00a0]+")
_marked = re.compile(r"(?=#{1,6}\s|```|~~~|>|\|)")  # what would make a heading, fence, quotation, or table of a text
_wrapper = re.compile(r"</?(?!(?:script|style|h[1-6]|p|br|title)\b)[a-z][^<>]*>", re.IGNORECASE)


def parse(text: str) -> Any:
    """The root element. Beyond the depth that the parser knows, elements that only wrap others are left out."""
    from lxml.etree import LxmlError
    from lxml.html import Element, HTMLParser, document_fromstring

    for source in (text, None):
        parser = HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
        try:
            root = document_fromstring(
                (_wrapper.sub(" ", text) if source is None else source).encode("utf-8", "replace"), parser=parser
            )
        except (LxmlError, ValueError):  # nothing in it but comments
            return Element("html")
        if not any("xcessive depth" in error.message for error in parser.error_log):
            break
    return root


def furnished(root: Any) -> bool:
    """Whether the page has menus and the like around its text."""
    return next(_furniture(root), None) is not None


def drop_furniture(root: Any) -> bool:
    """Whether there was any."""
    found = list(_furniture(root))
    for element in found:
        if element.getparent() is not None:
            element.drop_tree()
    return bool(found)


def _furniture(root: Any) -> Iterator[Any]:
    yield from root.xpath(_FURNITURE)
    for element in root.iter("div", "ul", "td", "section"):
        names = f"{element.get('class', '')} {element.get('id', '')}".lower().split()
        if not _FURNITURE_NAMES.isdisjoint(names):
            yield element


def to_markdown(root: Any) -> str:
    """The text of the elements. Takes those without text out of the tree."""
    from lxml.etree import iterwalk, strip_elements

    strip_elements(root, *_DROPPED, with_tail=False)
    writer = _Writer()
    for event, element in iterwalk(root, events=("start", "end")):
        if not isinstance(element.tag, str):
            continue
        if event == "start":
            writer.start(element.tag, element)
            writer.text(element.text)
        else:
            writer.end(element.tag)
            writer.text(element.tail if element is not root else None)
    return writer.finish()


class _Writer:
    """Takes elements as they begin and end. A table that holds others, or headings, only sets out a page."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._items: list[bool] = []  # which blocks are items of a list
        self._inline: list[str] = []
        self._mark = ""  # before the next block: of a heading or an item
        self._pre = 0
        self._lists: list[int] = []  # of each open list the number of its next item, 0 in one without numbers
        self._tables: list[bool] = []  # of each open table whether it holds data
        self._row: list[str] | None = None
        self._rows: list[str] = []  # of the innermost table

    def text(self, text: str | None) -> None:
        if text:
            self._inline.append(text)

    def start(self, tag: str, element: Any) -> None:
        if tag == "br":
            self._inline.append("\0" if not self._pre else "\n")
        elif tag in _INLINE_BLOCKS:
            self._inline.append(" ")
        elif self._in_data() and tag in ("tr", "td", "th", *_BLOCKS, *_HEADINGS, "pre"):
            if tag == "tr":
                self._write_loose()
                self._row = []
            else:
                self._inline.append(" ")
        elif tag in _BLOCKS or tag in _HEADINGS or tag == "pre":
            self._flush()
            self._open(tag, element)

    def _open(self, tag: str, element: Any) -> None:
        if tag in _HEADINGS:
            self._mark = _HEADINGS[tag]
        elif tag in ("ul", "ol"):
            self._lists.append(1 if tag == "ol" else 0)
        elif tag == "li" and self._lists:
            number = self._lists[-1]
            self._lists[-1] += 1 if number else 0
            self._mark = "  " * min(len(self._lists) - 1, _DEEPEST) + (f"{number}. " if number else "- ")
        elif tag == "pre":
            self._pre += 1
        elif tag == "table":
            holds = element.iter("table", *_HEADINGS)
            next(holds)  # itself
            self._tables.append(next(holds, None) is None)
            self._rows = []

    def end(self, tag: str) -> None:
        if tag in _INLINE_BLOCKS:
            self._inline.append(" ")
        if self._in_data() and tag != "table":
            if tag in ("td", "th") and self._row is not None:
                self._row.append(self._words().replace("\n", " ").replace("|", "\\|"))
            elif tag == "tr" and self._row is not None:
                self._write_row()
            elif tag == "caption":
                self._write_loose()
            elif tag in _BLOCKS or tag in _HEADINGS:
                self._inline.append(" ")
            return
        if tag == "table" and self._in_data():
            self._write_table()
        if tag in _BLOCKS or tag in _HEADINGS or tag == "pre":
            self._flush()
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()
        elif tag == "pre":
            self._pre -= 1
        elif tag == "table" and self._tables:
            self._tables.pop()
        if tag in _HEADINGS or tag == "li":
            self._mark = ""

    def finish(self) -> str:
        self._flush()
        parts: list[str] = []
        for number, (block, item) in enumerate(zip(self._blocks, self._items, strict=True)):
            if number:
                parts.append("\n" if item and self._items[number - 1] else "\n\n")
            parts.append(block)
        text = "".join(parts)
        return text + "\n" if text else ""

    def _in_data(self) -> bool:
        return bool(self._tables) and self._tables[-1]

    def _words(self) -> str:
        text = _white.sub(" ", "".join(self._inline)).replace("\0", "\n")
        self._inline = []
        return "\n".join(filter(None, (line.strip() for line in text.split("\n"))))

    def _write_row(self) -> None:
        row, self._row = self._row or [], None
        if any(row):
            self._rows.append("| " + " | ".join(row) + " |")
            if len(self._rows) == 1:
                self._rows.append("|" + "---|" * len(row))

    def _write_table(self) -> None:
        if self._rows:
            self._add("\n".join(self._rows))
            self._rows = []
        self._write_loose()

    def _write_loose(self) -> None:
        """What stands in a table, but in none of its cells."""
        if words := self._words():
            self._add(words.replace("\n", " "))

    def _flush(self) -> None:
        if self._pre:
            text = "".join(self._inline).strip("\n").rstrip()
            self._inline = []
            if text.strip():
                self._add(fenced_block(text))
            return
        text = self._words()
        if text:
            mark, self._mark = self._mark, ""
            if mark.startswith("#"):
                text = text.replace("\n", " ")
            lines = [_marked.sub("\\\\", line, count=1) if _marked.match(line) else line for line in text.split("\n")]
            self._add(mark + "\n".join(lines), item=bool(mark.strip("# ")))

    def _add(self, block: str, *, item: bool = False) -> None:
        self._blocks.append(block)
        self._items.append(item)
