"""A claim against sources of the other language: its subject by translated terms, its facts by what needs none.

Words that a dictionary translates tell whether a text is about the same, not whether it says the same. That is told by
numbers and dates, by names, and by whether both deny. So a claim may be refuted here, and is never confirmed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluation.claims import NOT, Claims, denials, read
from evaluation.contradictions import name_missing, rounded
from evaluation.dates import dated_numbers
from evaluation.sources import SourceText
from schema import AcrossLanguages, Language, Message, TermGroup
from tables.numbers import Quantity
from translation.dictionary import shipped
from translation.glossary import Glossary
from translation.question import is_guessed_name, parts, translate

_SAME = 0.2  # share of a claim's translated terms: of random texts four in five say less, of the right ones 1 %
_ALIKE = 0.6  # share that a sentence says of a claim which it seems to translate
_FEW = 3.0  # weight of terms below which their absence says nothing: a dictionary lacks a third of all translations
_LIGHT = 0.2  # weight of a function word
_LONGEST_MONTH, _BESIDE = 31, 6  # days; characters between a month and its day, as in 3rd of May
_SYNONYMS = 5  # words for one name, at most
_LEFT = {"number": 0.6, "name": 0.8, "denial": 0.5}  # what a difference leaves of the score

VERDICTS: dict[AcrossLanguages, Message] = {
    "agree": Message(zh="已跨语言核对：数字和名称一致", en="compared across languages: numbers and names agree"),
    "subject": Message(
        zh="已跨语言核对：主题一致，没有可核对的数字或名称",
        en="compared across languages: the subject agrees; there is no number or name to compare",
    ),
    "differ": Message(zh="已跨语言核对：与来源不一致", en="compared across languages: they differ"),
    "not_found": Message(
        zh="已跨语言核对：来源中没有找到这个主题",
        en="compared across languages: the subject was not found in the source",
    ),
}

# What a language may say for a denial of the other one, so that it is not missed: 无效 is invalid.
_denying_en = re.compile(
    r"\b(?:instead of|rather than|unless|except|avoid|exclud|rare|hardly|scarcely|skip|prevent|without|otherwise|few"
    r"|non|dis|mis|un(?!der|it|iv|iq|til)|in(?=valid|correct|secur|compat|consist|compl|accur|suffic|depend|visib|activ)"
    r"|im(?=possib|prop|perf)|ir(?=regul|relev))",
    re.I,
)
_denying_zh = re.compile("[不没未无非勿别莫免除拒禁缺否失]|很少|难以|停止|取消")
_contrast = re.compile(r"而不是|而非|不仅|不但|不只|不同|instead of|rather than|not (?:only|just)", re.I)


class AcrossComparison(NamedTuple):
    """What the comparison found; where nothing could be compared, `verdict` is None."""

    verdict: AcrossLanguages | None
    share: float = 0.0  # of the claim's subject that the sources say
    left: float = 1.0  # of the score after differences, as a factor
    reasons: tuple[Message, ...] = ()
    source: int = 0  # with the sentence that says most of the subject, and where it stands there
    start: int = 0
    end: int = 0


class _BestSentence(NamedTuple):
    """The sentence of the sources that says most of a claim."""

    share: float = 0.0
    source: int = 0
    sentence: int = 0

    def near(self, sources: Sequence[SourceText]) -> Sequence[Claims]:
        """It, and the sentences beside it."""
        return sources[self.source].claims[max(0, self.sentence - 1) : self.sentence + 2]


def compare_across(claims: Claims, sources: Sequence[SourceText], glossary: Glossary | None = None) -> AcrossComparison:
    """A claim held against sources that are all in the other language. The glossary's terms win over the dictionary."""
    present = frozenset[str]().union(*(tokens for source in sources for tokens in source.sentence_tokens))
    groups = _subject(claims, glossary, present)
    weight = sum(group.weight for group in groups)
    share = _share(groups, present)
    best = _aligned(groups, sources)
    differences = [
        *_numbers(claims, sources, best),
        *_names(claims, sources, glossary),
        *_denial(claims, sources, best),
    ]
    reasons = tuple(dict.fromkeys(reason for _, reason in differences))
    if not reasons and weight >= _FEW and share < _SAME:
        return AcrossComparison("not_found", share, 1.0, (VERDICTS["not_found"],))
    left = 1.0
    for kind, _ in differences:
        left *= _LEFT[kind]
    verdict: AcrossLanguages | None = "differ" if reasons else "agree" if _has_facts(claims) else "subject"
    if not reasons and share < _SAME:
        verdict = None
    start, end = sources[best.source].spans[best.sentence] if best.share else (0, 0)
    said = (VERDICTS[verdict],) if verdict else ()
    return AcrossComparison(verdict, share, left, (*said, *reasons), best.source, start, end)


