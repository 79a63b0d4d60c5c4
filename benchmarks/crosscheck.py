"""Whether a claim is told from a false one by sources in the other language, without a model.

Sections of translated pages are aligned by their anchors (`crosslingual`). Each sentence of a section in one language
is held against the same section in the other one: first as it is, then against a section drawn at random, then with one
fact changed: a number, a date (year, month, day), a name, a denial. What is noticed of an unchanged sentence is a false
alarm; where a translation says more or less than its original, that counts as one as well.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.crosslingual import Section, sections
from benchmarks.faithfulness import CHANGES, World, proper_names
from benchmarks.report import DATA, Bar, Report, progress
from evaluation.metrics import auroc
from evaluation.support import SourceText, judge
from schema import Language, Support
from tables.numbers import numbers
from text import detect_language, sentences

_SUBJECT, _NOTICED, _FALSE = 0.95, 0.95, 0.05
_SHORTEST = {"en": 20, "zh": 8}  # characters of a sentence that says anything
_OTHER: dict[Language, Language] = {"en": "zh", "zh": "en"}
_MONTHS = "January February March April May June July August September October November December".split()
_NUMERALS = "一二三四五六七八九"


_marker = re.compile(r"\A(?:(?:\d{1,3}[.)]|[-+])\s+)+")  # of a list: what is changed in it is no fact


class Claim(NamedTuple):
    text: str
    section: Section


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=DATA / "crosslingual", help="a folder with en/ and zh/ (ours)")
    parser.add_argument("--limit", type=int, help="only the first so many sections")
    parser.add_argument("--seed", type=int, default=7)


def run(options: argparse.Namespace) -> Report:
    found = sections(options.data)[: options.limit]
    report = Report({}, notes=[f"{len(found)} sections"])
    noticed: dict[str, list[bool]] = defaultdict(list)
    for language in _OTHER:
        dice = random.Random(options.seed)
        claims = list(_claims(found, language))
        read = {one.key: _source(one, _OTHER[language]) for one in found}
        before = [judge(one.text, [read[one.section.key]]).support for one in progress(claims, f"{language}, right")]
        wrong = [
            judge(one.text, [read[dice.choice([other for other in found if other.key != one.section.key]).key]]).support
            for one in progress(claims, f"{language} against others")
        ]
        name = f"{language} against {_OTHER[language]}"
        report.metrics[name] = figures = _figures(before, wrong)
        report.bars[f"{name}: subject, AUROC"] = Bar(figures["AUROC"], _SUBJECT)
        report.bars[f"{name}: false alarms"] = Bar(figures["false alarms"], _FALSE, most=True)
        for kind, changed in _changed(claims, before, language, dice).items():
            seen = [_refuted(judge(text, [read[claim.section.key]]).support) for claim, text in changed]
            noticed[kind] += seen
            report.metrics[f"{name}: {kind}"] = {"noticed": sum(seen) / len(seen), "n": len(seen)}
    for kind in ("number", "date"):
        if noticed[kind]:
            report.bars[f"{kind}s noticed"] = Bar(sum(noticed[kind]) / len(noticed[kind]), _NOTICED)
    return report


def _source(section: Section, language: Language) -> SourceText:
    heading, _, body = section.text[language].partition("\n")
    return SourceText(body, heading)


def _claims(found: Sequence[Section], language: Language) -> Iterator[Claim]:
    for section in found:
        body = section.text[language].partition("\n")[2]
        for start, end in sentences(body):
            text = _marker.sub("", " ".join(body[start:end].split()))
            if len(text) >= _SHORTEST[language] and detect_language(text) == language:
                yield Claim(text, section)


def _refuted(support: Support) -> bool:
    return support.across in ("differ", "not_found")


def _figures(right: Sequence[Support], wrong: Sequence[Support]) -> dict[str, float]:
    """The score of an unchanged claim is the share of its subject, less what differs."""
    counts = Counter(str(one.across) for one in right)
    return {
        "AUROC": auroc([one.score for one in right], [one.score for one in wrong]),
        "false alarms": sum(map(_refuted, right)) / len(right),
        "told from others": sum(map(_refuted, wrong)) / len(wrong),
        **{verdict: count / len(right) for verdict, count in sorted(counts.items())},
        "n": len(right),
    }


# --- changed facts -----------------------------------------------------------------------------------------------


def _changed(
    claims: Sequence[Claim], before: Sequence[Support], language: Language, dice: random.Random
) -> Mapping[str, list[tuple[Claim, str]]]:
    """By kind of change. Only claims that were compared and raised no alarm are changed."""
    names: dict[str, list[str]] = {}
    for claim in claims:
        for kind, name in proper_names(claim.text):
            names.setdefault(kind, []).append(name)
    found: dict[str, list[tuple[Claim, str]]] = defaultdict(list)
    for claim, support in zip(claims, before, strict=True):
        if support.across is None or _refuted(support):
            continue
        world = World(dice, names, " ".join(claim.section.text.values()))
        for kind, change in _CHANGES.items():
            if (false := change(claim.text, world)) and false != claim.text:
                found[kind].append((claim, false))
    return found


def _number(sentence: str, world: World) -> str | None:
    """A number becomes another one, in figures, that the section does not hold; dates are a kind of their own."""
    dates = [place for start, end, _ in _dates(sentence) for place in range(start, end)]
    found = [one for one in numbers(sentence) if one.start not in dates and one.value >= 1 and one.value % 1 == 0]
    if not found:
        return None
    number = world.random.choice(found)
    held = {one.value for one in numbers(world.context)}
    others = [value for step in range(1, 30) if (value := int(number.value) + step) not in held]
    return f"{sentence[: number.start]}{world.random.choice(others)}{sentence[number.end :]}" if others else None


def _date(sentence: str, world: World) -> str | None:
    """A year, month or day becomes another one, as it is written."""
    found = list(_dates(sentence))
    if not found:
        return None
    start, end, forms = world.random.choice(found)
    others = [form for form in forms if form != sentence[start:end]]
    return f"{sentence[:start]}{world.random.choice(others)}{sentence[end:]}"


def _dates(sentence: str) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Where the parts of dates stand, each with what could stand there."""
    for pattern, forms in _PARTS:
        for match in pattern.finditer(sentence):
            written = next((each for each in forms if match[0] in each), forms[0])
            yield *match.span(), written


