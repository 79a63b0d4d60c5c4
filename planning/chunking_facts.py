"""Facts about how files are to be cut, in a person's words: the method, the size, the overlap."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import cast

import numpy as np

from planning.chunk_sizes import ANY_CHUNKER, CUT_WORD, REST, SCALES, WINDOW, ChunkingFact, by_comparison, read_numbers
from planning.classifier import Sums, classifier
from planning.clauses import Clause
from planning.numerals import find_numbers
from planning.terms import FILE, union
from planning.vocabulary import (
    CHANGE,
    CHUNK,
    CHUNKERS,
    CUT,
    NO_OVERLAP,
    OVERLAP,
    SAVE,
    SIZE,
    STRONG_FORMS,
    UNIT,
    WEAK_CHUNKERS,
)
from schema import ChunkerName, Chunking

_LONGEST = 100  # characters of a clause that tells how to cut
_how = re.compile(
    r"(?:按照?|用|以|依照?|根据|[换改切]成|[换改]为|改用|:|=|(?<![a-z])(?:with|by|using|use|to|via|as|at|into|on)"
    rf"|{FILE}|{REST.either})\s*(?:the |a )?$"
)
_a_file = re.compile(
    r"\s*(?:格式|类型|语言)?的?(?:文件|文档|笔记|手册|资料|库|file|document|doc(?![a-z])|notes?|repo|manual|handbook)"
)
_for_file = re.compile(rf" for (?:the )?{FILE}")
_negated = re.compile(
    r"(?:不要再?用?|不用|别用?|不是|而非|不想用|(?<![a-z])(?:not|without|instead of|rather than"
    r"|(?:don'?t|do not|never)(?: (?:use|split|cut|chunk|slice)(?: it| this)?)?"
    r"|no))\s*(?:the |a |按照?|用)?$"
)
_not_so = re.compile(
    rf"(?:不要再?|不再|别再?|不是|而非|(?<![a-z])(?:not|without|instead of|rather than|no longer) )(?:用|按照?"
    rf"|by )?(?:the |a )?"
    rf"{ANY_CHUNKER}(?:了|来?切)?"
)
_shared = re.compile("都|均|统一|一律|两个|(?<![a-z])(?:all|both)(?![a-z])")
_KEPT = 1_024  # clauses: each is read by whoever asks what it orders, six times for a message
_chunkers_named = [(name, re.compile(terms.either)) for name, terms in CHUNKERS.items()]
_EVERYDAY = 0.75  # the least probability of a way to cut that is told in everyday words


@lru_cache(_KEPT)
def find_chunking_facts(masked: str) -> tuple[ChunkingFact, ...]:
    """The facts about chunking in masked text, in order."""
    found = [*_chunkers(masked), *read_numbers(masked)[0]]
    found += [ChunkingFact(*match.span(), "overlap", 0) for match in NO_OVERLAP.finditer(masked)]
    found += by_comparison(masked, found)
    shared = [match.start() for match in _shared.finditer(masked)]
    breaks = [0, *(match.end() for match in re.finditer(r"[,;。\n]", masked)), len(masked) + 1]
    common = [(a, b) for a, b in pairwise(breaks) if any(a <= place < b for place in shared)]
    facts = (atom._replace(shared=any(a <= atom.start < b for a, b in common)) for atom in found)
    return tuple(sorted(facts, key=lambda atom: atom.start))


def everyday_chunking_facts(clauses: Sequence[Clause]) -> list[ChunkingFact]:
    """What clauses about saving say in everyday words: "wherever he changes the subject", 切碎一点.

    A clause that names a method says no other. Those that are left are judged one by one, and together.
    """
    found: list[ChunkingFact] = []
    left: list[Clause] = []
    sized = any(atom.kind == "size" for clause in clauses for atom in find_chunking_facts(clause.text))
    for clause in clauses:
        atoms = find_chunking_facts(clause.text)
        if not sized and not any(atom.kind == "scale" for atom in atoms):
            found += [
                ChunkingFact(clause.start + match.start(), clause.start + match.end(), "scale", value)
                for pattern, value in SCALES
                if (match := pattern.search(clause.text))
            ]
        if any(atom.kind == "strategy" for atom in atoms):
            return found
        if not any(atom.kind == "scale" for atom in atoms) and len(clause.text) <= _LONGEST:
            left.append(clause)
    return [*found, *_everyday_chunker(left)]


def _everyday_chunker(clauses: Sequence[Clause]) -> Iterator[ChunkingFact]:
    model = classifier("cut")
    read = [model.read(clause.text).whole for clause in clauses]
    if not read:
        return
    sums = [*read, Sums(*(np.sum(part, axis=0) for part in zip(*read, strict=True)))]
    spans = [*((clause.start, clause.end) for clause in clauses), (clauses[0].start, clauses[-1].end)]
    judged = [
        (chance, label, span)
        for one, span in zip(sums, spans, strict=True)
        for chance, label in zip(np.exp(model.judge(one)[0]).tolist(), model.labels, strict=True)
    ]
    chance, label, span = max((one for one in judged if one[1] != "content"), key=lambda one: one[0])
    if chance >= _EVERYDAY:
        yield ChunkingFact(*span, "strategy", cast(ChunkerName, label))


def tells_how_to_cut(clause: Clause) -> bool:
    """Whether a clause says in everyday words how to cut."""
    return len(clause.text) <= _LONGEST and any(everyday_chunking_facts([clause]))


def _chunkers(masked: str) -> Iterator[ChunkingFact]:
    matches = [
        (match.start(), -match.end(), name) for name, pattern in _chunkers_named for match in pattern.finditer(masked)
    ]
    last = 0
    for start, negative_end, name in sorted(matches):
        end = -negative_end
        if start < last:
            continue
        last = end
        left, right = masked[max(0, start - WINDOW) : start], masked[end : end + WINDOW]
        if _negated.search(left):
            continue
        if name in WEAK_CHUNKERS and not STRONG_FORMS.search(masked[start:end]):
            clause = re.split(r"[,;。!?\n]", left)[-1] + " \ue00f " + re.split(r"[,;。!?\n]", right)[0]
            if _a_file.match(right) or not (_how.search(left) or _for_file.match(right) or CUT_WORD.search(clause)):
                continue
        yield ChunkingFact(start, end, "strategy", name)


@lru_cache(_KEPT)
def blank_chunking_facts(masked: str) -> str:
    """The text without its facts about chunking, for looking at what else it says."""
    chars = list(masked)
    for atom in find_chunking_facts(masked):
        chars[atom.start : atom.end] = " " * (atom.end - atom.start)
    rest = "".join(chars)
    for negated in _not_so.finditer(rest):
        chars[negated.start() : negated.end()] = " " * (negated.end() - negated.start())
    for number in find_numbers(rest):
        if rest[number.start : number.end] == "一":  # 存一下
            continue
        chars[number.start : number.end] = " " * (number.end - number.start)
    return re.sub(union(SAVE, CUT, SIZE, OVERLAP, UNIT, CHUNK, CHANGE), " ", "".join(chars))


def chunking_of(atoms: Sequence[ChunkingFact], usual: Chunking) -> Chunking:
    """One wish from its facts; the first of a kind counts. A percentage refers to the size, said or usual."""
    facts: dict[str, ChunkerName | int | float] = {}
    for atom in atoms:
        facts.setdefault(atom.kind, atom.value)
    if isinstance(scale := facts.get("scale"), int) and usual.size:
        facts.setdefault("size", usual.size * scale // 100)
    size, overlap, percent = facts.get("size"), facts.get("overlap"), facts.get("percent")
    if overlap is None and percent is not None:
        overlap = round((size if isinstance(size, int) else usual.size or 0) * float(percent) / 100)
    stride = facts.get("stride")
    if overlap is None and isinstance(stride, int) and isinstance(size, int) and 0 < stride <= size:
        overlap = size - stride
    units = {atom.kind: atom.unit for atom in reversed([*atoms]) if atom.unit}
    unit = units.get("size") or units.get("overlap")
    fields = {"strategy": facts.get("strategy"), "size": size, "overlap": overlap}
    return Chunking.model_validate({**fields, "unit": None if unit == usual.unit else unit})
