"""Writes translation/readings.txt from CC-CEDICT: how characters are read: `uv run scripts/make_readings.py`."""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from make_dictionary import source

from translation.names import PATH

_line = re.compile(r"(?P<traditional>\S+) (?P<simplified>\S+) \[(?P<read>[^\]]*)\] /(?P<glosses>.*)/")
_surname = re.compile(r"(?:^|/)(?:two-character )?surname [A-Z]")
_HEAD = """# How Chinese characters are read in names, without tones: made from CC-CEDICT by scripts/make_readings.py.
# CC BY-SA 4.0, see CC-CEDICT.md. A syllable and its characters; behind "surname" those of surnames of one character,
# and each one of two.
"""


def readings(lines: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The commonest reading of each character in all words, and the readings of surnames."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    surnames: dict[str, str] = {}
    for entry in map(_line.match, lines):
        if entry is None:
            continue
        syllables = [_plain(one) for one in entry["read"].split()]
        if len(syllables) != len(entry["simplified"]) or not all(map(str.isalpha, syllables)):
            continue
        for written in {entry["simplified"], entry["traditional"]}:
            for character, syllable in zip(written, syllables, strict=True):
                counted[character][syllable] += 1
            if _surname.search(entry["glosses"]) and len(written) < 3:
                surnames.setdefault(written, " ".join(syllables))
    read = {character: found.most_common(1)[0][0] for character, found in counted.items()}
    return read, surnames


def _plain(syllable: str) -> str:
    """Without its tone; ü is written as passports write it."""
    return re.sub(r"[1-5]$", "", syllable.lower()).replace("u:", "yu" if syllable.lower().startswith("u") else "v")


if __name__ == "__main__":
    read, surnames = readings(source())
    by_syllable: dict[str, list[str]] = defaultdict(list)
    for character, syllable in sorted(read.items()):
        by_syllable[syllable].append(character)
    lines = [f"{syllable} {''.join(characters)}" for syllable, characters in sorted(by_syllable.items())]
    of_one: dict[str, list[str]] = defaultdict(list)
    for name, syllables in sorted(surnames.items()):
        of_one[syllables].append(name)
    lines += [f"surname {syllables}: {' '.join(names)}" for syllables, names in sorted(of_one.items())]
    PATH.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(read):,} characters, {len(surnames)} surnames, {PATH.stat().st_size:,} bytes: {PATH}")
