"""The answer without a model: the sentences of the hits that answer best, tidied, in reading order, cited."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from evaluation.answer_consistency import consistency
from evaluation.answer_ranking import WEIGHTS, Weights, probabilities
from evaluation.answer_sentences import Array
from evaluation.answer_text import written
from evaluation.answer_types import AnswerType, asks_whether, expected_types, spans
from evaluation.answer_units import AnswerUnits, Embed, read_units
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import with_counted
from evaluation.emphasis import emphasised
from evaluation.item_sentences import shortened
from evaluation.pointers import is_pointer
from evaluation.steps import heading_of, section_about, steps_around
from question_words import asks_how_to, question_terms
from schema import Hit, Language
from text import count_tokens, detect_language, language_of, search_tokens

# Whether several things, or code, are asked for; both are where it is asked how something is done.
_asks_list = re.compile(
    r"\b(?:what|which) are\b|\blist\b|\bsteps?\b|\bname (?:all|the)\b|\bwhich \w+s\b|哪些|哪几|列出|有什么|包括什么"
    r"|\bwhat\b.{0,80}\b(?:bring|prepare|hand in|submit|pack)\b"
    r"|(?:带|准备|提交|提供)一?些?什么|什么(?:材料|资料|证件|手续)",
    re.IGNORECASE,
)
_goes_on = re.compile(r"(?:it|they|this|these|he|she)\b|[它其该]|这[个种些]?|[他她]们?", re.IGNORECASE)
_has_number = re.compile(r"\d|[一二两三四五六七八九十百千万]")
_asks_code = re.compile(
    r"\b(?:code|examples?|commands?|snippet|function|class|script|config\w*|syntax|yaml|json|curl)\b"
    r"|代码|示例|例子|命令|函数|脚本|配置|写法",
    re.IGNORECASE,
)
_identifier = re.compile(r"(?<![\d.])(?!(?:19|20)\d\d(?!\d))\d+(?:\.\d+)*")  # a year is none

MOST_SENTENCES = 5  # of an answer
_CODE = 0.25  # a block of code, where none is asked for: it names many things and says little about them
FOREIGN = 0.4  # a sentence in another language than is wanted: an answer where no other is as good
_WORTH = 0.0007  # probability that a further sentence adds for each of its tokens
_LIKELY = 0.008  # and at least
_ELSEWHERE = 0.03  # and of one that stands in another source than what comes first
_UNTIED = 0.15  # and of one that shares no word with the question, or is in another language than is wanted
_POINTER = 0.02  # a sentence that only says where more stands
_ECHO = 0.002  # a sentence that says nothing but words of the question
_BESIDE = 0.2  # a sentence that is about something else than the subject
_HEADER_ALONE = 0.1  # a row that says only in its header what the question says, and holds nothing that it asks for
_SECTION = 0.05  # of what is likely to answer, that a section whose title says nothing of the question must hold
_ALIKE = 0.8  # of two sentences that share more of their terms the later one is dropped
_LONGEST_LIST = 12  # items


@dataclass(eq=False)  # one is itself: that is asked for often
class _ScoredUnit:
    unit: SourceUnit
    terms: frozenset[str]
    itself: bool  # answers by its own words, or as an item of what is listed
    own: frozenset[str]  # the terms of the question that stand in it
    led: bool  # what the question is about stands right over it, in its lead-in or heading
    share: float  # how likely it is to answer
    score: float  # the same, or 1 for what must come first: the list or the figures under the words of the question
    foreign: bool  # in another language than is wanted
    taken: bool = field(default=False)


@dataclass(frozen=True)
class ExtractiveAnswer:
    """An answer in the words of the sources; `probability` is that one of its sentences answers, if any that was found
    does; None where they were not chosen by that. `consistent` is how far what comes first agrees with the question."""

    text: str
    probability: float | None = None
    consistent: float = 1.0


def extract_answer(
    question: str,
    hits: Sequence[Hit],
    language: Language,
    embed: Embed | None = None,
    context_terms: Sequence[str] = (),
    max_sentences: int = MOST_SENTENCES,
) -> str:
    """The text of `extract`."""
    return extract(question, hits, language, embed, context_terms, max_sentences).text


def extract(
    question: str,
    hits: Sequence[Hit],
    language: Language,
    embed: Embed | None = None,
    context_terms: Sequence[str] = (),
    max_sentences: int = MOST_SENTENCES,
    foreign: float = FOREIGN,
    subjects: Sequence[str] = (),
) -> ExtractiveAnswer:
    """The answer of `choose` among all sentences of the hits.

    `context_terms` are search tokens of the conversation so far: they help a follow-up that does not name its subject.
    """
    return choose(read_units(question, hits, embed, context_terms), language, max_sentences, foreign, None, subjects)


def choose(
    among: AnswerUnits,
    language: Language,
    max_sentences: int = MOST_SENTENCES,
    foreign: float = FOREIGN,
    weights: Weights | None = None,
    subjects: Sequence[str] = (),
) -> ExtractiveAnswer:
    """The sentences that answer best, the best one first, the others in reading order; "" when none does. Of two that
    are as good, the one in `language`: any other counts `foreign` times as much.

    Each has its marker `[n]`, n counting the hits from 1. A list whose heading or lead-in the question is about comes
    whole, and counts as one sentence. A further sentence comes only where it is likely enough to add something.
    `weights` are others than those of the question's language, to try them. `subjects` is what the question is about in
    the words of the sources, in small letters, where its own are of another language.
    """
    question, scored = among.question, _scored(among, language, foreign, weights)
    _keep_subject(scored, subjects)
    if asks_how_to(question):
        _keep_section(question, scored, among.hits)
    first = list[_ScoredUnit]()
    asks_code = _asks(_asks_code, question)
    count, blocks, kinds = 0, 2 if asks_code else 1, expected_types(question)
    for one in sorted(scored, key=lambda one: (is_pointer(one.unit.text), -one.score, -len(one.own))):
        if count == max_sentences or one.score <= 0:
            break
        if one.taken or (count and not _adds(one, first, question)):
            continue
        if _is_other_row(one, scored) or _said_already(one, scored) or (one.unit.kind == "code" and blocks == 0):
            continue
        blocks -= one.unit.kind == "code"
        count += 1
        one.taken = True
        for other in [*_with_it(question, one, scored), *_continuing(one, scored, kinds)]:
            other.taken = True
        first = first or [other for other in scored if other.taken]
    chosen = [one for one in scored if one.taken]
    if steps := _steps(question, chosen, first, scored):
        chosen = steps
    elif not asks_code:  # code is read in its order
        chosen = [*first, *(one for one in chosen if one not in first)]
    chosen.sort(key=lambda one: one.unit.group == "" and is_pointer(one.unit.text))
    whole = bool(steps) or _asks(_asks_list, question)
    said = {one: one.unit if whole else shortened(one.unit, one.own, kinds) for one in chosen}
    text = written([emphasised(said[one], question) if one in first else said[one] for one in chosen])
    # What stands under the words of the question need not repeat them: its source speaks for it.
    led = {one.unit.hit for one in first if one.score == 1}
    shown = [one for one in chosen if one.unit.hit not in led] + [one for one in scored if one.unit.hit in led]
    if not first:
        return ExtractiveAnswer(text)
    agrees = consistency(question, [one.unit for one in first], among.hits[first[0].unit.hit - 1])
    return ExtractiveAnswer(text, min(sum(one.share for one in shown), 1.0), agrees)


def _asks(pattern: re.Pattern[str], question: str) -> bool:
    return bool(pattern.search(question)) or asks_how_to(question)


# --- scores ------------------------------------------------------------------------------------------------------


def _scored(among: AnswerUnits, language: Language, foreign: float, weights: Weights | None) -> list[_ScoredUnit]:
    """Every sentence of the hits with the probability that it answers; 0 where nothing ties it to the question."""
    question, found, known = among.question, among.units, among.features
    weights = weights or WEIGHTS[language_of(question, language)]
    shares = with_counted(question, found, _with_questions(found, probabilities(known.values, weights)))
    listing, asks_code = _asks(_asks_list, question), _asks(_asks_code, question)
    kinds = expected_types(question) & {"number", "time", "duration"}
    whether, asked = asks_whether(question), frozenset(search_tokens(question))
    in_words = {unit.hit for unit in found if unit.kind != "code"}  # other hits are of code alone
    scored = []
    for i, unit in enumerate(found):
        own, over = known.own[i], known.over[i]
        share = float(shares[i]) if unit.answers and known.coverage[i] + among.similarity[i] > 0 else 0.0
        if unit.kind == "code":
            share *= 1 if asks_code or unit.hit not in in_words else _CODE
        other = unit.kind != "code" and detect_language(unit.text) not in (language, None)
        share *= foreign if other else 1
        if unit.kind in ("prose", "item") and is_pointer(unit.text):
            share *= _POINTER
        terms = frozenset(search_tokens(unit.text))
        if unit.kind in ("prose", "item") and not whether and terms <= asked:
            share *= _ECHO
        told = listing if unit.kind == "item" else unit.kind == "row" and any(_holds(kind, unit.text) for kind in kinds)
        share *= _HEADER_ALONE if unit.kind == "row" and own.isdisjoint(terms) and not (told or listing) else 1
        itself = (listing and unit.kind == "item") or bool(own)
        score = 1.0 if told and over and share else share
        scored.append(_ScoredUnit(unit, terms, itself, own, over, share, score, other))
    return scored


def _with_questions(found: Sequence[SourceUnit], shares: Array) -> Array:
    """A question of the source, as “问：多久到账？”, speaks for what stands behind it."""
    moved = shares.copy()
    for i, (one, behind) in enumerate(pairwise(found)):
        if one.hit == behind.hit and one.text.endswith(("?", "？")) and behind.answers:
            moved[i + 1] += shares[i]
    return moved


def _holds(kind: AnswerType, row: str) -> bool:
    return bool(_has_number.search(row)) if kind == "number" else bool(spans(kind, row))


def _keep_subject(scored: Sequence[_ScoredUnit], subjects: Sequence[str]) -> None:
    """What says nothing of the subject, neither itself nor above it, counts less where anything says it."""
    says = [any(name in f"{one.unit.context}\n{one.unit.text}".lower() for name in subjects) for one in scored]
    for one, about in zip(scored, says, strict=True) if any(says) else ():
        one.score *= 1 if about else _BESIDE


def _adds(one: _ScoredUnit, first: Sequence[_ScoredUnit], question: str) -> bool:
    """True for a further sentence that is likely enough to be worth its length beside what comes first, and is about
    the same number: "What was order 1004?" is not answered by order 1005."""
    asked = {*_identifier.findall(question)}
    same = asked and any(asked & {*_identifier.findall(other.unit.text)} for other in first)
    if same and asked.isdisjoint(_identifier.findall(one.unit.text)):
        return False
    likely = _LIKELY if any(other.unit.hit == one.unit.hit for other in first) else _ELSEWHERE
    least = likely if one.own and not one.foreign else _UNTIED
    return one.score >= max(_WORTH * count_tokens(one.unit.text), least)


def _is_other_row(one: _ScoredUnit, scored: Iterable[_ScoredUnit]) -> bool:
    """True for a row of a table of which those that answer best are taken."""
    return one.unit.kind == "row" and any(other.taken and other.unit.group == one.unit.group for other in scored)


def _said_already(one: _ScoredUnit, scored: Iterable[_ScoredUnit]) -> bool:
    """True when a sentence that was taken says nearly the same."""
    for other in scored:
        if other.taken and one.terms and other.terms:
            shared = len(one.terms & other.terms) / min(len(one.terms), len(other.terms))
            if shared >= _ALIKE and len(one.terms) <= 1.25 * len(other.terms):
                return True
    return False


def _with_it(question: str, one: _ScoredUnit, scored: Iterable[_ScoredUnit]) -> list[_ScoredUnit]:
    """What is taken with it: the whole list or table when the question asks for several things, or is about the list
    rather than one item; else, of a table or a list on it, all that say as much of the question: to show some of
    several cases misleads.
    """
    group = [other for other in scored if one.unit.group and other.unit.group == one.unit.group]
    several = _asks(_asks_list, question)
    if one.unit.kind == "row":
        whole = bool(_asks_list.search(question)) or (several and one.led)
        return group[:_LONGEST_LIST] if whole else [other for other in group if other.own >= one.own]
    steps = one.unit.bullet != "-"
    if (several and (one.led or steps)) or not one.itself:
        return group[:_LONGEST_LIST]
    return [other for other in group if other.own >= one.own] if one.led else []


def _continuing(
    one: _ScoredUnit, scored: Sequence[_ScoredUnit], kinds: Collection[AnswerType]
) -> Iterator[_ScoredUnit]:
    """The sentence behind it, where that goes on about the same thing and says what is asked for, and this does not:
    “A deposit of £900 is held. It is returned within ten days.”"""
    behind = scored.index(one) + 1
    if one.unit.kind != "prose" or behind == len(scored) or any(spans(kind, one.unit.text) for kind in kinds):
        return
    unit = scored[behind].unit
    goes_on = unit.hit == one.unit.hit and unit.kind == "prose" and _goes_on.match(unit.text)
    if goes_on and any(spans(kind, unit.text) for kind in kinds):
        yield scored[behind]


def _keep_section(question: str, scored: Sequence[_ScoredUnit], hits: Sequence[Hit]) -> None:
    """Only what the section says that is about the question answers it, where it says anything on it: by its title, or
    because what is likely to answer stands in it."""
    about = {*section_about(question, [one.unit for one in scored], hits)}
    total = sum(scored[i].share for i in about)
    asked = {term for term in question_terms(question) if len(term) > 1}  # “一、” numbers a title
    titled = any(asked.intersection(search_tokens(heading_of(scored[i].unit))) for i in about)
    for i, one in enumerate(scored) if total > (0 if titled else _SECTION) else ():
        one.score = max(one.score if one.score == 1 else 0.0, one.share / total) if i in about else 0.0


def _steps(
    question: str, chosen: Sequence[_ScoredUnit], first: Sequence[_ScoredUnit], scored: Sequence[_ScoredUnit]
) -> list[_ScoredUnit]:
    """Where it is asked how: the steps of the section that answers best, and what was chosen of the text and code of
    the same source, but nothing of other lists; none where the section has no steps."""
    if not first or not asks_how_to(question):
        return []
    best = scored.index(max(first, key=lambda one: one.score))
    steps = steps_around([one.unit for one in scored], best)
    here = [one for one in chosen if one.unit.hit == scored[best].unit.hit and one.unit.kind in ("prose", "code")]
    return [one for i, one in enumerate(scored) if i in steps or one in here] if steps else []
