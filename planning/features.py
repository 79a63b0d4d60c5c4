"""What a clause is recognised by: hashed n-grams of its words and characters, one bucket of a table each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from zlib import crc32

BUCKETS = 1 << 15
_DENYING = frozenset(
    "not don't doesn't dont doesnt never no without nothing instead rather 不 别 非 勿 甭 莫 无 免".split()
)
_REACH = 6  # words behind a denying one that it denies
_token = re.compile("[a-z']{1,40}|[0-9]+|[\u3400-\u9fff]|[^\\s]")


def grams(text: str) -> Iterator[tuple[int, int, int, int]]:
    """(start, end, first token's start, bucket) of each n-gram in folded text; none reaches over punctuation.

    A Latin word gives itself, its three and four letters, and its pair with the word before it; Han give themselves,
    pairs and triples, and each word says another thing behind a word that denies it. All digits are one word.
    """
    before: list[tuple[int, str]] = []
    denied = (0, 0)  # where the last denying word stands, and for how many words more
    for found in _token.finditer(text):
        token, (start, end) = found[0], found.span()
        latin = token[0].isascii() and (token[0].isalpha() or token[0] == "'")
        if not latin and not token[0].isdigit() and not "\u3400" <= token[0] <= "\u9fff":
            before, denied = [], (0, 0)
            continue
        if token[0].isdigit():
            token = "0"
        for bucket in _of_token(token):
            yield start, end, start, bucket
        for reach in (1, 2):
            if len(before) >= reach and (reach == 1 or token > "z" or before[-1][1] > "z"):
                words = " ".join([*(word for _, word in before[-reach:]), token])
                yield before[-reach][0], end, start, _bucket(words)
        if denied[1]:
            yield denied[0], end, start, _bucket("not " + token)
            denied = denied[0], denied[1] - 1
        if token in _DENYING:
            denied = start, _REACH
        before = [*before[-1:], (start, token)]


@lru_cache(maxsize=4_000)
def _of_token(token: str) -> tuple[int, ...]:
    if token > "z" or token == "0":
        return (_bucket(token),)
    marked = f"<{token}>"
    pieces = (marked[i : i + n] for n in (3, 4) for i in range(len(marked) - n + 1))
    return (_bucket(token), *map(_bucket, dict.fromkeys(pieces)))


def _bucket(gram: str) -> int:
    return crc32(gram.encode()) % BUCKETS
