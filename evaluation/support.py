"""How well source text supports a sentence, judged without a model, in Chinese and English.

The score is the share of what the sentence says that the sources say too: its terms in all of them together (35 %), as
a sentence may merge what stands far apart; its terms in one passage of up to three adjacent sentences (35 %), in its
order (20 %), side by side as there (10 %). What each counts was compared by answers that were held out
(`python -m benchmarks faithfulness --fit`). Each contradiction then takes its part of the score away. Terms weigh by
what they carry: content words 1, numbers 1.5, function words 0.2 (`claims.read`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluation.across_languages import compare_across
from evaluation.claims import Claims, read
from evaluation.contradictions import contradictions, rounded
from evaluation.sources import Match, SourcePassage, SourceText
from schema import Message, Support
from text import detect_language
from translation.glossary import Glossary

__all__ = ["THRESHOLD", "WORST", "SourceText", "SupportJudgement", "judge", "pool", "support", "weight"]

THRESHOLD = 0.7  # supported: at least so much of what a sentence says; higher marks more paraphrases
WORST = 0.3  # what the least supported sentence counts in the support of an answer, beside the mean of all
_SAYS = 2.0  # weight of a sentence from which on it is one of those: two content words
OTHER_LANGUAGE = Message(
    zh="来源是另一种语言，词典不认识句中的词，无法核对",
    en="the source is in another language, and the dictionary does not know the words: it cannot be checked",
)
TOO_LONG = Message(zh="句子太长，无法核对", en="the sentence is too long to be checked")
_MOST = 1_000  # terms of a sentence, ten times the longest of a contract; each is held against each of a passage
_list_marker = re.compile(r"\A\s*(?:(?:[-*+•>#|]+|\d{1,3}[.)])\s+|\d{1,3}、\s*)+")


class Agreement(NamedTuple):
    """The shares of a sentence, each in [0, 1], that sources say."""

    anywhere: float = 0.0  # of its terms, in all sources together
    terms: float = 0.0  # of its terms, in the passage
    order: float = 0.0  # in the order of the passage
    pairs: float = 0.0  # side by side as in the passage

    def score(self, weights: Agreement) -> float:
        return sum(share * weight for share, weight in zip(self, weights, strict=True))


WEIGHTS = Agreement(anywhere=0.35, terms=0.35, order=0.20, pairs=0.10)


class SupportJudgement(NamedTuple):
    """The support, and the passage that gives most of it: index of the source, offsets in its text (0, 0: none)."""

    support: Support
    source: int = 0
    start: int = 0
    end: int = 0
    agreement: Agreement = Agreement()
    left: float = 1.0  # of the agreement after contradictions, as a factor


def support(sentence: str, sources: Sequence[str]) -> Support:
    """How well the source texts support one sentence. For many, read the sources once: `SourceText`, `judge`."""
    return judge(sentence, [SourceText(text) for text in sources]).support


def judge(
    sentence: str, sources: Sequence[SourceText], question: str = "", glossary: Glossary | None = None
) -> SupportJudgement:
    """How well the best passage of the sources supports the sentence.

    Where all sources are in another language than the sentence, and do not quote it, it is compared across languages:
    that may speak against it, and never for it, so that unless it does the support is not `comparable`. Terms of a
    `glossary` are translated as it says. A bare Yes or No says what its question says: with the question given, that
    is what is judged.
    """
    claims = read(_list_marker.sub("", sentence))
    if not claims.checkable:
        claims = read(question)
    total = sum(term.weight for term in claims.terms)
    if not claims.checkable:
        return SupportJudgement(
            Support(0.0, False, (Message(zh="没有可以核对的内容", en="there is nothing to check in it"),))
        )
    if len(claims.terms) > _MOST:
        return SupportJudgement(Support(0.0, False, (TOO_LONG,)))
    read_in = [_matches(claims, source) for source in sources]
    anywhere = _anywhere(claims, read_in, sources) / total
    candidates = []
    for index, (source, matches) in enumerate(zip(sources, read_in, strict=True)):
        known: dict[tuple[Hashable, ...], Agreement] = {}  # a source may say the same again and again
        for covered, passage in source.best_passages(claims.terms, matches):
            said = (covered, *(term.form for term in passage.terms))
            if said not in known:
                known[said] = _agreement(claims, matches, passage, covered, total)._replace(anywhere=anywhere)
            candidates.append((known[said], index, passage, matches))
    foreign = _in_another_language(claims, sources)
    ranked = sorted(candidates, key=lambda candidate: -candidate[0].score(WEIGHTS))
    if foreign and not any(_quotes(claims, agreement, passage) for agreement, _, passage, _ in ranked[:1]):
        return _across(claims, sources, glossary)
    best = None
    for agreement, index, passage, matches in ranked:
        whole = agreement.score(WEIGHTS)
        if best is not None and whole <= best[0]:
            break  # contradictions only take away
        left, reasons = contradictions(claims, matches, passage, sources)
        if best is None or left * whole > best[0] + 1e-9:
            best = left * whole, index, passage, reasons, matches, agreement, left
    if best is None:
        return SupportJudgement(Support(0.0, False, (_missing(claims, [{}] * len(claims.terms), frozenset()),)))
    score, index, passage, reasons, matches, agreement, left = best
    supported = score >= THRESHOLD and not reasons
    if not supported and not reasons:
        reasons = (_missing(claims, matches, passage.places),)
    told = Support(round(min(score, 1.0), 4), supported, reasons)
    return SupportJudgement(told, index, passage.start, passage.end, agreement, left)


@lru_cache(maxsize=256)
def weight(sentence: str) -> float:
    """How much the sentence says: the sum of its terms' weights, by which scores of sentences are averaged."""
    return sum(term.weight for term in read(sentence, names=False).terms)


