"""The bytes of originals: what both stores do with them before they write, and after they have read."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from schema import OriginalFile

log = logging.getLogger(__name__)

_BLOCK = 1 << 20  # bytes of a row


def bytes_of(original: OriginalFile) -> bytes | None:
    """None where the file has changed or gone since it was read: then there is no original to be kept."""
    try:
        data = Path(original.path).read_bytes() if original.data is None else original.data
    except OSError as error:
        log.warning("an original cannot be kept: %s", error)
        return None
    return data if hashlib.sha256(data).hexdigest() == original.digest else None


def blocks_of(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Numbered from 0."""
    for start in range(0, max(len(data), 1), _BLOCK):
        yield start // _BLOCK, data[start : start + _BLOCK]


def whole(digest: str, blocks: Iterable[bytes]) -> bytes | None:
    """None where a part of it was lost."""
    data = b"".join(blocks)
    return data if hashlib.sha256(data).hexdigest() == digest else None
