"""Word documents (docx, docm): headings, lists with their numbers, tables and notes as Markdown. Macros are not run.

python-docx opens the package; its paragraphs lack what stands in content controls, text boxes and accepted insertions,
so the text is taken from the XML.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from ingestion.readers.base import ReaderResult, untrusted
from ingestion.readers.docx_numbering import Numbering
from ingestion.readers.office import cell_text, check_package, package_metadata, table

_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_MAIN_ALIKE = (
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
)
_UNSEEN = {"del", "moveFrom", "delText", "instrText", "rPr", "pPr", "rt", "sdtPr", "tblPr", "Fallback", "fldData"}
_BREAKS = {"tab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}
_heading_name = re.compile(r"(?:heading|标题)\s*([1-9])", re.IGNORECASE)
_listed = re.compile(r"-|\d{1,9}[.)]")
_item = re.compile(r" *(?:-|\d{1,9}[.)]) ")
_LONGEST_BOLD = 40  # characters of a paragraph in bold that is taken for a heading


@untrusted
def read_docx(name: str, data: bytes) -> ReaderResult:
    """Its text as Markdown. Word keeps no pages: what a citation shows is the section and the line."""
    check_package(name, data)
    from docx.opc.part import PartFactory
    from docx.package import Package
    from docx.parts.document import DocumentPart

    for alike in _MAIN_ALIKE:
        PartFactory.part_type_for[alike] = DocumentPart
    package = Package.open(io.BytesIO(data))
    main = package.main_document_part
    metadata, modified = package_metadata(package.core_properties)
    text = "\n\n".join(_merged(_Story(main).blocks()))
    return ReaderResult(text, "markdown", "docx", metadata, timestamp=modified)


def _merged(blocks: Iterator[str]) -> Iterator[str]:
    """The items of a list stand together, other blocks apart."""
    items: list[str] = []
    for block in blocks:
        if _item.match(block):
            items.append(block)
            continue
        if items:
            yield "\n".join(items)
            items = []
        yield block
    if items:
        yield "\n".join(items)


class _Story:
    """Walks through a document's body."""

    def __init__(self, main: Any) -> None:
        self._body = main.element.body
        self._numbering = Numbering(_related(main, "numbering"))
        self._styles = _Styles(_related(main, "styles"))
        self._notes = {kind: _notes(_related(main, kind + "s")) for kind in ("footnote", "endnote")}
        self._cited: list[str] = []  # texts of the notes, in the order that they are referred to
        titles = sum(self._styles.title(_style(p)) for p in self._body.iter("{*}p"))
        self._shift = 1 if titles == 1 else 0  # one title: it stands over all first-level headings

    def blocks(self) -> Iterator[str]:
        yield from self._blocks(self._body)
        yield from (f"[^{number}]: {text}" for number, text in enumerate(self._cited, start=1))

    def _blocks(self, parent: Any) -> Iterator[str]:
        for element in parent:
            tag = _tag(element)
            if tag == "p":
                yield from self._paragraph(element)
            elif tag == "tbl":
                if text := table(self._rows(element)):
                    yield text
            elif tag in ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"):
                yield from self._blocks(element)

    def _paragraph(self, element: Any) -> Iterator[str]:
        boxes: list[Any] = []
        text = re.sub(r"[ \t]+", " ", "".join(self._text(element, boxes))).strip()
        style = _style(element)
        if text and not self._styles.contents(style):
            yield self._paragraph_markdown(element, style, text)
        for box in boxes:
            yield from self._blocks(box)

    def _paragraph_markdown(self, element: Any, style: str, text: str) -> str:
        list_id, depth = _list_of(element) or self._styles.list_of(style) or ("", 0)
        label = self._numbering.label(list_id, depth) if list_id else ""
        level = self._styles.level(style, element)
        if level or self._styles.title(style):
            level = min(level + self._shift, 6) if level else 1
            return f"{'#' * level} {cell_text(f'{label} {text}' if label != '-' else text)}"
        if _listed.fullmatch(label):
            return f"{'  ' * depth}{label} {cell_text(text)}"
        if label:
            return f"{label} {text}"
        if len(text) <= _LONGEST_BOLD and "\n" not in text and _all_bold(element):
            return f"**{text}**"
        return "\\" + text if text.startswith("#") else text

    def _rows(self, element: Any) -> list[list[str]]:
        """The cells; one that is merged with the cell above repeats its text, so that each row speaks for itself."""
        rows: list[list[str]] = []
        for row in (found for child in element for found in _unwrapped(child, "tr")):
            cells: list[str] = []
            for cell in (found for child in row for found in _unwrapped(child, "tc")):
                merge, span = cell.find("./{*}tcPr/{*}vMerge"), cell.find("./{*}tcPr/{*}gridSpan")
                above = rows[-1][len(cells)] if rows and len(rows[-1]) > len(cells) else ""
                goes_on = merge is not None and _value(merge) != "restart"
                cells.append(above if goes_on else " ".join(self._blocks(cell)))
                width = _value(span) if span is not None else ""
                cells += [""] * (min(int(width), 64) - 1 if width.isdecimal() else 0)
            rows.append(cells)
        return rows

    def _text(self, element: Any, boxes: list[Any]) -> Iterator[str]:
        for child in element:
            tag = _tag(child)
            if tag == "t":
                yield child.text or ""
            elif tag in _BREAKS:
                yield _BREAKS[tag]
            elif tag == "txbxContent":
                boxes.append(child)
            elif tag in ("footnoteReference", "endnoteReference"):
                text = self._notes[tag.removesuffix("Reference")].get(_value(child, "id"))
                if text:
                    self._cited.append(text)
                    yield f"[^{len(self._cited)}]"
            elif tag and tag not in _UNSEEN and not (tag == "r" and child.find("./{*}rPr/{*}vanish") is not None):
                yield from self._text(child, boxes)


