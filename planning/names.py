"""Which files, document sets and addresses a message names: found literally, then masked so that no rule reads"
" them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from planning.addresses import find_addresses, find_domains, names_of_pages
from planning.file_groups import called_together, files_of_folders
from planning.file_types import called_by_type
from planning.folding import folded, normal
from planning.known_files import NOTHING_KNOWN, KnownFiles
from planning.meant_names import files_meant
from planning.nicknames import nicknames
from planning.sets import save_target, stands_beside_noun, unknown_sets
from planning.terms import DOC_SET, LIBRARY, MISSING, STEM, TARGET, UPLOAD, URL, union
from planning.told_apart import called_by_marks, called_by_number
from planning.vocabulary import ENGINE, SAVE, WEB
from translation.regional import regional_words

_extension = (
    r"(?:\.(?:markdown|mdx?|txt|pdf|docx?|html?|csv|tsv|xlsx?|pptx?|rst|epub|jsonl?|odt|rtf|tex|wps|eml"
    r"|ya?ml)){1,4}(?![a-z0-9_\-])"
)
_dot_extension = re.compile(_extension)
_quoted = re.compile(rf"[《「\"']([^《》「」\"'\n]{{1,80}}{_extension})[》」\"']")
# What can stand directly before a Chinese name without belonging to it.
_before_han = re.compile(
    "(?:^|[^\u3400-\u9fff]|[在从把将和与跟及或按查看下的用以请于过是了给对到由比较结搜读里中删有像据这份]|更新"
    "|总结|切分|切片|分块|索引|导入|入库|保存|文件|文档|参考|参照|依照|只查)$"
)
# What before a stored Chinese name makes it the end of another, longer name: 公司员工手册.md is not 员工手册.md.
_longer_name = re.compile("(?:[司小大老旧总副院校市省国级版产区县组团]|(?<!更)新)$")
_file_before = re.compile(r"\.[a-z]{1,8}/\Z")  # "a.md/b.md" is two files
_stop_before = re.compile("[\u3400-\u9fff]")
_web = re.compile(union(WEB, ENGINE) + "|网络|网页")
_put_into = re.compile(
    rf"(?:{SAVE.zh}|放)[到进入]?\s?$|(?<![a-z])(?:{SAVE.en})(?![a-z])[^,.?!]{{0,200}} (?:to|into|under|in) $"
)
_NOUN = 24  # characters beside a name in which a word for a set stands


class Mention(NamedTuple):
    """A name and where it stands; `mark` tells its kind (vocabulary.LIBRARY, UPLOAD, ...)."""

    start: int
    end: int
    mark: str
    name: str


@dataclass(frozen=True, slots=True)
class MaskedMessage:
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

    def literally(self, name: str) -> bool:
        """Whether the file's own name stands in the message, not only some of its words."""
        return _shortest(name) in folded(self.text)


class _Mask:
    """A message while its names are being found: what is found is masked, and cannot be found again."""

    def __init__(self, message: str, names: Sequence[str]) -> None:
        self.text = normal(message)
        self.plain = in_words_of_names(folded(self.text), names)
        self.chars = list(self.plain)
        self.mentions: list[Mention] = []

    def __str__(self) -> str:
        return "".join(self.chars)

    def take(self, start: int, end: int, mark: str, *names: str) -> None:
        self.mentions.extend(Mention(start, end, mark, name) for name in names)
        self.chars[start:end] = mark * (end - start)

    def find(self, key: str, mark: str, names: Sequence[str]) -> None:
        for start in _places(key, self.plain, self.chars):
            self.take(start, start + len(key), mark, *names)


