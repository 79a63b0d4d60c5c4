"""Which of some files is the newest, or the oldest, by what their names alone tell: a year, a day, a version."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from planning.folding import folded, normal
from planning.known_files import KnownFiles
from planning.name_marks import marks

_REACH = 24  # characters before a name
_newest = re.compile(
    r"(?<![a-z])(?:latest|later|newest|newer|most recent|last|current|new|up-to-date)(?: version of (?:the |our )?)?\s$"
    r"|(?:最新|较[新晚]|最近|最后|上一?次|上回|现行|当前|新)版?本?的?(?:那|这|一)?[份次个版]?(?:的)?$"
)
_oldest = re.compile(
    r"(?<![a-z])(?:old|older|oldest|earlier|earliest|previous|former|superseded|outdated)"
    r"(?: version of (?:the |our )?)?\s$"
    r"|(?:(?:之前|以前|旧|老|原先|原来)的?版本?|[旧老]|作废|废止|最早|最初|上一版|较[早旧老]|[早老旧]一[点些])的?(?:那|这|一)?[份次个版]?(?:的)?$"
)
VERSION_WORDS = re.compile(
    "(?:最新|较[新晚早旧老]|最近|现行|当前|旧|老|新|上一?|之前|以前|原先|原来)(?:版本?)?的?"
)  # in front of a name
_gone = re.compile(r"(?<![a-z])(?:old|superseded|obsolete|archived)(?![a-z])|废止|作废|失效|过期|[旧老]版")
_number = re.compile("[0-9]+")
_of_version = re.compile(  # what may differ in two versions of one document
    r"(?<![a-z])(?:version|ver|rev|v|r|q|h|fy|final|draft|signed|old|new|latest|copy|superseded|obsolete|archived"
    r"|revised)(?![a-z])|已?(?:废止|作废|失效|过期)|终稿|定稿|初稿|草稿|修订|最新|现行|[新旧老]?版|[年月日号第]|[\W_0-9]+"
)
_both = re.compile(r"(?<![a-z])(?:both|two)(?![a-z])|两[份个篇本张期封版次]")
_version_in = re.compile(
    r"(?:older|newer|latest|newest|oldest|earlier|later|previous|former|current|last) (?:version of (?:the )?)?"
    rf"|{VERSION_WORDS.pattern}(?:那|这|一)?[份次个版]?(?:的)?"
)


class _Version(NamedTuple):
    """A name without what tells its version, whether that still holds, and the numbers that tell it."""

    document: str
    holds: bool
    numbers: tuple[int, ...]

    @property
    def is_dated(self) -> bool:
        return bool(self.numbers) and 1900 < self.numbers[0] < 2100


def version_called(
    before: str, best: Sequence[str], fitting: Sequence[str], known: KnownFiles
) -> tuple[str, str] | None:
    """The words at the end of `before` that tell which version is meant, "the latest", 旧版的, and the file: the newest
    or oldest of those that fit `best` by their names, else of all `fitting` the one that was stored last."""
    before = before[-_REACH:]
    if found := _newest.search(before):
        newest = fitting[0] if len(fitting) == 1 else newest_by_name(best) or known.newest_of(fitting)
        return (found[0], newest) if newest else None
    if (found := _oldest.search(before)) and (oldest := oldest_by_name(best)):
        return found[0], oldest
    return None


def are_versions(name: str, other: str) -> bool:
    """Whether two names tell one document."""
    return _version_of(name).document == _version_of(other).document


def versions_told(before: str, words: str, names: Sequence[str], known: KnownFiles) -> list[str]:
    """Of files that words fit alike, the one whose version they, or those `before` them, tell; both where two are."""
    told = [name for name in names if _tells(words, name, [one for one in names if one != name])]
    if len(told) == 1:
        return told
    if _both.search(words) or _both.search(before[-_REACH:]):
        return [*names] if len(names) == 2 else []
    start = _version_in.match(words)
    version = version_called(before + (start[0] if start else ""), names, names, known)
    return [version[1]] if version else []


def _tells(words: str, name: str, others: Sequence[str]) -> bool:
    """Whether the words have, or mean, what of these files only this one's name has."""
    own = marks(name).difference(*map(marks, others))
    return not own.isdisjoint(marks(words))


def newest_by_name(names: Sequence[str]) -> str | None:
    """The file whose name tells the latest year, day or version; None where the names do not tell."""
    ordered = _from_the_oldest(names)
    return ordered[-1] if ordered else None


def oldest_by_name(names: Sequence[str]) -> str | None:
    """The file whose name tells the earliest one: of two, the one that is not the newest."""
    ordered = _from_the_oldest(names)
    return ordered[0] if ordered else None


def _from_the_oldest(names: Sequence[str]) -> list[str]:
    """The files in order, if they are versions of one document, or all begin with a date."""
    versions = {name: _version_of(name) for name in names}
    told = {version[1:] for version in versions.values()}
    comparable = len({version.document for version in versions.values()}) == 1 or (
        all(version.is_dated for version in versions.values())
        and len({len(version.numbers) for version in versions.values()}) == 1
    )
    ordered = len(names) > 1 and len(told) == len(names) and comparable
    return sorted(names, key=lambda name: versions[name][1:]) if ordered else []


@lru_cache(maxsize=4_000)
def _version_of(name: str) -> _Version:
    plain = folded(normal(name))
    stem = plain.rpartition(".")[0] or plain
    numbers = tuple(int(one) for one in _number.findall(stem))
    return _Version(_of_version.sub("", _number.sub(" ", stem)), not _gone.search(stem), numbers)
