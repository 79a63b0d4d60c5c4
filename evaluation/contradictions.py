"""Where a sentence says something else than its source: a number, a name, a denial, an opposite, a swapped role."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence, Set
from itertools import pairwise

from evaluation.claims import NOT, Claims, Term, denials, is_name
from evaluation.misplaced_numbers import said_of_subject
from evaluation.opposites import opposite
from evaluation.sources import Match, SourcePassage, SourceText
from evaluation.weekdays import wrong_weekday
from schema import Message
from tables.numbers import Quantity

_LEFT = {
    "denial": 0.5,
    "opposite": 0.6,
    "swap": 0.6,
    "number": 0.6,
    "name": 0.8,
}  # what a contradiction leaves of the score
_NEAR = 3  # a denial reaches this many terms
_FAR = 40  # terms between two names of which one does something to the other, at most
_about = re.compile(
    r"(?:约|近|超过|逾|多于|about|around|nearly|approximately|roughly|almost|over|more than)[\s$€£¥]*$", re.IGNORECASE
)
_ABOUT = 40  # characters before a number in which it may say "about"
_BETWEEN = 4  # terms of a name that stands in the place of another, at most
_passive = re.compile(r"\bby\b|[被由遭给受为]")
_one = re.compile(r"\b(?:one|first|once)\b|一(?=[个名位人次条件家种])|第一|首[次个届位]", re.IGNORECASE)


def contradictions(
    claims: Claims, matches: Sequence[Match], passage: SourcePassage, sources: Sequence[SourceText]
) -> tuple[float, tuple[Message, ...]]:
    """What the contradictions leave of the score, as a factor, and what they are."""
    left, reasons = 1.0, []
    denied = _denied(claims.terms), _denied(passage.terms)
    if denial := _wrong_denial(claims, matches, passage, *denied):
        left *= _LEFT["denial"]
        reasons.append(denial)
    if opposed := _opposed(claims.terms, matches, passage, *denied):
        left *= _LEFT["opposite"]
        reasons.append(opposed)
    if swapped := _swapped(claims, matches, passage):
        left *= _LEFT["swap"]
        reasons.append(swapped)
    if day := wrong_weekday(claims.text, [source.text for source in sources]):
        left *= _LEFT["number"]
        reasons.append(day)
    known: dict[Hashable, Message | None] = {}  # what stands again between the same words is as wrong again
    for index, number in claims.numbers:
        beside = tuple(term.form for term in claims.terms[max(0, index - 1) : index + 2])
        if (number.form, number.unit, beside) not in known:
            found = _wrong_number(claims, index, number, matches, passage, sources)
            known[number.form, number.unit, beside] = found
        if message := known[number.form, number.unit, beside]:
            left *= _LEFT["number"]
            reasons.append(message)
    for name in claims.names:
        near = tuple(term.written for term in claims.terms[max(0, name[0] - 1) : name[-1] + 2])
        if near not in known:
            known[near] = _wrong_name(claims, name, matches, passage, sources)
        if message := known[near]:
            left *= _LEFT["name"]
            reasons.append(message)
    return left, tuple(reasons)


def _wrong_denial(
    claims: Claims, matches: Sequence[Match], passage: SourcePassage, ours: Set[int], theirs: Set[int]
) -> Message | None:
    """What the one side denies and the other says: compared at the term that the denial reaches first."""
    heads: dict[str, int] = {}  # form -> where it is denied first
    for _, head in denials(claims.terms):
        heads.setdefault(claims.terms[head].form, head)
    for head in heads.values():
        there = set(_places(matches, passage, head))
        if there and not theirs & there:
            word = claims.terms[head].written
            return Message(zh=f"来源没有否定“{word}”", en=f"the source does not deny “{word}”")
    for form in dict.fromkeys(passage.terms[head].form for _, head in denials(passage.terms)):
        here = {i for i, match in enumerate(matches) if form in match}
        if here and not ours & here:
            word = claims.terms[min(here)].written
            return Message(zh=f"来源否定了“{word}”", en=f"the source denies “{word}”")
    return None


def _denied(terms: Sequence[Term]) -> set[int]:
    """Indices of the terms within reach of a denial of their clause."""
    if all(term.form != NOT for term in terms):
        return set()
    reached = {head for _, head in denials(terms)}
    for i, term in enumerate(terms):
        if term.form == NOT:
            reached |= {j for j in range(i + 1, min(i + 2 + _NEAR, len(terms))) if terms[j].clause == term.clause}
    return reached


def _opposed(
    terms: Sequence[Term], matches: Sequence[Match], passage: SourcePassage, ours: Set[int], theirs: Set[int]
) -> Message | None:
    """An opposite of what the passage says at the same place, unless one of the two is denied."""
    mine = {term.form for term in terms}
    others: dict[tuple[str, str, float], Term] = {}  # terms of the passage that the sentence does not have, each once
    beside: dict[tuple[str, str, float], set[str]] = {}  # the forms beside them, wherever they stand
    forms = [term.form for term in passage.terms]
    for j, other in enumerate(passage.terms):
        if j not in theirs and other.form not in mine:
            key = other.form, other.written, other.weight
            others.setdefault(key, other)
            beside.setdefault(key, set()).update(forms[max(0, j - 2) : j], forms[j + 1 : j + 3])
    compared = set()
    for i, term in enumerate(terms):
        # what stands between the same words was compared: equal terms have one match
        window = term.form, term.written, *map(id, matches[max(0, i - 2) : i + 3])
        if window in compared:
            continue
        compared.add(window)
        if i in ours or any(form in passage.places for form in matches[i]) or term.form in passage.places:
            continue
        near = {form for j in range(max(0, i - 2), min(len(terms), i + 3)) if j != i for form in matches[j]}
        for key, other in others.items():
            if not near.isdisjoint(beside[key]) and opposite(term, other):
                return Message(
                    zh=f"来源说的是“{other.written}”，不是“{term.written}”",
                    en=f"the source says “{other.written}”, not “{term.written}”",
                )
    return None


def _swapped(claims: Claims, matches: Sequence[Match], passage: SourcePassage) -> Message | None:
    """Two names in the other order around the same words, neither side in the passive: who did it to whom?"""
    compared = set()
    for one, two in pairwise(claims.names):
        written = tuple(term.written for term in claims.terms[one[0] : two[-1] + 1])
        if two[0] - one[-1] > _FAR or written in compared:
            continue
        compared.add(written)
        between = [form for i in range(one[-1] + 1, two[0]) for form in matches[i]]
        first, second = (_places(matches, passage, name[-1]) for name in (one, two))
        if not between or not first or not second or min(first) < max(second):
            continue
        theirs = passage.terms[max(second) + 1 : min(first)]
        if len(theirs) > _FAR:
            continue
        words_between = claims.text[claims.terms[one[-1]].end : claims.terms[two[0]].start]
        source_words = " ".join(term.written for term in theirs)
        same = any(term.weight > 0.2 and term.form in between for term in theirs)
        if same and bool(_passive.search(words_between)) == bool(_passive.search(source_words)):
            a, b = claims.written(one), claims.written(two)
            return Message(
                zh=f"来源中“{a}”与“{b}”的位置相反", en=f"“{a}” and “{b}” stand the other way round in the source"
            )
    return None


def _places(matches: Sequence[Match], passage: SourcePassage, index: int) -> list[int]:
    return [place for form in matches[index] for place in passage.places.get(form, ())]


def _wrong_number(
    claims: Claims,
    index: int,
    number: Quantity,
    matches: Sequence[Match],
    passage: SourcePassage,
    sources: Sequence[SourceText],
) -> Message | None:
    """A number that no source has, or has in another unit, or where the passage has another one in its place."""
    written = claims.terms[index].written
    given = [other for source in sources for other in source.numbers]
    same = [other for other in given if other.value == number.value]
    if not same and not rounded(claims, number, given):
        if number.value == 1 and any(_one.search(source.text) for source in sources):
            return None
        return Message(zh=f"数字 {written} 不在来源中", en=f"the number {written} is not in the source")
    if same and number.unit and all(other.unit and other.unit != number.unit for other in same):
        return Message(zh=f"{written} 的单位与来源不同", en=f"the unit of {written} is another one in the source")
    there = _in_its_place(claims.terms, index, matches, passage) if same else None
    if there := there or (said_of_subject(claims.terms, index, matches, passage) if same else None):
        return Message(zh=f"来源此处是 {there}，不是 {written}", en=f"the source has {there} here, not {written}")
    return None


def rounded(claims: Claims, number: Quantity, given: Sequence[Quantity]) -> Quantity | None:
    """The 748 of the source that "about 750" means: close, and with more figures than the sentence has."""
    if not _about.search(claims.text, max(0, number.start - _ABOUT), number.start):
        return None
    close = [n for n in given if abs(n.value - number.value) <= 0.1 * abs(number.value)]
    finer = [n for n in close if _figures(n.value) > _figures(number.value)]
    return min(finer, key=lambda n: abs(n.value - number.value), default=None)


def _figures(value: float) -> int:
    return len(f"{value:.10g}".replace(".", "").strip("0"))


def _in_its_place(terms: Sequence[Term], index: int, matches: Sequence[Match], passage: SourcePassage) -> str | None:
    """The other number that the passage has between the same two neighbours, when this one has neither of them."""
    before = matches[index - 1] if index else {}
    after = matches[index + 1] if index + 1 < len(terms) else {}
    mine = {term.form for term in terms}
    place = None
    for j, other in enumerate(passage.terms):
        if not other.form.startswith("#"):
            continue
        left = j > 0 and passage.terms[j - 1].form in before
        right = j + 1 < len(passage.terms) and passage.terms[j + 1].form in after
        if other.form == terms[index].form and (left or right):
            return None
        if left and right and other.form not in mine:
            place = other.written
    return place


def _wrong_name(
    claims: Claims, name: Sequence[int], matches: Sequence[Match], passage: SourcePassage, sources: Sequence[SourceText]
) -> Message | None:
    """A name that no source has, or where the passage has another one in its place."""
    written = claims.written(name)
    if name_missing([claims.terms[i] for i in name], sources):
        return Message(zh=f"名称“{written}”不在来源中", en=f"the name “{written}” is not in the source")
    if there := _name_in_its_place(claims.terms, name, matches, passage, sources):
        return Message(zh=f"来源此处是{there}，不是{written}", en=f"the source has {there} here, not {written}")
    return None


def name_missing(name: Sequence[Term], sources: Sequence[SourceText]) -> bool:
    """True when the sources have not this name's last part, nor its initials: of a person the family name."""
    written = "".join(term.written for term in name)
    if not written.isascii():
        return not any(written in source.text or _close(name[-1], source) for source in sources)
    initials = "".join(term.written[0].upper() for term in name)
    for source in sources:
        if _close(name[-1], source):
            return False
        if written.isupper() and len(written) > 1 and written in source.initials:
            return False
        if len(name) > 1 and initials.lower() in source.forms:
            return False
    return True


