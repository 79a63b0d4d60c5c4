"""How something is done: the section that is about it, and its steps, whole and in order."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise

from evaluation.blocks import SourceUnit
from evaluation.labelled_lines import ANY_LABEL
from question_words import question_terms
from schema import Hit
from text import search_tokens

_MOST = 40  # units
_asks_steps = re.compile(r"\bsteps?\b|步骤|流程|第一步", re.IGNORECASE)
_STEPS = 2.0  # times as much about it is a section with steps
_RARER, _ELSEWHERE = 1.3, 0.5  # a section of a source that does not say what another one does, which is so much rarer
_SHOWN = 2  # blocks of code are steps: one alone is an example
_LONGEST = 2_500  # characters of them: what comes behind does the same in other ways


def heading_of(unit: SourceUnit) -> str:
    return unit.context.split("\n")[0]


def section_about(
    question: str, units: Sequence[SourceUnit], hits: Sequence[Hit], counts: Sequence[float] = ()
) -> list[int]:
    """The places of the units in the section that is most about the question: by its heading, its text and the score of
    its hit, so many times as the best of its units `counts`. Empty where that has no heading."""
    sections: dict[tuple[int, str], list[int]] = {}
    for i, unit in enumerate(units):
        sections.setdefault((unit.hit, heading_of(unit)), []).append(i)
    titles = {key: set(search_tokens(key[1].rpartition(" > ")[2])) for key in sections}
    said = {
        key: titles[key].union(search_tokens("\n".join([*units[places[0]].headings, *(units[i].text for i in places)])))
        for key, places in sections.items()
    }
    idf = {
        term: math.log1p(len(sections) / (1 + sum(term in words for words in said.values())))
        for term in dict.fromkeys(question_terms(question))
    }
    total, top = sum(idf.values()), max((hit.score for hit in hits), default=0.0)
    if not total or not top:
        return []

    asks_steps = _asks_steps.search(question) is not None
    present = {term for term in idf if any(term in words for words in said.values())}
    of_hit = {key[0]: set[str]() for key in said}
    for key, words in said.items():
        of_hit[key[0]] |= present & words

    def about(key: tuple[int, str]) -> float:
        titled, told = (sum(idf[term] for term in idf if term in words) / total for words in (titles[key], said[key]))
        # A title that says nothing else is that of the section; one that says more may be that of the whole document.
        titled *= (1 + len(titles[key] & idf.keys()) / max(len(titles[key]), 1)) / 2
        read = [i for i in sections[key] if units[i].kind != "code"]  # code is of no language
        counted = max((counts[i] for i in read), default=1.0) if counts else 1.0
        rarest, missing = (
            max((idf[term] for term in some), default=0.0) for some in (of_hit[key[0]], present - of_hit[key[0]])
        )
        counted *= _ELSEWHERE if missing > _RARER * rarest else 1.0
        counted *= _STEPS if asks_steps and sum(_number(units[i]) > 0 for i in sections[key]) > 1 else 1.0
        return (1 + titled + told) * counted * hits[key[0] - 1].score / top

    best = max(sections, key=about)  # of several that are as good the first one
    return sections[best] if best[1] else []


def steps_around(units: Sequence[SourceUnit], chosen: int) -> list[int]:
    """The places of the steps in the section of one unit, with the text and code between them: numbered ones, else
    blocks of code one after the other, each with what leads to it.

    Of several numbered lists in that section it is the one that the unit stands in, else the first one behind it,
    else the last one before. Empty where the section has fewer than two steps, or too many.
    """
    section = [
        i
        for i, unit in enumerate(units)
        if unit.hit == units[chosen].hit and heading_of(unit) == heading_of(units[chosen])
    ]
    found = _numbered(units, section, chosen) or _to_last_code(units, section)
    kept = [i for i in found if not _leads(units, i)]
    return kept if len(kept) <= _MOST else []


def are_of_something_else(
    asked: Collection[str],
    units: Sequence[SourceUnit],
    owned: Sequence[frozenset[str]],
    chosen: int,
    steps: Sequence[int],
) -> bool:
    """Whether the steps around a unit are no answer beside it: they are cases, and it is one of them; or it is a
    sentence outside of them that says more of what is `asked` than they and what they stand under. `owned` is what each
    unit says of the question."""
    if chosen in steps:
        return is_case(units[chosen], [(units[i], owned[i]) for i in steps if units[i].kind == "item"])
    over = frozenset(asked).intersection(search_tokens(heading_of(units[chosen])))
    return units[chosen].kind == "prose" and len(owned[chosen]) > len(over.union(*(owned[i] for i in steps)))


def is_case(chosen: SourceUnit, items: Iterable[tuple[SourceUnit, frozenset[str]]]) -> bool:
    """Whether each item of a list is a case of its own with its label (“Burns: …”), and only the label of the chosen
    one says something of the question that its heading does not; with each stands what it says of the question."""
    over = frozenset(search_tokens(heading_of(chosen)))
    mine, others = frozenset[str](), over
    for unit, owned in items:
        label = ANY_LABEL.match(unit.text)
        if not label:
            return False
        said = owned.intersection(search_tokens(label[1]))
        if unit is chosen:
            mine = said
        else:
            others |= said
    return not mine <= others


def _numbered(units: Sequence[SourceUnit], section: Sequence[int], chosen: int) -> list[int]:
    runs: list[list[int]] = []
    for i in section:
        number = _number(units[i])
        if number and (not runs or number <= _number(units[runs[-1][-1]])):
            runs.append([i])
        elif number:
            runs[-1].append(i)
    runs = [
        run
        for run in runs
        if len(run) > 1 and all(_number(units[b]) == _number(units[a]) + 1 for a, b in pairwise(run))
    ]
    if not runs:
        return []
    run = next((run for run in runs if run[-1] >= chosen), runs[-1])
    last = run[-1]
    while last + 1 in section and units[last + 1].kind == "code":  # of the last step
        last += 1
    return [i for i in section if run[0] <= i <= last]


def _to_last_code(units: Sequence[SourceUnit], section: Sequence[int]) -> list[int]:
    """From what leads to the first block of code to the last block, as far as that can be read at once."""
    codes = [i for i in section if units[i].kind == "code"]
    if len(codes) < _SHOWN:
        return []
    first = codes[0]
    while (
        first - 1 in section
        and units[first - 1].kind == "prose"
        and (first == codes[0] or not units[first - 1].answers)
    ):
        first -= 1
    read, last = 0, codes[0]
    for i in range(first, codes[-1] + 1):
        read += len(units[i].text)
        if read > _LONGEST and i > codes[_SHOWN - 1]:
            break
        last = i if units[i].kind == "code" else last
    return [i for i in section if first <= i <= last]


def _leads(units: Sequence[SourceUnit], place: int) -> bool:
    """True for what the block of code behind it brings along."""
    behind = units[place + 1] if place + 1 < len(units) else None
    return behind is not None and behind.kind == "code" and units[place].text == behind.header


def _number(unit: SourceUnit) -> int:
    return int(unit.bullet.rstrip(".)")) if unit.kind == "item" and unit.bullet[:1].isdecimal() else 0
