"""Chinese names in Latin letters: 戴明远 is “Dai Mingyuan” in an English document, or “Mingyuan Dai”.

The other way, from letters to characters, a name may be any of hundreds, and is left to the glossary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from text import search_tokens

PATH = Path(__file__).parent / "readings.txt"
_LONGEST, _GIVEN = 4, 2  # characters of a name, and of a given name
_GIVEN_ALONE = 0.6  # how likely “Mingyuan” alone is the one who is asked about


class _Readings(NamedTuple):
    """How characters are read, without tones, and surnames, those of two characters as two syllables."""

    of_character: Mapping[str, str]
    of_surname: Mapping[str, str]


class LatinName(NamedTuple):
    """A way to write a name, how likely it is, and its search tokens."""

    text: str
    weight: float
    tokens: tuple[str, ...]


def latin_names(name: str) -> tuple[LatinName, ...]:
    """The ways in which a person's Chinese name is written in Latin letters; empty where it is none that begins with a
    surname, or a character has no known reading. The order of family and given name is not told apart."""
    if not 2 <= len(name) <= _LONGEST:
        return ()
    known = _readings()
    size = 2 if name[:2] in known.of_surname and len(name) > 2 else 1
    family, given = known.of_surname.get(name[:size]), [known.of_character.get(one) for one in name[size:]]
    syllables = [one for one in given if one]
    if not family or len(syllables) < len(given) or len(given) > _GIVEN:
        return ()
    return tuple(LatinName(text, weight, tuple(search_tokens(text))) for text, weight in _written(family, syllables))


def syllables(word: str) -> tuple[str, ...]:
    """How the characters of a Chinese word are read, without tones; empty where one has no known reading."""
    known = _readings().of_character
    found = [known.get(one) for one in word]
    return tuple(one for one in found if one) if all(found) else ()


def is_surname(word: str) -> bool:
    return word in _readings().of_surname


def _written(family: str, given: Sequence[str]) -> Iterator[tuple[str, float]]:
    """吕 is Lü, which is written “Lv”, “Lu” or “Lyu” where there is no such letter."""
    spelt = [(family, given)]
    if any("v" in one for one in (family, *given)):
        spelt += [(family.replace("v", by), [one.replace("v", by) for one in given]) for by in ("u", "yu")]
    for surname, syllables in spelt:
        surname, joined = surname.replace(" ", "").title(), "".join(syllables).title()
        yield f"{surname} {joined}", 1.0
        if len(syllables) > 1:
            yield f"{surname} {' '.join(syllables).title()}", 1.0
            yield joined, _GIVEN_ALONE


@cache
def _readings() -> _Readings:
    of_character, of_surname = dict[str, str](), dict[str, str]()
    for line in PATH.read_text(encoding="utf-8").splitlines():
        first, _, rest = line.partition(" ")
        if first == "surname":
            syllables, _, names = rest.partition(": ")
            of_surname |= dict.fromkeys(names.split(), syllables)
        elif first != "#":
            of_character |= dict.fromkeys(rest, first)
    return _Readings(of_character, of_surname)
