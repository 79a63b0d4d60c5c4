"""Which files, document sets and addresses a message names: found literally, then masked so that no rule reads them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from planning.folding import folded, normal
from planning.vocabulary import DOC_SET, LIBRARY, MISSING, STEM, UPLOAD, URL

_url = re.compile(
    r"https?://[a-z0-9\-._~:/?#\[\]@!$&'()*+;=%]{1,2000}|(?<![a-z0-9@.])www\.[a-z0-9\-._~:/?#@!$&*+;=%]{1,2000}"
)
_extension = (
    r"(?:\.(?:markdown|mdx?|txt|pdf|docx?|html?|csv|tsv|xlsx?|pptx?|rst|epub|jsonl?|odt|rtf|tex|wps|eml"
    r"|ya?ml)){1,4}(?![a-z0-9_\-])"
)
_dot_extension = re.compile(_extension)
_quoted = re.compile(rf"[《「\"']([^《》「」\"'\n]{{1,80}}{_extension})[》」\"']")
# What can stand directly before a Chinese name without belonging to it.
_before_han = re.compile(
    "(?:^|[^\u3400-\u9fff]|[在从把将和与跟及或按查看下的用以请于过是了给对到由比较结搜读里中删有像据这份]|更新|总结|切分|切片|分块|索引|导入|入库|保存|文件|文档|参考|参照|依照|只查)$"
)
# What before a stored Chinese name makes it the end of another, longer name: 公司员工手册.md is not 员工手册.md.
_longer_name = re.compile("(?:[司小大老旧总副院校市省国级版产区县组团]|(?<!更)新)$")
_stop_before = re.compile("[\u3400-\u9fff]")


class Mention(NamedTuple):
    """A name and where it stands; `mark` tells its kind (vocabulary.LIBRARY, UPLOAD, MISSING, URL, STEM, DOC_SET)."""

    start: int
    end: int
    mark: str
    name: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A message, its folded form, the same with names masked, and the names."""

    text: str
    masked: str
    mentions: tuple[Mention, ...]

    def within(self, marks: str, start: int, end: int) -> list[Mention]:
        """The mentions of these kinds within a span, in order."""
        first = bisect_left(self.mentions, start, key=lambda mention: mention.start)
        last = bisect_right(self.mentions, end, key=lambda mention: mention.end)
        return [mention for mention in self.mentions[first:last] if mention.mark in marks]

    def named(self, marks: str, start: int = 0, end: int | None = None) -> list[str]:
        """The names of these kinds within a span, in order, each once."""
        mentions = self.within(marks, start, len(self.text) if end is None else end)
        return list(dict.fromkeys(mention.name for mention in mentions))


def read(message: str, library: Sequence[str], uploads: Sequence[str], doc_sets: Sequence[str] = ()) -> Reading:
    """Find and mask the names in a message: addresses, whole file names (longest first), then stems and sets."""
    text = normal(message)
    plain = folded(text)
    mask = list(plain)
    mentions: list[Mention] = []

    def take(start: int, end: int, mark: str, name: str) -> None:
        mentions.append(Mention(start, end, mark, name))
        mask[start:end] = mark * (end - start)

    for found in _url.finditer(plain):
        end = found.start() + len(found[0].rstrip(".,;:!?)'"))
        take(found.start(), end, URL, text[found.start() : end])
    known = [(UPLOAD, name, key) for name, key in zip(uploads, _keys(tuple(uploads)), strict=True)]
    known += [(LIBRARY, name, key) for name, key in zip(library, _keys(tuple(library)), strict=True)]
    present = [(mark, name, key) for mark, name, key in known if key and key in plain]
    present.sort(key=lambda item: (-len(item[2]), unicodedata.normalize("NFC", item[1]) not in text))
    for mark, name, key in present:
        for start in _places(key, plain, mask):
            take(start, start + len(key), mark, name)
    for start, end in _unknown_files("".join(mask)):
        take(start, end, MISSING, text[start:end])
    for mark, name, key in _stems(library, plain, doc_sets):
        for start in _places(key, plain, mask):
            take(start, start + len(key), mark, name)
    return Reading(text, "".join(mask), tuple(sorted(mentions)))


@lru_cache(maxsize=8)
def _keys(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(folded(normal(name)) for name in names)


def _stems(library: Sequence[str], plain: str, doc_sets: Sequence[str]) -> list[tuple[str, str, str]]:
    stems = [
        (STEM, name, key[: key.rindex(".")])
        for name, key in zip(library, _keys(tuple(library)), strict=True)
        if "." in key[1:]
    ]
    sets = [(DOC_SET, name, key) for name, key in zip(doc_sets, _keys(tuple(doc_sets)), strict=True)]
    present = [item for item in [*stems, *sets] if len(item[2]) > 1 and item[2] in plain]
    return sorted(present, key=lambda item: -len(item[2]))


def _places(key: str, plain: str, mask: list[str]) -> list[int]:
    """Where the key stands as a name of its own: not within a longer name, and not where another was found."""
    places = []
    start = plain.find(key)
    while start >= 0:
        end = start + len(key)
        before, after = "".join(mask[max(0, start - 2) : start]), "".join(mask[end : end + 2])
        free = mask[start] == key[0] and mask[end - 1] == key[-1]
        own_start = not _continues(before[-1:], key[0]) and not (
            _stop_before.match(key) and _longer_name.search(before)
        )
        own_end = not _continues(key[-1], after[:1]) and not (
            after[:1] in "-." and after[1:].isascii() and after[1:].isalnum()
        )
        if free and own_start and (own_end or not after):
            places.append(start)
            start = plain.find(key, end)
        else:
            start = plain.find(key, start + 1)
    return places


def _continues(left: str, right: str) -> bool:
    word = r"[a-z0-9_\-./]"
    return bool(re.match(word, left) and re.match(r"[a-z0-9_]", right))


def _unknown_files(masked: str) -> list[tuple[int, int]]:
    """Spans that look like the name of a document: quoted ones whole, others back to where a name can begin."""
    spans = [found.span(1) for found in _quoted.finditer(masked) if not re.search("[\ue000-\ue005]", found[1])]
    quoted = {end for _, end in spans}
    floor = 0
    for found in _dot_extension.finditer(masked):
        if found.end() in quoted:
            continue
        start, floor = found.start(), max(floor, found.start() - 80)
        while start > floor and re.match(r"[^\W]|[-_.()]", masked[start - 1]):
            if _stop_before.match(masked[start]) and _before_han.search(masked[max(0, start - 2) : start]):
                break
            if _stop_before.match(masked[start - 1]) and _before_han.search(masked[max(0, start - 2) : start]):
                break
            start -= 1
        if start < found.start():
            spans.append((start, found.end()))
        floor = found.end()
    return sorted(spans)
