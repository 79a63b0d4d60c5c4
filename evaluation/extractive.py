"""The answer without a model: the sentences of the hits that answer best, tidied, in reading order, cited."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from evaluation.blocks import Unit, joined, units
from schema import Hit, Language, Vectors
from text import detect_language, question_terms, search_tokens

Embed = Callable[[Sequence[str]], Vectors]

# What the question asks for, by its words: a number, or several things at once.
_asks_number = re.compile(
    r"\bhow (?:many|much|long|old|far|tall|high|large|big|often|deep|fast)\b|\bwhen\b"
    r"|\b(?:what|which) (?:year|date|day|time|number|percent\w*|age|century|decade|amount)\b"
    r"|多少|几[个位名年月天次岁种人]|何时|什么时候|哪一?[年天月日]|多[长久大高远深重快]|[年日]期|时间|第几",
    re.IGNORECASE,
)
_asks_list = re.compile(
    r"\b(?:what|which) are\b|\blist\b|\bsteps?\b|\bhow (?:do|to|can|should)\b|\bname (?:all|the)\b|\bwhich \w+s\b"
    r"|哪些|哪几|列出|有什么|步骤|流程|怎么|怎样|如何|包括什么|项目",
    re.IGNORECASE,
)
_has_number = re.compile(
    r"\d|[一二两三四五六七八九十百千万亿][个位名年月天次岁种人元]|\b(?:two|three|four|five|six|seven|eight|nine|ten)\b"
)

_asks_definition = re.compile(
    r"\b(?:what|who) (?:is|was|are|were)\b|\bdefin\w+|\bmean(?:s|ing)?\b|什么是|是什么|是谁|是哪|何谓|意思|定义|含义",
    re.IGNORECASE,
)
_asks_code = re.compile(
    r"\b(?:code|examples?|commands?|snippet|function|class|script|config\w*|syntax|yaml|json|curl|how (?:do|to|can))\b"
    r"|代码|示例|例子|命令|函数|脚本|配置|写法|怎么|怎样|如何",
    re.IGNORECASE,
)

# Shares of a score beside the question's own words, which make 1 when all of them stand in the sentence.
_NEAR, _AROUND = 0.5, 0.2  # a term in the heading, lead-in or sentence before; elsewhere in the hit
_SIMILAR, _HIT, _NUMBER, _DEFINES = 0.3, 0.4, 0.15, 0.2
_CODE = 0.6  # a block of code, where none is asked for: it names many things and says little about them
_FOREIGN = 0.7  # a sentence in another language than the question: an answer where no other is as good
_FOLLOW_UP = 0.25  # a term of the conversation, beside a term of the question
_ENOUGH = 0.45  # a further sentence scores at least this share of the best one
_ENOUGH_WORDS = 0.4  # and has this share of the best one's words of the question: beyond it nothing is gained
_ENOUGH_AROUND = 0.7  # the same for one that only stands under the words of the question
_ALIKE = 0.8  # of two sentences that share more of their terms the later one is dropped
_LONGEST_LIST = 12  # items


@dataclass
class _Scored:
    unit: Unit
    terms: frozenset[str]
    itself: bool  # answers by its own words, or as an item of what is listed
    own: frozenset[str]  # the terms of the question that stand in it
    led: bool  # what the question is about stands right over it, in its lead-in or heading
    words: float  # share of the question's words, by weight
    score: float  # with all that speaks for it
    taken: bool = field(default=False)


def extract_answer(
    question: str,
    hits: Sequence[Hit],
    language: Language,
    embed: Embed | None = None,
    context_terms: Sequence[str] = (),
    max_sentences: int = 4,
) -> str:
    """The sentences that answer best, each with its marker `[n]`, n counting the hits from 1; "" when none does.

    `context_terms` are search tokens of the conversation so far: they help a follow-up that does not name its subject.
    A list whose heading or lead-in the question is about comes whole, and counts as one sentence.
    """
    scored = _scored(question, hits, embed, context_terms)
    in_words = {one.unit.hit for one in scored if one.unit.kind != "code"}  # other hits are of code alone
    for one in scored:
        if one.unit.kind == "code":
            one.score *= 1 if _asks_code.search(question) or one.unit.hit not in in_words else _CODE
        elif detect_language(one.unit.text) not in (language, None):
            one.score *= _FOREIGN
    best = max((one.score for one in scored), default=0.0)
    most = max((one.words for one in scored), default=0.0)
    count, blocks = 0, 2 if _asks_code.search(question) else 1
    for one in sorted(scored, key=lambda one: -one.score):
        if count == max_sentences or one.score < _ENOUGH * best or one.score <= 0:
            break
        if one.taken or one.words < _ENOUGH_WORDS * most or (not one.itself and one.score < _ENOUGH_AROUND * best):
            continue
        if _is_other_row(one, scored) or _said_already(one, scored) or (one.unit.kind == "code" and blocks == 0):
            continue
        blocks -= one.unit.kind == "code"
        count += 1
        one.taken = True
        for other in _with_it(question, one, scored):
            other.taken = True
    return _written([one.unit for one in scored if one.taken])


def extract_opening(hits: Sequence[Hit], max_sentences: int = 4) -> str:
    """The first sentences of each document of the hits, cited: for "what is in it?", which none answers best."""
    found: dict[str, list[Unit]] = {}
    for number, hit in enumerate(hits, 1):
        found.setdefault(hit.document, []).extend(unit for unit in units(number, hit) if unit.answers)
    return _written([unit for first in found.values() for unit in first[:max_sentences]])


# --- scores ------------------------------------------------------------------------------------------------------


def _scored(question: str, hits: Sequence[Hit], embed: Embed | None, context_terms: Sequence[str]) -> list[_Scored]:
    """Every sentence of the hits with its score: the share of the question that it answers to, and what else speaks
    for it: similarity, the hit's own score, a number where one is asked for, a subject in first place to define it.
    """
    found = [unit for number, hit in enumerate(hits, 1) for unit in units(number, hit)]
    asked = dict.fromkeys(question_terms(question), 1.0)
    if not found or not asked:
        return []
    weights = dict.fromkeys(context_terms, _FOLLOW_UP) | asked
    texts = [search_tokens(unit.text) for unit in found]
    own, idf = _bm25(texts, list(weights))
    idf *= np.array(list(weights.values()))
    listing = bool(_asks_list.search(question))
    around = _present_around(found, texts, list(weights), listing)
    words = np.maximum(own, around) @ idf / (idf.sum() or 1.0)
    words[~((own > 0) | (around >= _NEAR)).any(axis=1)] = 0.0  # the hit is about it, this sentence is not
    alike = _similarities(question, [unit.text for unit in found], embed)
    top = max((hit.score for hit in hits), default=0.0) or 1.0
    scored = []
    for i, unit in enumerate(found):
        score = words[i] + _SIMILAR * alike[i]
        if score > 0:
            score += _HIT * hits[unit.hit - 1].score / top
            score += _NUMBER * bool(_asks_number.search(question) and _has_number.search(unit.text))
            score += _DEFINES * bool(_asks_definition.search(question) and set(texts[i][:3]) & asked.keys())
        itself = (listing and unit.kind == "item") or bool(own[i].any())
        over = set(search_tokens(unit.context[unit.context.split("\n")[0].rfind(" > ") + 1 :]))
        led = idf @ [term in over for term in weights] >= max(idf @ (own[i] > 0), idf.sum() / 2, 0.01)
        score = float(score) if unit.answers else 0.0
        scored.append(
            _Scored(unit, frozenset(texts[i]), itself, frozenset(asked.keys() & texts[i]), led, words[i], score)
        )
    return scored


def _bm25(
    texts: Sequence[Sequence[str]], asked: Sequence[str]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """BM25+ of each text for each term, scaled to [0, 1] by the term's best; and the terms' idf (0: nowhere)."""
    from rank_bm25 import BM25Plus

    index = BM25Plus([list(text) or [""] for text in texts])
    scores = np.zeros((len(texts), len(asked)))
    for i, term in enumerate(asked):
        holds = np.array([term in counts for counts in index.doc_freqs])
        if holds.any():
            column = np.where(holds, index.get_scores([term]), 0.0)  # BM25+ gives its lower bound to all others too
            scores[:, i] = column / column.max()
    return scores, np.array([index.idf.get(term, 0.0) for term in asked])


def _present_around(
    found: Sequence[Unit], texts: Sequence[Sequence[str]], asked: Sequence[str], listing: bool
) -> npt.NDArray[np.float64]:
    """How far a term counts for a sentence without standing in it: what a text is about, it need not repeat.

    Where several things are asked for, a list under the words of the question is what they ask for.
    """
    hits: dict[int, set[str]] = {}
    for unit, text in zip(found, texts, strict=True):
        hits.setdefault(unit.hit, set()).update(text)
    rows = []
    for i, unit in enumerate(found):
        over = set(search_tokens(unit.context))
        near = over.union(texts[i - 1] if i and found[i - 1].hit == unit.hit else ())
        full = 1.0 if listing and unit.kind == "item" else _NEAR
        rows.append(
            [full if term in over else _NEAR if term in near else _AROUND * (term in hits[unit.hit]) for term in asked]
        )
    return np.array(rows)


def _similarities(question: str, texts: Sequence[str], embed: Embed | None) -> list[float]:
    if embed is None:
        return [0.0] * len(texts)
    vectors = embed([question, *texts])
    return [float(cosine) for cosine in np.clip(vectors[1:] @ vectors[0], 0, 1)]


def _is_other_row(one: _Scored, scored: Iterable[_Scored]) -> bool:
    """True for a row of a table of which those that answer best are taken."""
    return one.unit.kind == "row" and any(other.taken and other.unit.group == one.unit.group for other in scored)


def _said_already(one: _Scored, scored: Iterable[_Scored]) -> bool:
    """True when a sentence that was taken says nearly the same."""
    for other in scored:
        if other.taken and one.terms and other.terms:
            shared = len(one.terms & other.terms) / min(len(one.terms), len(other.terms))
            if shared >= _ALIKE and len(one.terms) <= 1.25 * len(other.terms):
                return True
    return False


def _with_it(question: str, one: _Scored, scored: Iterable[_Scored]) -> list[_Scored]:
    """What is taken with it: the whole list or table when the question asks for several things, or is about the list
    rather than one item; else, of a table or a list on it, all that say as much of the question: to show some of
    several cases misleads.
    """
    group = [other for other in scored if one.unit.group and other.unit.group == one.unit.group]
    several = bool(_asks_list.search(question))
    if one.unit.kind == "row":
        return group[:_LONGEST_LIST] if several else [other for other in group if other.own >= one.own]
    steps = one.unit.bullet != "-"
    if (several and (one.led or steps)) or not one.itself:
        return group[:_LONGEST_LIST]
    return [other for other in group if other.own >= one.own] if one.led else []


# --- how it reads ------------------------------------------------------------------------------------------------


def _written(chosen: Sequence[Unit]) -> str:
    """Prose of one hit as a paragraph, list items as a list, rows under their header; every piece with its marker."""
    lines: list[str] = []
    previous: Unit | None = None
    for unit in chosen:
        text = unit.rendered(first=previous is None or previous.group != unit.group)
        joins = previous is not None and previous.hit == unit.hit and previous.kind == unit.kind == "prose"
        if joins:
            lines[-1] = joined([lines[-1], text])
        elif previous is not None and previous.kind == unit.kind != "prose" and previous.hit == unit.hit:
            lines.append(text)
        else:
            lines += [""] * bool(lines) + [text]
        previous = unit
    return "\n".join(lines)
