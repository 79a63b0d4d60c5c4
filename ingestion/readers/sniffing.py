"""Which kind of file the bytes are. The content decides, the name only where the content leaves it open."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Container

from errors import FileError
from ingestion.readers.base import damaged, extension
from ingestion.readers.compound import compound_kind
from schema import Message

_ZIP, _OLE = (b"PK\x03\x04", b"PK\x05\x06"), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OFFICE = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}  # by the folder that its parts are in
_OFFICE_NAMES = {"docx", "docm", "pptx", "pptm", "xlsx", "xlsm", "xlsb", "odt", "odp", "ods", "epub"}
_OPEN = {"text": "odt", "presentation": "odp", "spreadsheet": "ods"}  # by the media type that an OpenDocument names
_TABLES = {"xlsx", "xlsm", "xls"}  # exports of programs often bear these names and are text with tabs
_PICTURES = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpg", b"II*\0": "tif", b"MM\0*": "tif"}
_FOREIGN = (  # magic, kind, what to export it as
    (b"GIF8", "GIF", ""),
    (b"RIFF", "AVI/WAV", ""),
    (b"\x1f\x8b", "gzip", ".zip"),
    (b"7z\xbc\xaf\x27\x1c", "7z", ".zip"),
    (b"Rar!\x1a\x07", "RAR", ".zip"),
    (b"\x7fELF", "ELF", ""),
    (b"SQLite format 3\0", "SQLite", ".csv"),
)


def kind_of(name: str, data: bytes, known: Container[str]) -> str:
    """The extension that the content deserves. Raises FileError, with the remedy, for a kind that is not read."""
    named = extension(name)
    if data[:1024].lstrip().startswith(b"%PDF-") or (named == "pdf" and b"%PDF-" in data[:1024]):
        return "pdf"
    if data.startswith(_ZIP):
        return _packed(name, named, data)
    if data.startswith(_OLE):
        return _compound(name, data)
    if data[:64].lstrip().startswith(b"{\\rtf"):
        return "rtf"
    if picture := _picture_kind(data):
        return picture
    for magic, kind, target in _FOREIGN:
        if data.startswith(magic) and not (magic.isalnum() and b"\0" not in data[:64]):  # a text may begin with "GIF8"
            raise unsupported(name, kind, target)
    if named not in _OFFICE_NAMES | _TABLES | {
        "pdf",
        "doc",
        "ppt",
        "msg",
        "rtf",
        "png",
        "jpg",
        "jpeg",
        "tif",
        "tiff",
        "webp",
        "txt",
        "text",
        "",
    }:
        return named
    if named not in ("txt", "text", "") and b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise damaged(name)
    start = data[:512].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")) and "html" in known:
        return "html"
    return "csv" if named in _TABLES else named if named in ("txt", "text", "") else "txt"


def _picture_kind(data: bytes) -> str:
    """ "" for what is no picture that may hold text."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((kind for magic, kind in _PICTURES.items() if data.startswith(magic)), "")


def office_kind(data: bytes) -> str:
    """ "docx", "pptx", "xlsx", "xlsb", "odt", "odp", "ods", "odf" for another OpenDocument, "epub"; "" for a zip that
    is only an archive. Raises BadZipFile."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        if "[Content_Types].xml" in names:
            if "xl/workbook.bin" in names:
                return "xlsb"
            return next((kind for folder, kind in _OFFICE.items() if any(n.startswith(folder) for n in names)), "")
        if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:
            mime = archive.read("mimetype").decode("latin-1").strip()
            if "opendocument" in mime:
                return _OPEN.get(mime.rpartition(".")[2].removesuffix("-template"), "odf")
            return "epub" if "epub" in mime else ""
    return ""


def _packed(name: str, named: str, data: bytes) -> str:
    try:
        kind = office_kind(data)
    except Exception as error:  # zipfile raises NotImplementedError, struct.error and others on damaged headers
        raise damaged(name) from error
    if kind == "odf":
        raise unsupported(name, "OpenDocument", ".odt")
    if kind:
        return kind
    if named in _OFFICE_NAMES:
        raise damaged(name)
    raise FileError(
        Message(
            zh=f"“{name}”是压缩包，里面的压缩包不会再展开。",
            en=f'"{name}" is an archive; archives within are not opened.',
        ),
        Message(zh="请解压后上传里面的文件。", en="Unpack it and upload the files."),
    )


def _compound(name: str, data: bytes) -> str:
    """An OLE compound file: an office file of before 2007, a message, or an office file behind a password."""
    if "EncryptedPackage".encode("utf-16-le") in data:
        raise protected(name)
    try:
        kind = compound_kind(data)
    except Exception as error:  # olefile raises OSError, struct.error, IndexError and others
        raise damaged(name) from error
    if not kind:
        raise unsupported(name, "OLE", "")
    return kind


# --- what a person is told -----------------------------------------------------------------------------------------


def protected(name: str) -> FileError:
    return FileError(
        Message(zh=f"“{name}”有密码保护，无法读取。", en=f'"{name}" is protected by a password and cannot be read.'),
        Message(
            zh="请用密码打开它，另存为不带密码的文件后再上传。",
            en="Open it with its password, save it without one, and upload that.",
        ),
    )


def unsupported(name: str, kind: str, target: str) -> FileError:
    """`target`: the extension that it can be saved as, "" where there is none."""
    if target:
        remedy = Message(
            zh=f"请另存（或重新打包）为 {target} 后再上传。", en=f"Save (or pack) it as {target} and upload that."
        )
    else:
        remedy = Message(zh="请上传含有文字的文件。", en="Upload a file that holds text.")
    return FileError(
        Message(zh=f"不支持 {kind} 文件：“{name}”。", en=f'{kind} files are not supported: "{name}".'), remedy
    )
