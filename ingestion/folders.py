"""Files and folders of a disk as files to store: which ones, under what names, and which are stored already."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from errors import CitewiseError
from ingestion.readers import SUPPORTED, clean_path
from ingestion.readers.base import extension
from ingestion.readers.code import code_language
from ingestion.unchanged_files import is_unchanged
from schema import AS_USUAL, Chunking, DocumentInfo, IncomingFile, Message, Origin
from stores.metadata import checked

_IGNORED = frozenset({"node_modules", "__pycache__", "venv"})  # beside everything whose name begins with a dot
_ENDINGS = frozenset(SUPPORTED)


class FolderScan(NamedTuple):
    """What there is to store, and what was left out of the folders, with the reason."""

    files: list[IncomingFile]
    skipped: list[tuple[str, Message]]


def incoming_of(
    paths: Iterable[str | Path],
    doc_set: str = "",
    chunking: Chunking = AS_USUAL,
    metadata: Mapping[str, Any] | None = None,
) -> FolderScan:
    """The files, and all files of known kinds in the folders and the folders in these, by name.

    A file of a folder is called by its path in it, with "/"; where two folders have one of the same name, the second
    has the folder's name before it. Their `origin.stamp` changes when they do. Raises CitewiseError for a path that is
    not there, and for metadata that do not fit.
    """
    found, fitting = FolderScan([], []), checked(metadata or {})
    taken: dict[str, str] = {}  # name -> real path
    for given in map(Path, paths):
        if not given.exists():
            raise CitewiseError(
                "not_found",
                Message(zh=f"找不到 {given}。", en=f"There is no {given}."),
                Message(zh="请检查路径。", en="Check the path."),
            )
        parent = given.resolve().name if given.is_dir() else given.resolve().parent.name
        for file in _below(given, found.skipped) if given.is_dir() else [_File(str(given), given.name, given.stat())]:
            real = os.path.realpath(file.path) if os.path.islink(file.path) else os.path.abspath(file.path)
            names = (clean_path(one) for one in (file.inside, f"{parent}/{file.inside}"))
            name = next((one for one in names if taken.get(one, real) == real), None)
            if name is None:
                found.skipped.append((file.path, _SAME_NAME))
            elif name not in taken:  # else it was given twice
                taken[name] = real
                found.files.append(_incoming(file, name, doc_set, chunking, fitting))
    return found


def split_unchanged(
    files: Sequence[IncomingFile], stored: Iterable[DocumentInfo]
) -> tuple[list[IncomingFile], list[DocumentInfo]]:
    """What is new or has changed, and what is stored already as it is. Whether a file has the metadata that it is given
    with is seen when its turn comes."""
    by_name = {(info.doc_set, info.name): info for info in stored}
    fresh: list[IncomingFile] = []
    unchanged: list[DocumentInfo] = []
    for file in files:
        info = by_name.get((file.doc_set, file.name))
        if info and not file.metadata and is_unchanged(info, file.origin, file.chunking):
            unchanged.append(info)
        else:
            fresh.append(file)
    return fresh, unchanged


def stamp_of(found: os.stat_result) -> str:
    return f"{found.st_mtime_ns}-{found.st_size}"


class _File(NamedTuple):
    path: str
    inside: str  # its path in the folder that was given, with "/"
    found: os.stat_result


def _incoming(file: _File, name: str, doc_set: str, chunking: Chunking, metadata: Mapping[str, Any]) -> IncomingFile:
    changed = datetime.fromtimestamp(file.found.st_mtime, UTC).isoformat(timespec="seconds")
    origin = Origin(file_path=file.inside, timestamp=changed, stamp=stamp_of(file.found))
    path = os.path.abspath(file.path)
    return IncomingFile(name, path=path, doc_set=doc_set, chunking=chunking, origin=origin, metadata=metadata)


def _below(folder: Path, skipped: list[tuple[str, Message]]) -> Iterator[_File]:
    """Files worth reading, sorted. Linked folders are not entered: what they lead to within is found there."""
    root, length = os.path.realpath(folder), len(os.path.join(folder, ""))
    for at, folders, names in os.walk(
        folder, onerror=lambda error: skipped.append((error.filename, _unreadable(error)))
    ):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in _IGNORED)
        for name in sorted(names):
            if name.startswith("."):
                continue
            path = os.path.join(at, name)
            checked = _checked(path, name, root)
            if isinstance(checked, os.stat_result):
                yield _File(path, path[length:].replace(os.sep, "/"), checked)
            else:
                skipped.append((path, checked))


def _checked(path: str, name: str, root: str) -> os.stat_result | Message:
    """What the system tells of a file of a folder, or why it is left out."""
    try:
        if os.path.islink(path) and os.path.commonpath([root, os.path.realpath(path)]) != root:
            return _LEADS_OUT
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return _NO_FILE
        if ending := extension(name):
            known = f".{ending}" in _ENDINGS or bool(code_language(name))
        else:  # README, Makefile: text, if it looks like it
            with open(path, "rb") as file:
                known = b"\0" not in file.read(2_048)
    except OSError as error:
        return _unreadable(error)
    return found if known else _UNKNOWN


def _unreadable(error: OSError) -> Message:
    return Message(zh=f"无法读取（{error.strerror}）", en=f"cannot be read ({error.strerror})")


_UNKNOWN = Message(zh="不支持的类型", en="kind not supported")
_NO_FILE = Message(zh="不是普通文件", en="not a regular file")
_LEADS_OUT = Message(zh="链接指向文件夹之外", en="a link that leads out of the folder")
_SAME_NAME = Message(
    zh="与另一个文件同名：请分开保存到不同的文档集", en="another file has this name: store it in another document set"
)
