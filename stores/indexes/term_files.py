"""The files of a term index, as they should be: what tantivy itself does not look after."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

from stores.problems import DamagedFileError

_PARTS = (".fast", ".fieldnorm", ".idx", ".pos", ".store", ".term")
_FOOTER = 1_000  # bytes in which a file's footer ends; it has some eighty
_SLICE = 1 << 20  # bytes of a file that are in memory at a time


def noted(folder: Path) -> int:
    """The generation, where it was noted for the commit that is there: a disk may have kept the note alone."""
    try:
        generation, opstamp = map(int, (folder / "generation").read_text().split())
        return generation if opstamp == json.loads((folder / "meta.json").read_bytes())["opstamp"] else -1
    except (OSError, ValueError, KeyError, TypeError):
        return -1


def verified(folder: Path) -> set[str]:
    """The files of the segments. Each is there and its checksum holds: tantivy itself would fail at some later query.

    A file ends in its CRC-32 as JSON, the length of that JSON and a magic number (tantivy's directory footer).
    """
    names: set[str] = set()
    for segment in json.loads((folder / "meta.json").read_bytes())["segments"]:
        stem = segment["segment_id"].replace("-", "")
        names.update(stem + part for part in _PARTS)
        if segment["deletes"]:
            names.add(f"{stem}.{segment['deletes']['opstamp']}.del")
    for name in names:
        if not _is_whole(folder / name):
            raise DamagedFileError(f"{name} is not as it was written")
    return names


def sweep(folder: Path, names: set[str]) -> None:
    """A killed commit leaves files that the next one would want to make, and fail."""
    for path in folder.iterdir():
        if path.suffix in (*_PARTS, ".del") and path.name not in names:
            path.unlink()


def _is_whole(path: Path) -> bool:
    with path.open("rb") as file:
        left = file.seek(0, os.SEEK_END)
        file.seek(max(left - _FOOTER, 0))
        end = file.read()
        size, magic = (int.from_bytes(end[place : place + 4], "little") for place in (-8, len(end) - 4))
        if magic != 1337 or not 0 < size <= len(end) - 8:
            return False
        left -= size + 8
        file.seek(0)
        checksum = 0
        while left > 0:
            content = file.read(min(left, _SLICE))
            checksum, left = zlib.crc32(content, checksum), left - len(content)
        crc: int = json.loads(end[-8 - size : -8])["crc"]
        return crc == checksum
