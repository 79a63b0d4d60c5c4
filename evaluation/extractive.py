"""The answer without a model: the sentences of the hits that answer best, tidied, in reading order, cited."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.answer_consistency import consistency
from evaluation.answer_ranking import Weights
from evaluation.answer_text import written
from evaluation.answer_types import expected_types
from evaluation.answer_units import AnswerUnits, Embed, read_units
from evaluation.continuations import continuing, told_around
from evaluation.emphasis import emphasised
from evaluation.item_sentences import shortened
from evaluation.named_sections import stands_under
from evaluation.pointers import is_pointer
from evaluation.scored_units import (
    FOREIGN,
    ScoredUnit,
    asks_code,
    asks_list,
    keep_subject,
    names_several,
    scored_units,
)
from evaluation.source_questions import answer_around
from evaluation.steps import are_of_something_else, heading_of, is_case, section_about, steps_around
from evaluation.telling_headings import with_headings
from evaluation.titled_sections import section_asked_for
from question_words import asks_how_to, question_terms
from schema import Hit, Language
from text import count_tokens, detect_language, search_tokens

_identifier = re.compile(r"(?<![\d.])(?!(?:19|20)\d\d(?!\d))\d+(?:\.\d+)*")  # a year is none

MOST_SENTENCES = 5  # of an answer
_WORTH = 0.0007  # probability that a further sentence adds for each of its tokens
_LIKELY = 0.008  # and at least
_ELSEWHERE = 0.03  # and of one that stands in another source than what comes first
_UNTIED = 0.15  # and of one that shares no word with the question, or is in another language than is wanted
_SECTION = 0.05  # of what is likely to answer, that a section whose title says nothing of the question must hold
_ALIKE = 0.8  # of two sentences that share more of their terms the later one is dropped
_LONGEST_LIST = 12  # items


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
    asked: str = "",
) -> ExtractiveAnswer:
    """The answer of `choose` among all sentences of the hits.

    `context_terms` are search tokens of the conversation so far: they help a follow-up that does not name its subject.
    `asked` is the question alone where translations of its words stand before it: what it means is read of that.
    """
    among = read_units(question, hits, embed, context_terms, asked)
    return choose(among, language, max_sentences, foreign, None, subjects)


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
    question, named, scored = among.question, among.named, scored_units(among, language, foreign, weights)
    keep_subject(scored, subjects)
    if asks_how_to(question):
        _keep_section(question, scored, among.hits, foreign)
    elif titled := section_asked_for(question, among.units):
        _keep_in_order(scored, titled)
    first, beside = list[ScoredUnit](), list[ScoredUnit]()
    code_asked = asks_code(question)
    count, blocks, kinds = 0, 2 if code_asked else 1, expected_types(question)
    for one in sorted(scored, key=lambda one: (is_pointer(one.unit.text), -one.score, -len(one.own))):
        if count == max_sentences or one.score <= 0:
            break
        if one.taken or (one.unit.kind == "code" and blocks == 0) or _is_left_out(question, one, first, scored):
            continue
        if count and (not _adds(one, first, question) or _said_already(one, scored) or _is_beside(one, first, named)):
            continue
        blocks -= one.unit.kind == "code"
        count += 1
        one.taken = True
        for other in [*_with_it(question, one, scored), *continuing(one, scored, question, kinds)]:
            other.taken = True
        if not first:
            for place in answer_around(question, among.units, scored.index(one)):
                scored[place].taken = True
            beside = told_around(question, one, scored, among.features.said, kinds)
        first = first or [other for other in scored if other.taken]
    chosen = [one for one in scored if one.taken]
    if steps := _steps(question, chosen, first, scored):
        chosen = steps
    elif not code_asked:  # code is read in its order
        chosen = [*first, *(one for one in chosen if one not in first)]
    chosen += [one for one in beside if not steps and one not in chosen]
    chosen.sort(key=lambda one: one.unit.group == "" and is_pointer(one.unit.text))
    whole = bool(steps) or asks_list(question)
    said = {one: one.unit if whole else shortened(one.unit, question, one.own, kinds) for one in chosen}
    told = [emphasised(said[one], question) if one in first else said[one] for one in chosen]
    text = written(with_headings(question, told, named))
    if not first:
        return ExtractiveAnswer(text)
    agrees = consistency(question, [one.unit for one in first], among.hits[first[0].unit.hit - 1])
    return ExtractiveAnswer(text, _probability(chosen, first, scored), agrees)


def _probability(chosen: Sequence[ScoredUnit], first: Sequence[ScoredUnit], scored: Sequence[ScoredUnit]) -> float:
    """That one of the chosen sentences answers. What stands under the words of the question need not repeat them: its
    source speaks for it."""
    led = {one.unit.hit for one in first if one.score == 1}
    shown = [one for one in chosen if one.unit.hit not in led] + [one for one in scored if one.unit.hit in led]
    others = sum(one.share for one in scored if _is_ruled_out(one, first))
    return min(sum(one.share for one in shown) / (1 - min(others, 0.99)), 1.0)


def _adds(one: ScoredUnit, first: Sequence[ScoredUnit], question: str) -> bool:
    """True for a further sentence that is likely enough to be worth its length beside what comes first, and is about
    the same number: "What was order 1004?" is not answered by order 1005."""
    if _is_ruled_out(one, first):
        return False
    asked = {*_identifier.findall(question)}
    same = asked and any(asked & {*_identifier.findall(other.unit.text)} for other in first)
    if same and asked.isdisjoint(_identifier.findall(one.unit.text)):
        return False
    likely = _LIKELY if any(other.unit.hit == one.unit.hit for other in first) else _ELSEWHERE
    least = likely if one.own and not one.foreign else _UNTIED
    return one.score >= max(_WORTH * count_tokens(one.unit.text), least)


def _is_ruled_out(one: ScoredUnit, first: Sequence[ScoredUnit]) -> bool:
    """True for a sentence in another language than what comes first, where that stands under the words of the question:
    only a dictionary ties it to them."""
    if not first or first[0].score < 1:
        return False
    return len({detect_language(each.unit.text) for each in (one, first[0])} - {None}) > 1


def _is_beside(one: ScoredUnit, first: Sequence[ScoredUnit], named: frozenset[str]) -> bool:
    """True for a sentence outside the section that a heading alone names, where what comes first stands in it: it tells
    of another medicine."""
    return any(stands_under(other.unit, named) for other in first) and not stands_under(one.unit, named)


def _is_left_out(question: str, one: ScoredUnit, first: Sequence[ScoredUnit], scored: Sequence[ScoredUnit]) -> bool:
    """True for a row of a table of which those that answer best are taken, and, where it is asked how, for an item of a
    list of cases of which another one was taken alone."""
    group = [other for other in scored if one.unit.group and other.unit.group == one.unit.group]
    if one.unit.kind == "row" or not asks_how_to(question):
        return one.unit.kind == "row" and any(other.taken for other in group)
    alone = len(first) == 1 and first[0] in group
    return alone and is_case(first[0].unit, [(other.unit, other.own) for other in group])


def _said_already(one: ScoredUnit, scored: Iterable[ScoredUnit]) -> bool:
    """True when a sentence that was taken says nearly the same."""
    for other in scored:
        if other.taken and one.terms and other.terms:
            shared = len(one.terms & other.terms) / min(len(one.terms), len(other.terms))
            if shared >= _ALIKE and len(one.terms) <= 1.25 * len(other.terms):
                return True
    return False


def _with_it(question: str, one: ScoredUnit, scored: Iterable[ScoredUnit]) -> list[ScoredUnit]:
    """What is taken with it: the whole list or table when the question asks for several things, or is about the list
    rather than one item; else, of a table or a list on it, all that say as much of the question: to show some of
    several cases misleads.
    """
    group = [other for other in scored if one.unit.group and other.unit.group == one.unit.group]
    several = asks_list(question)
    if one.unit.kind == "row" and one.score < 1 and not several and one.own.isdisjoint(one.terms):
        return []  # only its header says what is asked about, as that of each other row does
    if one.unit.kind == "row":
        named = one.own.difference(search_tokens(one.unit.header)) and any(not other.own >= one.own for other in group)
        whole = not named and (names_several(question) or (several and one.led))
        return group[:_LONGEST_LIST] if whole else [other for other in group if other.own >= one.own][:_LONGEST_LIST]
    if asks_how_to(question) and is_case(one.unit, [(other.unit, other.own) for other in group]):
        return []
    steps = one.unit.bullet != "-" and asks_how_to(question)
    if (several and (one.led or steps)) or not one.itself:
        return group[:_LONGEST_LIST]
    return [other for other in group if other.own >= one.own] if one.led else []


def _keep_section(question: str, scored: Sequence[ScoredUnit], hits: Sequence[Hit], foreign: float) -> None:
    """Only what the section says that is about the question answers it, where it says anything on it: by its title, or
    because what is likely to answer stands in it."""
    counts = [foreign if one.foreign else 1.0 for one in scored]
    about = {*section_about(question, [one.unit for one in scored], hits, counts)}
    total = sum(scored[i].share for i in about)
    asked = {term for term in question_terms(question) if len(term) > 1}  # “一、” numbers a title
    titled = any(asked.intersection(search_tokens(heading_of(scored[i].unit))) for i in about)
    for i, one in enumerate(scored) if total > (0 if titled else _SECTION) else ():
        one.score = max(one.score if one.score == 1 else 0.0, one.share / total) if i in about else 0.0


def _keep_in_order(scored: Sequence[ScoredUnit], section: Sequence[int]) -> None:
    """Only what stands in a section answers, in its order."""
    for i, one in enumerate(scored):
        one.score = 1 - section.index(i) / len(scored) if i in section and one.share > 0 else 0.0


def _steps(
    question: str, chosen: Sequence[ScoredUnit], first: Sequence[ScoredUnit], scored: Sequence[ScoredUnit]
) -> list[ScoredUnit]:
    """Where it is asked how: the steps of the section that answers best, and what was chosen of the text and code of
    the same source, but nothing of other lists; none where the section has no steps."""
    if not first or not asks_how_to(question):
        return []
    best = scored.index(max(first, key=lambda one: one.score))
    units = [one.unit for one in scored]
    steps = steps_around(units, best)
    if steps and are_of_something_else(question_terms(question), units, [one.own for one in scored], best, steps):
        return []
    here = [one for one in chosen if one.unit.hit == scored[best].unit.hit and one.unit.kind in ("prose", "code")]
    return [one for i, one in enumerate(scored) if i in steps or one in here] if steps else []
