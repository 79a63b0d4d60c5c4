"""OpenDocument text and presentations (odt, odp) as Markdown."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

from ingestion.readers.base import ReaderResult, damaged, untrusted
from ingestion.readers.office import cell_text, check_package, local_name, parse_xml, table
from ingestion.readers.sniffing import protected
from schema import Place
from text import language_of

_UNSEEN = {
    "tracked-changes", "annotation", "annotation-end", "hidden-text", "hidden-paragraph", "ruby-text", "note-citation",
    "table-of-content", "illustration-index", "table-index", "alphabetical-index", "bibliography-mark", "forms",
    "sequence-decls", "variable-decls", "user-field-decls", "title", "desc", "event-listeners", "page-number",
}  # fmt: skip
_MOST_REPEATED = 1_000  # blanks, columns: programs write how often one thing stands there
_ROW = 0.8  # cm: frames that begin within it stand side by side
_length = re.compile(r"(-?[\d.]{1,20})(cm|mm|in|pt)?")
_CM = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 0.0353, None: 1.0}


@untrusted
def read_odt(name: str, data: bytes) -> ReaderResult:
    """Its text: headings, lists, tables, notes; deleted and hidden text and comments stay out. There are no pages in
    the file."""
    root, metadata, modified = open_package(name, data)
    body = next(root.iter("{*}text"), None)
    if body is None:
        raise damaged(name)
    story = _BodyBlocks(root)
    blocks = [*story.blocks(body), *story.notes]
    return ReaderResult("\n\n".join(blocks), "markdown", "odt", metadata, timestamp=modified)


@untrusted
def read_odp(name: str, data: bytes) -> ReaderResult:
    """A section for each slide with its title, texts in reading order, tables and notes; `places` are the slides."""
    root, metadata, modified = open_package(name, data)
    story = _BodyBlocks(root)
    parts: list[str] = []
    places: list[Place] = []
    length = 0
    for number, slide in enumerate(root.iter("{*}page"), start=1):
        if text := "\n\n".join(_slide(story, number, slide)):
            places.append(Place(length, "slide", number))
            parts.append(text)
            length += len(text) + 2
    return ReaderResult("\n\n".join(parts), "markdown", "odp", metadata, places=places, timestamp=modified)


def open_package(name: str, data: bytes) -> tuple[Any, dict[str, Any], str]:
    """(root of the content, metadata, ISO time of the last change)."""
    check_package(name, data)
    metadata, modified = metadata_of(name, data)
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        return parse_xml(package.read("content.xml")), metadata, modified


def metadata_of(name: str, data: bytes) -> tuple[dict[str, Any], str]:
    """(metadata, ISO time of the last change). Raises FileError for a file behind a password."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        names = set(package.namelist())
        if "META-INF/manifest.xml" in names and b"encryption-data" in package.read("META-INF/manifest.xml"):
            raise protected(name)
        root = parse_xml(package.read("meta.xml")) if "meta.xml" in names else None
    said = {} if root is None else {local_name(one): " ".join((one.text or "").split()) for one in root.iter()}
    keys = {
        "title": "title",
        "author": "initial-creator",
        "subject": "subject",
        "created": "creation-date",
        "modified": "date",
    }
    metadata: dict[str, Any] = {key: said[tag] for key, tag in keys.items() if said.get(tag)}
    metadata.setdefault("author", said.get("creator", ""))
    metadata = {key: value for key, value in metadata.items() if value}
    return metadata, metadata.get("modified") or metadata.get("created", "")


def _slide(story: _BodyBlocks, number: int, slide: Any) -> list[str]:
    """Its blocks; none when nothing is on it."""
    title, body, notes = "", [], []
    for shape in sorted((one for one in slide if local_name(one) != "notes"), key=_position):
        blocks = list(story.shape(shape))
        if not title and _attribute(shape, "class") == "title":
            title = cell_text(" ".join(blocks))
        elif _attribute(shape, "class") not in ("page-number", "date-time", "footer", "header"):
            body += blocks
    for page in (one for one in slide if local_name(one) == "notes"):
        notes += [block for shape in page if _attribute(shape, "class") == "notes" for block in story.shape(shape)]
    body += story.notes
    story.notes.clear()
    if not (title or body or notes):
        return []
    chinese = language_of(" ".join([title, *body, *notes])) == "zh"
    if notes:
        body.append(f"{'备注：' if chinese else 'Notes: '}" + "\n\n".join(notes))
    return [f"## {title or (f'第 {number} 张' if chinese else f'Slide {number}')}", *body]


def _position(shape: Any) -> tuple[float, float]:
    """From top to bottom, what stands side by side from left to right."""
    x, y = (_centimetres(_attribute(shape, name)) for name in ("x", "y"))
    return y // _ROW, x


