"""From a file's bytes to a document: by its content, not only by its name."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from errors import FileError
from ingestion.encoding import decode
from schema import Document, Message
from text import language_of

Kind = Literal["markdown", "text", "code"]


class Reading(NamedTuple):
    """What a reader makes of a file: its text with "\\n" line ends, its kind, and what else it knows (JSON)."""

    text: str
    kind: Kind
    metadata: dict[str, Any]


Reader = Callable[[str, bytes], Reading]  # (clean name, bytes); raises FileError

_LANGUAGES = {  # extension -> name as langchain's `Language` writes it, where it has one
    "py": "python", "js": "js", "mjs": "js", "jsx": "js", "ts": "ts", "tsx": "ts", "java": "java", "kt": "kotlin",
    "go": "go", "rs": "rust", "c": "c", "h": "c", "cpp": "cpp", "cc": "cpp", "hpp": "cpp", "cs": "csharp", "php": "php",
    "rb": "ruby", "swift": "swift", "scala": "scala", "lua": "lua", "pl": "perl", "hs": "haskell", "ex": "elixir",
    "r": "r", "sh": "sh", "bash": "sh", "ps1": "powershell", "sql": "sql", "proto": "proto", "yaml": "yaml",
    "yml": "yaml", "json": "json", "toml": "toml", "ini": "ini", "css": "css", "vue": "js",
}  # fmt: skip
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
_front_matter = re.compile(r"---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LONGEST_FRONT_MATTER = 65_536  # characters
_NODES, _DEPTH = 2_000, 10  # values in a front matter: one that says more is no front matter
_heading = re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)
_control = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # but form feed, vertical tab, and the escape of coloured logs


def read_document(name: str, data: bytes, *, doc_set: str = "", max_bytes: int) -> Document:
    """Read one file. Line n of the text is line n of the file; `metadata["body_start"]` is where a front matter ends.

    Raises FileError, which names the file and the remedy, for what is empty, too large, binary, undecodable or of an
    unknown kind.
    """
    name = clean_name(name)
    if len(data) > max_bytes:
        raise _too_large(name, len(data), max_bytes)
    if not data.strip(b"\0\t\n\r\f\v \xef\xbb\xbf\xff\xfe"):
        raise _empty(name)
    extension = name.rpartition(".")[2].lower() if "." in name[1:] else ""
    _refuse_binary(name, extension, data)
    reader = READERS.get(extension)
    if reader is None:
        raise _unknown(name)
    text, kind, metadata = reader(name, data)
    body = text[metadata.get("body_start", 0) :]
    if not text.strip():
        raise _empty(name)
    return Document(name, text, doc_set, kind, language_of(body if body.strip() else text), len(data), metadata)


def clean_name(name: str) -> str:
    """The base name, composed (NFC), without control and format characters, at most 200 bytes of UTF-8."""
    name = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
    name = "".join(mark for mark in name if unicodedata.category(mark) not in ("Cc", "Cf", "Zl", "Zp"))
    name = re.split(r"[/\\]", name.rstrip("/\\"))[-1].strip().rstrip(". ")
    stem, dot, extension = name.rpartition(".")
    while len(name.encode()) > 200:
        stem, extension = (stem[:-1], extension) if stem else (stem, extension[:-1])
        name = stem + dot + extension
    return name or "unnamed"


# --- the kinds ---------------------------------------------------------------------------------------------------


def read_markdown(name: str, data: bytes) -> Reading:
    """Markdown; a YAML front matter becomes metadata and stays in the text."""
    text, metadata = _decoded(name, data)
    found = _front_matter.match(text[:_LONGEST_FRONT_MATTER])
    front = _parsed(found["yaml"]) if found else None
    if found and front is not None and text[found.end() :].strip():
        metadata = {**front, **metadata, "body_start": found.end()}
    return Reading(text, "markdown", metadata)


def read_text(name: str, data: bytes) -> Reading:
    """Plain text, or Markdown by content: with at least two headings of its kind, or a first line that is one."""
    text, metadata = _decoded(name, data)
    headings = [found.start() for found in _heading.finditer(text)]
    if headings and (not text[: headings[0]].strip() or len(headings) > 1):
        return read_markdown(name, data)
    return Reading(text, "text", metadata)


def read_code(name: str, data: bytes) -> Reading:
    """Source code and configuration, known by the extension."""
    text, metadata = _decoded(name, data)
    return Reading(text, "code", {**metadata, "programming_language": _LANGUAGES[name.rpartition(".")[2].lower()]})


READERS: dict[str, Reader] = {  # by extension, lower case
    "md": read_markdown,
    "markdown": read_markdown,
    "txt": read_text,
    "text": read_text,
    "": read_text,
    **dict.fromkeys(_LANGUAGES, read_code),
}


def _decoded(name: str, data: bytes) -> tuple[str, dict[str, Any]]:
    found = decode(data)
    if found is None:
        raise FileError(
            Message(f"无法识别“{name}”的文字编码。", f'The text encoding of "{name}" was not recognised.'),
            Message("请用编辑器另存为 UTF-8 后再上传。", "Save it as UTF-8 in your editor and upload it again."),
        )
    text, encoding = found
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text or len(_control.findall(text)) > len(text) / 10:
        raise _binary(name)
    return text, {"encoding": encoding.removesuffix("-sig")}


def _parsed(source: str) -> dict[str, Any] | None:
    """The front matter as JSON values; None when it is not a mapping, not YAML, or larger than any honest one."""
    import yaml

    try:
        values = yaml.safe_load(source)
        return _Plain().mapping(values, 0) if isinstance(values, dict) else None
    except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a date such as 2024-13-45, or our own limit
        return None


class _Plain:
    """YAML values to JSON ones. Counts them: aliases can make a small file say more than memory holds."""

    def __init__(self) -> None:
        self.left = _NODES

    def mapping(self, values: dict[Any, Any], depth: int) -> dict[str, Any]:
        return {str(key): self.value(value, depth + 1) for key, value in values.items()}

    def value(self, value: Any, depth: int) -> Any:
        self.left -= 1
        if self.left < 0 or depth > _DEPTH:
            raise ValueError("front matter too large")
        if isinstance(value, dict):
            return self.mapping(value, depth)
        if isinstance(value, list | tuple | set):
            return [self.value(item, depth + 1) for item in value]
        plain = (
            value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))
        )
        return value if plain else str(value)


# --- what a person is told -----------------------------------------------------------------------------------------


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


def _binary(name: str) -> FileError:
    return FileError(
        Message(f"“{name}”不是文本文件。", f'"{name}" is not a text file.'),
        Message("请上传 Markdown、纯文本或源代码文件。", "Upload Markdown, plain text or source code."),
    )


def _empty(name: str) -> FileError:
    return FileError(
        Message(f"“{name}”是空文件，没有可以保存的文字。", f'"{name}" is empty: there is no text to save.'),
        Message("请检查文件内容后重新上传。", "Check the file and upload it again."),
    )


def _too_large(name: str, size: int, limit: int) -> FileError:
    actual, most = f"{size / 1e6:.1f} MB", f"{limit / 1e6:g} MB"
    return FileError(
        Message(
            f"“{name}”有 {actual}，超过了 {most} 的上限。", f'"{name}" has {actual}, more than the limit of {most}.'
        ),
        Message(
            "请拆分文件，或调大设置 CITEWISE_MAX_FILE_MB。",
            "Split the file, or raise the setting CITEWISE_MAX_FILE_MB.",
        ),
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
