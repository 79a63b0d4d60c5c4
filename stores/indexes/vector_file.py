"""A file of parts, each with its checksum, and a JSON that says what they are: written aside and renamed."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from stores.folder import private_opener
from stores.problems import DamagedFileError

_FORMAT = 2  # 1: FAISS's own form with one checksum for all


def write(path: Path, parts: Iterable[bytes], about: Callable[[], dict[str, Any]]) -> None:
    """On the disk when it returns, whole; or as it was before. `about` is asked after the last part. Raises OSError."""
    aside, sizes = path.with_suffix(".new"), []
    with open(aside, "wb", opener=private_opener) as file:
        for part in parts:
            file.write(part)
            sizes.append((len(part), zlib.crc32(part)))
        described = json.dumps({"format": _FORMAT, **about(), "parts": sizes}).encode()
        file.write(described)
        for number in (zlib.crc32(described), len(described)):
            file.write(number.to_bytes(4, "little"))
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)


def about(file: BinaryIO) -> dict[str, Any]:
    """What a file says of itself; its parts are the next to be read. Raises Damaged, OSError."""
    size = file.seek(0, os.SEEK_END)
    if size < 8:
        raise DamagedFileError("it is too short")
    file.seek(size - 8)
    checksum, length = (int.from_bytes(file.read(4), "little") for _ in range(2))
    file.seek(max(size - 8 - length, 0))
    described = file.read(length)
    if zlib.crc32(described) != checksum:
        raise DamagedFileError("it does not say what it holds, or was written by an earlier version")
    header: dict[str, Any] = json.loads(described)
    if header["format"] != _FORMAT:
        raise DamagedFileError(f"its format is {header['format']}, not {_FORMAT}")
    file.seek(0)
    return header


def parts(file: BinaryIO, header: dict[str, Any]) -> Iterator[bytes]:
    """Raises Damaged where one is not as it was written, OSError."""
    for size, checksum in header["parts"]:
        part = file.read(size)
        if zlib.crc32(part) != checksum:
            raise DamagedFileError("its checksum does not hold")
        yield part