class _Styles:
    """What paragraph styles mean, by their id; what one does not say, the one it is based on does."""

    def __init__(self, root: Any) -> None:
        self._by_id = {_value(style, "styleId"): style for style in root.iter("{*}style")} if root is not None else {}

    def _chain(self, style: str) -> Iterator[Any]:
        for _ in range(12):
            element = self._by_id.get(style)
            if element is None:
                return
            yield element
            base = element.find("./{*}basedOn")
            style = _value(base) if base is not None else ""

    def _names(self, style: str) -> Iterator[str]:
        for element in self._chain(style):
            name = element.find("./{*}name")
            if name is not None:
                yield _value(name).lower()

    def title(self, style: str) -> bool:
        return next(self._names(style), "") in ("title", "标题")

    def contents(self, style: str) -> bool:
        """Whether it is a line of the table of contents."""
        return any(re.match(r"(?:toc|目录)\s*\d", name) for name in self._names(style))

    def level(self, style: str, paragraph: Any) -> int:
        """The level of a heading from 1; 0 for body text."""
        for element in (paragraph, *self._chain(style)):
            outline = element.find("./{*}pPr/{*}outlineLvl")
            if outline is not None and _value(outline).isdecimal():
                return int(_value(outline)) + 1 if int(_value(outline)) < 9 else 0
        found = next((found for name in self._names(style) if (found := _heading_name.fullmatch(name))), None)
        return int(found[1]) if found else 0

    def list_of(self, style: str) -> tuple[str, int] | None:
        return next((found for element in self._chain(style) if (found := _list_of(element))), None)


def _list_of(element: Any) -> tuple[str, int] | None:
    """(list, depth) that a paragraph or style puts itself into."""
    listed = element.find("./{*}pPr/{*}numPr/{*}numId")
    if listed is None:
        return None
    depth = element.find("./{*}pPr/{*}numPr/{*}ilvl")
    value = _value(depth) if depth is not None else ""
    return _value(listed), min(int(value), 8) if value.isdecimal() else 0


def _related(main: Any, kind: str) -> Any:
    """The root of the part of that kind, or None."""
    from docx.oxml import parse_xml

    for relation in main.rels.values():
        if not relation.is_external and relation.reltype.endswith("/" + kind):
            return parse_xml(relation.target_part.blob)
    return None


def _notes(root: Any) -> dict[str, str]:
    found = root if root is not None else ()
    return {_value(note, "id"): cell_text("".join(t.text or "" for t in note.iter("{*}t"))) for note in found}


def _style(paragraph: Any) -> str:
    style = paragraph.find("./{*}pPr/{*}pStyle")
    return _value(style) if style is not None else ""


def _all_bold(paragraph: Any) -> bool:
    runs = [run for run in paragraph.iter("{*}r") if any(t.text and t.text.strip() for t in run.iter("{*}t"))]
    marks = [run.find("./{*}rPr/{*}b") for run in runs]
    return bool(runs) and all(mark is not None and _value(mark) not in ("0", "false") for mark in marks)


def _unwrapped(element: Any, tag: str) -> list[Any]:
    """The element itself when it bears the tag, or those in the content control that it is."""
    if _tag(element) == tag:
        return [element]
    return element.findall(f"./{{*}}sdtContent/{{*}}{tag}") if _tag(element) == "sdt" else []


def _tag(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _value(element: Any, name: str = "val") -> str:
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
