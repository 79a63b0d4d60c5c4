"""What readers share: what they hand back, how they decode, what they say when they refuse a file."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

from errors import CitewiseError, FileError
from ingestion.encoding import decode
from schema import DocType, Message, Place, TextKind
from tables.grids import Grid


@dataclass(frozen=True, slots=True)
class ReaderResult:
    """What a reader makes of a file: its text with "\\n" line ends, how that is written, and what else it knows."""

    text: str
    kind: TextKind
    doc_type: DocType
    metadata: dict[str, Any] = field(default_factory=dict)  # JSON
    code_language: str = ""
    places: Sequence[Place] = ()
    grids: Sequence[Grid] = ()  # tables that the text does not show as such
    url: str = ""  # that the file itself says it is from
    timestamp: str = ""  # when the original was last changed, where the file itself says so: ISO 8601, UTC


Reader = Callable[[str, bytes], ReaderResult]  # (clean path, bytes); raises FileError
_log = logging.getLogger(__name__)
_ticks = re.compile("`{3,}")
_fence = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_drive = re.compile(r"[A-Za-z]:")
_control = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # but form feed, vertical tab, and the escape of coloured logs


def clean_name(name: str) -> str:
    """The base name, composed (NFC), without control and format characters, at most 200 bytes of UTF-8."""
    return _clean_part(re.split(r"[/\\]", _printable(name).rstrip("/\\"))[-1]) or "unnamed"


def clean_path(path: str) -> str:
    """A relative path with "/", each part as by `clean_name`, at most 400 bytes: the folders next to the file stay.

    ".." takes back the folder before it and never leads out; the letter of a drive and a leading "/" are dropped.
    """
    parts: list[str] = []
    for part in re.split(r"[/\\]", _printable(path)):
        if part.strip() == "..":
            parts = parts[:-1]
        elif (clean := _clean_part(part)) and not _drive.fullmatch(clean):
            parts.append(clean)
    while len("/".join(parts).encode()) > 400:
        del parts[0]
    return "/".join(parts) or "unnamed"


def _printable(name: str) -> str:
    name = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
    return "".join(mark for mark in name if unicodedata.category(mark) not in ("Cc", "Cf", "Zl", "Zp"))


def _clean_part(name: str) -> str:
    name = _trimmed(name)
    stem, dot, extension = name.rpartition(".")
    while len(name.encode()) > 200:
        stem, extension = (stem[:-1], extension) if stem else (stem, extension[:-1])
        name = stem + dot + extension
    return _trimmed(name)


def _trimmed(name: str) -> str:
    end = len(name)
    while end and (name[end - 1] == "." or name[end - 1].isspace()):
        end -= 1
    return name[:end].lstrip()


def extension(name: str) -> str:
    """Lower case, without the dot; "" where the name has none. Of a path, that of the file."""
    name = name.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name[1:] else ""


def decode_text(name: str, data: bytes) -> tuple[str, dict[str, Any]]:
    found = decode(data)
    if found is None and b"\0" in data:
        raise binary(name)
    if found is None:
        raise FileError(
            Message(zh=f"无法识别“{name}”的文字编码。", en=f'The text encoding of "{name}" was not recognised.'),
            Message(zh="请用编辑器另存为 UTF-8 后再上传。", en="Save it as UTF-8 in your editor and upload it again."),
        )
    text, encoding = found
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text or len(_control.findall(text)) > len(text) / 10:
        raise binary(name)
    return text, {"encoding": encoding.removesuffix("-sig")}


def untrusted(read: Reader) -> Reader:
    """A reader on a library that raises anything at all on damaged bytes: all of it means that the file is damaged."""

    @wraps(read)
    def reader(name: str, data: bytes) -> ReaderResult:
        try:
            return read(name, data)
        except CitewiseError:
            raise
        except Exception as error:
            _log.info("%s cannot be read", name, exc_info=True)
            raise damaged(name) from error

    return reader


def fenced_block(text: str, language: str = "") -> str:
    """A Markdown fence around it, longer than any within."""
    marks = "`" * max([3, *(len(found) + 1 for found in _ticks.findall(text))])
    return f"{marks}{language}\n{text.strip(chr(10))}\n{marks}"


def letters_of(text: str) -> str:
    """Letters and digits in their plain form."""
    return "".join(mark for mark in unicodedata.normalize("NFKC", text).lower() if mark.isalnum())


def fence_ends(text: str) -> list[tuple[int, int]]:
    """From where to where the blocks of code of a Markdown text go."""
    found: list[tuple[int, int]] = []
    opened, begun = "", 0
    for fence in _fence.finditer(text) if "```" in text or "~~~" in text else ():
        if not opened:
            opened, begun = fence[1], fence.start()
        elif fence[1].startswith(opened):
            found.append((begun, fence.end()))
            opened = ""
    return [*found, (begun, len(text))] if opened else found


INSTALL_OCR = Message(
    zh="请安装文字识别组件：uv sync --extra ocr，然后重新启动程序再上传；或先用其他软件做文字识别（OCR）。",
    en="Install text recognition: uv sync --extra ocr, start the program again and upload it once more; or run text "
    "recognition (OCR) elsewhere and upload the result.",
)


class OcrNeeded(CitewiseError):
    """The file has pages to be read by OCR, which takes seconds for each: elsewhere, so that no other file waits."""

    def __init__(self, has_text: bool = False) -> None:
        super().__init__("file", INSTALL_OCR)
        self.has_text = has_text  # beside those pages: it can be stored before they are read


# --- what a person is told -----------------------------------------------------------------------------------------


def binary(name: str) -> FileError:
    return FileError(
        Message(zh=f"“{name}”不是文本文件。", en=f'"{name}" is not a text file.'),
        Message(zh="请上传 Markdown、纯文本或源代码文件。", en="Upload Markdown, plain text or source code."),
    )


def damaged(name: str) -> FileError:
    return FileError(
        Message(zh=f"“{name}”已损坏或不完整，无法读取。", en=f'"{name}" is damaged or incomplete and cannot be read.'),
        Message(
            zh="请用创建它的软件打开，确认内容完好，重新保存后再上传。",
            en="Open it in the program that made it, check that all is there, save it again and upload that.",
        ),
    )


def empty(name: str) -> FileError:
    return FileError(
        Message(zh=f"“{name}”是空文件，没有可以保存的文字。", en=f'"{name}" is empty: there is no text to save.'),
        Message(zh="请检查文件内容后重新上传。", en="Check the file and upload it again."),
    )


def too_large(name: str, size: int, limit: int) -> FileError:
    actual, most = f"{size / 1e6:.1f} MB", f"{limit / 1e6:g} MB"
    return FileError(
        Message(
            zh=f"“{name}”有 {actual}，超过了 {most} 的上限。",
            en=f'"{name}" has {actual}, more than the limit of {most}.',
        ),
        Message(
            zh="请拆分文件，或调大设置 CITEWISE_MAX_FILE_MB。",
            en="Split the file, or raise the setting CITEWISE_MAX_FILE_MB.",
        ),
    )
