"""Zip archives: their files one by one, within limits. Nothing is ever written to a disk."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from errors import FileError
from ingestion.encoding import decode
from ingestion.readers.base import ReaderResult, clean_path, extension, too_large
from schema import Message

PACKED = frozenset("zip tar gz tgz bz2 tbz xz txz zst 7z rar lz4 br cab iso jar war apk whl".split())
_OFFICE = {"[Content_Types].xml", "mimetype"}  # of docx, xlsx, pptx; of odt, epub
_LITTER = {"__macosx", "thumbs.db", "desktop.ini"}
_CHINESE = {"gb18030", "big5", "cp950", "big5hkscs"}
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # the others cannot be unpacked a little at a time
_HEADER = 30  # bytes before the name of a member
_ENTRY = 1_000  # bytes in the table of contents, more than any honest one has on average
_SMALL = 1_000_000  # bytes that may be packed however tightly
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)


class Limits(NamedTuple):
    """What an archive may hold, once unpacked."""

    files: int = 5_000
    total_bytes: int = 500_000_000
    file_bytes: int = 50_000_000
    ratio: int = 200  # unpacked to packed


class Member(NamedTuple):
    """A file of an archive; where `problem` is set, it was skipped for that reason and `data` is empty."""

    path: str  # clean, relative, unique in the archive
    data: bytes
    problem: Message | None = None


def is_archive(name: str, data: bytes | BinaryIO) -> bool:
    """Whether it is a zip of files to unpack, and no office file, which is one inside. A damaged .zip is one, too."""
    file = _file(data)
    file.seek(0)
    if file.read(4) not in (b"PK\x03\x04", b"PK\x05\x06"):
        return False
    try:
        if not _table_fits(file, Limits()):
            return True
        with zipfile.ZipFile(file) as archive:
            return not any(name in archive.NameToInfo for name in _OFFICE)
    except _DAMAGED:
        return extension(name) == "zip"


def unpack(name: str, data: bytes | BinaryIO, limits: Limits) -> Iterator[Member]:
    """Its files in order, one in memory at a time. Folders, hidden files and litter of systems are left out.

    Raises FileError at the call, never later, for an archive that is damaged, encrypted, empty or beyond the limits.
    """
    file = _file(data)
    try:
        if not _table_fits(file, limits):
            raise _too_many(name, limits)
        archive = zipfile.ZipFile(file)
    except _DAMAGED as error:
        raise _damaged(name) from error
    entries = archive.infolist()
    paths = _paths(entries)
    wanted = [entry for entry in entries if paths[entry.header_offset]]
    size = file.seek(0, io.SEEK_END)
    total = sum(entry.file_size for entry in wanted)
    if len(wanted) > limits.files:
        raise _too_many(name, limits)
    if total > limits.total_bytes:
        raise _too_much(name, limits)
    if _overlap(entries) or (total > _SMALL and total > limits.ratio * size):
        raise _bomb(name)
    if not wanted:
        raise _nothing(name)
    if all(entry.flag_bits & 1 for entry in wanted):
        raise _locked(name)
    return _members(archive, wanted, paths, limits)


def read_packed(name: str, data: bytes) -> ReaderResult:
    """A reader for whoever hands an archive in as a document: always raises FileError."""
    raise FileError(
        Message(
            zh=f"“{name}”是压缩包，不能作为一个文件读取。", en=f'"{name}" is an archive and cannot be read as one file.'
        ),
        Message(
            zh="只支持 zip 压缩包：请解压后上传里面的文件，或改用 zip 压缩后上传。",
            en="Of archives only zip is supported: upload the files that are in it, or pack them as a zip.",
        ),
    )


def _file(data: bytes | BinaryIO) -> BinaryIO:
    return io.BytesIO(data) if isinstance(data, bytes) else data


def _table_fits(file: BinaryIO, limits: Limits) -> bool:
    """Whether the table of contents may be read: `zipfile` takes it into memory whole. Raises BadZipFile."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - 65_557 - 76))  # the end record with the longest comment, what zip64 has before it
    tail = file.read()
    end = tail.rfind(b"PK\x05\x06")
    if end < 0:
        raise zipfile.BadZipFile("no end record")
    table = tail[end + 12 : end + 16]
    if tail[max(0, end - 20) : end].startswith(b"PK\x06\x07"):
        table = tail[max(0, end - 36) : end - 28]  # of the zip64 record, whatever the other one says
    return int.from_bytes(table, "little") <= limits.files * _ENTRY


def _overlap(entries: Sequence[zipfile.ZipInfo]) -> bool:
    """Whether members share bytes of the file, which only bombs do (Fifield, A better zip bomb, 2019)."""
    end = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        if entry.header_offset < end:
            return True
        end = entry.header_offset + _HEADER + len(entry.orig_filename) + entry.compress_size
    return False


# --- names ---------------------------------------------------------------------------------------------------------


def _paths(entries: Sequence[zipfile.ZipInfo]) -> dict[int, str]:
    """By header offset: clean paths, no two alike; "" for what nobody wants."""
    raw = [entry.orig_filename.encode("cp437") for entry in entries if not entry.flag_bits & 0x800]
    encoding = _encoding(b"\n".join(name for name in raw if not name.isascii()))
    paths: dict[int, str] = {}
    taken: dict[str, int] = {}
    for entry in entries:
        path = _name(entry, encoding)
        parts = path.replace("\\", "/").lower().split("/")
        hidden = any(part in _LITTER or (part.startswith(".") and part.strip(". ")) for part in parts)
        folder = path.endswith(("/", "\\")) and not entry.file_size
        paths[entry.header_offset] = "" if hidden or folder else _unique(clean_path(path), taken)
    return paths


