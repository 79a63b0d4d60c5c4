"""The words by which a question computes, in both languages, and the words that name the same kind of column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from text import fold, search_tokens
from translation.irregular import IRREGULAR

_token = re.compile(r"[a-z]+|\d+|[^\sa-z\d_.]")

_PATHS = [Path(__file__).parent / name for name in ("operators.txt", "concepts.txt")]
_COMPARED = frozenset("better best worse worst".split())  # which "good" and "bad" do not mean
_MARKS = "*+@"


def _sections() -> dict[str, list[tuple[str, list[str]]]]:
    """The files by their headings: names with their phrases; a line that is indented goes on with those before it."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    section = ""
    for line in (line for path in _PATHS for line in path.read_text(encoding="utf-8").splitlines()):
        if line.startswith("["):
            section = line[1 : line.index("]")]
        elif line and not line.startswith("#"):
            name, _, phrases = line.partition(":") if line[0] != " " else ("", "", line)
            kept = [phrase for one in phrases.split(" |") if (phrase := one.strip())]
            if name:
                found.setdefault(section, []).append((name, kept))
            else:
                found[section][-1][1].extend(kept)
    return found


_WORDS = _sections()
CONCEPTS: dict[str, list[str]] = {name.rstrip(_MARKS): phrases for name, phrases in _WORDS["columns"]}
_MEN, _WOMEN = (
    "男|男性|男生|男士|男员工|男学生|male|men|man|boy|boys|males|m",
    "女|女性|女生|女士|女员工|女学生|female|women|woman|girl|girls|females|f",
)
GENDERS = {"男": _MEN, "male": _MEN, "m": _MEN, "女": _WOMEN, "female": _WOMEN, "f": _WOMEN}
YES, NO = frozenset("是 true yes y √ 对 已 有".split()), frozenset("否 false no n × 不 未 无".split())
_marks = {name.rstrip(_MARKS): name for name, _ in _WORDS["columns"]}
ENTITIES, ADDITIVE, PEOPLE = (frozenset(name for name, marked in _marks.items() if mark in marked) for mark in _MARKS)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    found = next(iter(search_tokens(word)), word) if len(word) > 2 else word
    return found if found in _COMPARED else IRREGULAR.get(found, found)


@lru_cache(maxsize=20_000)
def tokens(text: str) -> tuple[str, ...]:
    """Stems of English words, numbers, single Chinese characters."""
    return tuple(stem(one) if one.isascii() and one.isalpha() else one for one in _token.findall(fold(text).lower()))


def token_spans(folded: str) -> Iterator[tuple[str, int, int]]:
    for found in _token.finditer(folded):
        one = found[0]
        yield (stem(one) if one.isascii() and one.isalpha() else one), found.start(), found.end()


def operator_lines() -> list[tuple[str, list[str]]]:
    """The operators, superlatives and fillers by name with their phrases."""
    return [line for section in ("fillers", "operators", "superlatives") for line in _WORDS[section]]


@cache
def operator_phrases() -> dict[tuple[str, ...], tuple[str, str]]:
    """What each phrase does: an operator, or a superlative with what it is about."""
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for name, phrases in operator_lines():
        kind, _, concept = name.partition(" ")
        found.update((tokens(phrase), (kind, concept)) for phrase in phrases)
    found.pop((), None)
    return found


@cache
def concepts_of() -> dict[tuple[str, ...], tuple[str, ...]]:
    """The kinds of columns that a phrase can name."""
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for name, phrases in CONCEPTS.items():
        for phrase in phrases:
            found[tokens(phrase)] = (*found.get(tokens(phrase), ()), name)
    return found