def _centimetres(length: str) -> float:
    found = _length.fullmatch(length)
    return float(found[1]) * _CM[found[2]] if found and found[1].count(".") < 2 and found[1] not in ".-." else 0.0


class _BodyBlocks:
    """Makes Markdown blocks of elements; `notes` are the footnotes so far."""

    def __init__(self, root: Any) -> None:
        self.notes: list[str] = []
        self._parents: dict[str, str] = {}
        self._hidden: set[str] = set()
        self._numbered: dict[str, set[int]] = {}  # list style -> levels that count
        for style in root.iter("{*}style"):
            self._parents[_attribute(style, "name")] = _attribute(style, "parent-style-name")
            if any(_attribute(one, "display") == "none" for one in style.iter("{*}text-properties")):
                self._hidden.add(_attribute(style, "name"))
        for style in root.iter("{*}list-style"):
            levels = {int(_attribute(one, "level") or 0) for one in style.iter("{*}list-level-style-number")}
            self._numbered[_attribute(style, "name")] = levels
        titles = sum(self._is_title(one) for one in root.iter("{*}p"))
        self._shift = 1 if titles == 1 else 0  # one title: it stands over all first-level headings

    def _is_title(self, paragraph: Any) -> bool:
        style = _attribute(paragraph, "style-name")
        return "Title" in (style, self._parents.get(style))

    def blocks(self, parent: Any) -> Iterator[str]:
        for element in parent:
            tag = local_name(element)
            if tag in ("p", "h"):
                yield from self._paragraph(element)
            elif tag == "list":
                if items := "\n".join(self._items(element, 0, _attribute(element, "style-name"))):
                    yield items
            elif tag == "table":
                yield from self._table(element)
            elif tag and tag not in _UNSEEN:
                yield from self.blocks(element)

    def shape(self, shape: Any) -> Iterator[str]:
        """What a frame, or another shape, on a slide says."""
        if local_name(shape) not in _UNSEEN:
            yield from self.blocks([shape])

    def _paragraph(self, element: Any) -> Iterator[str]:
        boxes: list[Any] = []
        if _attribute(element, "style-name") in self._hidden:
            return
        text = re.sub(r"[ \t]+", " ", "".join(self._text(element, boxes))).strip()
        if text and local_name(element) == "h":
            level = _attribute(element, "outline-level")
            yield "#" * min(self._shift + (int(level) if level.isdigit() else 1), 6) + " " + cell_text(text)
        elif text and self._is_title(element):
            yield "# " + cell_text(text)
        elif text:
            yield "\\" + text if text.startswith("#") else text
        for box in boxes:
            yield from self.blocks(box)

    def _items(self, element: Any, depth: int, style: str) -> Iterator[str]:
        numbered = depth + 1 in self._numbered.get(style, ())
        for number, item in enumerate(element, start=1):
            mark = f"{number}. " if numbered and local_name(item) == "list-item" else "- "
            for child in item:
                if local_name(child) == "list":
                    yield from self._items(child, depth + 1, _attribute(child, "style-name") or style)
                    continue
                for text in self.blocks([child]):
                    heading = text.startswith("#") and local_name(child) == "h"
                    yield text if heading else "  " * min(depth, 6) + mark + cell_text(text)
                    mark = "  "

    def _table(self, element: Any) -> Iterator[str]:
        rows = []
        for row in element.iter("{*}table-row"):
            cells: list[str] = []
            for cell in (one for one in row if local_name(one) in ("table-cell", "covered-table-cell")):
                text = " ".join(self.blocks(cell))
                cells += [text] * repeated(cell, "columns", _MOST_REPEATED if text else 1)
            rows.append(cells)
        if text := table(rows):
            yield text

    def _text(self, element: Any, boxes: list[Any]) -> Iterator[str]:
        yield element.text or ""
        for child in element:
            tag = local_name(child)
            if tag == "s":
                yield " " * min(int(_attribute(child, "c") or 1), _MOST_REPEATED)
            elif tag in ("tab", "line-break"):
                yield "\n" if tag == "line-break" else " "
            elif tag == "note":
                number = len(self.notes) + 1
                self.notes.append("")
                body = [text for part in child if local_name(part) == "note-body" for text in self.blocks(part)]
                self.notes[number - 1] = f"[^{number}]: {cell_text(' '.join(body))}"
                yield f"[^{number}]"
            elif tag in ("frame", "custom-shape", "g"):
                boxes.append([child])
            elif tag and tag not in _UNSEEN and _attribute(child, "style-name") not in self._hidden:
                yield from self._text(child, boxes)
            yield child.tail or ""


def repeated(element: Any, what: str, most: int) -> int:
    """How often a cell or row stands there."""
    count = _attribute(element, f"number-{what}-repeated")
    return max(1, min(int(count), most)) if count.isdigit() else 1


def _attribute(element: Any, name: str) -> str:
    """By its name without the namespace; "" where there is none."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
