"""From a file's bytes to a document: by its content, not only by its name. A reader is one function in one file."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from errors import FileError
from ingestion.readers.archive import PACKED, read_packed
from ingestion.readers.base import Reader, ReaderResult, clean_name, clean_path, empty, too_large
from ingestion.readers.code import LANGUAGES, code_language, read_code
from ingestion.readers.docx import read_docx
from ingestion.readers.html import read_html
from ingestion.readers.notebook import read_notebook
from ingestion.readers.pdf import read_pdf
from ingestion.readers.pptx import read_pptx
from ingestion.readers.sniffing import kind_of
from ingestion.readers.spreadsheet import read_csv, read_xlsx
from ingestion.readers.structured import read_json, read_json_lines
from ingestion.readers.text import PLAIN, read_markdown, read_plain, read_text
from schema import Document, Message, Origin
from tables import pipe_grids, typed_tables
from text import language_of

__all__ = ["READERS", "SUPPORTED", "clean_name", "clean_path", "read_document"]


@cache
def _loaded(module: str, reader: str) -> Reader:
    """One that is loaded when the first such file comes: the program starts without it."""

    def read(name: str, data: bytes) -> ReaderResult:
        found: Reader = getattr(import_module(f"ingestion.readers.{module}"), reader)
        return found(name, data)

    read.__name__ = reader
    return read


READERS: dict[str, Reader] = {  # by extension, lower case
    "md": read_markdown,
    "markdown": read_markdown,
    "txt": read_text,
    "text": read_text,
    "": read_text,
    "pdf": read_pdf,
    "docx": read_docx,
    "docm": read_docx,
    "pptx": read_pptx,
    "pptm": read_pptx,
    "xlsx": read_xlsx,
    "xlsm": read_xlsx,
    "doc": _loaded("doc", "read_doc"),
    "ppt": _loaded("ppt", "read_ppt"),
    "xls": _loaded("xls", "read_xls"),
    "xlsb": _loaded("xlsb", "read_xlsb"),
    "rtf": _loaded("rtf", "read_rtf"),
    "odt": _loaded("opendocument", "read_odt"),
    "odp": _loaded("opendocument", "read_odp"),
    "ods": _loaded("ods", "read_ods"),
    "epub": _loaded("epub", "read_epub"),
    "eml": _loaded("mail", "read_eml"),
    "msg": _loaded("mail", "read_msg"),
    "mbox": _loaded("mail", "read_mbox"),
    **dict.fromkeys(("mhtml", "mht"), _loaded("mail", "read_mhtml")),
    "svg": _loaded("svg", "read_svg"),
    **dict.fromkeys(("png", "jpg", "jpeg", "tif", "tiff", "webp"), _loaded("pictures", "read_image")),
    "csv": read_csv,
    "tsv": read_csv,
    **dict.fromkeys(("html", "htm", "xhtml", "shtml"), read_html),
    **dict.fromkeys(("json", "geojson"), read_json),
    **dict.fromkeys(("jsonl", "ndjson"), read_json_lines),
    "ipynb": read_notebook,
    **dict.fromkeys(sorted(PLAIN), read_plain),
    **dict.fromkeys(LANGUAGES, read_code),
}
SUPPORTED = tuple(sorted(f".{extension}" for extension in {*READERS, "zip"} if extension))  # for pickers and folders
_PICTURED = ("docx", "odt", "pptx", "odp", "epub")  # types of files that hold pictures beside their text
_FIRST = {READERS[extension]: f".{extension}" for extension in reversed(READERS)}  # that a reader is listed under
_KNOWN = [*(known for reader, known in reversed(_FIRST.items()) if reader not in (read_plain, read_code)), ".zip"]


def read_document(name: str, data: bytes, *, doc_set: str = "", max_bytes: int) -> Document:
    """Read one file. Where it has no `places`, line n of the text is line n of the file.

    `metadata["body_start"]` is where a front matter ends. Raises FileError, which names the file and the remedy, for
    what is empty, too large, damaged, protected, undecodable or of an unknown kind.
    """
    name = clean_path(name)
    if len(data) > max_bytes:
        raise too_large(name, len(data), max_bytes)
    if not data.strip(b"\0\t\n\r\f\v \xef\xbb\xbf\xff\xfe"):
        raise empty(name)
    reader = _reader(name, data)
    if reader is None:
        raise _unknown(name)
    read = reader(name, data)
    if read.doc_type in _PICTURED:
        from ingestion.readers.picture_text import with_picture_text

        read = with_picture_text(name, data, read)
    text = _storable(read.text)
    if len(text) > max_bytes:  # a packed file can hold far more than its size says
        raise too_large(name, len(text), max_bytes)
    if not text or text.isspace():
        raise empty(name)
    body = text[read.metadata.get("body_start", 0) :]
    language = language_of(body if body and not body.isspace() else text)
    origin = Origin(read.doc_type, code_language=read.code_language, url=read.url, timestamp=read.timestamp)
    tables = typed_tables(read.grids or (pipe_grids(text) if read.kind == "markdown" else ()))
    return Document(
        name, text, doc_set, read.kind, language, len(data), read.metadata, origin, tuple(read.places), tables=tables
    )


def _storable(text: str) -> str:
    """Half a surrogate pair, which cannot be stored, becomes "?"; a large text is not copied for nothing."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()


def _reader(name: str, data: bytes) -> Reader | None:
    kind = kind_of(name, data, READERS)
    if (kind not in READERS or kind in ("", "txt")) and code_language(name, data):
        return read_code
    return READERS.get(kind) or (read_packed if kind in PACKED else None)


def _unknown(name: str) -> FileError:
    return FileError(
        Message(zh=f"不支持“{name}”这种类型的文件。", en=f'Files of the kind of "{name}" are not supported.'),
        Message(
            zh=f"支持 {'、'.join(_KNOWN)}，以及源代码和其他文本文件。如果它是纯文本，请改名为 .txt。",
            en=f"Supported are {', '.join(_KNOWN)}, source code and other text. If it is plain text, rename it to "
            ".txt.",
        ),
    )