# --- the subject -------------------------------------------------------------------------------------------------


def _subject(claims: Claims, glossary: Glossary | None, present: frozenset[str]) -> Sequence[TermGroup]:
    """The claim's terms in the other language, without function words, and without its numbers: those are facts. What
    is only guessed to be a name, and is not `present`, counts by its parts."""
    left_out = {term.form for term in claims.terms if term.weight <= _LIGHT}
    left_out |= {claims.terms[index].written.lower() for index, _ in claims.numbers}
    groups = [
        part
        for group in translate(claims.text, claims.language or "zh", glossary)
        for part in (() if _is_said(group, present) or not is_guessed_name(group) else parts(group)) or (group,)
    ]
    return [group for group in groups if group.term not in left_out and not group.term.isnumeric()]


def _share(groups: Sequence[TermGroup], present: frozenset[str]) -> float:
    """The share of the groups' weight that has an alternative in a text."""
    total = sum(group.weight for group in groups)
    said = sum(group.weight for group in groups if _is_said(group, present))
    return said / total if total else 0.0


def _is_said(group: TermGroup, present: frozenset[str]) -> bool:
    return any(present.issuperset(one.tokens) for one in group.alternatives)


def _aligned(groups: Sequence[TermGroup], sources: Sequence[SourceText]) -> _BestSentence:
    shares = (
        _BestSentence(_share(groups, tokens), number, place)
        for number, source in enumerate(sources)
        for place, tokens in enumerate(source.sentence_tokens[: len(source.claims)])
    )
    return max(shares, key=lambda one: one.share, default=_BestSentence())


# --- its facts ---------------------------------------------------------------------------------------------------


def _has_facts(claims: Claims) -> bool:
    return bool(claims.numbers or claims.names or dated_numbers(claims.text))


def _numbers(claims: Claims, sources: Sequence[SourceText], best: _BestSentence) -> list[tuple[str, Message]]:
    """Numbers and dates that no source has, has in another unit, or has elsewhere while its own place has another."""
    given = [one for source in sources for one in source.figures]
    sentence = [sources[best.source].claims[best.sentence]] if best.share >= _ALIKE else []
    there = {one.value for claim in sentence for one in _figures_of(claim)}
    mine = {one.value for one in _figures_of(claims)}
    found = []
    for number in _figures_of(claims):
        written = claims.text[number.start : number.end]
        same = [one for one in given if one.value == number.value]
        day = any(0 <= number.start - one.end <= 1 for one in dated_numbers(claims.text))  # March 2
        if (_unwritten(number, written, sources) and not day) or rounded(claims, number, given):
            continue
        if not same:
            why = Message(zh=f"数字 {written} 不在来源中", en=f"the number {written} is not in the source")
        elif number.unit and all(one.unit and one.unit != number.unit for one in same):
            why = Message(zh=f"{written} 的单位与来源不同", en=f"the unit of {written} is another one in the source")
        elif there and number.value not in there and (other := sorted(there - mine)):
            why = Message(
                zh=f"来源此处是 {other[0]:g}，不是 {written}", en=f"the source has {other[0]:g} here, not {written}"
            )
        else:
            continue
        found.append(("number", why))
    return found or [("number", why) for why in _other_days(claims, sources)]


def _other_days(claims: Claims, sources: Sequence[SourceText]) -> Iterator[Message]:
    """Days of the year, as month and day, that sources which name such days do not name."""
    given = {day for source in sources for sentence in source.claims for day in _days_of(sentence)}
    for day, written in _days_of(claims).items() if given else ():
        if day not in given:
            yield Message(zh=f"日期 {written} 不在来源中", en=f"the date {written} is not in the source")


