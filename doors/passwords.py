"""Passwords as they are kept: a line that tells whether one is right, and does not tell which one is."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
from collections.abc import Iterable

COST, BLOCK, LANES = 15, 8, 1  # of scrypt: 32 MB and about a tenth of a second for each attempt
_LINE = re.compile(r"scrypt\.(\d{1,2})\.(\d{1,2})\.(\d{1,2})\.([\w-]{16,})\.([\w-]{40,})")


def hash_password(password: str) -> str:
    """A new line for a password; no character of it means anything to a shell, a .env or a list of users."""
    salt = os.urandom(16)
    return f"scrypt.{COST}.{BLOCK}.{LANES}.{as_text(salt)}.{as_text(_scrypt(password, salt, COST, BLOCK, LANES))}"


def is_hashed(line: str) -> bool:
    found = _LINE.fullmatch(line)
    return found is not None and 1 <= int(found[1]) <= 20 and int(found[2]) in range(1, 17) and int(found[3]) in (1, 2)


def dummy_hash(lines: Iterable[str]) -> str:
    """A line of no password, to be compared with at the price of the others; of the dearest where they differ."""
    costs = [tuple(map(int, found.groups()[:3])) for line in lines if (found := _LINE.fullmatch(line))]
    cost, block, lanes = max(costs, default=(COST, BLOCK, LANES))
    return f"scrypt.{cost}.{block}.{lanes}.{as_text(os.urandom(16))}.{as_text(os.urandom(64))}"


def is_right(password: str, line: str) -> bool:
    """Whether a line is of this password; it takes as long either way."""
    found = _LINE.fullmatch(line)
    if found is None:
        return False
    cost, block, lanes = (int(found[number]) for number in (1, 2, 3))
    return hmac.compare_digest(_scrypt(password, as_bytes(found[4]), cost, block, lanes), as_bytes(found[5]))


def _scrypt(password: str, salt: bytes, cost: int, block: int, lanes: int) -> bytes:
    memory = 128 * block * (2**cost + lanes + 2)
    return hashlib.scrypt(password.encode(), salt=salt, n=2**cost, r=block, p=lanes, maxmem=2 * memory)


def as_text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def as_bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
