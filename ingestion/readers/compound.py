"""Compound files (OLE), which hold the office files of before 2007 and the messages of Outlook."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_KINDS = {"WordDocument": "doc", "PowerPoint Document": "ppt", "Workbook": "xls", "Book": "xls",
          "__properties_version1.0": "msg"}  # fmt: skip


@contextmanager
def open_compound(data: bytes) -> Iterator[Any]:
    """An olefile.OleFileIO. Raises OSError and others for a damaged file."""
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as compound:
        yield compound


def compound_kind(data: bytes) -> str:
    """ "doc", "ppt", "xls", "msg" by the streams that it has; "" for another one. Raises anything."""
    with open_compound(data) as compound:
        names = {path[0] for path in compound.listdir() if len(path) == 1}
    return next((kind for stream, kind in _KINDS.items() if stream in names), "")


def stream_of(compound: Any, path: str | list[str]) -> bytes:
    """b"" where there is none."""
    return bytes(compound.openstream(path).read()) if compound.exists(path) else b""


def compound_metadata(compound: Any) -> tuple[dict[str, Any], str]:
    """(metadata, ISO time of the last change) as the file says it."""
    said = compound.get_metadata()
    page = said.codepage if said.codepage and said.codepage > 0 else 65001
    metadata: dict[str, Any] = {}
    for key, value in (("title", said.title), ("author", said.author), ("subject", said.subject)):
        if isinstance(value, bytes) and (text := _decoded(value, page).strip("\0 ")):
            metadata[key] = " ".join(text.split())[:500]
    moment = said.last_saved_time
    modified = moment.isoformat(timespec="seconds") + "+00:00" if moment and moment.year > 1980 else ""
    return metadata | ({"modified": modified} if modified else {}), modified


def _decoded(value: bytes, page: int) -> str:
    encoding = {65001: "utf-8", 936: "gb18030", 1200: "utf-16-le"}.get(page, f"cp{page}")
    try:
        return value.decode(encoding, "replace")
    except LookupError:
        return value.decode("cp1252", "replace")