def _days_of(claims: Claims) -> dict[tuple[float, float], str]:
    """(month, day) -> how it is written, where the two stand beside each other."""
    figures = _figures_of(claims)
    return {
        (month.value, day.value): claims.text[min(month.start, day.start) : max(month.end, day.end)]
        for month in figures
        for day in figures
        if month.unit == "month" != day.unit
        and day.value <= _LONGEST_MONTH
        and (0 < day.start - month.end <= _BESIDE or 0 < month.start - day.end <= _BESIDE)
    }


def _figures_of(claims: Claims) -> list[Quantity]:
    return [*(number for _, number in claims.numbers), *dated_numbers(claims.text)]


_BY_WORDS = {
    1: re.compile(
        r"\b(?:an?|one|once|first|single|only|each|sole)\b|(?<![十百千万])一(?![十百千万亿])|[单首唯独只]", re.I
    ),
    2: re.compile(r"\b(?:two|twice|both|pair|second|double|couple|other|either|twin)\b|[两双俩另倍对]", re.I),
}
_some = re.compile(r"[数几多][十百千万]|dozens|tens|hundreds|thousands|millions", re.I)


def _unwritten(number: Quantity, written: str, sources: Sequence[SourceText]) -> bool:
    """Whether a language may say it without a number: a and both are 1 and 2, 数十 is no 10."""
    counts = not number.unit or written.startswith("第")
    words = _BY_WORDS.get(int(number.value)) if number.value in _BY_WORDS and counts else None
    return bool(_some.fullmatch(written)) or bool(words and any(words.search(source.text) for source in sources))


def _names(claims: Claims, sources: Sequence[SourceText], glossary: Glossary | None) -> list[tuple[str, Message]]:
    """Names that no source has: in the same letters, or by the dictionary where it knows them."""
    found = []
    present = frozenset[str]().union(*(one for source in sources for one in source.sentence_tokens))
    for name in claims.names:
        written = claims.written(name)
        terms = [claims.terms[index] for index in name]
        if dated_numbers(written) or (written.isascii() and not all(name_missing([term], sources) for term in terms)):
            continue
        known = _known_name(written, claims.language or "zh", glossary)
        if not known.isdisjoint(present) or not (known or (written.isascii() and claims.language == "zh")):
            continue  # it is there, or may be there in the letters of the other language
        why = Message(zh=f"名称“{written}”不在来源中", en=f"the name “{written}” is not in the source")
        found.append(("name", why))
    return found


def _known_name(written: str, language: Language, glossary: Glossary | None) -> frozenset[str]:
    """The search tokens of a name in the other language; none for a word that is no name, as it has many synonyms."""
    groups = [
        group for group in translate(written, language, glossary) if group.alternatives[0].tokens != (group.term,)
    ]
    known = [
        group
        for group in groups
        if (len(group.alternatives) if language == "en" else _translated_back(group)) <= _SYNONYMS
    ]
    return frozenset(token for group in known for one in group.alternatives for token in one.tokens)


def _translated_back(group: TermGroup) -> int:
    """How many Chinese words the first translation of a word has, if the word is not the first of them."""
    words = shipped().chinese(" ".join(group.alternatives[0].tokens))
    return 1 if words and words[0].text == group.term else len(words)


def _denial(claims: Claims, sources: Sequence[SourceText], best: _BestSentence) -> list[tuple[str, Message]]:
    """What one side denies and the other says, where a sentence of the source says most of the claim."""
    if best.share < _ALIKE:
        return []
    sentence = sources[best.source].claims[best.sentence]
    near = " ".join(one.text for one in best.near(sources))
    if (denied := _denied(claims)) and not _may_deny(near):
        return [("denial", Message(zh=f"来源没有否定“{denied}”", en=f"the source does not deny “{denied}”"))]
    if (denied := _denied(sentence)) and not _may_deny(claims.text):
        return [("denial", Message(zh=f"来源否定了“{denied}”", en=f"the source denies “{denied}”"))]
    return []


def _denied(claims: Claims) -> str:
    """The first word that a sentence denies, if it denies more than an alternative (而不是, instead of)."""
    if _contrast.search(claims.text):
        return ""
    return next((claims.terms[head].written for _, head in denials(claims.terms)), "")


def _may_deny(text: str) -> bool:
    return bool(_denying_en.search(text) or _denying_zh.search(text)) or any(
        term.form == NOT for term in read(text, names=False).terms
    )
