"""The files of the recordings: one JSON value a line, packed with xz."""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from pathlib import Path

from tests.recorded.normal import Json

_DATA = Path(__file__).parent / "data"


def path_of(name: str) -> Path:
    return _DATA / f"{name}.jsonl.xz"


def written(lines: Sequence[Json], path: Path) -> None:
    """The same lines are the same bytes."""
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def read(path: Path) -> list[Json]:
    return [json.loads(line) for line in lzma.decompress(path.read_bytes()).decode().splitlines()]
