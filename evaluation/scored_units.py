"""Each sentence of the sources with how likely it is to answer, and what ties it to the question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.ages import with_ages
from evaluation.answer_ranking import WEIGHTS, Weights, probabilities
from evaluation.answer_reading import Array
from evaluation.answer_subjects import with_subjects
from evaluation.answer_types import AnswerType, asks_whether, expected_types, holds
from evaluation.answer_units import AnswerUnits
from evaluation.asked_units import asked_quantity, asked_span, with_asked_units, with_days, with_durations
from evaluation.bare_facts import with_bare_facts
from evaluation.blocks import SourceUnit
from evaluation.bounds import with_bounds
from evaluation.counted_nouns import counted_noun, gives_number_of, says_all, with_counted
from evaluation.labelled_lines import with_labels
from evaluation.links import with_links
from evaluation.meaning import with_meaning
from evaluation.money import with_money
from evaluation.named_sections import with_named_sections
from evaluation.numbered_names import with_numbered_names
from evaluation.own_clauses import with_all_that_is_said, with_own_clauses
from evaluation.pointers import is_pointer
from evaluation.role_lines import asks_author, with_duties, with_roles
from evaluation.source_questions import with_source_questions
from evaluation.telling_headings import with_heading
from evaluation.titled_sections import with_titles
from question_words import asks_how_to
from schema import Language
from text import detect_language, language_of, search_tokens, simplified

_asks_list = re.compile(
    r"\b(?:what|which) are\b|\blist\b|\bsteps?\b|\bname (?:all|the)\b|\bwhich \w+s\b|哪些|哪几|列出|有什么|包括什么"
    r"|\bwhat\b.{0,80}\b(?:bring|prepare|hand in|submit|pack)\b"
    r"|(?:带|准备|提交|提供)一?些?什么|什么(?:材料|资料|证件|手续)",
    re.IGNORECASE,
)
_asks_code = re.compile(
    r"\b(?:code|examples?|commands?|snippet|function|class|script|config\w*|syntax|yaml|json|curl)\b"
    r"|代码|示例|例子|命令|函数|脚本|配置|写法",
    re.IGNORECASE,
)
_has_number = re.compile(r"\d|[一二两三四五六七八九十百千万]")
_record = re.compile(r"(?:[^：:；;\n]{1,40}[：:][^；;\n]{0,400}[；;]\s*){2}")  # a row of a table that stands in a line
_label = re.compile(r"(?:\A|[；;])[^：:；;]{1,40}[：:]")

_SURE = 0.5  # of who wrote it, who need say no word of the question
_CODE = 0.25  # a block of code, where none is asked for: it names many things and says little about them
FOREIGN = 0.4  # a sentence in another language than is wanted: an answer where no other is as good
_POINTER = 0.02  # a sentence that only says where more stands
_ECHO = 0.002  # a sentence that says nothing but words of the question
_BESIDE = 0.2  # a sentence that is about something else than the subject
_HEADER_ALONE = 0.1  # a row that says only in its header what the question says, and holds nothing that it asks for


@dataclass(eq=False)  # one is itself: that is asked for often
class ScoredUnit:
    unit: SourceUnit
    terms: frozenset[str]
    itself: bool  # answers by its own words, or as an item of what is listed
    own: frozenset[str]  # the terms of the question that stand in it
    led: bool  # what the question is about stands right over it, in its lead-in or heading
    share: float  # how likely it is to answer
    score: float  # the same, or 1 for what must come first: the list or the figures under the words of the question
    foreign: bool  # in another language than is wanted
    taken: bool = field(default=False)


def asks_list(question: str) -> bool:
    """Whether several things are asked for; they are where it is asked how something is done."""
    return names_several(question) or asks_how_to(question)


def names_several(question: str) -> bool:
    """Whether it is asked for several things in so many words: “哪些”, "what are"."""
    return _asks_list.search(question) is not None


def asks_code(question: str) -> bool:
    """Whether code is asked for, or how something is done."""
    return _asks_code.search(question) is not None or asks_how_to(question)


def is_record(unit: SourceUnit) -> bool:
    """Whether it is a row of a table that stands in a line: “ID: R20; Risk: …”."""
    return unit.kind == "item" and _record.match(unit.text) is not None


def scored_units(among: AnswerUnits, language: Language, foreign: float, weights: Weights | None) -> list[ScoredUnit]:
    """Every sentence of the hits with the probability that it answers; 0 where nothing ties it to the question."""
    question, found, known = among.question, among.units, among.features
    shares = _shares(among, weights or WEIGHTS[language_of(question, language)])
    listing, code_asked = asks_list(question), asks_code(question)
    kinds = expected_types(question) & {"number", "time", "duration"}
    whether, asked = asks_whether(question), frozenset(search_tokens(question))
    quantity, author = asked_quantity(question) or asked_span(question), asks_author(question)
    in_words = {unit.hit for unit in found if unit.kind != "code"}  # other hits are of code alone
    noun = counted_noun(question)
    counted = bool(noun) and any(
        unit.kind in ("prose", "item") and gives_number_of(noun, unit.text) and says_all(question, unit.text)
        for unit in found
    )
    scored = []
    for i, unit in enumerate(found):
        own, over = known.own[i], known.over[i]
        linked = known.coverage[i] + among.similarity[i] > 0 or (author and shares[i] > _SURE)
        share = float(shares[i]) if unit.answers and linked else 0.0
        if unit.kind == "code":
            share *= 1 if code_asked or unit.hit not in in_words else _CODE
        other = unit.kind != "code" and detect_language(unit.text) not in (language, None)
        share *= foreign if other else 1
        if unit.kind in ("prose", "item") and is_pointer(unit.text):
            share *= _POINTER
        terms = known.terms[i] if unit.kind != "row" else frozenset(search_tokens(unit.text))  # without its header
        if unit.kind in ("prose", "item") and not whether and terms <= asked and with_heading(question, unit) is unit:
            share *= _ECHO
        figures = unit.kind == "row" and not counted and any(_holds(kind, unit.text) for kind in kinds)
        figures = figures and (quantity is None or quantity.search(simplified(unit.text)) is not None)
        told = listing if unit.kind == "item" else figures
        record = is_record(unit)
        terms = frozenset(search_tokens(_label.sub(" ", unit.text))) if record else terms  # without its labels
        headed = record or unit.kind == "row"
        share *= _HEADER_ALONE if headed and own.isdisjoint(terms) and not (told or listing) else 1
        itself = (listing and unit.kind == "item") or bool(own)
        score = 1.0 if told and over and share else share
        scored.append(ScoredUnit(unit, terms, itself, own, over, share, score, other))
    return scored


def _shares(among: AnswerUnits, weights: Weights) -> Array:
    """How likely each sentence is by its features, and then by what rules know of certain kinds of question."""
    question, found, known = among.question, among.units, among.features
    shares = with_meaning(among.asked, found, known.coverage, probabilities(known.values, weights))
    shares = with_source_questions(found, shares)
    shares = with_counted(question, found, with_titles(question, found, shares))
    shares = with_subjects(question, found, with_labels(question, found, shares))
    shares = with_roles(question, found, among.hits, with_named_sections(found, among.named, shares))
    tied = [bool(own) or over for own, over in zip(known.own, known.over, strict=True)]
    shares = with_bounds(question, found, tied, with_money(question, found, shares))
    shares = with_links(question, found, with_bare_facts(question, found, shares))
    shares = with_ages(question, found, with_numbered_names(question, found, shares))
    shares = with_asked_units(question, found, known.own, shares)
    shares = with_own_clauses(question, found, known.own, shares)
    shares = with_duties(question, found, tied, with_days(question, found, tied, shares))
    shares = with_durations(question, found, tied, shares)
    return with_all_that_is_said(question, found, known.own, shares)


def _holds(kind: AnswerType, row: str) -> bool:
    return bool(_has_number.search(row)) if kind == "number" else holds(kind, row)


def keep_subject(scored: Sequence[ScoredUnit], subjects: Sequence[str]) -> None:
    """What says nothing of the subject, neither itself nor above it, counts less where anything says it."""
    says = [any(name in f"{one.unit.context}\n{one.unit.text}".lower() for name in subjects) for one in scored]
    for one, about in zip(scored, says, strict=True) if any(says) else ():
        one.score *= 1 if about else _BESIDE
