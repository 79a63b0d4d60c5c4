"""Files and folders of a disk as files to store: which ones, under what names, and which are stored already."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from errors import CitewiseError
from ingestion.pipeline import is_unchanged
from ingestion.readers import SUPPORTED, clean_path
from ingestion.readers.base import extension
from ingestion.readers.code import code_language
from schema import AS_USUAL, Chunking, DocumentInfo, Incoming, Message, Origin

_IGNORED = frozenset({"node_modules", "__pycache__", "venv"})  # beside everything whose name begins with a dot
_ARCHIVES = (".zip",)


class Found(NamedTuple):
    """What there is to store, and what was left out of the folders, with the reason."""

    files: list[Incoming]
    skipped: list[tuple[str, Message]]


def incoming_of(paths: Iterable[str | Path], doc_set: str = "", chunking: Chunking = AS_USUAL) -> Found:
    """The files, and all files of known kinds in the folders and the folders in these, by name.

    A file of a folder is called by its path in it, with "/"; where two folders have one of the same name, the second
    has the folder's name before it. Their `origin.stamp` changes when they do. Raises CitewiseError for a path that is
    not there.
    """
    found = Found([], [])
    taken: dict[str, str] = {}  # name -> real path
    for given in map(Path, paths):
        if not given.exists():
            raise _not_there(given)
        for path in _below(given, found.skipped) if given.is_dir() else [given]:
            inside = path.relative_to(given).as_posix() if given.is_dir() else given.name
            parent = given.resolve().name if given.is_dir() else given.resolve().parent.name
            real = os.path.realpath(path)
            names = [clean_path(inside), clean_path(f"{parent}/{inside}")]
            name = next((one for one in names if taken.get(one, real) == real), None)
            if name is None:
                found.skipped.append((str(path), _SAME_NAME))
            elif name not in taken:  # else it was given twice
                taken[name] = real
                found.files.append(_incoming(path, name, inside, doc_set, chunking))
    return found


def split_unchanged(
    files: Sequence[Incoming], stored: Iterable[DocumentInfo]
) -> tuple[list[Incoming], list[DocumentInfo]]:
    """What is new or has changed, and what is stored already as it is."""
    by_name = {(info.doc_set, info.name): info for info in stored}
    fresh: list[Incoming] = []
    unchanged: list[DocumentInfo] = []
    for file in files:
        info = by_name.get((file.doc_set, file.name))
        if info and is_unchanged(info, file.origin.stamp, file.chunking):
            unchanged.append(info)
        else:
            fresh.append(file)
    return fresh, unchanged


def stamp_of(found: os.stat_result) -> str:
    return f"{found.st_mtime_ns}-{found.st_size}"


def _incoming(path: Path, name: str, inside: str, doc_set: str, chunking: Chunking) -> Incoming:
    found = path.stat()
    changed = datetime.fromtimestamp(found.st_mtime, UTC).isoformat(timespec="seconds")
    origin = Origin(file_path=inside.encode("utf-8", "replace").decode(), timestamp=changed, stamp=stamp_of(found))
    return Incoming(name, path=os.path.abspath(path), doc_set=doc_set, chunking=chunking, origin=origin)


def _below(folder: Path, skipped: list[tuple[str, Message]]) -> Iterator[Path]:
    """Files worth reading, sorted. Linked folders are not entered: what they lead to within is found there."""
    root = os.path.realpath(folder)
    for at, folders, names in os.walk(
        folder, onerror=lambda error: skipped.append((error.filename, _unreadable(error)))
    ):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in _IGNORED)
        for name in sorted(names):
            path = Path(at, name)
            if name.startswith("."):
                continue
            reason = _reason(path, root)
            if reason is None:
                yield path
            else:
                skipped.append((str(path), reason))


def _reason(path: Path, root: str) -> Message | None:
    """Why a file of a folder is left out."""
    if path.is_symlink() and os.path.commonpath([root, os.path.realpath(path)]) != root:
        return _LEADS_OUT
    try:
        if not path.is_file():
            return _NO_FILE
        if extension(path.name):
            known = f".{extension(path.name)}" in (*SUPPORTED, *_ARCHIVES) or bool(code_language(path.name))
        else:  # README, Makefile: text, if it looks like it
            with path.open("rb") as file:
                known = b"\0" not in file.read(2_048)
    except OSError as error:
        return _unreadable(error)
    return None if known else _UNKNOWN


def _unreadable(error: OSError) -> Message:
    return Message(zh=f"无法读取（{error.strerror}）", en=f"cannot be read ({error.strerror})")


_UNKNOWN = Message(zh="不支持的类型", en="kind not supported")
_NO_FILE = Message(zh="不是普通文件", en="not a regular file")
_LEADS_OUT = Message(zh="链接指向文件夹之外", en="a link that leads out of the folder")
_SAME_NAME = Message(
    zh="与另一个文件同名：请分开保存到不同的文档集", en="another file has this name: store it in another document set"
)


def _not_there(path: Path) -> CitewiseError:
    return CitewiseError(
        "not_found",
        Message(zh=f"找不到 {path}。", en=f"There is no {path}."),
        [Message(zh="请检查路径。", en="Check the path.")],
    )