def _name_in_its_place(
    terms: Sequence[Term],
    name: Sequence[int],
    matches: Sequence[Match],
    passage: SourcePassage,
    sources: Sequence[SourceText],
) -> str | None:
    """The other name that the passage has between the same neighbours, unless the two go together (Ana, Ana Reis)."""
    first, last = name[0] - 1, name[-1] + 1
    mine = {form for i in name for form in matches[i]}
    lefts = _places(matches, passage, first) if first >= 0 else [-1]
    rights = _places(matches, passage, last) if last < len(terms) else [len(passage.terms)]
    if not lefts or not rights:
        return None
    own_places = [place for form in mine for place in passage.places.get(form, ())]
    if any(min(lefts) < place < max(rights) for place in own_places):
        return None
    place = None
    names: dict[tuple[str, ...], bool] = {}
    closing = set(rights)
    for left in lefts:
        for right in range(left + 2, left + 2 + _BETWEEN):
            between = passage.terms[left + 1 : right]
            if right in closing and len({term.clause for term in between}) == 1:
                written = tuple(term.written for term in between)
                if written not in names:
                    names[written] = is_name(between)
                place = between if names[written] else place
    own = [terms[i].form for i in name]
    if place is None or any(s.together(form, other.form) for s in sources for form in own for other in place):
        return None
    return " ".join(term.written for term in place) if place[0].written.isascii() else "".join(t.written for t in place)


def _close(term: Term, source: SourceText) -> bool:
    return max(source.match(term).values(), default=0.0) >= 0.8