_ZH = [*_NUMERALS, "十", *(f"十{one}" for one in _NUMERALS), "二十", *(f"二十{one}" for one in _NUMERALS)]
_DIGITS = [str(day) for day in range(1, 29)]
_PARTS: Sequence[tuple[re.Pattern[str], Sequence[Sequence[str]]]] = (
    (re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)"), [[str(year) for year in range(1900, 2030)]]),
    (re.compile(rf"(?:{'|'.join(_MONTHS)})\b(?= \d)|(?<=on )(?:{'|'.join(_MONTHS)})\b"), [_MONTHS]),
    (re.compile(r"(?<=[a-z] )\d{1,2}(?=, (?:19|20)\d\d)|(?<=(?:March|April) )\d{1,2}\b"), [_DIGITS]),
    (re.compile(r"(?:\d{1,2}|[一二三四五六七八九十]{1,2})(?=月(?!份?报))"), [_DIGITS[:12], _ZH[:12]]),
    (re.compile(r"(?<=月)(?:\d{1,2}|[一二三四五六七八九十]{1,3})(?=[日号])"), [_DIGITS, _ZH]),
)

# Numbers and dates are promised; names are told where they are in one script or in the dictionary.
_CHANGES: Mapping[str, Callable[[str, World], str | None]] = {
    "number": _number, "date": _date, "name": CHANGES["name"], "negation": CHANGES["negation"]
}  # fmt: skip
