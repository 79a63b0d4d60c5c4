"""From a file's bytes to a document: by its content, not only by its name. A reader is one function in one file."""

from __future__ import annotations

from errors import FileError
from ingestion.readers.base import Reader, clean_name, empty, extension, too_large
from ingestion.readers.code import LANGUAGES, read_code
from ingestion.readers.text import read_markdown, read_text
from schema import Document, Message, Origin
from text import language_of

__all__ = ["READERS", "clean_name", "read_document"]

READERS: dict[str, Reader] = {  # by extension, lower case
    "md": read_markdown,
    "markdown": read_markdown,
    "txt": read_text,
    "text": read_text,
    "": read_text,
    **dict.fromkeys(LANGUAGES, read_code),
}
_MAGIC = (
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "Office/ZIP"),
    (b"PK\x05\x06", "ZIP"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Word/Excel/PowerPoint 97–2003"),
    (b"{\\rtf", "RTF"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"RIFF", "WebP/AVI/WAV"),
    (b"\x1f\x8b", "gzip"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"\x7fELF", "ELF"),
    (b"SQLite format 3\0", "SQLite"),
)
_OFFICE = {"docx": "Word", "xlsx": "Excel", "pptx": "PowerPoint", "odt": "OpenDocument", "epub": "EPUB"}


def read_document(name: str, data: bytes, *, doc_set: str = "", max_bytes: int) -> Document:
    """Read one file. Line n of the text is line n of the file; `metadata["body_start"]` is where a front matter ends.

    Raises FileError, which names the file and the remedy, for what is empty, too large, binary, undecodable or of an
    unknown kind.
    """
    name = clean_name(name)
    if len(data) > max_bytes:
        raise too_large(name, len(data), max_bytes)
    if not data.strip(b"\0\t\n\r\f\v \xef\xbb\xbf\xff\xfe"):
        raise empty(name)
    _refuse_binary(name, extension(name), data)
    reader = READERS.get(extension(name))
    if reader is None:
        raise _unknown(name)
    read = reader(name, data)
    text = read.text
    body = text[read.metadata.get("body_start", 0) :]
    if not text.strip():
        raise empty(name)
    language, origin = (
        language_of(body if body.strip() else text),
        Origin(read.doc_type, code_language=read.code_language),
    )
    return Document(name, text, doc_set, read.kind, language, len(data), read.metadata, origin, tuple(read.places))


def _refuse_binary(name: str, extension: str, data: bytes) -> None:
    found = next(((magic, kind) for magic, kind in _MAGIC if data.startswith(magic)), None)
    if found is None or (found[0].isalnum() and b"\0" not in data[:64]):  # a text may begin with "GIF8"
        return
    kind = _OFFICE.get(extension, found[1])
    raise FileError(
        Message(
            f"“{name}”是 {kind} 文件，目前还不支持。", f'"{name}" is a {kind} file; {kind} files are not supported yet.'
        ),
        Message("请导出为 Markdown 或纯文本后再上传。", "Export it as Markdown or plain text and upload that."),
    )


def _unknown(name: str) -> FileError:
    known = "、".join(f".{extension}" for extension in ("md", "markdown", "txt", "py", "js", "java", "yaml", "json"))
    return FileError(
        Message(f"不支持“{name}”这种类型的文件。", f'Files of the kind of "{name}" are not supported.'),
        Message(
            f"支持的类型：{known} 等。如果它是纯文本，请改名为 .txt。",
            f"Supported are {known.replace('、', ', ')} and other source code. If it is plain text, rename it to .txt.",
        ),
    )
