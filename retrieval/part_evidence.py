"""A question that asks for several things: each part is searched beside it, and their evidence takes turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from question_words import question_terms
from retrieval.candidates import JUDGED
from retrieval.glossary import glossary_of
from retrieval.lexical import WeightedTerms
from retrieval.ranking import QuestionRanking
from retrieval.translated_terms import TranslatedTerms
from schema import Hit, Language, Message, QuestionPart
from stores.base import Store
from text import detect_language
from translation.question import translate

_SAID = 0.4  # of the weight of what a part asks about, in one of its first passages: else nothing was found of it
_LIKELY = 0.3  # confidence of a part whose words cannot be compared with what was found


class SharedPlaces(NamedTuple):
    """What was found of a question and its parts, in one order."""

    ranked: tuple[Hit, ...]
    confidence: float
    has_evidence: tuple[QuestionPart, ...]  # of the parts
    notices: tuple[Message, ...]  # which of the others nothing was found of


def share_places(
    parts: Sequence[QuestionPart], whole: QuestionRanking, each: Sequence[QuestionRanking], store: Store
) -> SharedPlaces:
    """What was found of the question as a whole and of each part, by turns.

    The first place stays. What was found of a part that has no evidence says nothing of it, and takes no turn; where
    none has any, the question is taken as a whole. The confidence is the mean of the parts', unless that of the
    question as a whole is higher.
    """
    found = [
        (part, ranking)
        for part, ranking in zip(parts, each, strict=True)
        if has_evidence(part, parts, ranking.ranked, ranking.confidence, store)
    ]
    confidence = max(whole.confidence, sum(ranking.confidence for _, ranking in found) / len(parts))
    ranked = take_turns([whole.ranked, *(ranking.ranked for _, ranking in found)], confidence)
    there = tuple(part for part, _ in found)
    lacking = [part for part in parts if there and part not in there]
    return SharedPlaces(tuple(ranked), confidence, there, tuple(map(nothing_of, lacking)))


def has_evidence(
    part: QuestionPart, parts: Sequence[QuestionPart], hits: Sequence[Hit], confidence: float, store: Store
) -> bool:
    """Whether one of the first passages found for a part says what it asks about, and the other parts do not."""
    if not hits:
        return False
    first = hits[:JUDGED]
    languages = [detect_language(hit.text) for hit in first]
    terms = {language: _own_terms(part, parts, language, store) for language in dict.fromkeys(languages)}
    if not all(one.terms for one in terms.values()):
        return confidence >= _LIKELY
    return max(terms[of].share(hit.indexed_text) for hit, of in zip(first, languages, strict=True)) >= _SAID


def _own_terms(
    part: QuestionPart, parts: Sequence[QuestionPart], language: Language | None, store: Store
) -> WeightedTerms:
    """What not every part asks about, in the language of a passage."""
    asked = detect_language(part.question)
    if asked and language not in (asked, None):
        return TranslatedTerms.of_groups(translate(part.about, asked, glossary_of(store)), store)
    shared = set.intersection(*({*question_terms(one.question)} for one in parts))
    about = question_terms(part.about)
    return WeightedTerms.of([term for term in about if term not in shared] or about, store)


def take_turns(rankings: Sequence[Sequence[Hit]], confidence: float) -> list[Hit]:
    """The hits of all rankings by turns, each once, best first. Each has the score of its place: a share of the best of
    its ranking, and no more than those above it."""
    found: dict[int, Hit] = {}
    least = confidence
    for row in zip_longest(*rankings):
        for hit, ranking in zip(row, rankings, strict=True):
            if hit is None or hit.chunk_id in found:
                continue
            best = ranking[0].score
            least = min(least, confidence * hit.score / best if best > 0 else 0.0)
            found[hit.chunk_id] = replace(hit, score=least)
    return list(found.values())


def nothing_of(part: QuestionPart) -> Message:
    return Message(
        zh=f"关于“{part.about}”，在这些文件里没有找到任何内容。",
        en=f"Of “{part.about}” nothing was found in these files.",
    )