def pool(scores: Sequence[float], weights: Sequence[float], worst: float = WORST) -> float:
    """The support of an answer from that of its sentences: the more of them there are, the less their mean tells of one
    that is made up."""
    total = sum(weights)
    mean = sum(weight * score for weight, score in zip(weights, scores, strict=True)) / total if total else 0.0
    least = min((score for weight, score in zip(weights, scores, strict=True) if weight >= _SAYS), default=mean)
    return (1 - worst) * mean + worst * min(least, mean)


def _matches(claims: Claims, source: SourceText) -> list[Match]:
    """For each term the forms of the source that mean it; of a rounded number the one that it rounds."""
    known: dict[tuple[str, float], Match] = {}
    for term in claims.terms:
        if (term.form, term.weight) not in known:
            known[term.form, term.weight] = source.match(term)
    matches = [known[term.form, term.weight] for term in claims.terms]
    for index, number in claims.numbers:
        if not matches[index] and (exact := rounded(claims, number, source.numbers)):
            matches[index] = {exact.form: 0.9}
    return matches


def _anywhere(claims: Claims, read_in: Sequence[Sequence[Match]], sources: Sequence[SourceText]) -> float:
    """The weight of the terms that any of the sources has; Chinese also as the same characters cut into other words."""
    known: dict[str, float] = {}
    for term, *matches in zip(claims.terms, *read_in, strict=True):
        if term.form not in known:
            sure = max((max(match.values(), default=0.0) for match in matches), default=0.0)
            cut = sure < 1 and len(term.form) > 1 and not term.form.isascii()
            known[term.form] = 1.0 if cut and any(term.form in source.text for source in sources) else sure
    return sum(term.weight * known[term.form] for term in claims.terms)


def _agreement(
    claims: Claims, matches: Sequence[Match], passage: SourcePassage, covered: float, total: float
) -> Agreement:
    """Terms, order and neighbourhood of the sentence as far as the passage shares them."""
    best = np.zeros(len(passage.terms) + 1)  # weight of the longest common subsequence up to each place
    known: dict[int, tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]] = {}  # equal terms have one match
    for term, match in zip(claims.terms, matches, strict=True):
        if id(match) not in known:
            found = [(place, sure) for form, sure in match.items() for place in passage.places.get(form, ())]
            known[id(match)] = np.array([p for p, _ in found], np.intp), np.array([sure for _, sure in found])
        places, sure = known[id(match)]
        if len(places):
            longer = best[places] + sure * term.weight
            after = places + 1
            best[after] = np.maximum(best[after], longer)
            np.maximum.accumulate(best, out=best)
    together = both = 0.0
    adjacent: dict[tuple[int, int], bool] = {}
    for (a, first), (b, second) in pairwise(zip(claims.terms, matches, strict=True)):
        both += a.weight + b.weight
        pair = id(first), id(second)
        if pair not in adjacent:
            adjacent[pair] = any((one, two) in passage.pairs for one in first for two in second)
        if adjacent[pair]:
            together += a.weight + b.weight
    pairs = together / both if both else covered / total
    return Agreement(terms=covered / total, order=float(best[-1]) / total, pairs=pairs)


def _in_another_language(claims: Claims, sources: Sequence[SourceText]) -> bool:
    language = claims.language
    return language is not None and bool(sources) and all(one.language not in {None, language} for one in sources)


def _quotes(claims: Claims, agreement: Agreement, passage: SourcePassage) -> bool:
    """Whether a source of the other language has a passage in the claim's language that says it."""
    language = detect_language(" ".join(term.written for term in passage.terms))
    return language == claims.language and agreement.score(WEIGHTS) >= THRESHOLD


def _across(claims: Claims, sources: Sequence[SourceText], glossary: Glossary | None) -> SupportJudgement:
    """What sources in another language say of it. The score is the share of its subject that they say."""
    found = compare_across(claims, sources, glossary)
    refuted = found.verdict in ("differ", "not_found")
    reasons = found.reasons or (OTHER_LANGUAGE,)
    said = Support(round(found.share * found.left, 4), False, reasons, comparable=refuted, across=found.verdict)
    return SupportJudgement(said, found.source, found.start, found.end, left=found.left)


def _missing(claims: Claims, matches: Sequence[Match], held: Collection[str]) -> Message:
    """Why a sentence without a contradiction is not supported: the content words that its passage lacks."""
    words = [
        term.written
        for term, match in zip(claims.terms, matches, strict=True)
        if term.weight >= 1 and not any(form in held for form in match)
    ]
    if not words:
        return Message(
            zh="来源中有这些词，但说法不同", en="the source has these words, but does not put them together like this"
        )
    listed = list(dict.fromkeys(words))[:5]
    return Message(zh=f"来源中没有：{'、'.join(listed)}", en=f"not in the source: {', '.join(listed)}")
