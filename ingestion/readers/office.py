"""What the office formats share: a package that is safe to parse, tables in Markdown, what a file says of itself."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from errors import FileError
from ingestion.readers.base import damaged
from ingestion.readers.sniffing import protected
from schema import Message

_MOST_PARTS = 20_000
_MOST_BYTES = 300_000_000  # unpacked
_MOST_XML = 40_000_000  # of a part that is parsed as a whole: it takes twenty times as much memory
_RATIO, _LARGE = 250, 20_000_000  # a part this large that was packed this well is a bomb
_DOCTYPE = tuple("<!DOCTYPE".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
_TABLE_LENGTH = 500  # characters; a longer table goes on in another one with the same head, each fit for one chunk


def check_package(name: str, data: bytes, streamed: tuple[str, ...] = (), doctypes: bool = False) -> None:
    """Refuse a package that unpacks into more than any honest one, or that defines XML entities.

    `streamed`: how the names of the parts begin that are parsed piece by piece and may be large. `doctypes`: honest
    packages of the kind have them, and the reader expands no entity.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        parts = package.infolist()
        if any(part.flag_bits & 1 for part in parts):
            raise protected(name)
        # zipfile never unpacks more of a part than its header says, so that the headers can be trusted here.
        total = sum(part.file_size for part in parts)
        bomb = any(part.file_size > max(_LARGE, _RATIO * part.compress_size) for part in parts) or any(
            part.file_size > _MOST_XML and _is_xml(part) and not part.filename.startswith(streamed) for part in parts
        )
        if len(parts) > _MOST_PARTS:
            raise FileError(
                Message(
                    zh=f"“{name}”由 {len(parts)} 个部分组成，上限是 {_MOST_PARTS} 个。",
                    en=f'"{name}" is made of {len(parts)} parts; {_MOST_PARTS} is the limit.',
                ),
                Message(zh="请拆分成几个文件后上传。", en="Split it into several files."),
            )
        if total > _MOST_BYTES or bomb:
            raise FileError(
                Message(
                    zh=f"“{name}”解压后大得不正常（{total / 1e6:.0f} MB），没有读取。",
                    en=f'"{name}" unpacks into far too much ({total / 1e6:.0f} MB) and was not read.',
                ),
                Message(
                    zh="如果文件可信，请拆分后再上传。",
                    en="If you trust the file, split it into smaller ones and upload those.",
                ),
            )
        for part in parts:
            if not doctypes and _is_xml(part) and _has_doctype(package, part):
                raise damaged(name)  # no office program writes one: it is how entities are made to explode


def _is_xml(part: zipfile.ZipInfo) -> bool:
    return part.filename.lower().endswith((".xml", ".rels"))


def _has_doctype(package: zipfile.ZipFile, part: zipfile.ZipInfo) -> bool:
    with package.open(part) as stream:
        tail = b""
        while piece := stream.read(1 << 20):
            if any(mark in tail + piece for mark in _DOCTYPE):
                return True
            tail = piece[-20:]
    return False


def parse_xml(data: bytes) -> Any:
    """The root element. Entities stay as they are, nothing is fetched, and depth and length are bounded."""
    from lxml.etree import fromstring

    return fromstring(data, xml_parser())


def xml_parser() -> Any:
    from lxml.etree import XMLParser

    return XMLParser(resolve_entities=False, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)


def local_name(element: Any) -> str:
    """The tag without its namespace; "" for what is no element, such as an entity."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def package_metadata(core: Any, **more: Any) -> tuple[dict[str, Any], str]:
    """(metadata, ISO time of the last change) of core properties as the office libraries hand them over."""
    found: dict[str, Any] = {}
    author = getattr(core, "author", None) or getattr(core, "creator", None)
    texts = (("title", core.title), ("author", author), ("subject", core.subject), ("keywords", core.keywords))
    for key, value in texts:
        if isinstance(value, str) and value.strip():
            found[key] = " ".join(value.split())
    for key, value in (("created", core.created), ("modified", core.modified)):
        if isinstance(value, datetime):
            moment = value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)
            found[key] = moment.isoformat(timespec="seconds")
    return found | more, found.get("modified") or found.get("created", "")


def table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose first row is the head; a long one in parts that each repeat it."""
    rows = [[cell_text(cell).replace("|", "\\|") for cell in row] for row in rows if any(cell.strip() for cell in row)]
    width = max(map(len, rows), default=0)
    if width < 2 or len(rows) < 2:
        return "\n\n".join(cell for row in rows for cell in row if cell)
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
    head = [lines[0], "|" + " --- |" * width]
    parts: list[list[str]] = []
    room = 0
    for line in lines[1:]:
        if room < len(line) + 1:
            parts.append([*head])
            room = max(_TABLE_LENGTH - sum(map(len, head)), 1)
        parts[-1].append(line)
        room -= len(line) + 1
    return "\n\n".join("\n".join(part) for part in parts)


def cell_text(text: str) -> str:
    return " ".join(text.split())