def mask_names(
    message: str,
    library: Sequence[str],
    uploads: Sequence[str],
    doc_sets: Sequence[str] = (),
    known: KnownFiles = NOTHING_KNOWN,
) -> MaskedMessage:
    """Find and mask the names in a message: addresses, whole file names (longest first), then stems and sets."""
    mask = _Mask(message, [*library, *uploads, *doc_sets, *known.titles.values()])
    stored = [name for name in library if _shortest(name) in mask.plain]
    _take_addresses(mask)
    for mark, key, names in _present(stored, uploads, mask):
        mask.find(key, mark, names)
    for start, end in _unknown_files(str(mask)):
        mask.take(start, end, MISSING, mask.text[start:end])
    if not uploads:
        for start, end, called in files_of_folders(str(mask), library, [*map(_key, doc_sets)]):
            if LIBRARY not in mask.chars[start:end]:
                mask.take(start, end, LIBRARY, *called)
        for start, end, called in called_together(str(mask), library, known):
            mask.take(start, end, LIBRARY, *called)
        for start, end, called in called_by_marks(str(mask), library, known):
            mask.take(start, end, LIBRARY, *called)
        for start, end, called in called_by_number(str(mask), library, known):
            mask.take(start, end, LIBRARY, *called)
        for start, end, called in called_by_type(str(mask), library):
            mask.take(start, end, LIBRARY, *called)
        _take_nicknames(mask, library, False, known)
    _take_sets_and_stems(mask, stored, doc_sets)
    if uploads:
        _take_nicknames(mask, library, True, known)
    if uploads or URL in mask.chars:
        _take_target(mask, doc_sets)
    if not uploads and not any(mark in mask.chars for mark in (LIBRARY, STEM, MISSING, URL, DOC_SET)):
        for start, end, meant in files_meant(str(mask), library, known):
            mask.take(start, end, LIBRARY, *meant)
    for start, end in unknown_sets(str(mask)):
        mask.take(start, end, DOC_SET, mask.text[start:end])
    return MaskedMessage(mask.text, str(mask), tuple(sorted(mask.mentions)))


def _take_addresses(mask: _Mask) -> None:
    """Addresses, and with them the words that only call them pages: these are masked, but are not in the mention."""
    for start, end, url in [*find_addresses(mask.text), *find_domains(mask.plain, mask.text)]:
        if URL not in mask.chars[start:end]:
            mask.take(start, end, URL, url)
    for start, end in names_of_pages(str(mask)) if URL in mask.chars else ():
        mask.chars[start:end] = URL * (end - start)


def _take_sets_and_stems(mask: _Mask, library: Sequence[str], doc_sets: Sequence[str]) -> None:
    """A set that a word for "set" stands beside goes before a file of the same name.

    One called "web" is meant only there, or where something is put into it: "search the web" is another order.
    """
    sets: list[tuple[str, str, tuple[str, ...]]]
    sets = [(key, DOC_SET, (name,)) for name in doc_sets if (key := _key(name)) and key in mask.plain]
    for key, mark, names in sorted(sets, key=lambda one: -len(one[0])):
        for start in _places(key, mask.plain, mask.chars):
            end = start + len(key)
            before, after = "".join(mask.chars[max(0, start - 200) : start]), "".join(mask.chars[end : end + _NOUN])
            put = _web.fullmatch(key) and (_put_into.search(before) or after.startswith(("里", "中")))
            if put or stands_beside_noun(before[-_NOUN:], after):
                mask.take(start, end, mark, *names)
    stems = [(key, STEM, names) for key, names in _stems(library).items() if key in mask.plain]
    sets = [one for one in sets if not _web.fullmatch(one[0])]
    for key, mark, names in sorted([*stems, *sets], key=lambda one: -len(one[0])):
        if len(key) > 1:
            mask.find(key, mark, names)


def _take_nicknames(mask: _Mask, library: Sequence[str], upload: bool, known: KnownFiles) -> None:
    for start, end, name in nicknames(str(mask), library, upload, known):
        mask.take(start, end, LIBRARY, name)


