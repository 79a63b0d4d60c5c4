"""The dictionary file: Chinese words with their English translations, looked up both ways without being loaded.

The file is an adaptation of CC-CEDICT, made by `scripts/make_dictionary.py`, and stays under its licence
(`CC-CEDICT.md`, CC BY-SA 4.0). It is mapped into memory; a look-up decompresses one block of some hundred entries.

Layout, little-endian: `MAGIC`, the length of the header (uint32), the header (JSON: how search tokens were made, and
where the rest stands), and for each section its keys, a sample of its blocks, and the blocks; all but the first two are
packed with Zstandard, the blocks beside the sample. A block holds the values of some lines. The keys are sorted; those
of a block have blanks behind them, up to the width of the longest. Forward, a word has `term;term`; a term is an
English translation as it is written, best first, with a comma at its end where it stands behind a comma or an "or" in
the source. Backward, the search tokens of a term have numbers of words, as hexadecimal differences, each with a `!`
where the word denies the term and the sign of its weight.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import re
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict, ZstdCompressor, ZstdDecompressor

from schema import Alternative
from text import search_tokens
from translation.glossary import characters_of
from translation.sorted_keys import SortedKeys
from translation.translations import NEGATIONS, in_fewer_words, weighed, whole

MAGIC = b"CITEDICT4\n"
PATH = Path(__file__).parent / "cedict.dict"
_SAMPLE = (
    "The libraries' children were running 1,000 well-known databases in Zürich; organizations generally agreed on "
    "happily studying e-mail policies, U.S. taxes and k8s-networking. 软件工程师在研究数据库的全文检索，資訊系統亦然。"
)
_BLOCK = {"forward": 128, "backward": 256}  # lines, packed together
_SAMPLES = {"forward": 800_000, "backward": 256_000}  # bytes of blocks that every block is packed beside
_ENCODING = "gb18030"  # two bytes a character
_KEY_ENCODINGS = {"forward": "utf-16-le", "backward": "ascii"}  # which take no time to decode
_LEVEL = 22
_SIGNS = "ghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#$%&'()*+,-./:;<=>?@[]^_`{|}~"  # of weights, the best first
_NO_SIGNS = b"0123456789abcdef!"
_STEPS = 10  # signs from one weight to its half
_WEIGHTS = {sign: 2 ** (-place / _STEPS) for place, sign in enumerate(_SIGNS)}
_weight = attrgetter("weight")
_backward_word = re.compile(r"(?<![0-9a-f])([0-9a-f]+)(!?)([^0-9a-f!])")
_MANY = 36  # Chinese words of one English term, the common ones; the library decides which of them it has
_CACHED = 600  # blocks, of some 3 KB each
_TERMS = 500  # terms of each language whose translations are remembered
_ASKED = 4_000  # words, terms and runs of them: whether there is an entry is asked again and again
_FEW = 3  # Chinese words that an English term has at least, if it heads translations of as many
_SHORT = 3  # characters of such a word


class Dictionary:
    """A dictionary file. Look-ups may come from any thread."""

    def __init__(self, path: Path = PATH) -> None:
        """Raises ValueError for a file of another kind, OSError where it cannot be read."""
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self._data[: len(MAGIC)] != MAGIC:
            raise ValueError(f"{path} is no dictionary of this version")
        start = len(MAGIC) + 4
        (length,) = struct.unpack("<I", self._data[len(MAGIC) : start])
        self.header = json.loads(ZstdDecompressor().decompress(self._data[start : start + length]))
        self._start = start + length
        self._unpackers = {section: self._unpacker(section) for section in _SAMPLES}
        self._lock = threading.Lock()
        self._block = lru_cache(maxsize=_CACHED)(self._read_block)
        self._english = lru_cache(maxsize=_TERMS)(self._read_english)
        self._chinese = lru_cache(maxsize=_TERMS)(self._read_chinese)
        self._keys = cache(self._read_keys)  # 3.4 MB of both sections
        self._there = lru_cache(maxsize=_ASKED)(self._find)
        self._begins = lru_cache(maxsize=_ASKED)(self._has_beginning)
        self._compounds = lru_cache(maxsize=_ASKED)(self._count_compounds)

    def english(self, word: str) -> tuple[Alternative, ...]:
        """The translations of a Chinese word in simplified characters, best first; none for an unknown word."""
        return self._english(word)

    def _read_english(self, word: str) -> tuple[Alternative, ...]:
        number = self._there("forward", word)
        return (*weighed(self._value("forward", number).split(";")),) if number is not None else ()

    def chinese(self, term: str, *, negated: bool = False) -> tuple[Alternative, ...]:
        """The Chinese words for an English term (search tokens with blanks between), best first; those that mean "not"
        and the term, as 不必 of "need", only where it is `negated`.

        A word with one meaning comes before one with ten: its weight is p * sqrt(p / the sum of all its weights), as
        a share of the best word's.
        """
        return self._chinese(term, negated)

    def _read_chinese(self, term: str, negated: bool) -> tuple[Alternative, ...]:
        number = self._there("backward", term)
        if number is None:
            return ()
        found, place, word_at = list[Alternative](), 0, self._keys("forward").at
        for step, denies, sign in _backward_word.findall(self._value("backward", number)):
            place += int(step, 16)
            if negated or not denies:
                word = word_at(place)
                found.append(Alternative(characters_of(word), _WEIGHTS[sign], word))
        found.sort(key=_weight, reverse=True)  # those of one weight stay in their order
        return (*found,)

    def has(self, word: str) -> bool:
        """Whether a Chinese word has an entry."""
        return self._there("forward", word) is not None

    def begins(self, words: str) -> bool:
        """Whether a Chinese word with an entry begins with these, or is made of them."""
        return self._begins("forward", words)

    def knows(self, term: str) -> bool:
        """Whether an English term is a translation of any word."""
        return self._there("backward", term) is not None

    def begins_term(self, terms: str) -> bool:
        """Whether an English term begins with these, or is made of them."""
        return self._begins("backward", terms)

    def translates(self, term: str) -> int:
        """How many Chinese words an English term translates, of very many the common ones alone."""
        number = self._there("backward", term)
        return 0 if number is None else len(self._line("backward", number).translate(None, _NO_SIGNS))

    def compounds(self, word: str) -> int:
        """How many Chinese entries begin with a word: more with a common one."""
        return self._compounds(word)

    def _count_compounds(self, word: str) -> int:
        keys = self._keys("forward")
        return keys.first_from(word + "\U0010ffff") - keys.first_from(word)

    def _has_beginning(self, section: str, beginning: str) -> bool:
        return self._keys(section).begins(beginning)

    def _find(self, section: str, key: str) -> int | None:
        """The number of the line with this key."""
        return self._keys(section).number_of(key)

    def _value(self, section: str, number: int) -> str:
        """Of one line; nothing else is decoded."""
        return self._line(section, number).decode(_ENCODING)

    def _line(self, section: str, number: int) -> bytes:
        place, at = divmod(number, _BLOCK[section])
        return self._block(section, place).split(b"\n", at + 1)[at]

    def _read_keys(self, section: str) -> SortedKeys:
        """All at once: a question of ten words would have blocks of fifty others decoded, for their keys alone."""
        start, end = self.header[section]["keys"]
        joined = ZstdDecompressor().decompress(self._data[self._start + start : self._start + end])
        return SortedKeys(joined.decode(_KEY_ENCODINGS[section]), self.header[section]["widths"], _BLOCK[section])

    def _read_block(self, section: str, place: int) -> bytes:
        """As `_block` makes it. In this encoding no character but the end of a line has its byte."""
        start, end = self.header[section]["offsets"][place : place + 2]
        with self._lock:  # an unpacker is one thread's at a time
            return self._unpackers[section].decompress(self._data[self._start + start : self._start + end])

    def _unpacker(self, section: str) -> ZstdDecompressor:
        start, end = self.header[section]["sample"]
        sample = ZstdDecompressor().decompress(self._data[self._start + start : self._start + end])
        return ZstdDecompressor(dict_data=ZstdCompressionDict(sample, dict_type=DICT_TYPE_RAWCONTENT))


def stamp() -> dict[str, str]:
    """What a file says of the way its search tokens were made; a file with another stamp is to be made again."""
    tokens = json.dumps(search_tokens(_SAMPLE), ensure_ascii=False)
    return {"tokens": hashlib.sha256(tokens.encode()).hexdigest()}


@cache
def shipped() -> Dictionary:
    """The dictionary that ships with the product, opened once."""
    return Dictionary()


def written(table: Mapping[str, Sequence[tuple[str, bool]]], stamp: Mapping[str, str]) -> bytes:
    """A dictionary file. For each Chinese word its English translations, best first, each with whether it follows a
    comma."""
    words = sorted(table)
    listed = [[term + "," * after for term, after in table[word]] for word in words]
    numbers = _backward(words, listed)
    forward_lines = [(word, ";".join(terms)) for word, terms in zip(words, listed, strict=True)]
    backward_lines = [(term, _written_words(numbers[term])) for term in sorted(numbers)]
    header: dict[str, object] = {**stamp, "words": str(len(words)), "terms": str(len(numbers))}
    body = b""
    for section, lines in (("forward", forward_lines), ("backward", backward_lines)):
        size = _BLOCK[section]
        parts = [lines[place : place + size] for place in range(0, len(lines), size)]
        widths = [max(len(key) for key, _ in part) for part in parts]
        padded = "".join(key.ljust(width) for part, width in zip(parts, widths, strict=True) for key, _ in part)
        keys = ZstdCompressor(_LEVEL).compress(padded.encode(_KEY_ENCODINGS[section]))
        blocks = ["\n".join(value for _, value in part).encode(_ENCODING) for part in parts]
        sample, *packed = _packed(blocks, _SAMPLES[section])
        places = [*accumulate(map(len, [keys, sample, *packed]), initial=len(body))]
        header[section] = {"widths": widths, "keys": places[:2], "sample": places[1:3], "offsets": places[2:]}
        body += b"".join([keys, sample, *packed])
    head = ZstdCompressor(_LEVEL).compress(json.dumps(header, ensure_ascii=False).encode())
    return MAGIC + struct.pack("<I", len(head)) + head + body


class _BackwardWord(NamedTuple):
    """A word of an English term: its number, its weight, and whether it means "not" and the term."""

    number: int
    weight: float
    denies: bool


def _backward(words: Sequence[str], listed: Sequence[Sequence[str]]) -> dict[str, list[_BackwardWord]]:
    """For each English term its words: of many the common ones, which a library is likely to have. To few come words of
    which it only heads a translation, as 磁带 of "tape", again the common ones, and short."""
    found, heads = dict[str, dict[int, _BackwardWord]](), dict[str, dict[int, _BackwardWord]]()
    common = [_commonness(word) for word in words]
    for number, terms in enumerate(listed):
        own = whole(terms)
        total = sum(each.weight for each in own)
        either, headed = in_fewer_words(own)
        for kind, into in ((own, found), (either, found), (headed, heads)):
            for each in kind:
                weight = each.weight * (each.weight / total) ** 0.5
                word = _BackwardWord(number, weight, not NEGATIONS.isdisjoint(each.text.split()))
                into.setdefault(" ".join(each.tokens), {}).setdefault(number, word)

    def rank(word: _BackwardWord) -> tuple[float, int]:
        return -word.weight * common[word.number], word.number

    for term, ones in heads.items():
        short = sorted((one for one in ones.values() if len(words[one.number]) <= _SHORT), key=rank)
        for one in short[: max(0, _FEW - len(found.get(term, ())))]:
            found.setdefault(term, {}).setdefault(one.number, one)
    return {term: sorted(sorted(ones.values(), key=rank)[:_MANY]) for term, ones in found.items()}


def _written_words(words: Sequence[_BackwardWord]) -> str:
    """The value of a term's line."""
    best = max(word.weight for word in words)
    written, before = "", 0
    for word in words:
        level = min(round(-_STEPS * math.log2(word.weight / best)), len(_SIGNS) - 1)
        written += f"{word.number - before:x}{'!' * word.denies}{_SIGNS[level]}"
        before = word.number
    return written


def _packed(blocks: Sequence[bytes], size: int) -> Iterator[bytes]:
    """A sample of the blocks, evenly spread, and then the blocks, packed beside it."""
    step = max(1, -(-sum(map(len, blocks)) // size))
    sample = b"".join(blocks[::step])
    yield ZstdCompressor(_LEVEL).compress(sample)
    beside = ZstdCompressionDict(sample, dict_type=DICT_TYPE_RAWCONTENT)
    packer = ZstdCompressor(_LEVEL, dict_data=beside, write_checksum=False, write_dict_id=False)
    yield from map(packer.compress, blocks)


@lru_cache(maxsize=200_000)
def _commonness(word: str) -> float:
    """By its occurrences in the corpus of the Chinese cutter."""
    import rjieba

    return math.log(2 + rjieba.suggest_freq(word))