def _encoding(names: bytes) -> str:
    """Of the names without the UTF-8 flag: many programs write UTF-8 all the same, those of Chinese Windows GBK."""
    try:
        names.decode()
        return "utf-8"
    except UnicodeDecodeError:
        found = decode(names)
        return found[1] if found and found[1] in _CHINESE else "cp437"


def _name(entry: zipfile.ZipInfo, encoding: str) -> str:
    if entry.flag_bits & 0x800:
        return entry.orig_filename
    raw, extra = entry.orig_filename.encode("cp437"), entry.extra
    while len(extra) >= 4:
        kind, size = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == 0x7075 and int.from_bytes(field[1:5], "little") == zlib.crc32(raw):  # Info-ZIP's Unicode path
            return field[5:].decode("utf-8", "replace")
    return raw.decode(encoding, "replace")


def _unique(path: str, taken: dict[str, int]) -> str:
    """The path, or "name (2).md" where it is taken; `taken` keeps how often each was asked for."""
    folder, slash, name = path.rpartition("/")
    stem, dot, kind = name.rpartition(".") if "." in name[1:] else (name, "", "")
    unique = path
    while unique in taken:
        taken[path] += 1
        unique = f"{folder}{slash}{stem} ({taken[path]}){dot}{kind}"
    taken[unique] = 1
    return unique


# --- members -------------------------------------------------------------------------------------------------------


def _members(
    archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo], paths: dict[int, str], limits: Limits
) -> Iterator[Member]:
    with archive:
        for entry in entries:
            path = paths[entry.header_offset]
            problem = _skipped(entry, path, limits)
            data = b""
            if problem is None:
                try:
                    with archive.open(entry) as member:
                        data = member.read(entry.file_size)  # never more than it says it has
                        member.read(1)  # the end: now its checksum is compared
                    if is_archive(path, data):
                        problem, data = _nested(path), b""
                except _DAMAGED:
                    problem, data = _damaged(path).in_full, b""
            yield Member(path, data, problem)


def _skipped(entry: zipfile.ZipInfo, path: str, limits: Limits) -> Message | None:
    """Why a member is not even opened."""
    if entry.flag_bits & 1:
        return _locked(path).in_full
    if stat.S_ISLNK(entry.external_attr >> 16):
        return Message(zh=f"“{path}”是符号链接，已跳过。", en=f'"{path}" is a symbolic link and was skipped.')
    if extension(path) in PACKED:
        return _nested(path)
    if entry.file_size > limits.file_bytes:
        return too_large(path, entry.file_size, limits.file_bytes).in_full
    if entry.compress_type not in _METHODS:
        return Message(
            zh=f"“{path}”的压缩方式不受支持，已跳过。请用普通的 zip（Deflate）重新压缩。",
            en=f'"{path}" is packed by a method that is not supported and was skipped. Pack it as a plain zip '
            "(Deflate).",
        )
    return None


# --- what a person is told -----------------------------------------------------------------------------------------


def _nested(path: str) -> Message:
    return Message(
        zh=f"“{path}”是压缩包里的压缩包，已跳过。请解压后单独上传。",
        en=f'"{path}" is an archive within the archive and was skipped. Unpack it and upload its files by themselves.',
    )


def _damaged(name: str) -> FileError:
    return FileError(
        Message(zh=f"“{name}”已损坏，无法解压。", en=f'"{name}" is damaged and cannot be unpacked.'),
        Message(zh="请重新压缩或重新下载后再上传。", en="Pack or download it again, then upload it."),
    )


def _locked(name: str) -> FileError:
    return FileError(
        Message(
            zh=f"“{name}”有密码保护，无法解压。", en=f'"{name}" is protected by a password and cannot be unpacked.'
        ),
        Message(zh="请去掉密码后再上传。", en="Remove the password and upload it again."),
    )


def _nothing(name: str) -> FileError:
    return FileError(
        Message(zh=f"压缩包“{name}”里没有文件。", en=f'There are no files in the archive "{name}".'),
        Message(zh="请检查压缩包的内容。", en="Check what the archive contains."),
    )


def _too_many(name: str, limits: Limits) -> FileError:
    return FileError(
        Message(
            zh=f"压缩包“{name}”里的文件超过 {limits.files} 个。",
            en=f'There are more than {limits.files} files in the archive "{name}".',
        ),
        Message(zh="请分成几个较小的压缩包。", en="Split it into several smaller archives."),
    )


def _too_much(name: str, limits: Limits) -> FileError:
    return FileError(
        Message(
            zh=f"压缩包“{name}”解压后超过 {limits.total_bytes / 1e6:g} MB。",
            en=f'Unpacked, the archive "{name}" would have more than {limits.total_bytes / 1e6:g} MB.',
        ),
        Message(zh="请分成几个较小的压缩包。", en="Split it into several smaller archives."),
    )


def _bomb(name: str) -> FileError:
    return FileError(
        Message(
            zh=f"“{name}”解压后的大小与文件本身不相称，像是压缩炸弹，没有解压。",
            en=f'"{name}" would unpack to far more than it has: it looks like a zip bomb and was not unpacked.',
        ),
        Message(
            zh="如果它是正常的压缩包，请解压后上传里面的文件。",
            en="If it is an honest archive, upload the files in it.",
        ),
    )
