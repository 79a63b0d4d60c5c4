"""Which files a wish is for: all of them, single ones by name, or "the rest"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from planning.chunk_sizes import REST, ChunkingFact, read_numbers
from planning.chunking_facts import (
    chunking_of,
    everyday_chunking_facts,
    find_chunking_facts,
)
from planning.clauses import clauses
from planning.names import MaskedMessage, Mention
from planning.terms import EXCEPT_ZH, FILES, LIBRARY, MISSING, UPLOAD
from schema import Chunking, FileChunking

_REST = ""  # stands for the name of all files that are not named
_ordinals = ("一 1 first", "二 2 second", "三 3 third", "四 4 fourth", "五 5 fifth")
_ordinal = re.compile(
    "第(?P<zh>[一二三四五1-5])(?:个|份|篇)?(?:文件|文档)?"
    "|(?<![a-z])the (?P<en>first|second|third|fourth|fifth)(?: (?:file|one|document|doc))?(?![a-z])"
)
_ORDER = {word: place for place, words in enumerate(_ordinals) for word in words.split()}
_rest = re.compile(REST.either)
_except = re.compile(  # the files that are named here are the ones that are not meant
    rf"{EXCEPT_ZH}\s*{FILES}\s*(?:以外|之外|外|(?=都)"
    r"|(?:以外|之外|外|,|\s|的|其[他它余]的?|剩下的?|文件|文档|所有|全部|全){1,8}(?=[都均一用按切存]))"
    r"|(?<![a-z])(?:everything|all)(?: (?:the )?(?:files|documents|others?))?(?: of them)?\s"
    rf"(?:but|except(?: for)?|other than|apart from)\s(?:the )?{FILES}"
    rf"|(?<![a-z])(?:except(?: for)?|apart from)\s(?:the )?{FILES},\s?(?:everything|all|the rest|the others)(?: else)?"
)
_segment = re.compile(r"[,;。!?\n]|\.(?=\s|$)|(?:而|并且|(?<![a-z])(?:but|while)(?![a-z]))")

_has = re.compile(  # between a file and the facts that are told of it: “a.md with no overlap”
    r"\s*(?:with|at|in|by|using|gets?|has|have|needs?|wants?|should (?:have|get)|用|按|以|要|得)?"
    r"\s*(?:no|zero|an?|the|不要?|别|无)?\s*"
)
_and = re.compile(r"\s*(?:,|、|和|与|及|以及|还有|(?<![a-z])(?:and|then|plus)(?![a-z])|\s)+(?:the )?")


class ChunkingWishes(NamedTuple):
    """How to cut all files, single ones, and those that are not among these; `sure`: no method or number is left over.

    An empty wish for a single file says that the one for the others is not meant for it.
    """

    all: Chunking = Chunking()
    own: tuple[FileChunking, ...] = ()
    others: Chunking = Chunking()
    sure: bool = True


class _Group(NamedTuple):
    """Files named together, with no fact about chunking between them."""

    start: int
    end: int
    names: tuple[str, ...]


def read_chunking_wishes(
    reading: MaskedMessage, spans: Sequence[tuple[int, int]], uploads: Sequence[str], usual: Chunking
) -> ChunkingWishes:
    """The wishes from the spans of a message that are about saving.

    Facts belong to the only file of their part of the sentence ("a.md 用递归，其他的 500字"). Of several they belong to
    the one before them when any follows the last, else to the one after them ("fixed 500 for a.md and markdown for
    b.md"). In a part without a file they belong to the one before; in front of all files they are for all.
    """
    about = {i for a, b in spans for i in range(a, b)}
    masked = "".join(c if i in about or c in ",:;。.!?\n" else " " for i, c in enumerate(reading.masked))
    atoms = find_chunking_facts(masked)
    alike = [] if any(atom.kind == "strategy" for atom in atoms) else everyday_chunking_facts([*clauses(masked)])
    atoms = tuple(sorted([*atoms, *alike], key=lambda atom: atom.start))
    files, spared = _file_mentions(reading, masked, uploads)
    groups = _groups(files, atoms)
    named = {name for group in groups for name in group.names} | {*spared}
    told = {atom.kind for atom in atoms}
    sure = not alike and ("scale" not in told or "size" in told) and not read_numbers(masked)[1]
    rest = _REST in named
    others = set(uploads) - named
    alone = len(groups) == 1 and not rest and (not uploads or not others or not named & set(uploads))
    if not groups or alone:
        return ChunkingWishes(chunking_of(atoms, usual), sure=sure and _agree(atoms))
    shares = _shares(masked, groups, atoms)
    wishes = {name: chunking_of(own, usual) for place, own in shares.items() for name in _names(groups, place)}
    own = [FileChunking(file=name, chunking=wish) for name, wish in wishes.items() if name and wish != Chunking()]
    if rest:
        named_files = {one.file for one in own}
        own += [FileChunking(file=name, chunking=Chunking()) for name in sorted(named - named_files - {_REST})]
    common = shares.get(-1, [])
    return ChunkingWishes(
        chunking_of(common, usual), tuple(own), wishes.get(_REST, Chunking()),
        sure and all(_agree(share) for share in shares.values()) and not (rest and uploads and not others),
    )  # fmt: skip


def _names(groups: Sequence[_Group], place: int) -> tuple[str, ...]:
    return groups[place].names if place >= 0 else ()


def _agree(atoms: Sequence[ChunkingFact]) -> bool:
    """Whether no two facts of one wish differ in what they say of the same thing."""
    values: dict[str, set[object]] = defaultdict(set)
    for atom in atoms:
        values[atom.kind].add(atom.value)
        if atom.unit:
            values["unit"].add(atom.unit)
    return all(len(of_one_kind) == 1 for of_one_kind in values.values())


def _shares(masked: str, groups: Sequence[_Group], atoms: Sequence[ChunkingFact]) -> dict[int, list[ChunkingFact]]:
    """The facts of each group by its number, those for all files under -1."""
    edges = [0, *(found.end() for found in _segment.finditer(masked)), len(masked) + 1]
    members: dict[int, list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        members[bisect_right(edges, group.end - 1)].append(number)
    shares: dict[int, list[ChunkingFact]] = defaultdict(list)
    after_first = any(atom.start >= groups[-1].end for atom in atoms if not atom.shared)
    for atom in atoms:
        here = members[bisect_right(edges, atom.start)]
        if atom.shared and not any(_REST in groups[number].names for number in here):
            shares[-1].append(atom)
        elif len(here) == 1:
            shares[here[0]].append(atom)
        else:
            inside = [other for other in atoms if bisect_right(edges, other.start) == bisect_right(edges, atom.start)]
            forward = any(other.start >= groups[here[-1]].end for other in inside) if here else after_first
            forward = forward or _is_told(masked, groups, here, inside, atom)
            shares[_nearest(groups, here, atom, forward)].append(atom)
    return shares


def _is_told(
    masked: str, groups: Sequence[_Group], here: Sequence[int], inside: Sequence[ChunkingFact], atom: ChunkingFact
) -> bool:
    """Whether a fact between two groups is told of the first: "a.md with no overlap and b.md with magic"."""
    for first, last in pairwise(groups[number] for number in here):
        between = [one for one in inside if first.end <= one.start and one.end <= last.start]
        if atom in between:
            before, after = masked[first.end : between[0].start], masked[between[-1].end : last.start]
            return bool(_has.fullmatch(before) and _and.fullmatch(after))
    return False


def _nearest(groups: Sequence[_Group], here: Sequence[int], atom: ChunkingFact, forward: bool) -> int:
    """The group that a fact stands behind, or before; -1 where there is none."""
    if forward or not here:
        before = [number for number, group in enumerate(groups) if group.end <= atom.start]
        if before:
            return before[-1]
        return -1 if forward else 0
    return next(number for number in here if groups[number].end > atom.start)


def _file_mentions(reading: MaskedMessage, masked: str, uploads: Sequence[str]) -> tuple[list[Mention], list[str]]:
    """The files that are named for what stands beside them, and those that are named to be left out."""
    files = [m for m in reading.mentions if m.mark in (LIBRARY, UPLOAD, MISSING) and masked[m.start] == m.mark]
    if len(uploads) > 1:
        for found in _ordinal.finditer(masked):
            place = _ORDER[found["zh"] or found["en"]]
            if place < len(uploads):
                files.append(Mention(*found.span(), UPLOAD, uploads[place]))
    left_out = [found.span() for found in _except.finditer(masked)]
    spared = [m.name for m in files if any(a <= m.start < b for a, b in left_out)]
    files = [m for m in files if m.name not in spared]
    if files or spared:
        files += [Mention(a, b, LIBRARY, _REST) for a, b in left_out]
        words = (found.span() for found in _rest.finditer(masked))
        files += [Mention(a, b, LIBRARY, _REST) for a, b in words if not any(c <= a < d for c, d in left_out)]
    return sorted(files), spared


def _groups(files: Sequence[Mention], atoms: Sequence[ChunkingFact]) -> list[_Group]:
    return list(_joined(files, atoms))


def _joined(files: Sequence[Mention], atoms: Sequence[ChunkingFact]) -> Iterator[_Group]:
    for first, last in pairwise([0, *_ends(files, atoms)]):
        some = files[first:last]
        yield _Group(some[0].start, some[-1].end, tuple(dict.fromkeys(file.name for file in some)))


def _ends(files: Sequence[Mention], atoms: Sequence[ChunkingFact]) -> Iterator[int]:
    """Where groups end: before a fact, and between what is named and the rest."""
    for number, (file, following) in enumerate(pairwise(files), 1):
        apart = any(file.end <= atom.start < following.start and not atom.shared for atom in atoms)
        if apart or bool(file.name) != bool(following.name):
            yield number
    if files:
        yield len(files)
