"""Jupyter notebooks (nbformat 3 and 4) as Markdown: text, code in fences, and what the code has printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from errors import FileError
from ingestion.readers.base import ReaderResult, damaged, decode_text, fenced_block
from ingestion.readers.embedded_tables import with_markdown_tables
from schema import Message, Place

_OUTPUT_CHARS, _OUTPUT_LINES = 1_500, 30  # of an output that are kept
_MOST_CELLS = 50_000
_CUT = "[…]"
_embedded = re.compile(r"data:[\w.+/-]{1,80};base64,[A-Za-z0-9+/=\s]*")
_colour = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_object = re.compile(r"<(?:Figure|IPython|matplotlib|Axes|AxesSubplot|seaborn)\b[^\n]*>\Z")


def read_notebook(name: str, data: bytes) -> ReaderResult:
    """Every cell is a place. Images and markup of outputs are left out, long outputs cut. Raises FileError."""
    text, metadata = decode_text(name, data)
    try:
        notebook = json.loads(text)
        cells = _cells(notebook)
    except (ValueError, RecursionError) as error:
        raise damaged(name) from error
    if len(cells) > _MOST_CELLS:
        raise FileError(
            Message(
                zh=f"“{name}”有 {len(cells)} 个单元格，上限是 {_MOST_CELLS} 个。",
                en=f'"{name}" has {len(cells)} cells; {_MOST_CELLS} is the limit.',
            ),
            Message(zh="请拆分成几个文件后上传。", en="Split it into several files."),
        )
    language = _language(notebook, cells)
    parts: list[str] = []
    places: list[Place] = []
    offset = 0
    for number, cell in enumerate(cells, 1):
        written = "\n\n".join(part for part in _cell_blocks(cell, language) if part.strip())
        if written:
            places.append(Place(offset, "cell", number))
            parts.append(written)
            offset += len(written) + 2
    about = notebook.get("metadata")
    title = about.get("title") if isinstance(about, dict) else None
    metadata |= {"title": title} if isinstance(title, str) and title.strip() else {}
    return ReaderResult("\n\n".join(parts) + "\n", "markdown", "notebook", metadata, language, places)


def _cells(notebook: Any) -> list[dict[str, Any]]:
    """Raises ValueError for what is no notebook."""
    if not isinstance(notebook, dict):
        raise ValueError("no notebook")
    if isinstance(sheets := notebook.get("worksheets"), list):  # nbformat 3
        found = [cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
    elif isinstance(notebook.get("cells"), list):
        found = notebook["cells"]
    else:
        raise ValueError("no cells")
    return [cell for cell in found if isinstance(cell, dict)]


def _language(notebook: dict[str, Any], cells: list[dict[str, Any]]) -> str:
    about = notebook.get("metadata")
    sections = [about.get(key) for key in ("language_info", "kernelspec")] if isinstance(about, dict) else []
    names = [part.get(key) for part in sections if isinstance(part, dict) for key in ("name", "language")]
    kernels = [name for name in names if isinstance(name, str)]
    names = [*kernels, *(cell.get("language") for cell in cells)]
    found = next((name for name in names if isinstance(name, str) and name), "python")
    return re.sub(r"[^a-z0-9+#]", "", found.lower().removesuffix("3"))[:30]  # "ipython3", "python3", "C++"


def _cell_blocks(cell: dict[str, Any], language: str) -> Iterator[str]:
    kind, source = cell.get("cell_type"), _text(cell.get("source", cell.get("input")))
    if kind == "code":
        if source.strip():
            yield fenced_block(source, language)
        for output in _list(cell.get("outputs")):
            if isinstance(output, dict) and (printed := _printed(output)):
                yield fenced_block(printed, "output")
    elif kind == "heading":
        level = cell.get("level")
        yield "#" * (level if isinstance(level, int) and 1 <= level <= 6 else 1) + " " + " ".join(source.split())
    else:
        yield with_markdown_tables(_embedded.sub("", source).strip("\n"))


def _printed(output: dict[str, Any]) -> str:
    """The plain text of an output, its beginning; "" for an image, a widget, a page."""
    if output.get("output_type") in ("error", "pyerr"):
        text = f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
    else:
        shown = output.get("data")
        text = _text(shown.get("text/plain")) if isinstance(shown, dict) else _text(output.get("text"))
    text = _colour.sub("", text).strip("\n").rstrip()
    if _object.match(text.strip()):
        return ""
    lines = text[:_OUTPUT_CHARS].split("\n")[:_OUTPUT_LINES]
    kept = "\n".join(lines)
    return kept if len(kept) == len(text) else f"{kept}\n{_CUT}"


def _text(value: Any) -> str:
    """A string, which notebooks also write as a list of lines."""
    parts = value if isinstance(value, list) else [value]
    text = "".join(part for part in parts if isinstance(part, str))
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").encode("utf-8", "replace").decode()


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