def _take_target(mask: _Mask, doc_sets: Sequence[str]) -> None:
    """The set to save into: one that exists, by its own name, or a new one, by the name that it is given."""
    if target := save_target(str(mask)):
        (start, end), (first, last) = target
        given = " ".join(mask.text[first:last].split())
        name = next((one for one in doc_sets if _key(one) == _key(given)), given)
        mask.mentions = [one for one in mask.mentions if one.end <= start or one.start >= end]
        mask.take(start, end, TARGET, name)


# Words of orders, whatever a file is called.
_OF_RULES = frozenset("资料库 数据库 资料 数据 文件 档案 文档 查询 查找 检视 查看 搜寻 搜索 网络 网路".split())


def in_words_of_names(plain: str, names: Sequence[str]) -> str:
    """A folded message with the words of names in place of those that other regions say for them, where they are as
    long: 資訊安全政策 is the file 信息安全政策.pdf."""
    for one in regional_words(plain):
        others = [other for other in one.others if len(other) == len(one.word)]
        if others and one.word not in _OF_RULES and not any(one.word in _key(name) for name in names):
            said = next((other for other in others if any(other in _key(name) for name in names)), one.word)
            plain = plain[: one.start] + said + plain[one.end :]
    return plain


@lru_cache(maxsize=50_000)
def _key(name: str) -> str:
    """A name in the form in which messages are read. Kept one by one: a library changes while it is asked."""
    return name.lower() if name.isascii() else folded(normal(name))


@lru_cache(maxsize=50_000)
def _shortest(name: str) -> str:
    """What every way to name a file holds: the last part of its path, without the extension."""
    base = _base(_key(name))
    return base[: base.rindex(".")] if "." in base[1:] else base


def _present(library: Sequence[str], uploads: Sequence[str], mask: _Mask) -> list[tuple[str, str, tuple[str, ...]]]:
    """The names that occur, longest first: (mark, how it is written, whom it means)."""
    found = []
    for mark, names in ((UPLOAD, uploads), (LIBRARY, library)):
        for key, meant in _by_path_or_base(names).items():
            if key in mask.plain:
                exact = tuple(name for name in meant if _base(unicodedata.normalize("NFC", name)) in mask.text)
                found.append((mark, key, exact or meant))
    return sorted(found, key=lambda one: -len(one[1]))


def _by_path_or_base(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """How files may be named: by their path, or by the last part of it, which several may have."""
    return _gathered((form, name) for name in names for form in (name, _base(name)))


def _stems(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The same without the extension."""
    forms = ((form, name) for name in names for form in (name, _base(name)) if "." in form[1:])
    return _gathered((form[: form.rindex(".")], name) for form, name in forms)


def _gathered(forms: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    gathered: dict[str, dict[str, None]] = {}
    for form, name in forms:
        if key := _key(form):
            gathered.setdefault(key, {})[name] = None
    return {key: tuple(names) for key, names in gathered.items()}


def _base(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2]


def _places(key: str, plain: str, mask: list[str]) -> list[int]:
    """Where the key stands as a name of its own: not within a longer name, and not where another was found."""
    places = []
    start = plain.find(key)
    while start >= 0:
        end = start + len(key)
        before, after = "".join(mask[max(0, start - 2) : start]), "".join(mask[end : end + 2])
        free = mask[start] == key[0] and mask[end - 1] == key[-1]
        first = before[-1:] == "/" and _file_before.search(plain, max(0, start - 12), start)
        own_start = (first or not _continues(before[-1:], key[0])) and not (
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
        while start > floor and re.match(r"[^\W]|[-_.()/]", masked[start - 1]):
            beside_han = _stop_before.search(masked[start - 1 : start + 1])
            if beside_han and _before_han.search(masked[max(0, start - 2) : start]):
                break
            start -= 1
        start += len(masked[start : found.start()]) - len(masked[start : found.start()].lstrip("/"))
        if start < found.start():
            spans.append((start, found.end()))
        floor = found.end()
    return sorted(spans)
