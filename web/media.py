"""What a page is, by what its server says and by its bytes: only what ingestion reads is fetched."""

from __future__ import annotations

import codecs
import re
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

_OFFICE = {
    "docx": ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", b"word/document.xml"),
    "pptx": ("application/vnd.openxmlformats-officedocument.presentationml.presentation", b"ppt/presentation.xml"),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", b"xl/workbook.xml"),
}
_TYPES = {  # media type -> extension, by which ingestion chooses its reader
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "text/plain": "txt",
    "text/markdown": "md",
    "text/x-markdown": "md",
    "application/json": "json",
    "text/json": "json",
    "application/x-ndjson": "jsonl",
    "application/jsonl": "jsonl",
    "text/csv": "csv",
    "text/tab-separated-values": "tsv",
    "application/x-ipynb+json": "ipynb",
    **{media_type: extension for extension, (media_type, _) in _OFFICE.items()},
}
_UNTOLD = {  # what servers say of files that they know nothing of
    "", "application/octet-stream", "binary/octet-stream", "application/binary", "application/x-download",
    "application/download", "application/force-download", "application/x-pdf", "application/unknown", "unknown/unknown",
    "application/zip", "text/x-unknown",
}  # fmt: skip
_TEXT = {"md": "text/markdown", "markdown": "text/markdown", "csv": "text/csv", "json": "application/json"}  # by name
_FOREIGN = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"\x7fELF", b"MZ\x90",
    b"\xd0\xcf\x11\xe0", b"SQLite format 3", b"\x00\x00\x00", b"OggS", b"ID3", b"wOFF", b"wOF2", b"BZh", b"\xfd7zXZ",
)  # fmt: skip
_encodings = re.compile(  # none whose decoding takes long, as Punycode's does
    r"gb\d+|gbk|big5(?:-hkscs)?|shift[_-]jis|euc-(?:jp|kr)|ks_c_5601-1987|iso-8859-\d+|windows-\d+|koi8-[ru]"
)
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252", "ks_c_5601-1987": "cp949", "euc-kr": "cp949"}
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # UTF-16, and UTF-32 of which it is the beginning


def declared_type(content_type: str) -> tuple[str, str]:
    """(media type, charset) of the header Content-Type, in lower case; each "" where it is not said."""
    media_type, *parameters = (
        content_type.lower().partition(",")[0].split(";")
    )  # sent twice, they are joined by a comma
    charset = next((p.strip()[8:].strip("\"' ") for p in parameters if p.strip().startswith("charset=")), "")
    return media_type.strip(), charset[:40]


def may_be_read(media_type: str) -> bool:
    """Whether a body that is said to be of this type is worth looking at."""
    return media_type in _TYPES or media_type in _UNTOLD or media_type.endswith("+json") or _is_text(media_type)


def recognised_type(media_type: str, url: str, data: bytes) -> str:
    """The media type that the content deserves, "" for one that ingestion does not read."""
    if data[:1024].lstrip().startswith(b"%PDF-"):
        return "application/pdf"
    if data.startswith(b"PK\x03\x04"):
        return next((name for name, part in _OFFICE.values() if part in data), "")
    if data.startswith(_FOREIGN) or (b"\0" in data[:1024] and not data.startswith(_MARKS)):
        return ""
    if media_type in _TYPES and media_type != "application/pdf" and "officedocument" not in media_type:
        return media_type
    if media_type.endswith("+json"):
        return "application/json"
    if _is_text(media_type):
        return "text/plain"
    if media_type not in _UNTOLD:
        return ""
    start = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body", b"<!--")):
        return "text/html"
    return _TEXT.get(_named(url), "application/json" if start.startswith((b"{", b"[")) else "text/plain")


def extension(media_type: str, url: str) -> str:
    """What a file of this page is named with, without the dot: plain text keeps that of its address (.md, .py)."""
    known = _TYPES.get(media_type, "txt")
    return _named(url) or known if known == "txt" else known


def as_utf8(data: bytes, media_type: str, charset: str) -> bytes:
    """A text whose encoding its server names, in UTF-8 with its mark: ingestion sees the bytes alone. Else as it is."""
    text = media_type.startswith("text/") or media_type == "application/xhtml+xml"
    if not text or not _encodings.fullmatch(charset) or data.startswith((codecs.BOM_UTF8, *_MARKS)):
        return data
    try:
        return codecs.BOM_UTF8 + data.decode(_WIDER.get(charset, charset)).encode()
    except (UnicodeError, LookupError):
        return data


def _is_text(media_type: str) -> bool:
    """Source code mostly; scripts and style sheets are parts of pages, not pages."""
    return media_type.startswith("text/") and media_type not in {"text/css", "text/javascript", "text/ecmascript"}


def _named(url: str) -> str:
    return PurePosixPath(unquote(urlsplit(url).path)).suffix.lower().lstrip(".")[:10]
