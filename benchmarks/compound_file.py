"""Writes compound files (OLE, [MS-CFB]), so that old office files can be made without an office."""

from __future__ import annotations

import struct
from collections.abc import Mapping

_SECTOR, _MINI, _CUTOFF = 512, 64, 4096
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_NONE = 0xFFFFFFFF


def compound_file(streams: Mapping[str, bytes]) -> bytes:
    """Streams by path, "/" between a storage and what is in it; at most one level deep."""
    paths = ["", *sorted({path.partition("/")[0] for path in streams if "/" in path}), *sorted(streams)]
    chains: list[list[int]] = []
    body, mini, mini_fat = bytearray(), bytearray(), list[int]()
    starts: dict[str, tuple[int, int]] = {}  # first sector, size
    for path, data in streams.items():
        if len(data) >= _CUTOFF:
            starts[path] = _append(body, data, chains), len(data)
        else:
            first, count = len(mini) // _MINI, -(-len(data) // _MINI)
            mini += data.ljust(count * _MINI, b"\0")
            mini_fat += [*range(first + 1, first + count), _END][:count]
            starts[path] = (first if count else _END), len(data)
    root = (_append(body, bytes(mini), chains) if mini else _END), len(mini)
    mini_bytes = struct.pack(f"<{len(mini_fat)}I", *mini_fat)
    mini_start = _append(body, mini_bytes, chains, b"\xff") if mini_fat else _END
    directory = _append(body, _directory(paths, starts, root), chains)
    return _with_table(body, chains, directory, mini_start, -(-len(mini_bytes) // _SECTOR))


def _append(body: bytearray, data: bytes, chains: list[list[int]], fill: bytes = b"\0") -> int:
    first, count = len(body) // _SECTOR, max(1, -(-len(data) // _SECTOR))
    body += data.ljust(count * _SECTOR, fill)
    chains.append(list(range(first, first + count)))
    return first


def _with_table(body: bytearray, chains: list[list[int]], directory: int, mini: int, minis: int) -> bytes:
    sectors = len(body) // _SECTOR
    tables = 1
    while tables * 128 < sectors + tables:
        tables += 1
    assert tables <= 109
    table = [_FREE] * (tables * 128)
    for chain in chains:
        for here, following in zip(chain, [*chain[1:], _END], strict=True):
            table[here] = following
    table[sectors : sectors + tables] = [_FAT] * tables
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIII", 0, tables, directory, 0, _CUTOFF, mini, minis, _END, 0)
    header += struct.pack("<109I", *(list(range(sectors, sectors + tables)) + [_FREE] * 109)[:109])
    return header + bytes(body) + struct.pack(f"<{len(table)}I", *table)


def _directory(paths: list[str], starts: Mapping[str, tuple[int, int]], root: tuple[int, int]) -> bytes:
    """An entry for each path; those of a storage hang on each other to the right."""
    numbers = {path: number for number, path in enumerate(paths)}
    following, children = dict.fromkeys(paths, _NONE), dict.fromkeys(paths, _NONE)
    for path in reversed(paths[1:]):
        parent = path.rpartition("/")[0]
        following[path], children[parent] = children[parent], numbers[path]
    entries = b""
    for path in paths:
        name = (path.rpartition("/")[2] or "Root Entry").encode("utf-16-le")
        kind = 5 if not path else 2 if path in starts else 1
        start, size = root if not path else starts.get(path, (0, 0))
        entries += name.ljust(64, b"\0") + struct.pack("<HBB", len(name) + 2, kind, 1)
        entries += struct.pack("<III", _NONE, following[path], children[path]) + bytes(16 + 4 + 16)
        entries += struct.pack("<IQ", start, size)
    return entries.ljust(-(-len(entries) // _SECTOR) * _SECTOR, b"\0")
